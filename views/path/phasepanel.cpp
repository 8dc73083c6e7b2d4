// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/phasepanel.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "core/trace/format.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/basics/palette.h"
#include "views/path/phasestring.h"
#include "views/path/phasetables.h"
#include "views/state/panelspec.h"
#include "views/state/stagecuts.h"
#include "views/state/viewstate.h"
#include "views/widgets/flowlayout.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostLegend = 200;

QCheckBox* box(const QString& text, const QString& tip, bool isOn, QWidget* parent)
{
    auto* check = new QCheckBox(text, parent);
    check->setToolTip(tip);
    check->setChecked(isOn);
    return check;
}

QToolButton* flatButton(const QString& text, const QString& tip, QWidget* parent)
{
    auto* tool = new QToolButton(parent);
    tool->setObjectName(QStringLiteral("flat"));
    tool->setText(text);
    tool->setToolTip(tip);
    tool->setAccessibleName(tip);
    return tool;
}

}  // namespace

PhasePanel::PhasePanel(ViewState& state, QWidget* parent) : ComputedPanel(parent), m_state(state)
{
    createControls();
    createTables();
    connectState();
    outdate();
}

void PhasePanel::createControls()
{
    m_support = new QSpinBox(this);
    m_support->setRange(2, 1'000'000);
    m_support->setValue(static_cast<int>(PhaseOptions{}.support));
    m_support->setPrefix(QStringLiteral("≥ "));
    m_support->setSuffix(tr(" times"));
    m_support->setKeyboardTracking(false);
    m_support->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_support->setToolTip(tr("Only what occurs so often is a phase"));
    m_support->setAccessibleName(m_support->toolTip());
    m_collapse = box(tr("runs as one"),
                     m_state.store().words().say(tr("A run of one entry method counts as one, however long it is"),
                                                 tr("A run of one region counts as one, however long it is")),
                     true, this);
    m_overlapping = box(tr("overlapping"), tr("Occurrences may overlap: their coverage can be more than the path"),
                        false, this);
    m_shown = box(tr("scheduled"),
                  tr("Along the path that shows, on which PEs ran tasks in an order that may hide the program's; else "
                     "over messages and merges, as in reports"),
                  false, this);
    m_prove = flatButton(tr("Prove"), tr("Search until it is certain that nothing scores more"), this);
    m_cut = new QComboBox(this);
    m_cut->addItems({tr("by iteration"), tr("by repeat"), tr("by occurrence")});
    m_cut->setItemData(0,
                       m_state.store().words().say(tr("From one start of the entry method that marks an iteration to "
                                                      "the next, also where the path took another way"),
                                                   tr("From one start of the region that marks an iteration to the "
                                                      "next, also where the path took another way")),
                       Qt::ToolTipRole);
    m_cut->setItemData(1, tr("Where what repeats occurs, exactly"), Qt::ToolTipRole);
    m_cut->setItemData(2, tr("The occurrences that the score counts"), Qt::ToolTipRole);
    m_cut->setAccessibleName(tr("What the phase cuts the run into"));
    m_before = flatButton(QStringLiteral("‹"), tr("All views to the one before (Shift+I)"), this);
    m_next = flatButton(QStringLiteral("›"), tr("All views to the next one (I)"), this);
    m_place = new QLabel(this);
    m_place->setObjectName(QStringLiteral("muted"));
    m_bands = box(tr("bands"), tr("Show them as bands on the timelines"), m_state.areBandsShown(), this);
    m_fold = flatButton(tr("Fold …"), tr("Lay them over each other: a window of its own with rows for each of them"),
                        this);
    auto* search = new FlowLayout(10, 4);  // in two lines where one has no room
    for (QWidget* widget : std::initializer_list<QWidget*>{m_support, m_collapse, m_overlapping, m_shown})
        search->addWidget(widget);
    head().insertLayout(0, search);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_prove, m_cut, m_before, m_place, m_next, m_bands, m_fold})
        head().addWidget(widget);
    connect(m_support, &QSpinBox::valueChanged, this, &PhasePanel::outdate);
    connect(m_collapse, &QCheckBox::toggled, this, &PhasePanel::outdate);
    connect(m_overlapping, &QCheckBox::toggled, this, &PhasePanel::outdate);
    connect(m_shown, &QCheckBox::toggled, this, &PhasePanel::outdate);
    connect(m_prove, &QToolButton::clicked, this, &PhasePanel::prove);
    connect(m_cut, &QComboBox::currentIndexChanged, this, &PhasePanel::askPhases);
    connect(m_before, &QToolButton::clicked, this, [this] { m_state.showNextBand(false); });
    connect(m_next, &QToolButton::clicked, this, [this] { m_state.showNextBand(true); });
    connect(m_bands, &QCheckBox::toggled, this, [this](bool on) { m_state.setBandsShown(on); });
    connect(m_fold, &QToolButton::clicked, this, &PhasePanel::foldRequested);
}

void PhasePanel::createTables()
{
    auto* parts = new QSplitter(Qt::Horizontal, this);
    m_phaseTable = new TableView(parts);
    m_phaseTable->setAccessibleName(tr("Repeated phases"));
    m_string = new PhaseString(m_state.sharedStore(), parts);
    auto* legend = new QScrollArea(parts);
    speakAs(*legend, QAccessible::Pane);
    legend->setAccessibleName(tr("What the letters mean"));
    m_legend = new QLabel(legend);
    m_legend->setObjectName(QStringLiteral("muted"));
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setMargin(6);
    m_legend->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_legend->setTextInteractionFlags(Qt::TextSelectableByMouse);
    legend->setWidget(m_legend);
    legend->setWidgetResizable(true);
    legend->setFrameShape(QFrame::NoFrame);
    m_pieceTable = new TableView(parts);
    m_pieceTable->setAccessibleName(tr("Occurrences of the phase"));
    parts->setSizes({480, 270, 130, 310});
    for (const auto& [part, share] : {std::pair(0, 2), std::pair(1, 3), std::pair(2, 1), std::pair(3, 2)})
        parts->setStretchFactor(part, share);
    body().addWidget(parts);
    connect(m_phaseTable, &TableView::rowChosen, this, &PhasePanel::choosePhase);
    connect(m_pieceTable, &TableView::rowChosen, this, [this](std::size_t row) {
        if (row < m_run->spans.size()) m_state.setMarked(m_run->spans[row].span);
    });
    connect(m_pieceTable, &TableView::rowActivated, this, [this](std::size_t row) { m_state.showBand(row); });
    connect(m_string, &PhaseString::symbolChosen, this,
            [this](std::size_t symbol) { m_state.reveal(Selection{.task = m_string->taskOf(symbol), .message = {}}); });
    connect(m_string, &PhaseString::pieceChosen, this, [this](std::size_t piece) {
        m_state.setMarked(m_run->spans[piece].span);
        m_pieceTable->showRow(piece);
    });
    for (TableView* table : {m_phaseTable, m_pieceTable})
        connect(table, &TableView::exportFailed, this, &PhasePanel::exportFailed);
}

void PhasePanel::connectState()
{
    connect(&m_state, &ViewState::graphChanged, this, &PhasePanel::outdate);
    connect(&m_state, &ViewState::questionChanged, this, [this] {
        if (modelOf(m_state.question()) != m_model) outdate();
    });
    connect(&m_state, &ViewState::colourChanged, this, &PhasePanel::showLegend);
    connect(&m_state, &ViewState::selectionChanged, this,
            [this] { m_string->setSelected(m_state.selection().task, true); });
    connect(&m_state, &ViewState::rangeChanged, this, &PhasePanel::showPlace);
    connect(&m_state, &ViewState::phaseBandsChanged, this, [this] {
        m_bands->setChecked(m_state.areBandsShown());
        showPlace();
    });
}

PhaseCut PhasePanel::cut() const { return static_cast<PhaseCut>(m_cut->currentIndex()); }

PathModel PhasePanel::searched() const { return m_shown->isChecked() ? m_model : phaseModel(m_model); }

PathPhasesQuestion PhasePanel::question() const
{
    const PathModel model = searched();
    return {.path = {.mode = model.mode, .edges = model.edges},
            .phases = {.options = {.support = m_support->value(), .overlapping = m_overlapping->isChecked()},
                       .collapse = m_collapse->isChecked()}};
}

bool PhasePanel::begin()
{
    if (!m_state.graph() && !m_state.store().info().isPart()) return false;
    m_model = modelOf(m_state.question());
    m_shown->setVisible(phaseModel(m_model) != m_model);
    m_job.ask(m_state.results(), question(),
              [this, asked = question()](Result<Answer> answer) { accept(asked, std::move(answer)); });
    return true;
}

void PhasePanel::stop()
{
    m_job.cancel();
    m_proving.cancel();
    m_cutting.cancel();
    m_cuttingOne.cancel();
}

void PhasePanel::clear()
{
    m_answer.reset();
    m_phase = 0;
    showAnswer();
}

void PhasePanel::accept(const PathPhasesQuestion& question, Result<Answer> answer)
{
    if (!answer.ok()) {
        finish(answer.error(), {});
        return;
    }
    m_asked = question;
    m_answer = std::move(*answer);
    showAnswer();
}

// Searches again without a budget, so that the phases are proven to be those of the largest scores. The first answer
// shows meanwhile, and the same button stops the search.
void PhasePanel::prove()
{
    if (!m_answer) return;
    if (m_proving.isRunning()) {
        m_proving.cancel();
        showProveButton();
        return;
    }
    PathPhasesQuestion proof = question();
    proof.phases.options.budget = unlimitedBudget;
    m_proving.ask(m_state.results(), proof, [this, proof](Result<Answer> answer) {
        if (answer.ok()) accept(proof, std::move(answer));
        showProveButton();
    });
    showProveButton();
}

void PhasePanel::showProveButton()
{
    const bool isDoubtful = m_answer
                            && (!m_answer->isComplete
                                || std::any_of(m_answer->phases.begin(), m_answer->phases.end(),
                                               [](const Phase& one) { return !one.proven; }));
    m_prove->setText(m_proving.isRunning() ? tr("Proving … stop") : tr("Prove"));
    m_prove->setVisible(isDoubtful);
}

QString PhasePanel::summary() const
{
    const QString tasks = counted("%1 tasks", "%1 task", std::int64_t(m_answer->path.tasks.size()));
    if (m_answer->phases.empty())
        return tr("Nothing repeats %1 times along the path of %2 · %3")
            .arg(m_support->value())
            .arg(tasks, modelName(searched()));
    const Phase& first = m_answer->phases.front();
    QString text = tr("%1 %2 times · %3 · %4")
                       .arg(counted("%1 steps", "%1 step", std::int64_t(first.rootLength)),
                            formatCount(first.rootInstances), tasks, modelName(searched()));
    if (!m_answer->isComplete) text += tr(" · more may repeat: the budget ended");
    return text;
}

void PhasePanel::choosePhase(std::size_t row)
{
    m_phase = row;
    askPhase();
}

void PhasePanel::showAnswer()
{
    if (!m_answer || m_phase >= m_answer->phases.size()) m_phase = 0;
    m_string->setPhases(m_answer);
    m_string->setSelected(m_state.selection().task, false);
    showLegend();
    showProveButton();
    if (m_answer) return askPhases();
    m_phaseTable->setContent({});
    showPhase(std::make_shared<const CutRun>());
}

void PhasePanel::askPhases()
{
    if (!m_answer) return;
    m_cutting.ask(m_state.results(), {.of = m_asked, .cut = cut()}, [this](const auto& cuts) {
        if (!cuts.ok()) return finish(cuts.error(), {});
        showPhases(*cuts);
        askPhase();
    });
}

void PhasePanel::showPhases(const std::shared_ptr<const CutPhases>& cuts)
{
    m_phaseTable->setContent(phaseContent(m_state.sharedStore(), cuts, m_string->letters()));
    m_phaseTable->setColumnWidths({26, 60, 40, -1, 40, -1, -1, 40, 40, 0, -1});
    if (!m_answer->phases.empty()) m_phaseTable->showRow(m_phase);
}

void PhasePanel::askPhase()
{
    if (!m_answer) return;
    m_cuttingOne.ask(m_state.results(), {.of = m_asked, .phase = m_phase, .cut = cut()}, [this](const auto& run) {
        if (!run.ok()) return finish(run.error(), {});
        showPhase(*run);
        finish({}, summary());
    });
}

void PhasePanel::showPhase(std::shared_ptr<const CutRun> run)
{
    m_run = std::move(run);
    m_string->setPieces(m_run, pieceName(cut()));
    m_fold->setEnabled(m_run->pieces.size() > 1);
    m_state.setPhaseBands({.name = pieceName(cut()), .ranges = rangesOf(m_run->pieces)});
    markPieces();
    showPlace();
}

void PhasePanel::markPieces()
{
    m_pieceTable->setContent(pieceContent(m_state.sharedStore(), m_run, themeOf(*this)));
    m_pieceTable->setColumnWidths({40, 60, -1, 60, 0, -1});
}

void PhasePanel::showPlace()
{
    const std::size_t count = m_state.phaseBands().ranges.size();
    const std::optional<std::size_t> place = m_state.bandInView();
    const QString of = formatCount(static_cast<std::int64_t>(count));
    m_place->setText(place ? tr("%1 of %2").arg(formatCount(static_cast<std::int64_t>(*place) + 1), of) : of);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_before, m_next, m_place}) widget->setEnabled(count > 0);
}

void PhasePanel::showLegend()
{
    const std::shared_ptr<const Palette> palette = m_state.palette(themeOf(*this));
    m_string->setColours(palette);
    QString text;
    const std::vector<std::uint32_t>& order = m_string->letters().order();
    for (std::size_t i = 0; i < order.size() && i < mostLegend; ++i) {
        const Entry* entry = m_state.store().entry(EntryId{order[i]});
        const QRgb colour = readable(palette->entry(EntryId{order[i]}), themeOf(*this).panel.rgb());
        text += QStringLiteral(
                    "<div style='white-space:nowrap'><b style='color:%1; font-family:monospace'>%2</b>&nbsp; %3</div>")
                    .arg(QColor(colour).name(), QString(m_string->letters().of(order[i])),
                         (entry ? onOneLine(entryName(*entry)) : tr("(none)")).toHtmlEscaped());
    }
    if (order.size() > mostLegend) text += tr("<div>and %1 more</div>").arg(order.size() - mostLegend);
    m_legend->setText(text);
}

void PhasePanel::changeEvent(QEvent* event)
{
    ComputedPanel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_legend) {
        showLegend();
        markPieces();
    }
}

namespace {

QWidget* makePhases(PanelHost& host, QWidget* parent)
{
    QWidget* panel = makePanel<PhasePanel>(host, parent);
    QObject::connect(static_cast<PhasePanel*>(panel), &PhasePanel::foldRequested, &host, &PanelHost::foldRequested);
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec phases;
const PanelSpec phases{
    .id = "panel.phases",
    .title = QT_TRANSLATE_NOOP("Actions", "Phases"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Repeated phases"),
    .question = QT_TRANSLATE_NOOP("Actions", "What repeats?"),
    .tip = QT_TRANSLATE_NOOP("Actions",
                             "What repeats along the critical path, and the iterations that it cuts the run into"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "What repeats along the critical path, and the iterations that it cuts the run into, the slow ones "
        "among them. Choose a phase and go through its iterations with I and Shift+I in all views."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "iterations, steps, loops, repeats, time steps, slow iteration"),
    .group = PanelGroup::Timeline,
    .needs = PanelNeeds::Answers,
    .create = makePhases,
};

}  // namespace panels

}  // namespace longpole
