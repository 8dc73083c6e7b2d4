// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/phasetables.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t lettersShown = 14;

PanelColumn number(const char* id, const QString& title, std::function<qlonglong(std::size_t)> value,
                   CellKind kind = CellKind::Count)
{
    return {.key = QLatin1String(id),
            .title = title,
            .kind = kind,
            .value = [value = std::move(value)](std::size_t row) { return QVariant(value(row)); }};
}

struct Durations {
    std::size_t pieces = 0;
    InstanceDurations of{};
};

}  // namespace

QString pieceName(PhaseCut cut)
{
    switch (cut) {
    case PhaseCut::Iterations: return tr("iteration");
    case PhaseCut::Repeats: return tr("repeat");
    case PhaseCut::Instances: break;
    }
    return tr("instance");
}

TableContent phaseRows(std::shared_ptr<const PathPhases> phases, const SymbolLetters& letters, PhaseCut cut)
{
    auto durations = std::make_shared<std::vector<Durations>>();
    for (const Phase& phase : phases->phases) {
        const std::vector<TimeRange> ranges = rangesOf(phasePieces(*phases, phase, cut));
        durations->push_back({ranges.size(), instanceDurations(ranges)});
    }
    const auto phase = [phases](std::size_t row) -> const Phase& { return phases->phases[row]; };
    const auto root = [letters, phase](std::size_t row) {
        const Phase& one = phase(row);
        const auto text = letters.text(std::span(one.pattern).first(one.rootLength), lettersShown);
        if (one.rootLength == one.pattern.size()) return text;
        return tr("%1, %2 times").arg(text, formatCount(one.rootInstances));
    };
    TableContent content;
    content.rows = phases->phases.size();
    content.columns = {
        number(
            "phase", tr("#"), [](std::size_t row) { return qlonglong(row + 1); }, CellKind::Number),
        {.key = QStringLiteral("root"),
         .title = tr("what repeats"),
         .value = [root](std::size_t row) { return QVariant(root(row)); }},
        {.key = QStringLiteral("instances"),
         .title = tr("times × long"),
         .kind = CellKind::Number,
         .value = [phase](std::size_t row) { return QVariant(qlonglong(phase(row).begins.size())); },
         .text =
             [phase](std::size_t row) {
                 return tr("%1 × %2").arg(formatCount(qlonglong(phase(row).begins.size())),
                                          formatCount(qlonglong(phase(row).pattern.size())));
             }},
        number("length", tr("long"), [phase](std::size_t row) { return qlonglong(phase(row).pattern.size()); }),
        {.key = QStringLiteral("score"),
         .title = tr("score"),
         .kind = CellKind::Number,
         .value = [phase](std::size_t row) { return QVariant(qlonglong(phase(row).score)); },
         .text =
             [phase](std::size_t row) {
                 const QString score = formatCount(qlonglong(phase(row).score));
                 return phase(row).proven ? score : tr("%1, not proven").arg(score);
             }},
        {.key = QStringLiteral("proven"),
         .title = tr("proven"),
         .value = [phase](std::size_t row) { return QVariant(phase(row).proven); }},
        number("pieces", tr("cut"), [durations](std::size_t row) { return qlonglong((*durations)[row].pieces); }),
        number(
            "median_ns", tr("median"), [durations](std::size_t row) { return qlonglong((*durations)[row].of.median); },
            CellKind::Time),
        number(
            "spread_ns", tr("spread"), [durations](std::size_t row) { return qlonglong((*durations)[row].of.spread); },
            CellKind::Time),
        number("slow", tr("slow"),
               [durations](std::size_t row) { return qlonglong((*durations)[row].of.slow.size()); }),
        {.key = QStringLiteral("pattern"),
         .title = tr("pattern"),
         .value =
             [letters, phase](std::size_t row) {
                 return QVariant(letters.text(phase(row).pattern, phase(row).pattern.size()));
             }},
    };
    return content;
}

TableContent pieceRows(std::shared_ptr<const std::vector<TimeRange>> ranges, TimeNs zero, const Theme& theme)
{
    const InstanceDurations durations = instanceDurations(*ranges);
    auto slow = std::make_shared<std::vector<bool>>(ranges->size(), false);
    for (const std::size_t piece : durations.slow) (*slow)[piece] = true;
    const TimeNs median = durations.median;
    TableContent content;
    content.rows = ranges->size();
    content.columns = {
        {.key = QStringLiteral("number"),
         .title = tr("#"),
         .kind = CellKind::Number,
         .value = [](std::size_t row) { return QVariant(qlonglong(row + 1)); },
         .swatch = [slow,
                    mark = theme.warning](std::size_t row) { return (*slow)[row] ? mark : QColor(Qt::transparent); }},
        number(
            "begin_ns", tr("begin"), [ranges, zero](std::size_t row) { return qlonglong((*ranges)[row].begin - zero); },
            CellKind::Instant),
        number(
            "end_ns", tr("end"), [ranges, zero](std::size_t row) { return qlonglong((*ranges)[row].end - zero); },
            CellKind::Instant),
        number(
            "duration_ns", tr("duration"), [ranges](std::size_t row) { return qlonglong((*ranges)[row].length()); },
            CellKind::Time),
        {.key = QStringLiteral("deviation_ns"),
         .title = tr("to median"),
         .kind = CellKind::Time,
         .value = [ranges, median](std::size_t row) { return QVariant(qlonglong((*ranges)[row].length() - median)); },
         .text =
             [ranges, median](std::size_t row) {
                 const TimeNs by = (*ranges)[row].length() - median;
                 return by == 0 ? QString()
                                : (by > 0 ? QStringLiteral("+") : QStringLiteral("−")) + formatTime(std::abs(by));
             }},
        {.key = QStringLiteral("slow"),
         .title = tr("odd"),
         .value = [slow](std::size_t row) { return QVariant((*slow)[row] ? tr("slow") : QString()); }},
    };
    return content;
}

}  // namespace longpole
