// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/graphpanel.h"

#include "analysis/base/naming.h"
#include "core/base/namedfile.h"
#include "core/trace/format.h"
#include "views/drawing/graphs/graphrender.h"
#include "views/plots/graphcanvas.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/mayreplace.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

namespace longpole {

GraphPanel::GraphPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_canvas(new GraphCanvas(state.sharedStore(), this)),
      m_range(new QPushButton(tr("Range"), this)), m_path(new QPushButton(tr("Path to selection"), this)),
      m_processors(new QLineEdit(this))
{
    createHead();
    body().addWidget(m_canvas, 1);
    m_canvas->setColours(m_state.palette(themeOf(*this)));
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, &GraphPanel::choiceChanged);
    for (const auto signal : {&ViewState::rangeChanged, &ViewState::markedChanged})
        connect(&m_state, signal, this, [this] { m_settling.start(); });
    connect(&m_state, &ViewState::questionChanged, this, &GraphPanel::choiceChanged);
    connect(&m_state, &ViewState::selectionChanged, this, &GraphPanel::followSelection);
    connect(&m_state, &ViewState::graphChanged, this, &GraphPanel::outdate);
    connect(&m_state, &ViewState::colourChanged, this,
            [this] { m_canvas->setColours(m_state.palette(themeOf(*this))); });
    connect(m_canvas, &GraphCanvas::taskChosen, this,
            [this](TaskId task) { m_state.select({.task = task, .message = {}}); });
    connect(m_canvas, &GraphCanvas::taskActivated, this,
            [this](TaskId task) { m_state.reveal({.task = task, .message = {}}); });
    outdate();
}

void GraphPanel::createHead()
{
    auto* of = new QButtonGroup(this);
    for (QPushButton* button : {m_range, m_path}) {
        button->setObjectName(QStringLiteral("segment"));
        button->setCheckable(true);
        of->addButton(button);
    }
    m_range->setToolTip(tr("Tasks of the marked range; without a mark, of the visible one"));
    m_path->setToolTip(tr("The path that ends at the selected task, and the tasks next to it"));
    m_range->setChecked(true);
    connect(m_range, &QPushButton::clicked, this, [this] { setShows(GraphOf::Range); });
    connect(m_path, &QPushButton::clicked, this, [this] { setShows(GraphOf::Path); });
    m_processors->setPlaceholderText(m_state.store().words().say(tr("all PEs"), tr("all ranks")));
    m_processors->setToolTip(tr("Only these, e.g. 1,3-9:3,11"));
    m_processors->setAccessibleName(tr("PEs or ranks"));
    m_processors->setFixedWidth(90);
    m_processors->setClearButtonEnabled(true);
    connect(m_processors, &QLineEdit::editingFinished, this, &GraphPanel::choiceChanged);
    connect(m_processors, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty()) choiceChanged();
    });
    head().insertWidget(0, m_range);
    head().insertWidget(1, m_path);
    head().insertWidget(2, m_processors);
}

void GraphPanel::setShows(GraphOf of)
{
    m_of = of;
    (of == GraphOf::Range ? m_range : m_path)->setChecked(true);
    choiceChanged();
}

SubgraphChoice GraphPanel::choice() const
{
    SubgraphChoice choice{.pes = m_pes};
    if (m_state.question().mode != PathMode::Sweep) choice.to = m_state.question().to;
    if (m_of == GraphOf::Path) {
        choice.aroundPath = true;
        if (m_state.selection().task.isValid()) choice.to = m_state.selection().task;
        return choice;
    }
    const TimeRange range = m_state.marked().isEmpty() ? m_state.range() : m_state.marked();
    const TimeRange run = m_state.fullRange();
    if (range.begin > run.begin || range.end < run.end) choice.range = range;
    return choice;
}

void GraphPanel::choiceChanged()
{
    const QString text = m_processors->text().trimmed();
    const auto pes = text.isEmpty() ? Result<std::vector<ProcessorId>>(std::vector<ProcessorId>())
                                    : parseProcessors(text, m_state.store().info().processors);
    if (!pes) {
        setSummary(longpole::toText(pes.error()));
        return;
    }
    m_pes = *pes;
    const bool isKnown = isThere() || isComputing();
    if (isKnown && choice() == m_shown && m_state.question().edges == m_level) {
        if (isThere()) setSummary(summary());
        return;
    }
    outdate();
}

bool GraphPanel::begin()
{
    if (!m_state.graph()) return false;
    m_shown = choice();
    m_level = m_state.question().edges;
    m_job.ask(m_state.results(), SubgraphQuestion{m_level, m_shown}, [this](const Answer& answer) { accept(answer); });
    return true;
}

void GraphPanel::accept(const Answer& answer)
{
    if (!answer) {
        m_canvas->setGraph(std::make_shared<const Subgraph>());
        finish(answer.error(), {});
        return;
    }
    m_canvas->setGraph(*answer);
    followSelection();
    finish({}, summary());
}

// While there is a graph, the old picture stays until the new one is there.
void GraphPanel::clear()
{
    if (!m_state.graph()) m_canvas->setGraph(std::make_shared<const Subgraph>());
}

QString GraphPanel::summary() const
{
    const std::int64_t omitted = m_canvas->graph()->omittedEdges;
    if (omitted == 0) return tasksText();
    return tr("%1. %2 more dependencies are not drawn.").arg(tasksText(), formatCount(omitted));
}

QString GraphPanel::tasksText() const
{
    const Subgraph& graph = *m_canvas->graph();
    const auto shown = static_cast<std::int64_t>(graph.nodes.size());
    if (shown == 0) return m_of == GraphOf::Range ? tr("No task lies in this range.") : tr("There is no task.");
    if (graph.omitted > 0 && m_of == GraphOf::Path)
        return tr("The last %1 of %2 tasks of the path and next to it")
            .arg(formatCount(shown), formatCount(shown + graph.omitted));
    if (graph.omitted > 0)
        return tr("%1 of %2 tasks, the path first: mark a shorter range on the timeline, or name PEs or ranks, to see "
                  "the others")
            .arg(formatCount(shown), formatCount(shown + graph.omitted));
    return tr("%1 · %2").arg(counted("%1 tasks", "%1 task", shown),
                             counted("%1 dependencies", "%1 dependency",
                                     static_cast<std::int64_t>(graph.edges.size())));
}

void GraphPanel::followSelection()
{
    TaskId task = m_state.selection().task;
    if (const auto graph = m_state.graph(); graph && task.isValid())
        if (const std::uint32_t outermost = graph->find(task); outermost != noTask) task = graph->id(outermost);
    m_canvas->setSelected(task);
    if (m_of == GraphOf::Path) choiceChanged();
}

void GraphPanel::changeEvent(QEvent* event)
{
    ComputedPanel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_canvas->setColours(m_state.palette(themeOf(*this)));
}

Result<> GraphPanel::write(const QString& file) const
{
    const QString ending = QFileInfo(file).suffix().toLower();
    const GraphPicture picture{.graph = m_canvas->graph().get(),
                               .theme = themeOf(*this),
                               .palette = m_state.paletteOptions(),
                               .scale = devicePixelRatioF(),
                               .isVector = ending == QLatin1String("svg")};
    QByteArray bytes;
    if (ending == QLatin1String("dot")) {
        bytes = graphDot(m_state.store(), picture);
    } else if (ending == QLatin1String("csv")) {
        bytes = graphCsv(*picture.graph);
    } else if (ending == QLatin1String("svg") || ending == QLatin1String("png")) {
        Result<QByteArray> drawn = renderGraph(m_state.store(), picture);
        if (!drawn) return drawn.error();
        bytes = std::move(*drawn);
    } else {
        return Error{tr("A graph is written as .png, .svg, .dot or .csv."), file, tr("Choose one of these endings.")};
    }
    return writeNamedFile(file, bytes);
}

void GraphPanel::exportAs(const QString& ending, const QString& filter)
{
    QString file = askFileToSave(this, tr("Export the graph"), QStringLiteral("graph.") % ending, filter);
    if (file.isEmpty()) return;
    if (QFileInfo(file).suffix().isEmpty()) {
        file += QLatin1Char('.') % ending;
        if (!mayReplace(*this, {file})) return;
    }
    if (const Result<> written = write(file); !written) Q_EMIT exportFailed(written.error());
}

void GraphPanel::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isAny = !m_canvas->graph()->nodes.empty();
    QMenu menu(this);
    menu.addAction(tr("Show all of it"), QKeySequence(Qt::Key_F), m_canvas, &GraphCanvas::fit)->setEnabled(isAny);
    menu.addSeparator();
    const std::pair<QString, QString> kinds[] = {{QStringLiteral("png"), tr("PNG picture (*.png)")},
                                                 {QStringLiteral("svg"), tr("SVG picture (*.svg)")},
                                                 {QStringLiteral("dot"), tr("Graphviz (*.dot)")},
                                                 {QStringLiteral("csv"), tr("Dependencies as CSV (*.csv)")}};
    for (const auto& [ending, filter] : kinds)
        menu.addAction(tr("Export %1 …").arg(ending.toUpper()), this,
                       [this, ending = ending, filter = filter] { exportAs(ending, filter); })
            ->setEnabled(isAny);
    menu.exec(event->globalPos());
}

namespace panels {

extern const PanelSpec graph;
const PanelSpec graph{
    .id = "panel.graph",
    .title = QT_TRANSLATE_NOOP("Actions", "Graph"),
    .command = QT_TRANSLATE_NOOP("Actions", "Activity &graph"),
    .question = QT_TRANSLATE_NOOP("Actions", "What depends on what?"),
    .tip = QT_TRANSLATE_NOOP("Actions",
                             "Tasks and what they depend on, of the marked or visible range or along a path"),
    .help = QT_TRANSLATE_NOOP("Actions",
                              "Tasks as boxes in the order of time, a lane for each PE or rank, with what each waited "
                              "for; the critical path has a colour of its own. Go backwards from a late task to find "
                              "what held it up. Up to 500 tasks: mark a range or select a task to say which."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "dependencies, task graph, dag, message chain, back trace"),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<GraphPanel>,
};

}  // namespace panels

}  // namespace longpole
