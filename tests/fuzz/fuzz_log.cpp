// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the reader of text and gzip logs: a selector byte, then two logs parted by the byte ff.
#include "fuzz/logrun.h"

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    const QByteArray bytes(reinterpret_cast<const char*>(data) + 1, static_cast<qsizetype>(size - 1));
    const bool isGzip = bytes.startsWith("\x1f\x8b");
    const qsizetype part = isGzip ? -1 : bytes.indexOf('\xff');
    runLogs(fuzzRun(data[0]), {bytes.left(part), part < 0 ? QByteArray() : bytes.mid(part + 1)});
    return 0;
}
