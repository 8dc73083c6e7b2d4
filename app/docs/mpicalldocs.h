// SPDX-License-Identifier: GPL-3.0-or-later
// Which MPI calls a recording has, as a page of the reference.
#pragma once

#include <QString>

namespace longpole {

QString mpiCallsMarkdown();

}  // namespace longpole
