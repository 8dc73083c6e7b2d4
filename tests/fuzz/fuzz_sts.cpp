// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the reader of .sts files, and a log's layout made from what it read.
#include "fuzz/logrun.h"

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ImportLog log;
    ProjectionsRun run;
    run.symbols = parseSymbols(QByteArray(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size)), log);
    run.layout = RecordLayout::of(run.symbols);
    run.processors = run.workers = 1;
    require(run.symbols.entries.size() <= 65536, "entries have 16 bits");
    require(run.layout.papiCounters <= 64, "counters fit a record");
    runLogs(run, {"PROJECTIONS-RECORD 3\n6 1\n2 4 5 10 1 0 80 0 1 2 3 4 5 6\n3 0 5 20 1 0 0 6\n100 1 12 3 0 0\n100 1 "
                  "15 3 0 0\n7 30\n"});
    return 0;
}
