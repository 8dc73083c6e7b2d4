// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the checks that a run has to pass before it is judged, and their reference in docs/.
#include "analysis/report/experttables.h"

#include "core/base/translate.h"

#include <array>

namespace longpole {

namespace {

std::vector<Word> checkWords()
{
    std::vector<Word> words;
    for (const CheckSpec& spec : checkSpecs()) words.push_back({QLatin1String(spec.name), tr(spec.title)});
    return words;
}

// Empty where the trace does not tell.
Cell passedCell(const Check& check)
{
    if (check.level == CheckLevel::CantTell) return {};
    return check.level == CheckLevel::Passed;
}

}  // namespace

QString title(CheckLevel level)
{
    switch (level) {
    case CheckLevel::Passed: return tr("passed");
    case CheckLevel::CantTell: return tr("unknown");
    case CheckLevel::Doubtful: return tr("doubtful");
    case CheckLevel::Failed: break;
    }
    return tr("failed");
}

Table<Check> checkTable(const TableScope&)
{
    return {
        QStringLiteral("checks"),
        tr("Can this run be judged?"),
        {
            {Column("id", tr("Check"), CellKind::Text, tr("What was looked at")).oneOf(checkWords()),
             [](const Check& row) { return specOf(row.id).name; }},
            {Column("passed", tr("Passed"), CellKind::Flag, tr("Whether nothing speaks against the verdicts")).orNone(),
             passedCell},
            {Column("value", tr("Value"), CellKind::Share, tr("What was measured, as docs/reference/checks.md says"))
                 .atMostOne(),
             &Check::value},
            {{"says", tr("What was found"), CellKind::Text, tr("What was found")}, &Check::says},
        }};
}

JsonValue judgedJson(const TableScope& scope, std::span<const Check> checks)
{
    return {{"checks", rowsJson(checkTable(scope), checks, scope.store)}};
}

Table<PeProcessorTime> processorTimeTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("processor-time"),
            words.say(tr("CPU time by PE"), tr("CPU time by rank")),
            {
                {{"pe", words.say(tr("PE"), tr("Rank")), CellKind::Number, words.say(tr("The PE"), tr("The rank"))},
                 &PeProcessorTime::pe},
                {{"busy_ns", tr("Busy"), CellKind::Time, tr("Time of its tasks that have a CPU time")},
                 &PeProcessorTime::busy},
                {{"cpu_ns", tr("CPU"), CellKind::Time, tr("CPU time of these tasks")}, &PeProcessorTime::cpu},
                {{"not_running_ns", tr("Not running"), CellKind::Time,
                  tr("What of that time tasks surely had no core")},
                 &PeProcessorTime::notRunning},
            }};
}

QString checkReference()
{
    QString text = QStringLiteral("# Can this run be judged?\n\n")
                   + tr(
                       "Before anything is said of a run it has to pass these checks. `tree`, `advise` and the report "
                       "say first what they found; in JSON it is `judged.checks`. A check that fails *withdraws* "
                       "verdicts, which then cannot be judged, or *weakens* them: their advice is less sure and says "
                       "why. A check that is doubtful only weakens. What the trace does not tell neither passes nor "
                       "fails: `passed` is null.")
                   + QStringLiteral(
                       "\n\n<!-- Written by script/generate from the program's own list. -->\n\n"
                       "| check | what is looked at | when it passes |\n|---|---|---|\n");
    for (const CheckSpec& spec : checkSpecs())
        text += QStringLiteral("| `%1` | %2 | %3 |\n").arg(QLatin1String(spec.name), tr(spec.meaning), tr(spec.passes));
    text += QStringLiteral("\n## Checks and verdicts\n\n| verdict |");
    for (const CheckSpec& spec : checkSpecs()) text += QStringLiteral(" `%1` |").arg(QLatin1String(spec.name));
    text += QStringLiteral("\n|---|") + QStringLiteral("---|").repeated(qsizetype(checkSpecs().size()))
            + QLatin1Char('\n');
    for (const std::string_view verdict : checkedVerdicts()) {
        const QString id = QString::fromLatin1(verdict.data(), qsizetype(verdict.size()));
        text += QStringLiteral("| `%1` |").arg(id);
        for (const CheckSpec& spec : checkSpecs()) {
            const CheckEffect effect = effectOf(spec.id, id);
            text += effect == CheckEffect::None ? QStringLiteral(" |")
                    : effect == CheckEffect::Withdraws
                        ? QString(QLatin1Char(' ') + tr("withdraws") + QStringLiteral(" |"))
                        : QString(QLatin1Char(' ') + tr("weakens") + QStringLiteral(" |"));
        }
        text += QLatin1Char('\n');
    }
    return text;
}

std::vector<TableInfo> checkTables(Vocabulary words)
{
    return {infoOf(checkTable(words)), infoOf(processorTimeTable(words))};
}

}  // namespace longpole
