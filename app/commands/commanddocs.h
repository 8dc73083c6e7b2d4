// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is said about the commands is written from their list: help, man page, shell completion.
#pragma once

#include "app/commandline/commandline.h"

#include <QString>

namespace longpole {

QString usageLine(const Command& command);    // "longpole info TRACE [options]"
QString commandHelp(const Command& command);  // of longpole COMMAND --help
QString programHelp();                        // of longpole --help
QString programVersion();                     // "longpole 0.1.0"

QString manPage();  // roff, section 1
QString bashCompletion();
QString zshCompletion();

}  // namespace longpole
