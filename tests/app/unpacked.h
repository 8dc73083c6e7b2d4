// SPDX-License-Identifier: GPL-3.0-or-later
// Test data that are kept compressed, as the files they were.
#pragma once

#include "importers/common/inputfile.h"

#include <QFile>
#include <QString>

#include <array>

namespace longpole::test {

inline bool unpack(const QString& from, const QString& to)
{
    const auto in = InputFile::open(from);
    QFile out(to);
    if (!in || !out.open(QIODevice::WriteOnly)) return false;
    std::array<char, 65536> some{};
    for (;;) {
        const Result<std::size_t> got = (*in)->read(some);
        if (!got || out.write(some.data(), static_cast<qint64>(*got)) < 0) return false;
        if (*got == 0) return (*in)->end() == InputFile::End::Whole;
    }
}

}  // namespace longpole::test
