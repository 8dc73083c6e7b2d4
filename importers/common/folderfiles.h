// SPDX-License-Identifier: GPL-3.0-or-later
// What is in a trace's folder, which may have come from a stranger: nothing is asked of another machine for it.
#pragma once

#include <QFileInfo>
#include <QString>

namespace longpole {

// Ordinary files in the folder, and links to such, by name; links that lead to another machine are left out.
QFileInfoList filesIn(const QString& folder);
// The same of folders.
QFileInfoList foldersIn(const QString& folder);
// The first link in the folder that leads to another machine; empty: none does.
QString linkToOtherHostIn(const QString& folder);

}  // namespace longpole
