// SPDX-License-Identifier: GPL-3.0-or-later
// What code in one program or library is called: its functions, files and lines, from its debug information, else from
// its table of symbols.
#pragma once

#include "core/base/progress.h"
#include "core/base/timerange.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

struct SourceFrame {
    QString function;  // without symbols "[app]"
    QString file;      // without debug information "app+0x12a4"
    int line = 0;      // 0: not known
};

// What is said of code at that place of a program of which nothing is known.
SourceFrame unnamedFrame(const QString& program, std::uint64_t offset);

struct NamedProgram {
    QString name;              // of the file, without its folder
    QByteArray path;           // where it is read; empty: nowhere
    QByteArray buildId;        // that it must have
    TimeNs begun = 0;          // without a build id it must not have changed since; since 1970
    bool symbolsOnly = false;  // its debug information is not read
};

class ProgramNames {
public:
    // Keeps `progress`; what is looked up after it was cancelled need not be right.
    ProgramNames(NamedProgram program, const Progress& progress);
    ~ProgramNames();
    ProgramNames(const ProgramNames&) = delete;
    ProgramNames& operator=(const ProgramNames&) = delete;

    // Whether it is here, and the build that is wanted.
    bool isAsItRan() const;
    // The function that called something which returns to that place, after the functions that were inlined there, the
    // innermost first. At least one.
    std::vector<SourceFrame> at(std::uint64_t offset);
    // The symbol of the function at that place, as it stands in the file; empty if it is not known.
    QByteArray symbol(std::uint64_t offset);

private:
    class Reader;
    std::unique_ptr<Reader> m_reader;
};

// "Halo::exchange" of "_ZN4Halo8exchangeEi"; other names as they are, without what compilers of Fortran add.
QString functionName(const QByteArray& symbol);

}  // namespace longpole
