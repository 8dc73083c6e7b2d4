// SPDX-License-Identifier: GPL-3.0-or-later
// What all views of a trace share: range, selection, filters, paths and colours, and the history of what was shown.
// Views talk to it, never to each other.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/paths/pathpyramid.h"
#include "analysis/results/results.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/timeline/timeflags.h"
#include "views/state/choices.h"
#include "views/state/navigationquestions.h"
#include "views/state/pathquestion.h"
#include "views/state/sharedpalettes.h"
#include "views/state/watch.h"

#include <QColor>
#include <QObject>
#include <QRegularExpression>
#include <QString>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

class Projector;

constexpr int settlingTime = 150;  // ms that a range which is being dragged rests before panels ask about it

class ViewState : public QObject {
    Q_OBJECT
public:
    explicit ViewState(std::shared_ptr<const TraceStore> store, QObject* parent = nullptr);

    const TraceStore& store() const { return m_results->store(); }
    std::shared_ptr<const TraceStore> sharedStore() const { return m_results->sharedStore(); }
    // Whom all views ask about the trace.
    const std::shared_ptr<Results>& results() const { return m_results; }
    const std::shared_ptr<Projector>& projector() const { return m_projector; }  // of all projection views

    // The visible range of time, which is clamped to limits(), but not shorter than 10 ns. `isStep`: it becomes a step
    // of the history (gestures record once, when they begin).
    TimeRange range() const { return m_range; }
    void setRange(TimeRange range, bool isStep = true);
    TimeRange fullRange() const;  // the run, [begin, end]
    TimeRange limits() const;     // all that can be shown: the run with start-up and room
    // Time beyond the run that can be shown too, if the run is shown beside a longer one; empty: none.
    void setRoom(TimeRange room);
    TimeRange wholeRange() const;  // the run with room, without start-up
    // The processors that show, sorted; empty: all, also if every one is chosen. Those that the trace does not have are
    // left out. `isStep` as of a range.
    const std::vector<ProcessorId>& processors() const { return m_processors; }
    void setProcessors(std::vector<ProcessorId> pes, bool isStep = true);
    void undo();
    void redo();
    bool canUndo() const;
    bool canRedo() const;

    // The user's bookmarks, which stand on the axis.
    const std::vector<TimeFlag>& flags() const { return m_flags; }
    void setFlags(std::vector<TimeFlag> flags);

    // The range that the hand has marked; empty: none.
    TimeRange marked() const { return m_marked; }
    void setMarked(TimeRange range);

    const Selection& selection() const { return m_selection; }
    void select(const Selection& selection);
    // Selects and brings into view: its processor joins those that show, and the range moves there and becomes so short
    // that a few pixels can be seen of it; without `zoom` the range keeps its length. Where it stands may have to be
    // read first: then range and revealed() follow, unless something else is selected meanwhile.
    void reveal(const Selection& selection, bool zoom = true);
    // Where that is which was revealed last; empty if the trace does not have it.
    const std::optional<SelectedPlace>& revealedPlace() const { return m_revealed; }

    // By id of entry method or MPI call whether it matches the filter; others are dimmed. Empty: no filter.
    const std::optional<std::vector<bool>>& matchingEntries() const { return m_matching; }
    QString filterText() const { return m_filterText; }
    // "text" (case-insensitive substring) or "/regex/". Returns the error of a bad regex, empty if fine.
    QString setFilter(const QString& text);
    // The filter that takes a name for a name, whatever it looks like.
    static QString filterOf(const QString& name);
    void dimOthers(const QString& name);  // or none, if all others are dimmed

    // Which tasks pass; views dim or leave out the others. Empty: all pass.
    const std::optional<TaskFilter>& taskFilter() const { return m_taskFilter; }
    void setTaskFilter(const std::optional<TaskFilter>& filter);

    // What is asked about the critical path; the answer comes with pathChanged.
    const PathQuestion& question() const { return m_question; }
    void setQuestion(const PathQuestion& question);
    // The path drawn over the timeline; null if none is shown.
    std::shared_ptr<const CriticalPath> path() const { return m_path; }
    std::shared_ptr<const PathPyramid> pathPyramid() const { return m_pathPyramid; }  // of it; null: there is none
    void setPath(std::shared_ptr<const CriticalPath> path, std::shared_ptr<const PathPyramid> pyramid = {});
    const SecondPath& secondPath() const { return m_secondPath; }
    void setSecondPath(const SecondPath& path);
    // The slack to colour and dim by, which the timeline's SlackBar computes.
    const SlackView& slack() const { return m_slack; }
    void setSlack(std::shared_ptr<const SlackPyramid> pyramid, TimeNs largest);
    void setMostSlack(std::optional<TimeNs> most);
    // The activity graph, which Results answers to GraphQuestion too; null until it is loaded.
    std::shared_ptr<const ActivityGraph> graph() const { return m_graph; }
    void setGraph(std::shared_ptr<const ActivityGraph> graph);

    // By which all of the expert judges the run.
    const Thresholds& thresholds() const { return m_thresholds; }
    QString thresholdsFile() const { return m_thresholdsFile; }  // empty: they are the defaults
    // Reads thresholds, or takes the defaults if `file` is empty. Emits thresholdsChanged even if it is the same file,
    // which may have been edited. Errors: of readThresholds, no ordinary file; nothing is changed then.
    Result<> setThresholdsFile(const QString& file);
    void setWithout(const Thresholds::Without& without);  // of the thresholds; emits thresholdsChanged

    // The iterations of a phase. Hidden ones still cut stages and can be gone to.
    const PhaseBands& phaseBands() const { return m_phaseBands; }
    void setPhaseBands(PhaseBands bands);
    bool areBandsShown() const { return m_bandsShown; }
    void setBandsShown(bool shown);
    std::span<const TimeRange> shownBands() const;  // none if they are hidden
    // The one within which all of the visible range lies.
    std::optional<std::size_t> bandInView() const;
    void showBand(std::size_t band);
    void showNextBand(bool forward);  // the one after or before what is in view; at the ends nothing happens

    ArrowMode arrows() const { return m_arrows; }
    void setArrows(ArrowMode mode);
    ColourMode colour() const { return m_colour; }
    void setColour(ColourMode mode) { setColour(mode, m_paletteKind); }
    PaletteKind paletteKind() const { return m_paletteKind; }
    void setColour(ColourMode mode, PaletteKind kind);
    PaletteOptions paletteOptions() const;
    std::shared_ptr<const Palette> palette(const Theme& theme) const { return palette(theme, paletteOptions()); }
    // Of many names: another one at first, and colourChanged when it is there.
    std::shared_ptr<const Palette> palette(const Theme& theme, const PaletteOptions& options) const;
    // The colours that names have in all traces; null: names have those that their hashes propose.
    void setColourMemory(std::shared_ptr<const ColourMemory> memory);
    // Whoever keeps the memory is asked to give a name this colour; an invalid one: that of the rules again.
    void askColour(const QString& name, const QColor& colour) { Q_EMIT colourAsked(name, colour); }

Q_SIGNALS:
    void colourAsked(const QString& name, const QColor& colour);
    void rangeChanged();
    void roomChanged();
    void processorsChanged();
    void markedChanged();
    void flagsChanged();
    void selectionChanged();
    void selectedAgain();    // a click on what is selected already
    void revealRequested();  // what is selected is to be brought into view
    void revealed();         // it lies in the range: views scroll rows so that it shows
    void filterChanged();
    void taskFilterChanged();
    void questionChanged();
    void pathChanged();
    void secondPathChanged();
    void slackChanged();
    void graphChanged();
    void thresholdsChanged();
    void phaseBandsChanged();  // there are other ones, or they show or are hidden now
    void arrowsChanged();
    void colourChanged();
    void historyChanged();

private:
    struct Step {
        TimeRange range;
        std::vector<ProcessorId> processors;
    };
    void bringIntoView(bool zoom);
    void record(bool isStep);
    void goTo(std::size_t position);

    std::shared_ptr<Results> m_results;
    std::shared_ptr<Projector> m_projector;
    TimeRange m_limits;  // without room
    TimeRange m_room;
    TimeRange m_range;
    std::vector<ProcessorId> m_processors;
    TimeRange m_marked;
    std::vector<TimeFlag> m_flags;
    Selection m_selection;
    std::optional<SelectedPlace> m_revealed;
    Watch<PlaceQuestion> m_placing;
    QString m_filterText;
    std::optional<std::vector<bool>> m_matching;
    std::optional<TaskFilter> m_taskFilter;
    PathQuestion m_question;
    std::shared_ptr<const CriticalPath> m_path;
    std::shared_ptr<const PathPyramid> m_pathPyramid;
    SecondPath m_secondPath;
    SlackView m_slack;
    std::uint64_t m_slackVersion = 0;
    std::shared_ptr<const ActivityGraph> m_graph;
    Thresholds m_thresholds;
    QString m_thresholdsFile;
    PhaseBands m_phaseBands;
    bool m_bandsShown = true;
    ArrowMode m_arrows = ArrowMode::Critical;
    ColourMode m_colour = ColourMode::EntryMethod;
    PaletteKind m_paletteKind = PaletteKind::Calm;
    std::shared_ptr<const ColourMemory> m_colourMemory;
    mutable SharedPalettes m_palettes{[this] { Q_EMIT colourChanged(); }};
    std::vector<Step> m_history;
    std::size_t m_historyPosition = 0;
};

}  // namespace longpole
