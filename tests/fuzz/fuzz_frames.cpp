// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the import of recordings: the bytes are choices of frames and records, whose checksums and sizes are right.
#include "fuzz/drawnrecording.h"
#include "fuzz/importedtrace.h"
#include "importers/recording/import.h"

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    importAndRead(importRecording, drawnrecording::write(choices));
    return 0;
}
