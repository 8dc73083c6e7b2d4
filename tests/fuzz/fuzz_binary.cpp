// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the reader of binary logs: a selector byte, then records; their count is put before them.
#include "fuzz/logrun.h"

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    // A good first record, so that the reader takes the rest for binary.
    QByteArray bytes("\x10\0\0\0\x06\1\0\0\0\0\0\0\0\n", 14);
    bytes.append(reinterpret_cast<const char*>(data) + 1, static_cast<qsizetype>(size - 1));
    runLogs(fuzzRun(data[0]), {bytes});
    return 0;
}
