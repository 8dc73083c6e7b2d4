// SPDX-License-Identifier: GPL-3.0-or-later
// What a run is called: the program's file says little, for two runs of one program lie in two folders.
#pragma once

#include <QString>

#include <utility>

namespace longpole {

// The file without its ending or the folder, "wave2d_p6" for instance.
QString runName(const QString& path);

// The file with the folder that it lies in, "slow/wave2d"; without it where the folder has the file's name. A folder is
// called by its own name.
QString runNameWithFolder(const QString& path);

// The same of the path that a trace says it was made from, which is a stranger's: by its words alone. Whether there is
// such a file, which could ask another machine, is not looked at.
QString recordedRunName(const QString& path);
QString recordedRunNameWithFolder(const QString& path);

// Whether that path is under the folder, by its words; and whether it is a file of the folder that is there.
bool recordedRunLiesUnder(const QString& path, const QString& folder);
bool recordedRunLiesIn(const QString& path, const QString& folder);

// Two runs side by side: their names, and where these are the same as many folders as tell them apart: "a/out/jacobi"
// and "b/out/jacobi". The same only if the paths are.
std::pair<QString, QString> runNames(const QString& first, const QString& second);

}  // namespace longpole
