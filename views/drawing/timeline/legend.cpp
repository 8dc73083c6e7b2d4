// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/legend.h"

#include "core/base/drawnhash.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/timeline/hatching.h"

#include <QFontMetricsF>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace longpole {

std::vector<LegendItem> legendItems(const TimelineGeometry& geometry, const TraceStore& store, std::size_t most)
{
    std::unordered_map<std::uint32_t, double, DrawnHash> covered;  // by entry id, which may be any number
    double all = 0;
    // Beyond the run, which another one beside it may outlast, there is nothing.
    const double shown = std::min(geometry.at.width, geometry.runEnd) - std::max(0.0, geometry.runBegin);
    for (const RowGeometry& row : geometry.rows) {
        const bool isMissing = !row.hasLog && row.kind == RowKind::Processor;  // counts, as in the exact shares
        if (isMissing || (row.loaded && row.hasLog && row.kind != RowKind::Intervals && !row.blocks.empty()))
            all += shown * geometry.columnsPerPixel * row.processors;
        for (const Block& block : row.blocks) {
            if (block.busy == 0 || block.entry == noEntry) continue;
            covered[index(block.entry)] += (block.last - block.first) * block.busy / 16.0 * row.processors;
        }
    }
    std::vector<LegendItem> items;
    for (const auto& [id, columns] : covered) {
        const Entry* entry = columns > 0 ? store.entry(EntryId{id}) : nullptr;
        if (entry) items.push_back({EntryId{id}, entryName(*entry), columns, columns / std::max(1.0, all)});
    }
    std::ranges::sort(items, {}, [](const LegendItem& item) { return std::pair(-item.columns, item.entry); });
    if (items.size() > most) items.resize(most);
    return items;
}

bool showsAllProcessors(const TimelineGeometry& geometry, const TraceStore& store)
{
    const TimeRange run = store.info().range();
    std::size_t shown = 0;
    for (const RowGeometry& row : geometry.rows)
        if (row.kind == RowKind::Processor || row.kind == RowKind::Band)
            shown += static_cast<std::size_t>(row.processors);
    return shown == store.processors().size() && !intersection(geometry.at.range, run).isEmpty();
}

std::vector<LegendItem> exactLegendItems(const TimelineGeometry& geometry, const TraceStore& store,
                                         const UsageProfile* usage, std::size_t most)
{
    if (!showsAllProcessors(geometry, store)) return {};
    const TimeRange shown = intersection(geometry.at.range, store.info().range());
    const bool isOfPart = shown != store.info().range();
    std::vector<std::pair<EntryId, TimeNs>> times;
    if (!isOfPart)
        for (const ProfileRow& row : store.profile()) times.emplace_back(row.entry, row.exclusive);
    else if (usage && usage->range == shown && usage->processors.size() == store.processors().size())
        for (const EntryUsage& entry : usage->total.entries) times.emplace_back(entry.entry, entry.time);
    std::ranges::sort(times);
    std::vector<LegendItem> items;  // by id; names follow, as there may be hundreds of thousands
    const double all = static_cast<double>(shown.length()) * static_cast<double>(store.processors().size());
    for (auto at = times.begin(); at != times.end();) {
        const EntryId id = at->first;
        TimeNs time = 0;
        for (; at != times.end() && at->first == id; ++at) addSaturating(time, at->second);
        const double share = static_cast<double>(time) / all;
        if (time > 0 && store.entry(id) != nullptr)
            items.push_back({id, {}, share * geometry.at.width, share, true, isOfPart});
    }
    const auto last = items.begin() + static_cast<std::ptrdiff_t>(std::min(most, items.size()));
    std::ranges::partial_sort(items, last, {},
                              [](const LegendItem& item) { return std::pair(-item.share, item.entry); });
    items.erase(last, items.end());
    for (LegendItem& item : items) item.name = entryName(*store.entry(item.entry));
    return items;
}

LegendRest legendRest(const TimelineGeometry& geometry, const TraceStore& store)
{
    LegendRest rest{.ofRanks = store.info().hasRanks()};
    for (const RowGeometry& row : geometry.rows) {
        const bool isOfTasks = row.kind != RowKind::Intervals;
        rest.withUnknown |= isOfTasks
                            && (!row.hasLog || geometry.runBegin > 0 || row.unknown.second > row.unknown.first);
        for (const IntervalBox& box : row.intervals) (box.mark ? rest.withMarks : rest.withIntervals) = true;
        for (const OverheadBox& box : row.overheads) {
            rest.withPacking |= box.kind == OverheadKind::Pack || box.kind == OverheadKind::Unpack;
            rest.withFlush |= box.kind == OverheadKind::Flush;
            rest.withUntraced |= box.kind == OverheadKind::Untraced;
        }
    }
    return rest;
}

void setExactShares(LegendRest& rest, const TimelineGeometry& geometry, const TraceStore& store,
                    const UsageProfile* usage)
{
    const TraceInfo& info = store.info();
    const TimeRange shown = intersection(geometry.at.range, info.range());
    const bool isWhole = shown == info.range();
    // Communication threads, which have rows too, are idle and overhead by no definition.
    const bool isOfAll = showsAllProcessors(geometry, store)
                         && std::cmp_equal(info.processors, store.processors().size());
    if (!isOfAll || (!isWhole && (usage == nullptr || usage->range != shown))) return;
    const double all = static_cast<double>(shown.length()) * static_cast<double>(info.processors);
    rest.idle = static_cast<double>(isWhole ? info.idle : usage->total.usage.idle) / all;
    const auto missing = std::ranges::count_if(store.processors(), [](const Processor& p) {
        return p.kind != TrackKind::CommThread && !p.hasLog;
    });
    const TimeNs overhead = isWhole ? info.overhead() : usage->total.usage.overhead;
    const double lost = std::min(static_cast<double>(overhead),
                                 static_cast<double>(shown.length()) * static_cast<double>(missing));
    rest.overhead = (static_cast<double>(overhead) - lost) / all;
    if (missing > 0) rest.missing = lost / all;
}

QString LegendState::text() const { return share < 0 ? name : name + QStringLiteral("  ") + formatShare(share); }

namespace {

void addUsualStates(std::vector<LegendState>& states, const Theme& theme, const LegendRest& rest)
{
    if (!rest.ofRanks) {
        states.push_back({.name = tr("idle"),
                          .meaning = tr("Nothing to do: no message was there."),
                          .ground = theme.idle,
                          .share = rest.idle});
        states.push_back({.name = tr("overhead"),
                          .meaning = tr("Time that is neither of a task nor idle: the runtime, or not recorded."),
                          .ground = theme.overhead,
                          .share = rest.overhead});
        return;
    }
    const auto addPart = [&](const QString& name, const QString& meaning, CallPart part) {
        states.push_back(
            {.name = name, .meaning = meaning, .ground = QColor::fromRgb(partColour(part, theme, true)), .part = part});
    };
    addPart(tr("MPI: wait before"), tr("In an MPI call, until the other rank, or the last one, was there."),
            CallPart::WaitBefore);
    addPart(tr("execution"), tr("In an MPI call, at work: it waited for nobody."), CallPart::Execution);
    addPart(tr("wait after"), tr("In a collective call, after the first rank had left it."), CallPart::WaitAfter);
    states.push_back({.name = tr("not recorded"),
                      .meaning = tr("Neither in MPI nor in the program, as far as was recorded."),
                      .ground = theme.overhead});
}

}  // namespace

std::vector<LegendState> legendStates(const Theme& theme, const LegendRest& rest)
{
    std::vector<LegendState> states;
    addUsualStates(states, theme, rest);
    const auto addLines = [&](bool isWanted, const QString& name, const QString& meaning, const QBrush& lines,
                              double share = -1) {
        if (isWanted)
            states.push_back({.name = name, .meaning = meaning, .ground = theme.panel, .lines = lines, .share = share});
    };
    addLines(rest.withPacking, tr("packing"), tr("Messages were packed or unpacked."),
             overheadBrush(OverheadKind::Pack, theme));
    addLines(rest.withFlush, tr("trace written"), tr("The recording itself was written: no time of the program."),
             overheadBrush(OverheadKind::Flush, theme));
    addLines(rest.withUntraced, tr("recording off"), tr("The program had switched recording off."),
             overheadBrush(OverheadKind::Untraced, theme));
    addLines(rest.withUnknown, tr("outside the run"),
             tr("Before the run began, or where a row has no log: it is missing, or was cut."), unknownBrush(theme),
             rest.missing);
    if (rest.withIntervals)
        states.push_back({.name = tr("lane below: regions"),
                          .meaning = tr("The lane below tasks: regions, functions and user events, each in its own "
                                        "colour; the name is in the readout."),
                          .ground = theme.mutedText,
                          .isBar = true});
    if (rest.withMarks)
        states.push_back({.name = tr("user event"),
                          .meaning = tr("Below tasks: an event of one moment, which the program recorded, in its own "
                                        "colour; the name is in the readout."),
                          .ground = theme.mutedText,
                          .isMark = true});
    if (rest.withPath)
        states.push_back({.name = tr("critical path"),
                          .meaning = tr("Tasks on the critical path have this line."),
                          .ground = theme.accent,
                          .isBar = true});
    return states;
}

void paintSwatch(QPainter& painter, const QRectF& box, const LegendState& state, const Theme& theme)
{
    if (state.isMark) {
        const double side = std::min(7.0, box.width());
        const double left = box.center().x() - side / 2, top = box.center().y() - side / 2;
        const QPointF points[] = {{left, top}, {left + side, top}, {left + side / 2, top + side}};
        painter.setPen(Qt::NoPen);
        painter.setBrush(state.ground);
        painter.drawPolygon(points, 3);
        return;
    }
    painter.fillRect(box, state.ground);
    Hatching(theme, painter.device()->devicePixelRatioF(), false).fill(painter, box, state.part);
    if (state.lines.style() != Qt::NoBrush) painter.fillRect(box, state.lines);
    painter.setPen(swatchOutline(state.ground, theme));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
}

double paintLegend(QPainter* painter, const std::vector<LegendItem>& items, double width, const Palette& palette,
                   const Theme& theme, const LegendRest& rest)
{
    constexpr double line = 20;
    const double swatch = rest.ofRanks ? 12 : 9;
    std::vector<LegendState> pieces;
    pieces.reserve(items.size());
    for (const LegendItem& item : items)
        pieces.push_back({.name = item.name, .meaning = {}, .ground = QColor::fromRgb(palette.entry(item.entry))});
    for (LegendState& state : legendStates(theme, rest)) pieces.push_back(std::move(state));
    const QFont font = timelineFont(11.5);
    const QFontMetricsF metrics(font);
    if (painter) painter->setFont(font);
    double x = 0;
    double y = 0;
    for (const LegendState& piece : pieces) {
        const QString name = metrics.elidedText(piece.name, Qt::ElideMiddle, std::max(60.0, width - 40));
        const double need = swatch + 6 + metrics.horizontalAdvance(name) + 18;
        if (x > 0 && x + need > width) {
            x = 0;
            y += line;
        }
        if (painter) {
            const QRectF box = piece.isBar ? QRectF(x, y + line / 2 - 2, swatch + 3, 4)
                                           : QRectF(x, y + (line - swatch) / 2, swatch, swatch);
            paintSwatch(*painter, box, piece, theme);
            painter->setPen(theme.mutedText);
            painter->drawText(QRectF(x + swatch + 6, y, need, line), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
        x += need;
    }
    return y + line;
}

}  // namespace longpole
