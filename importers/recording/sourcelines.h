// SPDX-License-Identifier: GPL-3.0-or-later
// Which functions, files and lines return addresses belong to: from the debug information of the programs and libraries
// that were loaded, else from their symbol tables.
#pragma once

#include "core/base/progress.h"
#include "importers/recording/file.h"
#include "importers/recording/programnames.h"

#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace longpole {

class NamingProcess;

// Files are read if they are the build that was recorded (readableModule), at most limits::recordingFiles of them. One
// without a build id is, if it was not changed since the run began.
class SourceLines {
public:
    // Of the recording; since 1970. Keeps `progress`; what is looked up after it was cancelled need not be right.
    SourceLines(QString folder, TimeNs begun, const Progress& progress);
    ~SourceLines();

    // The function that called something which returns to that address, after the functions that were inlined there,
    // the innermost first. At least one; they stay until the next call.
    const std::vector<SourceFrame>& at(const RecordedModule* module, std::uint64_t address);
    // The symbol of the function at that address, as it stands in the file; empty if it is not known.
    QByteArray symbolAt(const RecordedModule& module, std::uint64_t address);
    // The paths of those that were asked for and are not here as they ran, in that order: what is in them has no name.
    const std::vector<QString>& missing() const { return m_missing; }
    // The paths of those of which not all code has its name, as finding it took more memory or time than files of their
    // size explain.
    std::vector<QString> tooMuch() const;

private:
    class File;
    File& fileOf(const RecordedModule& module);
    void forgetIfMany();

    QString m_folder;
    TimeNs m_begun;
    const Progress& m_progress;
    std::unique_ptr<NamingProcess> m_apart;                      // null: code is named here
    std::map<std::pair<QByteArray, QByteArray>, File*> m_named;  // by path and build, as they are recorded
    // By path on this machine, else name, and build.
    std::map<std::tuple<QByteArray, QString, QByteArray>, std::unique_ptr<File>> m_files;
    std::map<std::pair<const File*, std::uint64_t>, std::vector<SourceFrame>> m_known;  // by place in the file
    std::map<std::pair<const File*, std::uint64_t>, QByteArray> m_symbols;
    std::vector<QString> m_missing;
    std::int64_t m_knownBytes = 0;  // of them, about
    std::int64_t m_opened = 0;
};

}  // namespace longpole
