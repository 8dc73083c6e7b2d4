// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/secondtrace.h"

#include "analysis/compare/comparisonwords.h"
#include "app/common/runname.h"
#include "app/gui/session/session.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFileInfo>
#include <QTimer>

namespace longpole {

SecondTrace::SecondTrace(Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_first(*session.view()), m_comparison(m_first)
{
    connect(&m_session, &Session::questionChanged, this, &SecondTrace::computePath);
    connect(&m_comparison, &ComparisonSource::changed, this, &SecondTrace::align);
}

SecondTrace::~SecondTrace()
{
    disconnect(&m_comparison, nullptr, this, nullptr);
    m_comparison.setSecond(nullptr);
}

void SecondTrace::open(const QString& path)
{
    m_openingPath = path;
    m_openingText = tr("Opening %1 beside it").arg(QFileInfo(path).fileName());
    m_replaying.cancel();
    m_opening.start([path](const Progress& progress) { return openTrace(path, ImportOptions{}, progress); },
                    [this, path](Result<OpenedTrace> trace) {
                        Q_EMIT openingEnded();
                        if (!trace) {
                            Q_EMIT failed(trace.error());
                            return;
                        }
                        const auto [first, second] = runNames(m_session.path(), path);
                        m_nameOfFirst = first;
                        show(std::move(trace->store), second);
                        m_path = path;
                    });
    Q_EMIT openingStarted();
}

void SecondTrace::cancelOpening()
{
    if (!isOpening()) return;
    m_opening.cancel();
    m_replaying.cancel();
    Q_EMIT openingEnded();
}

void SecondTrace::replay(ReplayChange change)
{
    startReplay([change, thresholds = m_first.thresholds()](Results& results, const Progress& progress) {
        return replayWish(results, change, thresholds, progress);
    });
}

void SecondTrace::replayAdvice(const Advice& advice)
{
    if (!advice.replay) return;
    startReplay([wish = replayWish(m_first.store(), advice)](Results&, const Progress&) { return wish; });
}

void SecondTrace::startReplay(WishOf wishOf)
{
    if (const Result<> there = requireEvents(m_first.store()); !there) {
        Q_EMIT failed(there.error());
        return;
    }
    if (!m_first.graph()) {
        Q_EMIT failed({tr("The tasks are still being loaded."), {}, tr("Try again in a moment.")});
        return;
    }
    m_openingText = tr("Replaying the run");
    m_opening.cancel();
    if (!m_replays.isValid()) {
        Q_EMIT failed({tr("No temporary folder can be made: %1.").arg(m_replays.errorString()), QDir::tempPath(), {}});
        return;
    }
    const QString file = m_replays.filePath(QStringLiteral("replay%1.longpole").arg(++m_replayNumber));
    m_replaying.start(
        [results = m_first.results(), wishOf = std::move(wishOf),
         file](const Progress& progress) -> Result<ReplayedTrace> {
            const Result<ReplayWish> wish = wishOf(*results, progress);
            if (!wish) return wish.error();
            return replayedTrace(*results, *wish, file, progress);
        },
        [this](Result<ReplayedTrace> replayed) {
            Q_EMIT openingEnded();
            m_nameOfFirst = runName(m_session.path());
            if (replayed) show(std::move(replayed->store), replayed->name);
            else Q_EMIT failed(replayed.error());
        });
    Q_EMIT openingStarted();
}

void SecondTrace::show(std::shared_ptr<const TraceStore> store, const QString& name, TimeAlignment alignment)
{
    close();
    const bool isWhole = m_first.range() == m_first.fullRange();
    m_name = name;
    m_alignment = alignment;
    m_view = std::make_unique<ViewState>(std::move(store));
    m_target.reset();
    connect(m_view.get(), &ViewState::selectionChanged, this, [this] {
        const TaskId task = m_view->selection().task;
        m_target = task.isValid() ? std::optional(task) : std::nullopt;
        computePath();
    });
    m_locked = std::make_unique<LockedViews>(m_first, *m_view);
    if (isWhole) m_first.setRange(m_first.wholeRange(), false);
    m_comparison.setSecond(m_view.get());
    Q_EMIT opened();
    Q_EMIT lockChanged();
    QTimer::singleShot(0, m_view.get(), [this] { loadGraph(); });  // the first frame comes first
}

void SecondTrace::close()
{
    if (!m_view) return;
    m_loadingGraph.cancel();
    m_computing.cancel();
    Q_EMIT closing();
    m_comparison.setSecond(nullptr);
    m_path.clear();
    m_locked.reset();
    m_view.reset();
    Q_EMIT lockChanged();
}

QString SecondTrace::caption() const
{
    if (!m_view) return {};
    const TimeNs first = m_first.store().info().duration(), second = m_view->store().info().duration();
    return tr("%1 · %2 (%3)").arg(m_name, formatTime(second), relativeText(double(first), double(second)));
}

void SecondTrace::loadGraph()
{
    if (!m_view->store().hasEvents()) {
        m_comparison.want();
        return;
    }
    m_loadingGraph.ask(m_view->results(), GraphQuestion{}, [this](Watch<GraphQuestion>::Answer graph) {
        if (!graph) {
            Q_EMIT failed(graph.error());
            return;
        }
        m_view->setGraph(*graph);
        computePath();
    });
}

// The path of the whole run, or to the task that was clicked, of the kind that the first one's has.
void SecondTrace::computePath()
{
    if (!m_view || !m_view->graph()) return;
    PathQuestion question{.mode = m_session.question().mode, .edges = m_session.question().edges};
    if (question.mode != PathMode::Sweep) question.to = m_target;
    if (question == m_view->question() && m_view->path()) return;
    m_view->setQuestion(question);
    m_computing.ask(m_view->results(), CountedPathQuestion{question}, [this](const auto& path) {
        m_view->setPath(path ? (*path)->path : nullptr, path ? (*path)->pyramid : nullptr);
        if (!path) Q_EMIT failed(path.error());
        m_comparison.want();
    });
}

void SecondTrace::setLocked(bool locked)
{
    if (!m_locked || locked == m_locked->isLocked()) return;
    m_locked->setLocked(locked);
    Q_EMIT lockChanged();
}

bool SecondTrace::canAlignByPhase() const
{
    return m_comparison.comparison() && m_comparison.comparison()->phase.has_value();
}

void SecondTrace::setAlignment(TimeAlignment alignment)
{
    m_alignment = alignment;
    align();
}

void SecondTrace::align()
{
    if (!m_locked) return;
    if (!m_comparison.comparison() && !m_comparison.error() && m_first.graph() && m_view->graph()) m_comparison.want();
    const TimeRange a = m_first.fullRange(), b = m_view->fullRange();
    if (m_alignment == TimeAlignment::Phase && canAlignByPhase()) {
        const CommonPhase& phase = *m_comparison.comparison()->phase;
        m_locked->setMapping(TimeMapping::byPhase(a, b, phase.a.spans, phase.b.spans));
    } else {
        m_locked->setMapping(TimeMapping::byTime(a, b));
    }
    Q_EMIT lockChanged();
}

}  // namespace longpole
