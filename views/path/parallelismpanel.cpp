// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/parallelismpanel.h"

#include "analysis/report/pathtables.h"
#include "core/base/timerange.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QVBoxLayout>

namespace longpole {

ParallelismPanel::ParallelismPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_table(new TableView(this))
{
    m_table->setAccessibleName(tr("Tasks that expose parallelism"));
    body().addWidget(m_table);
    connect(m_table, &TableView::rowChosen, this, &ParallelismPanel::choose);
    connect(m_table, &TableView::exportFailed, this, &ParallelismPanel::exportFailed);
    connect(&m_state, &ViewState::graphChanged, this, &ParallelismPanel::outdate);
    connect(&m_state, &ViewState::colourChanged, this, [this] {
        if (m_tasks) showTasks();
    });
    connect(&m_state, &ViewState::questionChanged, this, [this] {
        if (wantedEdges() != m_edges) outdate();
    });
    outdate();
}

EdgeLevel ParallelismPanel::wantedEdges() const
{
    return m_state.question().edges == EdgeLevel::Messages ? EdgeLevel::Messages : EdgeLevel::Merges;
}

bool ParallelismPanel::begin()
{
    if (!m_state.graph()) return false;
    m_edges = wantedEdges();
    m_job.ask(m_state.results(), ExposingQuestion{.edges = m_edges},
              [this](const Watch<ExposingQuestion>::Answer& tasks) { accept(tasks); });
    return true;
}

void ParallelismPanel::stop() { m_job.cancel(); }

void ParallelismPanel::clear()
{
    if (m_shown && m_state.secondPath().path == m_shown) m_state.setSecondPath({});
    m_shown.reset();
    m_tasks.reset();
    showTasks();
}

void ParallelismPanel::accept(const Watch<ExposingQuestion>::Answer& tasks)
{
    if (!tasks.ok()) {
        finish(tasks.error(), {});
        return;
    }
    m_tasks = *tasks;
    showTasks();
    const QString rest = tr("edges: %1").arg(edgesName(m_edges));
    finish({}, m_tasks->empty()
                   ? tr("No task that other work waited for began late · %1").arg(rest)
                   : tr("Much concurrent work waited for these tasks, and they began late: start them earlier · %1")
                         .arg(rest));
}

void ParallelismPanel::showTasks()
{
    const std::shared_ptr<const Tasks> tasks = m_tasks ? m_tasks : std::make_shared<const Tasks>();
    const auto palette = m_state.palette(themeOf(*this));
    TableContent content = contentOf(exposingTaskTable(m_state.store())
                                         .only({"task", "entry", "dominated_ns", "span_ns", "exposed", "delay_ns",
                                                "queue_ns", "network_ns", "step_count"}),
                                     tasks, m_state.sharedStore());
    content["exposed"].text = [tasks](std::size_t row) { return tr("%1 ×").arg((*tasks)[row].exposed, 0, 'f', 1); };
    content["entry"].swatch = [tasks, palette](std::size_t row) { return QColor(palette->entry((*tasks)[row].entry)); };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({50, 0, 70, 70, 60, 70, 70, 70, 50});
}

void ParallelismPanel::choose(std::size_t row)
{
    if (!m_tasks || row >= m_tasks->size()) return;
    const ExposingTask& task = (*m_tasks)[row];
    CriticalPath path{.mode = PathMode::Work,
                      .edges = m_edges,
                      .to = task.task,
                      .duration = m_state.fullRange().length(),
                      .steps = task.steps};
    for (const PathStep& step : path.steps) addSaturating(path.length, step.weight());
    m_shown = std::make_shared<const CriticalPath>(std::move(path));
    m_state.setSecondPath({.path = m_shown, .name = tr("path that leads to task %1").arg(longpole::toText(task.task))});
    m_state.reveal(Selection{.task = task.task, .message = {}});
}

void ParallelismPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_tasks) showTasks();
}

namespace panels {

extern const PanelSpec parallelism;
const PanelSpec parallelism{
    .id = "panel.parallelism",
    .title = QT_TRANSLATE_NOOP("Actions", "Parallelism"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Parallelism"),
    .question = QT_TRANSLATE_NOOP("Actions", "What held up work?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Tasks that much concurrent work waited for and that began late"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "Tasks that much other work could not begin without, and that began late themselves. The larger that "
        "work and the delay, the more is gained by starting the task earlier; a click shows the path that led "
        "to it."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "concurrency, serial bottleneck, exposed work, delay, starvation"),
    .group = PanelGroup::WhySlow,
    .needs = PanelNeeds::Queues,
    .create = makePanel<ParallelismPanel>,
};

}  // namespace panels

}  // namespace longpole
