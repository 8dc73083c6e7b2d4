// SPDX-License-Identifier: GPL-3.0-or-later
// The open trace and the work around it: opening or importing, loading the activity graph, computing paths. What takes
// time runs off the UI thread, and the newest request wins.
#pragma once

#include "analysis/graph/graphquestions.h"
#include "analysis/paths/countedpath.h"
#include "app/common/tracecache.h"
#include "core/base/result.h"
#include "views/state/latestjob.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

namespace longpole {

class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(QObject* parent = nullptr);

    // Opens a trace; the one that shows stays until the new one is there, and while a menu or a dialog is open. Another
    // call meanwhile replaces this one.
    void open(const QString& path);
    void cancelOpening();
    bool isOpening() const { return m_opening.isRunning(); }
    QString openingPath() const { return m_openingPath; }
    double openingFraction() const { return m_opening.fraction(); }
    // Estimated from the fraction so far; -1 while there is too little to go by.
    double openingSecondsLeft() const;
    double openingSeconds() const { return static_cast<double>(m_openingSince.elapsed()) / 1000; }  // so far
    void close();

    // Null until a trace is open. Each trace has a state of its own; who uses it must let go of it at closing().
    ViewState* view() const { return m_view.get(); }
    QString path() const { return m_path; }  // as the user named it

    // What is asked about the path. Mode and edges are kept for the next trace, target and range are not.
    const PathQuestion& question() const { return m_question; }
    void setMode(PathMode mode);
    void setEdges(EdgeLevel edges);
    void setModel(PathMode mode, EdgeLevel edges);
    void setTarget(std::optional<TaskId> target);
    // The part of the run whose path is wanted; empty: the whole run. From then on it follows the marked range.
    void setRange(TimeRange range);
    void askWholeRun();  // no target, no range
    bool isLoadingGraph() const { return m_loadingGraph.isRunning(); }
    bool isComputingPath() const { return m_computing.isRunning(); }
    // The path that shows, with the number of tasks and processors on it; null if there is none.
    const std::shared_ptr<const CountedPath>& countedPath() const { return m_counted; }
    // Why there is no path, if there is none and none is being computed.
    const std::optional<Error>& pathError() const { return m_pathError; }

Q_SIGNALS:
    void openingStarted();
    void openingEnded();  // finished, failed or cancelled
    void openingFailed(const longpole::Error& error);
    void closing();      // the view state is about to go
    void opened();       // there is a new view state
    void workChanged();  // loading the graph or computing the path has begun, ended or failed
    void questionChanged();

private:
    using PathAnswer = Result<std::shared_ptr<const CountedPath>>;

    void adopt(OpenedTrace trace);
    void loadGraph();
    void ask(const PathQuestion& question);
    void computePath();
    void acceptPath(const PathAnswer& answer);
    void selectionClicked();
    void followMark();

    QString m_openingPath;
    std::shared_ptr<ImportMemory> m_imported;  // what the import of m_openingPath keeps for when it is opened again
    QElapsedTimer m_openingSince;
    QString m_path;
    std::unique_ptr<ViewState> m_view;
    PathQuestion m_question;
    std::shared_ptr<const CountedPath> m_counted;
    std::optional<Error> m_pathError;
    QTimer m_following;      // fires when the marked range has not been moved for a while
    bool m_clicked = false;  // a task was selected, and nobody has asked to bring it into view since
    Watch<GraphQuestion> m_loadingGraph;
    Watch<CountedPathQuestion> m_computing;
    LatestJob<Result<OpenedTrace>> m_opening{Handover::OutsideMenus};
};

}  // namespace longpole
