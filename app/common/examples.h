// SPDX-License-Identifier: GPL-3.0-or-later
// The traces that come with the program, to be tried.
#pragma once

#include <QString>

namespace longpole {

// The folder of the example that the tutorial looks at; empty if it was not installed.
QString exampleTrace();

}  // namespace longpole
