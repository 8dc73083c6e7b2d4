// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/criticalpathpanel.h"

#include "analysis/base/naming.h"
#include "analysis/paths/countedpath.h"
#include "analysis/report/pathtables.h"
#include "core/trace/format.h"
#include "views/path/sharetable.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

// " · 2 recorded merges · 3 inferred merges"; empty for none.
QString mergesText(const CriticalPath& path)
{
    const auto count = [&path](PathEdge edge) {
        return std::count_if(path.steps.begin(), path.steps.end(),
                             [edge](const PathStep& step) { return step.edge == edge; });
    };
    const auto recorded = count(PathEdge::RecordedMerge);
    const auto inferred = count(PathEdge::InferredMerge);
    QString text;
    if (recorded > 0) text += counted(" · %1 recorded merges", " · %1 recorded merge", recorded);
    if (inferred > 0) text += counted(" · %1 inferred merges", " · %1 inferred merge", inferred);
    return text;
}

}  // namespace

CriticalPathPanel::CriticalPathPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    createWidgets();
    connect(&m_state, &ViewState::pathChanged, this, &CriticalPathPanel::showPath);
    connect(&m_state, &ViewState::colourChanged, this, &CriticalPathPanel::showPath);
    connect(&m_state, &ViewState::selectionChanged, this, &CriticalPathPanel::followSelection);
    connect(m_steps, &TableView::rowChosen, this, &CriticalPathPanel::choose);
    connect(m_profile, &PathShareTable::noticeChanged, this, [this](const QString& text) {
        m_profileNotice = text;
        showSummary();
    });
    connect(m_steps, &TableView::exportFailed, this, &CriticalPathPanel::exportFailed);
    connect(m_profile, &TableView::exportFailed, this, &CriticalPathPanel::exportFailed);
    showPath();
}

void CriticalPathPanel::createWidgets()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 12, 2);
    head->setSpacing(10);
    m_summary = new ElidedLabel(this, 40);
    m_summary->setObjectName(QStringLiteral("muted"));
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    head->addWidget(m_summary, 1);
    layout->addLayout(head);

    m_tables = new SideBySide(this);
    m_profile = new PathShareTable(m_state, m_tables);
    m_steps = new TableView(m_tables);
    m_steps->setAccessibleName(tr("Steps of the critical path"));
    head->insertWidget(0, &m_profile->selector());
    m_tables->addPart(m_profile, tr("Profile"));
    m_tables->addPart(m_steps, tr("Steps"));
    layout->addWidget(m_tables, 1);
}

void CriticalPathPanel::setNotice(const QString& text)
{
    m_notice = text;
    showSummary();
}

void CriticalPathPanel::showPath()
{
    const std::shared_ptr<const CriticalPath> path = m_state.path() ? m_state.path()
                                                                    : std::make_shared<const CriticalPath>();
    m_palette = m_state.palette(themeOf(*this));
    showSteps(path);
    findUpperEnd();
    showSummary();
    followSelection();
}

// A path over messages alone leaves out merges, which can only be inferred: its length is a lower bound, and the
// length with all inferred merges, which is asked for here, an upper one.
void CriticalPathPanel::findUpperEnd()
{
    m_withMerges.reset();
    const std::shared_ptr<const CriticalPath> path = m_state.path();
    const PathQuestion& question = m_state.question();
    const bool isAsked = path && path->mode == PathMode::Work && path->edges == EdgeLevel::Messages && !question.to
                         && question.range.isEmpty() && m_state.graph();
    if (!isAsked) {
        m_bounding.cancel();
        return;
    }
    m_bounding.ask(m_state.results(), PathQuestion{.edges = EdgeLevel::Merges},
                   [this](const Watch<PathQuestion>::Answer& longest) {
                       if (longest.ok()) m_withMerges = (*longest)->length;
                       showSummary();
                   });
}

void CriticalPathPanel::showSummary()
{
    const std::shared_ptr<const CriticalPath> path = m_state.path();
    if (!m_notice.isEmpty() || !path) {
        m_summary->setText(m_notice);
        return;
    }
    const auto length = static_cast<double>(path->length);
    QString text = tr("%1 of %2 · %3")
                       .arg(formatTime(path->length),
                            formatTime(timeUntilEnd(m_state.question(), *path, m_state.fullRange().begin)),
                            counted("%1 steps", "%1 step", static_cast<std::int64_t>(path->steps.size())));
    if (path->mode == PathMode::Elapsed)
        for (const auto& [part, time] : each(path->parts))
            if (time > 0) text += tr(" · %1 %2").arg(title(part, m_state.store().words()), formatTime(time));
    text += mergesText(*path);
    if (m_withMerges && *m_withMerges > path->length)
        text += tr(" · %1 with inferred merges").arg(formatTime(*m_withMerges));
    if (path->doubtfulWeight > 0 && length > 0)
        text += (path->mode == PathMode::Elapsed
                     ? tr(" · what held it up rests on estimated arrivals or repaired messages for %1 of it")
                     : tr(" · %1 of it lies behind edges that were repaired or inferred"))
                    .arg(formatShare(static_cast<double>(path->doubtfulWeight) / length));
    if (!m_profileNotice.isEmpty()) text += tr(" · %1").arg(m_profileNotice);
    m_summary->setText(text);
}

void CriticalPathPanel::showSteps(const std::shared_ptr<const CriticalPath>& path)
{
    const TraceStore& store = m_state.store();
    TableContent content = contentOf(
        pathStepTable(store, path->length).only({"task", "entry", "pe", "begin_ns", "weight_ns", "part"}),
        std::shared_ptr<const std::vector<PathStep>>(path, &path->steps), m_state.sharedStore());
    content["entry"].swatch = [path, palette = m_palette](std::size_t row) {
        return QColor(palette->entry(path->steps[row].entry));
    };
    content["part"].text = [path, words = store.words()](std::size_t row) {
        const PathStep& step = path->steps[row];
        return step.doubtful ? tr("%1, est.").arg(title(step.part, words)) : title(step.part, words);
    };
    content.columns.insert(content.columns.begin(),
                           {.key = QStringLiteral("step"),
                            .title = tr("#"),
                            .kind = CellKind::Number,
                            .value = [](std::size_t row) { return QVariant::fromValue<qulonglong>(row + 1); }});
    m_steps->setContent(std::move(content));
    // No column for the PE, which the task's id names; beside the parts of an elapsed path none for the number either.
    m_steps->setColumnWidths({path->mode == PathMode::Elapsed ? -1 : 36, 50, 0, -1, 60, 56, 64});
}

void CriticalPathPanel::followSelection()
{
    const std::shared_ptr<const CriticalPath> path = m_state.path();
    const TaskId task = m_state.selection().task;
    if (!path || !task.isValid()) return;
    const auto it = std::find_if(path->steps.begin(), path->steps.end(), [&](const PathStep& step) {
        return step.task == task && step.part == PathPart::Compute;
    });
    if (it != path->steps.end()) m_steps->showRow(static_cast<std::size_t>(it - path->steps.begin()));
}

void CriticalPathPanel::choose(std::size_t step)
{
    const std::shared_ptr<const CriticalPath> path = m_state.path();
    if (path && step < path->steps.size()) m_state.reveal(Selection{.task = path->steps[step].task, .message = {}});
}

void CriticalPathPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_palette) showPath();
}

namespace {

QWidget* makePath(PanelHost& host, QWidget* parent)
{
    auto* panel = static_cast<CriticalPathPanel*>(makePanel<CriticalPathPanel>(host, parent));
    QObject::connect(&host, &PanelHost::workNoticeChanged, panel, &CriticalPathPanel::setNotice);
    panel->setNotice(host.workNotice());
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec path;
const PanelSpec path{
    .id = "panel.path",
    .title = QT_TRANSLATE_NOOP("Actions", "Critical path"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Critical path table"),
    .question = QT_TRANSLATE_NOOP("Actions", "What decides the time?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Profile and steps of the path"),
    .help = {QT_TRANSLATE_NOOP(
                 "Actions",
                 "The chain of tasks that decides how long the run takes: what each entry method has of it, beside its "
                 "steps in the order of time. Begin with the entry method on top: time saved there shortens the run, "
                 "until another chain is longer. A click on a step shows it in the timeline."),
             QT_TRANSLATE_NOOP(
                 "Actions",
                 "The chain of tasks that decides how long the run takes: what each region has of it, beside its steps "
                 "in the order of time. Begin with the region on top: time saved there shortens the run, until another "
                 "chain is longer. A click on a step shows it in the timeline.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "bottleneck, longest chain, hot path, why slow"),
    .group = PanelGroup::WhySlow,
    .open = true,
    .needs = PanelNeeds::Answers,
    .create = makePath,
};

}  // namespace panels

}  // namespace longpole
