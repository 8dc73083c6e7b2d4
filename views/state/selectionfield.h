// SPDX-License-Identifier: GPL-3.0-or-later
// One line of what is told about a selected thing: its name, its value, and where a click on that leads.
#pragma once

#include "views/state/choices.h"

#include <QString>

namespace longpole {

struct SelectionField {
    QString name;
    QString text;
    Selection link;  // invalid: nowhere
};

}  // namespace longpole
