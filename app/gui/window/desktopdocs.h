// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what documents say of the desktop program: its man page, and of each view what F1 shows over it.
#pragma once

#include <QString>

#include <span>

namespace longpole {

struct DesktopOption {
    const char* names;  // "-h, --help"
    const char* help;   // untranslated
};

QString desktopManual(std::span<const DesktopOption> options);  // roff, section 1
QString viewReference();                                        // the text of docs/views.md

}  // namespace longpole
