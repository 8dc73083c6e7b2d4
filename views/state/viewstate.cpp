// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/viewstate.h"

#include "analysis/base/namepattern.h"
#include "analysis/graph/graphquestions.h"
#include "core/base/mayneverend.h"
#include "core/trace/format.h"
#include "views/drawing/basics/timecoordinates.h"
#include "views/state/projector.h"
#include "views/state/tasknavigation.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t longestHistory = 200;

// From the first to the last record of any log, and all of the run; at least 10 ns.
TimeRange limitsOf(const TraceStore& store)
{
    TimeRange limits = store.info().range();
    for (const Processor& processor : store.processors())
        if (processor.hasLog && (processor.firstRecord != 0 || processor.lastRecord != 0)) {
            limits.begin = std::min(limits.begin, processor.firstRecord);
            limits.end = std::max(limits.end, processor.lastRecord);
        }
    limits.end = std::max(limits.end, saturatingAdd(limits.begin, 10));
    return limits;
}

TimeRange united(TimeRange range, TimeRange room)
{
    if (room.isEmpty()) return range;
    return {std::min(range.begin, room.begin), std::max(range.end, room.end)};
}

}  // namespace

ViewState::ViewState(std::shared_ptr<const TraceStore> store, QObject* parent)
    : QObject(parent), m_results(std::make_shared<Results>(std::move(store))),
      m_projector(std::make_shared<Projector>(m_results)), m_limits(limitsOf(m_results->store()))
{
    m_range = clamped(m_results->store().info().range(), m_limits);
    m_history.push_back({m_range, {}});
}

TimeRange ViewState::fullRange() const { return store().info().range(); }
TimeRange ViewState::limits() const { return united(m_limits, m_room); }
TimeRange ViewState::wholeRange() const { return united(fullRange(), m_room); }

void ViewState::setRoom(TimeRange room)
{
    if (room == m_room) return;
    m_room = room;
    Q_EMIT roomChanged();
    const TimeRange left = intersection(m_range, limits());  // does not move what can still be shown
    setRange(left.isEmpty() ? m_range : left, false);
}

void ViewState::setRange(TimeRange range, bool isStep)
{
    range = clamped(range, limits());
    if (range == m_range) return;
    m_range = range;
    record(isStep);
    Q_EMIT rangeChanged();
}

void ViewState::setProcessors(std::vector<ProcessorId> pes, bool isStep)
{
    std::erase_if(pes, [this](ProcessorId pe) { return !store().processor(pe); });
    std::sort(pes.begin(), pes.end());
    pes.erase(std::unique(pes.begin(), pes.end()), pes.end());
    const auto isPe = [this](ProcessorId pe) { return store().processor(pe)->kind != TrackKind::CommThread; };
    if (std::count_if(pes.begin(), pes.end(), isPe) == store().info().processors) pes.clear();
    if (pes == m_processors) return;
    m_processors = std::move(pes);
    record(isStep);
    Q_EMIT processorsChanged();
}

// As a new step of the history, or as a change of the last one.
void ViewState::record(bool isStep)
{
    if (!isStep) {
        m_history[m_historyPosition] = {m_range, m_processors};
        return;
    }
    m_history.resize(m_historyPosition + 1);
    m_history.push_back({m_range, m_processors});
    if (m_history.size() > longestHistory) m_history.erase(m_history.begin());
    m_historyPosition = m_history.size() - 1;
    Q_EMIT historyChanged();
}

bool ViewState::canUndo() const { return m_historyPosition > 0; }
bool ViewState::canRedo() const { return m_historyPosition + 1 < m_history.size(); }

void ViewState::undo()
{
    if (canUndo()) goTo(m_historyPosition - 1);
}

void ViewState::redo()
{
    if (canRedo()) goTo(m_historyPosition + 1);
}

void ViewState::goTo(std::size_t position)
{
    m_historyPosition = position;
    const Step& step = m_history[position];
    const TimeRange range = clamped(step.range, limits());  // there may have been more room when it was recorded
    const bool hasOtherRange = range != m_range;
    const bool hasOtherProcessors = step.processors != m_processors;
    m_range = range;
    m_processors = step.processors;
    Q_EMIT historyChanged();
    if (hasOtherRange) Q_EMIT rangeChanged();
    if (hasOtherProcessors) Q_EMIT processorsChanged();
}

void ViewState::setFlags(std::vector<TimeFlag> flags)
{
    if (flags == m_flags) return;
    m_flags = std::move(flags);
    Q_EMIT flagsChanged();
}

void ViewState::setMarked(TimeRange range)
{
    if (range == m_marked) return;
    m_marked = range;
    Q_EMIT markedChanged();
}

void ViewState::select(const Selection& selection)
{
    if (selection == m_selection) {
        Q_EMIT selectedAgain();
        return;
    }
    m_placing.cancel();
    m_selection = selection;
    Q_EMIT selectionChanged();
}

void ViewState::reveal(const Selection& selection, bool zoom)
{
    select(selection);
    Q_EMIT revealRequested();
    if (!selection.isValid()) return;
    m_placing.ask(m_results, {selection}, [this, zoom](const Watch<PlaceQuestion>::Answer& place) {
        m_revealed = place.ok() ? **place : std::nullopt;
        bringIntoView(zoom);
        Q_EMIT revealed();
    });
}

void ViewState::bringIntoView(bool zoom)
{
    const std::optional<SelectedPlace> place = m_revealed;
    if (place && !m_processors.empty() && store().processor(place->pe)) {
        std::vector<ProcessorId> pes = m_processors;
        pes.push_back(place->pe);
        setProcessors(std::move(pes), false);
    }
    if (place) {
        TimeRange target = place->range;
        // Of a view about a thousand pixels wide, a 250th is four pixels: what is narrower can hardly be seen.
        const TimeNs least = std::max<TimeNs>(1, target.length());
        TimeRange range = m_range;
        if (!zoom) target.end = std::min(target.end, saturatingAdd(target.begin, m_range.length() / 2));
        else if (m_range.length() / 250 > least) range = {target.begin, saturatingAdd(target.begin, least * 100)};
        else if (target.length() > m_range.length()) range = {target.begin, saturatingAdd(target.end, least / 10)};
        const bool visible = target.begin >= range.begin && target.end <= range.end && range == m_range;
        if (!visible) {
            const TimeNs middle = target.begin + target.length() / 2;
            const TimeNs half = range.length() / 2;
            const bool isOfRun = intersection(target, wholeRange()) == target;  // what lies outside need not be seen
            setRange(clamped({saturatingSubtract(middle, half), saturatingAdd(middle, range.length() - half)},
                             isOfRun ? wholeRange() : limits()));
        }
    }
}

QString ViewState::filterOf(const QString& name)
{
    if (!name.startsWith(QLatin1Char('/')) || !name.endsWith(QLatin1Char('/'))) return name;
    return QLatin1Char('/') % QRegularExpression::escape(name) % QLatin1Char('/');
}

void ViewState::dimOthers(const QString& name)
{
    const QString filter = filterOf(name);
    setFilter(m_filterText == filter ? QString() : filter);
}

QString ViewState::setFilter(const QString& text)
{
    if (text == m_filterText) return {};
    std::optional<std::vector<bool>> matching;
    if (!text.isEmpty()) {
        const Result<QRegularExpression> sought = namePattern(text);
        if (!sought) return sought.error().what;
        const QRegularExpression& pattern = *sought;
        matching.emplace();
        for (const Entry& entry : store().entries()) {
            if (index(entry.id) >= mostIds) continue;
            if (index(entry.id) >= matching->size()) matching->resize(index(entry.id) + std::size_t{1});
            (*matching)[index(entry.id)] = pattern.match(entryName(entry, false)).hasMatch();
        }
        for (const Region& region : store().regions()) {  // numbered like the entries
            if (region.kind != RegionKind::MpiCall || index(region.id) >= mostIds) continue;
            if (index(region.id) >= matching->size()) matching->resize(index(region.id) + std::size_t{1});
            if (pattern.match(region.name).hasMatch()) (*matching)[index(region.id)] = true;
        }
    }
    m_filterText = text;
    m_matching = std::move(matching);
    Q_EMIT filterChanged();
    return {};
}

void ViewState::setTaskFilter(const std::optional<TaskFilter>& filter)
{
    if (filter == m_taskFilter) return;
    m_taskFilter = filter;
    Q_EMIT taskFilterChanged();
}

void ViewState::setQuestion(const PathQuestion& question)
{
    if (question == m_question) return;
    m_question = question;
    Q_EMIT questionChanged();
}

void ViewState::setPath(std::shared_ptr<const CriticalPath> path, std::shared_ptr<const PathPyramid> pyramid)
{
    if (path == m_path) return;
    m_path = std::move(path);
    m_pathPyramid = std::move(pyramid);
    Q_EMIT pathChanged();
}

void ViewState::setSecondPath(const SecondPath& path)
{
    if (path == m_secondPath) return;
    m_secondPath = path;
    Q_EMIT secondPathChanged();
}

void ViewState::setSlack(std::shared_ptr<const SlackPyramid> pyramid, TimeNs largest)
{
    if (pyramid == m_slack.layer.pyramid) return;
    const std::uint64_t version = pyramid ? ++m_slackVersion : 0;
    m_slack.layer = {.pyramid = std::move(pyramid), .largest = largest, .version = version};
    Q_EMIT slackChanged();
}

void ViewState::setMostSlack(std::optional<TimeNs> most)
{
    if (most == m_slack.most) return;
    m_slack.most = most;
    Q_EMIT slackChanged();
}

void ViewState::setGraph(std::shared_ptr<const ActivityGraph> graph)
{
    if (graph == m_graph) return;
    m_graph = std::move(graph);
    if (m_graph) m_results->give(GraphQuestion{}, m_graph);
    Q_EMIT graphChanged();
}

void ViewState::setWithout(const Thresholds::Without& without)
{
    if (m_thresholds.without == without) return;
    m_thresholds.without = without;
    Q_EMIT thresholdsChanged();
}

Result<> ViewState::setThresholdsFile(const QString& file)
{
    Thresholds thresholds;
    if (!file.isEmpty()) {
        if (mayNeverEnd(file)) return Error{tr("This is no ordinary file."), file, tr("Check its name.")};
        Result<Thresholds> read = readThresholds(file);
        if (!read) return read.error();
        thresholds = *read;
    }
    m_thresholds = thresholds;
    m_thresholdsFile = file;
    Q_EMIT thresholdsChanged();
    return Unit{};
}

void ViewState::setPhaseBands(PhaseBands bands)
{
    if (bands == m_phaseBands) return;
    m_phaseBands = std::move(bands);
    Q_EMIT phaseBandsChanged();
}

void ViewState::setBandsShown(bool shown)
{
    if (shown == m_bandsShown) return;
    m_bandsShown = shown;
    Q_EMIT phaseBandsChanged();
}

std::span<const TimeRange> ViewState::shownBands() const
{
    return m_bandsShown ? std::span<const TimeRange>(m_phaseBands.ranges) : std::span<const TimeRange>();
}

std::optional<std::size_t> ViewState::bandInView() const
{
    const std::vector<TimeRange>& bands = m_phaseBands.ranges;
    const auto after = std::upper_bound(bands.begin(), bands.end(), m_range.begin,
                                        [](TimeNs time, const TimeRange& band) { return time < band.begin; });
    if (after == bands.begin() || m_range.end > (after - 1)->end) return {};
    return static_cast<std::size_t>(after - bands.begin()) - 1;
}

void ViewState::showBand(std::size_t band)
{
    if (band < m_phaseBands.ranges.size()) setRange(m_phaseBands.ranges[band]);
}

void ViewState::showNextBand(bool forward)
{
    const std::vector<TimeRange>& bands = m_phaseBands.ranges;
    if (bands.empty()) return;
    if (const std::optional<std::size_t> shown = bandInView()) {
        if (forward || *shown > 0) showBand(forward ? *shown + 1 : *shown - 1);
        return;
    }
    const auto isBefore = [](const TimeRange& band, TimeNs time) { return band.begin < time; };
    const auto from = std::lower_bound(bands.begin(), bands.end(), m_range.begin, isBefore);
    if (forward) showBand(static_cast<std::size_t>(from - bands.begin()));
    else showBand(static_cast<std::size_t>((from == bands.begin() ? bands.end() : from) - bands.begin()) - 1);
}

void ViewState::setArrows(ArrowMode mode)
{
    if (mode == m_arrows) return;
    m_arrows = mode;
    Q_EMIT arrowsChanged();
}

void ViewState::setColour(ColourMode mode, PaletteKind kind)
{
    if (mode == m_colour && kind == m_paletteKind) return;
    m_colour = mode;
    m_paletteKind = kind;
    Q_EMIT colourChanged();
}

PaletteOptions ViewState::paletteOptions() const
{
    return {.kind = m_paletteKind,
            .by = m_colour == ColourMode::Chare ? ColourBy::Chare : ColourBy::EntryMethod,
            .memory = m_colourMemory};
}

std::shared_ptr<const Palette> ViewState::palette(const Theme& theme, const PaletteOptions& options) const
{
    return m_palettes.of(results(), theme, options);
}

void ViewState::setColourMemory(std::shared_ptr<const ColourMemory> memory)
{
    m_colourMemory = std::move(memory);
    Q_EMIT colourChanged();
}

}  // namespace longpole
