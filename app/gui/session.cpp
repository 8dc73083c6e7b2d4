// Opens traces and keeps the path up to date with what is asked for.
#include "app/gui/session.h"

#include <QTimer>

namespace longpole {

Session::Session(QObject* parent) : QObject(parent) {}

void Session::open(const QString& path)
{
    m_openingPath = path;
    m_openingSince.start();
    m_opening.start([path](const Progress& progress) { return openTrace(path, ImportOptions{}, progress); },
                    [this, path](Result<OpenedTrace> trace) {
                        Q_EMIT openingEnded();
                        if (!trace.ok()) {
                            Q_EMIT openingFailed(trace.error());
                            return;
                        }
                        m_path = path;
                        adopt(std::move(*trace));
                    });
    Q_EMIT openingStarted();
}

void Session::cancelOpening()
{
    if (!isOpening()) return;
    m_opening.cancel();
    Q_EMIT openingEnded();
}

double Session::openingSecondsLeft() const
{
    const double fraction = openingFraction();
    const double spent = static_cast<double>(m_openingSince.elapsed()) / 1000;
    if (fraction < 0.02 || spent < 0.3) return -1;
    return spent * (1 - fraction) / fraction;
}

void Session::close()
{
    if (!m_view) return;
    m_loadingGraph.cancel();
    m_computing.cancel();
    Q_EMIT closing();
    m_view.reset();
    m_heads = {};
    m_target.reset();
    m_pathError.reset();
}

void Session::adopt(OpenedTrace trace)
{
    const QString path = m_path;
    close();
    m_path = path;
    m_view = std::make_unique<ViewState>(std::move(trace.store));
    connect(m_view.get(), &ViewState::selectionChanged, this, &Session::selectionClicked);
    connect(m_view.get(), &ViewState::selectedAgain, this, &Session::selectionClicked);
    connect(m_view.get(), &ViewState::revealRequested, this, [this] { m_clicked = false; });
    Q_EMIT opened();
    // The first frame comes before anything else is computed.
    QTimer::singleShot(0, m_view.get(), [this] { loadGraph(); });
}

void Session::loadGraph()
{
    m_loadingGraph.start(
        [store = m_view->sharedStore()](const Progress& progress) { return loadActivityGraph(*store, progress); },
        [this](Result<std::shared_ptr<const ActivityGraph>> graph) {
            if (!graph.ok()) {
                m_pathError = graph.error();
                Q_EMIT workChanged();
                return;
            }
            m_view->setGraph(*graph);
            computePath();
        });
    Q_EMIT workChanged();
}

void Session::setMode(PathMode mode)
{
    if (mode == m_mode) return;
    m_mode = mode;
    if (mode == PathMode::Sweep) m_target.reset();  // the sweep is of the run as a whole
    Q_EMIT pathOptionsChanged();
    Q_EMIT targetChanged();
    computePath();
}

void Session::setEdges(EdgeLevel edges)
{
    if (edges == m_edges) return;
    m_edges = edges;
    Q_EMIT pathOptionsChanged();
    computePath();
}

void Session::setTarget(std::optional<TaskId> target)
{
    if (m_mode == PathMode::Sweep) target.reset();
    if (target == m_target) return;
    m_target = target;
    Q_EMIT targetChanged();
    computePath();
}

// A click selects; a jump from a panel selects and reveals. Only a click asks for the path that ends at the task.
void Session::selectionClicked()
{
    const TaskId task = m_view->selection().task;
    m_clicked = task.isValid();
    if (!m_clicked) return;
    QTimer::singleShot(0, m_view.get(), [this, task] {
        if (!m_clicked || m_view->selection().task != task) return;
        m_clicked = false;
        setTarget(task);
    });
}

void Session::computePath()
{
    if (!m_view || !m_view->graph()) return;
    const PathMode mode = m_mode;
    const EdgeLevel edges = m_edges;
    m_computing.start(
        [graph = m_view->graph(), heads = m_heads[static_cast<std::size_t>(edges)], mode, edges,
         target = m_target](const Progress& progress) mutable -> PathAnswer {
            Result<CriticalPath> path = [&]() -> Result<CriticalPath> {
                if (mode == PathMode::Elapsed) return elapsedPath(*graph, target);
                if (mode == PathMode::Sweep) return sweepPath(*graph);
                if (!heads) heads = std::make_shared<const WorkHeads>(workHeads(*graph, edges, progress));
                return workPath(*graph, *heads, target);
            }();
            // Heads of a cancelled computation are not whole.
            if (progress.isCancelled()) heads.reset();
            if (!path.ok()) return {path.error(), heads};
            return {std::make_shared<const CriticalPath>(std::move(*path)), heads};
        },
        [this, edges](PathAnswer answer) { acceptPath(std::move(answer), edges); });
    Q_EMIT workChanged();
}

void Session::acceptPath(PathAnswer answer, EdgeLevel edges)
{
    if (answer.heads) m_heads[static_cast<std::size_t>(edges)] = answer.heads;
    m_pathError.reset();
    if (answer.path.ok()) {
        m_view->setPath(*answer.path);
    } else {
        m_pathError = answer.path.error();
        m_view->setPath(nullptr);
    }
    Q_EMIT workChanged();
}

}  // namespace longpole
