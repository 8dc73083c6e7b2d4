// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a line of a file in the user's editor: a command of theirs whose words go to the program as they are, or the
// desktop's program for the file. No shell reads anything, and nothing that a trace names is run.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

namespace longpole {

// Commands as they are in use: the first of them is proposed.
QStringList editorExamples();

// The program and its arguments: %f is the file, %l the line, %% a percent sign; without %f the file is added at the
// end. Words with blanks stand in double quotes. Error: there is no command in it.
Result<QStringList> editorWords(const QString& command, const QString& file, int line);

// `file`: an absolute path of an ordinary file. Returns when the program has been started. Errors: the program is not
// found or cannot be started; without a command: the file's name is not that of a source, which the desktop might run.
Result<> openInEditor(const QString& command, const QString& file, int line);

}  // namespace longpole
