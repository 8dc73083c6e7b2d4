// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/treepanel.h"

#include "core/base/namedfile.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/graphs/experttext.h"
#include "views/expert/nodedetail.h"
#include "views/plots/partbarview.h"
#include "views/plots/treecanvas.h"
#include "views/state/evidenceplace.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/tableview.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace longpole {

namespace {

// Idling at the end of the run has no cause to look for and is grey; the other causes have colours of the palette of
// entry methods.
QColor causeColour(IdleCause cause, PaletteKind kind, const Theme& theme)
{
    if (cause == IdleCause::End) return theme.faintText;
    const std::span<const QRgb> colours = paletteColours(kind);
    constexpr std::array<std::size_t, idleCauseCount> calm{0, 6, 0, 3, 1, 2};
    constexpr std::array<std::size_t, idleCauseCount> okabeIto{0, 4, 0, 3, 1, 2};
    const auto at = static_cast<std::size_t>(cause);
    return QColor(colours[kind == PaletteKind::OkabeIto ? okabeIto[at] : calm[at]]);
}

}  // namespace

TreePanel::TreePanel(ViewState& state, QWidget* parent) : ExpertPanel(state, parent)
{
    createThresholds();
    createWidgets();
    connect(m_canvas, &TreeCanvas::nodeChosen, this, [this](int node) {
        showNode(node);
        bringIntoView(node);
    });
    connect(m_canvas, &ChartCanvas::exportFailed, this, &ComputedPanel::exportFailed);
    connect(m_idle, &ChartCanvas::exportFailed, this, &ComputedPanel::exportFailed);
    connect(m_idle, &PartBar::chosen, this, &TreePanel::chooseCause);
    connect(m_detail, &NodeDetail::evidenceChosen, this, &TreePanel::goTo);
    connect(m_detail, &NodeDetail::sharedRequested, this, &TreePanel::sharedRequested);
    connect(m_detail, &NodeDetail::adviceRequested, this, &TreePanel::adviceRequested);
    connect(&state, &ViewState::thresholdsChanged, this, &TreePanel::showThresholds);
    connect(&state, &ViewState::colourChanged, this, &TreePanel::showIdle);
    setFocusProxy(m_canvas);
    showThresholds();
    outdate();
}

void TreePanel::createThresholds()
{
    m_thresholds = new QToolButton(this);
    m_thresholds->setObjectName(QStringLiteral("flat"));
    m_thresholds->setPopupMode(QToolButton::InstantPopup);
    m_thresholds->setMenu(new QMenu(m_thresholds));
    m_thresholds->setAccessibleName(tr("Thresholds"));
    connect(m_thresholds->menu(), &QMenu::aboutToShow, this, &TreePanel::fillThresholdsMenu);
    head().addWidget(m_thresholds);
    m_error = new QLabel(this);
    m_error->setObjectName(QStringLiteral("errorText"));
    m_error->setWordWrap(true);
    m_error->setTextFormat(Qt::PlainText);
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_error->setContentsMargins(12, 0, 12, 6);
    m_error->hide();
    body().addWidget(m_error);
}

void TreePanel::createWidgets()
{
    m_idleBox = new QWidget(this);
    auto* row = new QHBoxLayout(m_idleBox);
    row->setContentsMargins(16, 4, 16, 2);
    row->setSpacing(14);
    const QString why = state().store().words().say(tr("Why PEs idled"), tr("Why ranks idled"));
    auto* heading = new QLabel(why, m_idleBox);
    heading->setObjectName(QStringLiteral("muted"));
    m_idle = new PartBar(why, m_idleBox);
    m_idle->setChoosable(true);
    row->addWidget(heading, 0, Qt::AlignTop);
    row->addWidget(m_idle, 1);
    body().addWidget(m_idleBox);

    m_canvas = new TreeCanvas;
    m_scroll = new QScrollArea(this);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(m_canvas);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_detail = new NodeDetail(this);
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_scroll);
    m_split->addWidget(m_detail);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 0);
    m_scroll->setMinimumSize(200, 90);
    m_detail->setMinimumSize(200, 80);
    body().addWidget(m_split, 1);
}

// Puts the detail beside the tree where the panel is wide enough, else below it.
void TreePanel::resizeEvent(QResizeEvent* event)
{
    ComputedPanel::resizeEvent(event);
    constexpr int besideFrom = 1000;
    const Qt::Orientation wanted = width() >= besideFrom ? Qt::Horizontal : Qt::Vertical;
    const bool isFirst = event->oldSize().isEmpty();
    if (m_split->orientation() == wanted && !isFirst) return;
    m_split->setOrientation(wanted);
    const int detail = wanted == Qt::Horizontal ? std::clamp(width() / 4, 290, 420) : height() * 2 / 5;
    const int whole = wanted == Qt::Horizontal ? width() : height();
    m_split->setSizes({whole - detail, detail});
}

void TreePanel::fillThresholdsMenu()
{
    QMenu& menu = *m_thresholds->menu();
    menu.clear();
    const QString file = state().thresholdsFile();
    QAction* usual = menu.addAction(tr("Defaults"), this, [this] { chooseThresholds({}); });
    usual->setCheckable(true);
    usual->setChecked(file.isEmpty());
    if (!file.isEmpty()) {
        QAction* own = menu.addAction(QFileInfo(file).fileName(), this, [this, file] { chooseThresholds(file); });
        own->setCheckable(true);
        own->setChecked(true);
        menu.addAction(tr("Read it again"), this, [this, file] { chooseThresholds(file); });
    }
    menu.addAction(tr("From a file …"), this, [this] {
        const QString chosen = askFileToOpen(this, tr("Thresholds"), state().thresholdsFile(),
                                             tr("Thresholds (*.toml);;All files (*)"));
        if (!chosen.isEmpty()) chooseThresholds(chosen);
    });
    menu.addSeparator();
    const auto leaveOut = [&](const QString& text, double Thresholds::Without::*what) {
        QAction* action = menu.addAction(text);
        action->setCheckable(true);
        action->setChecked(state().thresholds().without.*what > 0);
        connect(action, &QAction::toggled, this, [this, what](bool on) {
            Thresholds::Without without = state().thresholds().without;
            without.*what = on ? 1 : 0;
            state().setWithout(without);
        });
    };
    leaveOut(tr("Leave out interrupted tasks"), &Thresholds::Without::interrupted);
    leaveOut(tr("Leave out start-up"), &Thresholds::Without::startup);
    menu.addSeparator();
    menu.addAction(tr("Save the defaults to edit them …"), this, [this] {
        const QString chosen = askFileToSave(this, tr("Save the default thresholds"), QStringLiteral("thresholds.toml"),
                                             tr("Thresholds (*.toml)"));
        if (!chosen.isEmpty()) saveThresholds(chosen);
    });
}

void TreePanel::chooseThresholds(const QString& file)
{
    const Result<> chosen = state().setThresholdsFile(file);
    say(chosen ? std::nullopt : std::optional(chosen.error()));
}

void TreePanel::saveThresholds(const QString& file)
{
    const Result<> written = writeNamedFile(file, defaultThresholdsFile());
    say(written ? std::nullopt : std::optional(written.error()));
}

void TreePanel::say(const std::optional<Error>& error)
{
    m_error->setText(error ? longpole::toText(*error) : QString());
    m_error->setVisible(error.has_value());
}

void TreePanel::showThresholds()
{
    const QString file = state().thresholdsFile();
    m_thresholds->setText(file.isEmpty() ? tr("Thresholds …") : tr("Thresholds: %1").arg(QFileInfo(file).fileName()));
    m_thresholds->setToolTip(file.isEmpty()
                                 ? tr("Above or below what a cause is found: the defaults, or a file of your own")
                                 : file);
}

QString TreePanel::summary() const
{
    const DecisionTree& tree = expert()->tree;
    std::int64_t fired = 0;
    std::int64_t unjudged = 0;
    for (const TreeNode& node : tree.nodes) {
        if (node.verdict == Verdict::Fired) ++fired;
        if (node.verdict == Verdict::NotJudged) ++unjudged;
    }
    const auto count = static_cast<std::int64_t>(tree.nodes.size());
    QString text = fired == 0 ? tr("Nothing was found")
                              : tr("Found: %1 of %2").arg(formatCount(fired), formatCount(count));
    const TreeNode* worst = tree.path.empty() ? nullptr : tree.find(tree.path.back());
    if (worst && worst->share > 0)
        text += tr(" · the largest cause is %1: %2 of the run")
                    .arg(worst->letter.isEmpty() ? worst->question : worst->letter, formatShare(worst->share));
    if (unjudged > 0) text += tr(" · %1 can't be told").arg(formatCount(unjudged));
    return text;
}

void TreePanel::showExpert()
{
    const int chosen = m_canvas->chosen();
    m_canvas->setExpert(expert());
    m_idleBox->setVisible(expert() != nullptr);
    m_split->setVisible(expert() != nullptr);
    showIdle();
    if (!expert()) m_detail->clear();
    else if (chosen == m_canvas->chosen()) showNode(chosen);   // the same answer in other colours: nodeChosen is silent
    else QTimer::singleShot(0, this, &TreePanel::showBranch);  // when the layout has given the canvas its place
}

void TreePanel::showIdle()
{
    std::vector<BarPart> parts;
    for (std::size_t i = 0; expert() && i < idleCauseCount; ++i) {
        const auto cause = static_cast<IdleCause>(i);
        parts.push_back({title(cause), expert()->tree.idle.total[i],
                         causeColour(cause, state().paletteKind(), themeOf(*this))});
    }
    m_idle->setParts(std::move(parts));
}

void TreePanel::showNode(int node)
{
    if (!expert() || node < 0) return m_detail->clear();
    m_idle->setMarked(-1);
    m_detail->showNode(expert()->tree.nodes[static_cast<std::size_t>(node)], expert()->shared, state().store().words(),
                       state().fullRange().begin);
}

// The chosen cause's branch as far as the first question stays in sight.
void TreePanel::showBranch()
{
    bringIntoView(m_canvas->chosen());
    bringIntoView(0);
}

void TreePanel::bringIntoView(int node)
{
    if (!isVisible() || node < 0 || node >= static_cast<int>(m_canvas->geometryOfTree().boxes.size())) return;
    const QRectF rect = m_canvas->geometryOfTree().boxes[static_cast<std::size_t>(node)].rect;
    m_scroll->ensureVisible(qRound(rect.center().x()), qRound(rect.center().y()), qRound(rect.width() / 2) + 12,
                            qRound(rect.height() / 2) + 12);
}

std::vector<Evidence> TreePanel::longest(IdleCause cause) const
{
    std::vector<Evidence> evidence;
    const std::shared_ptr<const ActivityGraph> graph = state().graph();
    for (const LabelledIdle& idle : expert()->tree.idle.longest[static_cast<std::size_t>(cause)]) {
        Evidence one{.pe = idle.pe,
                     .range = idle.range,
                     .tasks = {},
                     .text = tr("idle %1").arg(formatTime(idle.range.length()))};
        if (graph && idle.task < graph->size()) {
            one.tasks.push_back(graph->id(idle.task));
            if (const Entry* entry = state().store().entry(EntryId{graph->entry[idle.task]}))
                one.text += tr(" until %1").arg(entryName(*entry));
        }
        evidence.push_back(std::move(one));
    }
    return evidence;
}

// Lists the longest idle times of the cause, and shows the longest one in all views.
void TreePanel::chooseCause(int part)
{
    if (!expert()) return;
    const auto cause = static_cast<IdleCause>(part);
    const std::vector<Evidence> evidence = longest(cause);
    m_detail->showCause(cause, expert()->tree.idle, evidence, state().store().words(), state().fullRange().begin);
    if (!evidence.empty()) showPlace(state(), evidence.front());
}

namespace panels {
extern const PanelSpec speculative;
}

namespace {

QWidget* makeTree(PanelHost& host, QWidget* parent)
{
    auto* panel = makeExpertPanel<TreePanel>(host, parent);
    QObject::connect(panel, &TreePanel::adviceRequested, &host, &PanelHost::adviceRequested);
    QObject::connect(panel, &TreePanel::sharedRequested, &host,
                     [&host] { Q_EMIT host.panelRequested(QLatin1String(panels::speculative.id)); });
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec tree;
const PanelSpec tree{
    .id = "panel.tree",
    .title = QT_TRANSLATE_NOOP("Actions", "Decision tree"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Decision tree"),
    .question = QT_TRANSLATE_NOOP("Actions", "How was advice found?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "What was asked about the run, and what was found or not"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "The questions that the expert asked about the run, from when it did badly down to the causes, with "
        "what was found, what was not, and what was too small. Causes that were found are marked; choose one to see "
        "what "
        "it cost, where, and what to do."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "diagnosis, expert, why, causes, reasons"),
    .group = PanelGroup::WhySlow,
    .place = PanelPlace::Centre,
    .needs = PanelNeeds::Answers,
    .create = makeTree,
};

}  // namespace panels

}  // namespace longpole
