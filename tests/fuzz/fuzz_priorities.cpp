// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes files of priorities: this program and the module in a running Charm++ program read the same of each.
#include "analysis/scheduling/prioritylist.h"
#include "fuzz/changedjson.h"
#include "recorder/charm/prioritytable.h"

#include <cstdio>

using namespace longpole;

namespace {

JsonValue soundList(Choices& choices)
{
    JsonValue entries = JsonValue::array();
    for (std::uint32_t i = choices.below(6); i > 0; --i)
        entries.push_back({{"ep", choices.below(300)},
                           {"name", "Worker::step" + std::to_string(choices.below(3)) + "(int, \xc3\xa4)"},
                           {"prio", static_cast<std::int32_t>(choices.number())},
                           {"count", 1},
                           {"class", "GOOD"}});
    return {{"format", "charm-autoprio"}, {"version", 1}, {"window", {0, 9}}, {"high", -5},
            {"entries", entries},         {"default", 0}};
}

QByteArray csv(Choices& choices)
{
    static constexpr const char* cells[] = {
        "",        "7",        "-5",  " +7 ", "4294967296", "-2147483649", "A::b(int, int)", "\"",
        "\"a,b\"", "\"\"\"\"", "x\r", "\xff", "\"c\nd\"",   "1e3",         "0x10",           "\xc2\xa0 5"};
    QByteArray text = choices.below(16) == 0 ? "ep,name\n" : "ep,name,prio,count,class\n";
    for (std::uint32_t i = choices.below(6); i > 0; --i) {
        for (std::uint32_t cell = choices.below(8); cell > 0; --cell)
            text += QByteArray(cells[choices.below(std::size(cells))]) + (cell > 1 ? "," : "");
        text += choices.below(8) == 0 ? "\r\n" : "\n";
    }
    if (choices.below(16) == 0) text.chop(1);
    return text;
}

[[noreturn]] void fail(const char* what, const QByteArray& text)
{
    std::fprintf(stderr, "fuzz_priorities: %s\n%s\n", what, text.constData());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    const bool isCsv = choices.below(4) == 0;
    const QByteArray text = isCsv ? csv(choices) : changedText(changedJson(soundList(choices), choices), choices);
    std::vector<longpole_module::ListedPriority> rows;
    const std::string wrong = longpole_module::readPriorityTable(text.toStdString(), rows);
    const Result<std::vector<NamedPriority>> ours = readPriorities(text, QStringLiteral("priorities"));
    if (wrong.empty() != ours.ok()) fail(ours ? wrong.c_str() : "only the module reads it", text);
    if (!ours) return 0;
    if (rows.size() != ours->size()) fail("the module reads other rows", text);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const NamedPriority& own = (*ours)[i];
        const bool isKnown = rows[i].number >= 0 && rows[i].number < std::int64_t{mostIds};
        if (QString::fromUtf8(rows[i].name.data(), static_cast<qsizetype>(rows[i].name.size())) != own.name
            || rows[i].priority != own.priority || (isKnown ? rows[i].number : mostIds) != own.number)
            fail("a row differs", text);
    }
    return 0;
}
