// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes what users edit and give to commands: the bytes say how the lines of the file of thresholds are changed.
#include "analysis/base/json.h"
#include "analysis/base/thresholds.h"
#include "fuzz/choices.h"

using namespace longpole;

namespace {

QByteArray value(Choices& choices)
{
    static constexpr const char* values[] = {"",     "nan",      "inf",    "-inf",  "1e999",  "-0.0",
                                             "true", "\"text\"", "[1, 2]", "{a=1}", "1_000",  "0x1f",
                                             "12:3", "'",        "\"\"\"", "[[",    "1e-400", "\xff"};
    if (choices.below(2) == 0) return QByteArray::number(qlonglong{choices.number()});
    return values[choices.below(std::size(values))];
}

void change(QList<QByteArray>& lines, Choices& choices)
{
    const auto at = static_cast<qsizetype>(choices.below(static_cast<std::uint32_t>(lines.size())));
    switch (choices.below(6)) {
    case 0: lines.removeAt(at); break;
    case 1: lines.insert(at, QByteArray(lines[at])); break;
    case 2: lines[at] = lines[at].left(static_cast<qsizetype>(choices.below(40))); break;
    case 3: lines[at] = '[' + value(choices) + ']'; break;
    default: lines[at] = lines[at].left(lines[at].indexOf('=') + 1) + ' ' + value(choices);
    }
    if (lines.isEmpty()) lines << QByteArray();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const QByteArray sound = defaultThresholdsFile();
    Choices choices(data, size);
    QList<QByteArray> lines = sound.split('\n');
    for (std::uint32_t i = 1 + choices.below(6); i > 0; --i) change(lines, choices);
    static_cast<void>(parseThresholds(lines.join('\n'), QStringLiteral("thresholds.toml")));
    const QByteArray json = lines.join(':').left(200);
    static_cast<void>(parseJson('[' + json + ']'));
    static_cast<void>(parseJson(QByteArray(static_cast<qsizetype>(choices.below(2'000)), '[')));
    return 0;
}
