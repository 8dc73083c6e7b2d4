// SPDX-License-Identifier: GPL-3.0-or-later
// Which functions, files and lines return addresses belong to: from the debug information of the programs and libraries
// that were loaded, else from their symbol tables.
#pragma once

#include "importers/recording/file.h"

#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace longpole {

struct SourceFrame {
    QString function;
    QString file;  // without debug information "app+0x12a4"
    int line = 0;  // 0: not known
};

class SourceLines {
public:
    SourceLines();
    ~SourceLines();

    // The function that called something which returns to that address, after the functions that were inlined there,
    // the innermost first. At least one.
    std::vector<SourceFrame> at(const RecordedModule* module, std::uint64_t address);

private:
    class File;
    std::map<std::pair<QByteArray, QByteArray>, std::unique_ptr<File>> m_files;  // by path and build
};

// "Halo::exchange" of "_ZN4Halo8exchangeEi"; other names as they are, without what compilers of Fortran add.
QString functionName(const QByteArray& symbol);

}  // namespace longpole
