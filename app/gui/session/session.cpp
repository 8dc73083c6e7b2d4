// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/session.h"

#include "core/trace/storedanswers.h"

namespace longpole {

Session::Session(QObject* parent) : QObject(parent)
{
    constexpr int followAfter = 120;  // ms
    m_following.setSingleShot(true);
    m_following.setInterval(followAfter);
    connect(&m_following, &QTimer::timeout, this, &Session::followMark);
}

void Session::open(const QString& path)
{
    if (!m_imported || path != m_openingPath) m_imported = std::make_shared<ImportMemory>();
    m_openingPath = path;
    m_openingSince.start();
    ImportOptions options;
    options.memory = m_imported;
    m_opening.start([path, options](const Progress& progress) { return openTrace(path, options, progress); },
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
    m_imported.reset();
    if (!m_view) return;
    m_loadingGraph.cancel();
    m_computing.cancel();
    Q_EMIT closing();
    m_following.stop();
    m_view.reset();
    m_counted.reset();
    m_question = {.mode = m_question.mode, .edges = m_question.edges};
    m_pathError.reset();
}

void Session::adopt(OpenedTrace trace)
{
    const QString path = m_path;
    const std::shared_ptr<ImportMemory> imported = m_imported;
    close();
    m_path = path;
    m_imported = imported;
    m_view = std::make_unique<ViewState>(std::move(trace.store));
    connect(m_view.get(), &ViewState::selectionChanged, this, &Session::selectionClicked);
    connect(m_view.get(), &ViewState::selectedAgain, this, &Session::selectionClicked);
    connect(m_view.get(), &ViewState::revealRequested, this, [this] { m_clicked = false; });
    connect(m_view.get(), &ViewState::markedChanged, &m_following, qOverload<>(&QTimer::start));
    m_view->setQuestion(m_question);
    Q_EMIT opened();
    // The first frame comes before anything else is computed.
    QTimer::singleShot(0, m_view.get(), [this] { loadGraph(); });
}

void Session::loadGraph()
{
    if (m_view->store().answers().isThere()) return computePath();
    if (!m_view->store().hasEvents()) return;  // a summary: panels that need the graph say so
    m_loadingGraph.ask(m_view->results(), GraphQuestion{}, [this](Watch<GraphQuestion>::Answer graph) {
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
    PathQuestion question = m_question;
    question.mode = mode;
    if (mode == PathMode::Sweep) question.to.reset();  // the sweep has no end to choose
    ask(question);
}

void Session::setEdges(EdgeLevel edges)
{
    PathQuestion question = m_question;
    question.edges = edges;
    ask(question);
}

void Session::setModel(PathMode mode, EdgeLevel edges)
{
    PathQuestion question = m_question;
    question.mode = mode;
    if (mode != PathMode::Elapsed) question.edges = edges;
    ask(question);
}

void Session::setTarget(std::optional<TaskId> target)
{
    PathQuestion question = m_question;
    question.to = question.mode == PathMode::Sweep ? std::nullopt : target;
    if (target && !question.range.isEmpty()) {
        // To a task outside the range the path of the whole run must be meant.
        const Result<TaskDetail> task = m_view->store().task(*target);
        if (task.ok() && (task->range.begin >= question.range.end || task->range.end <= question.range.begin))
            question.range = {};
    }
    ask(question);
}

void Session::setRange(TimeRange range)
{
    PathQuestion question = m_question;
    question.range = range;
    if (!range.isEmpty()) question.to.reset();
    ask(question);
}

void Session::askWholeRun() { ask({.mode = m_question.mode, .edges = m_question.edges}); }

void Session::ask(const PathQuestion& question)
{
    if (question == m_question) return;
    m_question = question;
    if (m_view) m_view->setQuestion(question);
    Q_EMIT questionChanged();
    computePath();
}

// While the path of a range shows, it becomes that of the marked range; if nothing is marked any more it stays.
void Session::followMark()
{
    if (m_view && !m_question.range.isEmpty() && !m_view->marked().isEmpty()) setRange(m_view->marked());
}

// A click only selects, a jump from a panel selects and reveals. Only a click asks for the path that ends at the task:
// so this waits until a jump would have revealed.
void Session::selectionClicked()
{
    if (!m_view->store().hasEvents()) return;  // there are no paths to choose from
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
    if (!m_view || (!m_view->graph() && !m_view->store().answers().isThere())) return;
    m_computing.ask(m_view->results(), CountedPathQuestion{m_question},
                    [this](const PathAnswer& answer) { acceptPath(answer); });
    Q_EMIT workChanged();
}

void Session::acceptPath(const PathAnswer& answer)
{
    m_pathError.reset();
    if (!answer.ok()) m_pathError = answer.error();
    m_counted = answer.ok() ? *answer : nullptr;
    m_view->setPath(m_counted ? m_counted->path : nullptr, m_counted ? m_counted->pyramid : nullptr);
    Q_EMIT workChanged();
}

}  // namespace longpole
