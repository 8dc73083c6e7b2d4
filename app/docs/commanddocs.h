// SPDX-License-Identifier: GPL-3.0-or-later
// Help, man page and shell completion, which are written from the list of commands.
#pragma once

#include "app/commandline/commandline.h"

#include <QString>

namespace longpole {

QString usageLine(const Command& command);    // "longpole info TRACE [options]"
QString commandHelp(const Command& command);  // what longpole COMMAND --help prints
QString programHelp();                        // what longpole --help prints
QString programVersion();                     // "longpole 0.1.0"

// What man pages are made of: a text in which roff takes nothing for a command, and what TRACE can be.
QString roff(const QString& text);
QString traceText();

QString manPage();           // roff, section 1
QString commandReference();  // the text of docs/reference/commands.md
QString bashCompletion();
QString zshCompletion();

}  // namespace longpole
