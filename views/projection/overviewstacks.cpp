// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the overview that stacks times by entry method: coarse at once from the levels of detail, then exact.
#include "views/projection/overviewpanel.h"

#include "analysis/report/projectiontables.h"
#include "core/base/timerange.h"
#include "core/trace/format.h"
#include "views/drawing/timeline/hatching.h"
#include "views/state/projectiontext.h"
#include "views/widgets/tableview.h"

#include <QComboBox>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

// A part's times by column, where `size` processors share one; with `isShare` as shares of the whole.
std::vector<double> shareOf(const std::vector<TimeNs>& times, const std::vector<TimeNs>& whole, std::size_t size,
                            bool isShare)
{
    std::vector<double> values;
    for (std::size_t begin = 0; begin < times.size(); begin += size) {
        double time = 0, all = 0;
        for (std::size_t i = begin; i < std::min(begin + size, times.size()); ++i) {
            time += static_cast<double>(times[i]);
            all += static_cast<double>(whole[i]);
        }
        values.push_back(!isShare ? time : all > 0 ? time / all : 0);
    }
    return values;
}

}  // namespace

EntryStacksRequest OverviewPanel::stacksRequest() const
{
    return {.stages = bar().stages(),
            .pes = bar().pes(),
            .kept = bar().kept(),
            .grain = state().taskFilter() ? std::optional(state().taskFilter()->grain) : std::nullopt,
            .overStages = against() == Against::Processors};
}

void OverviewPanel::askStacks()
{
    const auto attribute = [this](const char* id) { return *parseAttribute(QLatin1String(id), state().store()); };
    m_stacks.reset();
    if (state().store().hasEvents()) {
        m_progress.start();
        setOwnState(tr("Counting …"), false);
        setOwnWork(true, 0);
        m_counting.ask(state().results(), EntryStacksQuestion{stacksRequest()},
                       [this](const Result<std::shared_ptr<const EntryStacks>>& stacks) { acceptStacks(stacks); });
    }
    feed().ask(questionOf({attribute("user"), attribute("idle")}), true);
}

void OverviewPanel::acceptStacks(const Result<std::shared_ptr<const EntryStacks>>& stacks)
{
    m_progress.stop();
    setOwnWork(false, 1);
    if (!stacks.ok()) {
        setOwnState(longpole::toText(stacks.error()), true);
        return;
    }
    m_stacks = *stacks;
    setOwnState(tr("exact"), false);
    showAnswers();
}

void OverviewPanel::cancelOwn()
{
    if (!m_counting.isRunning()) return;
    m_counting.cancel();
    m_progress.stop();
    setOwnWork(false, 0);
    setOwnState(m_stacks ? tr("≈ from the pyramid; not counted") : tr("Not counted."), false);
}

void OverviewPanel::showStacks()
{
    usePlots(1);
    const std::vector<ProjectionPtr>& known = feed().answers();
    const bool isCoarse = !m_stacks || m_stacks->isApproximate;
    const bool hasEvents = state().store().hasEvents();
    if (isCoarse && (m_counting.isRunning() || !hasEvents) && known.size() == 2 && known[0] && known[1]) {
        EntryStacks coarse = entryStacksOf(state().store(), stacksRequest(), *known[0], *known[1]);
        coarse.isApproximate = true;
        m_stacks = std::make_shared<const EntryStacks>(std::move(coarse));
        setOwnState(hasEvents
                        ? state().store().words().say(tr("≈ from the pyramid, counting entry methods"),
                                                      tr("≈ from the pyramid, counting regions"))
                        : state().store().words().say(tr("≈ from the summary's intervals, which have no entry methods"),
                                                      tr("≈ from the summary's intervals, which have no regions")),
                    false);
    }
    if (!m_stacks) return;
    PlotStack::Content content = columns(m_stacks->request.stages, m_stacks->request.pes);
    const bool isShare = what() == Show::Share;
    for (const StackPart& part : m_stacks->parts)
        content.layers.push_back({stackPartName(state().store(), part), colourOf(part),
                                  shareOf(part.times, m_stacks->whole, binSize(), isShare)});
    for (const double whole : shareOf(m_stacks->whole, m_stacks->whole, binSize(), isShare))
        content.most = std::max(content.most, whole);
    m_plotAnswers.assign(1, {});
    const QString shareTitle = against() == Against::Time
                                   ? state().store().words().say(tr("share of PEs"), tr("share of ranks"))
                                   : tr("share of time");
    const QString title = isShare ? shareTitle : state().store().words().say(tr("PE-time"), tr("Rank-time"));
    showContent(plot(0), std::move(content), {title, isShare ? PlotUnit::Share : PlotUnit::Time});
    plot(0).setNotice({});
    showStackTable();
}

QColor OverviewPanel::colourOf(const StackPart& part) const
{
    const Theme& theme = themeOf(*this);
    const bool ofRanks = state().store().info().hasRanks();  // ranks have other colours, as in the timeline
    switch (part.kind) {
    case StackPart::Kind::Idle:
        return ofRanks ? QColor::fromRgb(partColour(CallPart::WaitBefore, theme, false)) : theme.idle;
    case StackPart::Kind::Overhead: return ofRanks ? theme.mpiExecution : theme.overhead;
    case StackPart::Kind::AllEntries: return theme.utilization;
    case StackPart::Kind::LeftOut:
    case StackPart::Kind::Missing: return theme.line;
    case StackPart::Kind::OtherEntries: return theme.faintText;
    case StackPart::Kind::Entry: break;
    }
    const QColor colour = QColor::fromRgb(m_palette.entry(part.entry));
    const auto& matching = state().matchingEntries();  // the filter by name dims all others, as in the timeline
    const bool isDimmed = matching && (index(part.entry) >= matching->size() || !(*matching)[index(part.entry)]);
    return isDimmed ? QColor::fromRgb(mixed(colour.rgb(), theme.panel.rgb(), 0.8)) : colour;
}

void OverviewPanel::showStackTable()
{
    const std::shared_ptr<const EntryStacks> stacks = m_stacks;
    std::vector<QColor> colours;
    for (const StackPart& part : stacks->parts) colours.push_back(colourOf(part));
    const TimeNs whole = std::accumulate(stacks->whole.begin(), stacks->whole.end(), TimeNs{0}, saturatingAdd);
    TableContent content = contentOf(stackTable(state().store(), whole),
                                     std::shared_ptr<const std::vector<StackPart>>(stacks, &stacks->parts),
                                     state().sharedStore());
    content["entry"].swatch = [colours](std::size_t row) { return colours[row]; };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 60, 50});
}

QString OverviewPanel::stackText(const PlotStack::Hit& hit) const
{
    if (!m_stacks || !hit.layer || *hit.layer >= m_stacks->parts.size()) return columnText(hit.column);
    const StackPart& part = m_stacks->parts[*hit.layer];
    TimeNs time = 0, whole = 0;
    for (std::size_t i = hit.column * binSize(); i < std::min((hit.column + 1) * binSize(), part.times.size()); ++i) {
        addSaturating(time, part.times[i]);
        addSaturating(whole, m_stacks->whole[i]);
    }
    const double share = whole > 0 ? static_cast<double>(time) / static_cast<double>(whole) : 0;
    const bool isApproximate = m_stacks->isApproximate;
    return state()
        .store()
        .words()
        .say(tr("%1: %2 %3 · %4 of %5 PE-time%6"), tr("%1: %2 %3 · %4 of %5 rank-time%6"))
        .arg(columnText(hit.column), stackPartName(state().store(), part),
             valueText(share, AttributeUnit::Share, isApproximate), formatTime(time), formatTime(whole),
             isApproximate ? QString() : tr(", exact"));
}

}  // namespace longpole
