// SPDX-License-Identifier: GPL-3.0-or-later
// A second trace to compare with the open one: it is opened or comes of a replay, has a view state of its own with the
// same kind of path, and can be locked to the first one's range. What takes time runs off the UI thread.
#pragma once

#include "analysis/graph/graphquestions.h"
#include "analysis/paths/countedpath.h"
#include "app/common/scratchfolder.h"
#include "app/common/tracecache.h"
#include "app/gui/session/replayedrun.h"
#include "core/base/result.h"
#include "views/state/comparisonsource.h"
#include "views/state/latestjob.h"
#include "views/state/lockedviews.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace longpole {

class Session;

// Which times of the two runs stand above each other.
enum class TimeAlignment : std::uint8_t {
    Time,  // the same since begin
    Phase  // the same place in the i-th iteration
};

class SecondTrace : public QObject {
    Q_OBJECT
public:
    // The open trace of `session` outlives it.
    explicit SecondTrace(Session& session, QObject* parent = nullptr);
    ~SecondTrace() override;

    // Opens a trace. One that shows stays until the new one is there.
    void open(const QString& path);
    void cancelOpening();
    // Replays the first run, whose graph must be loaded, and shows the replayed run.
    void replay(ReplayChange change);
    void replayAdvice(const longpole::Advice& advice);  // the one by which its gain was predicted
    bool isOpening() const { return m_opening.isRunning() || m_replaying.isRunning(); }
    QString openingText() const { return m_openingText; }  // "Opening pipeline_p6"
    QString openingPath() const { return m_opening.isRunning() ? m_openingPath : QString(); }
    double openingFraction() const { return m_replaying.isRunning() ? m_replaying.fraction() : m_opening.fraction(); }
    // Shows a store under this name. Alignment by phase begins when the iterations that both runs have are known.
    void show(std::shared_ptr<const TraceStore> store, const QString& name,
              TimeAlignment alignment = TimeAlignment::Time);
    void close();

    ViewState* view() const { return m_view.get(); }  // null while there is none
    QString name() const { return m_name; }
    QString path() const { return m_path; }  // that was opened; empty: there is none, or it was replayed
    // Of the run above it: what tells the two apart.
    QString nameOfFirst() const { return m_nameOfFirst; }
    QString caption() const;  // "pipeline_prio · 185.6 ms (-27.7 %)"
    ComparisonSource& comparison() { return m_comparison; }

    bool isLocked() const { return m_locked && m_locked->isLocked(); }
    void setLocked(bool locked);
    TimeAlignment alignment() const { return m_alignment; }
    bool canAlignByPhase() const;  // iterations that both have are known
    void setAlignment(TimeAlignment alignment);

Q_SIGNALS:
    void openingStarted();
    void openingEnded();  // finished, failed or cancelled
    void failed(const longpole::Error& error);
    void closing();      // the view state is about to go
    void opened();       // there is a new view state
    void lockChanged();  // it was locked or unlocked, or the alignment changed or can be chosen now

private:
    using WishOf = std::function<Result<ReplayWish>(Results& results, const Progress& progress)>;
    void startReplay(WishOf wishOf);
    void loadGraph();
    void computePath();
    void align();

    Session& m_session;
    ViewState& m_first;
    QString m_openingText;
    QString m_openingPath;
    QString m_name;
    QString m_path;
    QString m_nameOfFirst;
    const ScratchFolder m_replays{QStringLiteral("longpole-gui-")};
    int m_replayNumber = 0;
    std::unique_ptr<ViewState> m_view;
    std::optional<TaskId> m_target;  // of its path
    std::unique_ptr<LockedViews> m_locked;
    TimeAlignment m_alignment = TimeAlignment::Time;
    ComparisonSource m_comparison;
    Watch<GraphQuestion> m_loadingGraph;
    Watch<CountedPathQuestion> m_computing;
    LatestJob<Result<OpenedTrace>> m_opening{Handover::OutsideMenus};
    LatestJob<Result<ReplayedTrace>> m_replaying{Handover::OutsideMenus};
};

}  // namespace longpole
