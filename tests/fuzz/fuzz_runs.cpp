// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the import of whole Projections runs: the bytes are choices of records, in text or compressed, and of symbols.
#include "fuzz/drawnlogs.h"
#include "fuzz/importedtrace.h"
#include "importers/projections/import.h"
#include "importers/summary/import.h"

using namespace longpole;
using namespace longpole::drawnlogs;

namespace {

// "5+3": three times five.
QByteArray numbers(Choices& choices)
{
    QByteArray text;
    for (std::uint32_t i = choices.below(8); i > 0; --i) {
        text += ' ' + QByteArray::number(qlonglong{oftenSmall(choices)});
        if (choices.below(3) == 0) text += '+' + QByteArray::number(qlonglong{oftenSmall(choices)});
    }
    return text + '\n';
}

QByteArray summaryText(Choices& choices)
{
    static constexpr const char* keys[] = {"EPExeTime:", "EPCallTime:", "MaxEPTime:", "IdlePercent:", "NumMarks:", ""};
    QByteArray text = "ver:" + QByteArray(choices.below(8) == 0 ? "3.0" : "7.1") + ' ' + count(choices, 0) + '/'
                      + count(choices, 1) + " count:" + count(choices, 4) + " ep:" + count(choices, 3)
                      + " interval:1.000000e-03 phases:" + count(choices, 0) + '\n' + numbers(choices);
    for (const char* key : keys) text += key + numbers(choices);
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    const QString folder = fuzzFile("projections");
    QDir(folder).removeRecursively();
    QDir().mkpath(folder);
    const std::uint32_t pes = 1 + choices.below(3);
    if (choices.below(8) == 0) {
        writeFuzzFile(folder + QStringLiteral("/f.sum.sts"), symbols(choices, pes));
        for (std::uint32_t pe = 0; pe < pes; ++pe)
            writeFuzzFile(folder + QStringLiteral("/f.%1.sum").arg(pe), summaryText(choices));
        importAndRead(importSummaries, folder);
        return 0;
    }
    drawnlogs::write(choices, folder, pes);
    importAndRead(importProjections, folder);
    return 0;
}
