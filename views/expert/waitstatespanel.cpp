// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/waitstatespanel.h"

#include "analysis/base/naming.h"
#include "analysis/report/mpitables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr int columnOfCulprit = 4;  // in the table of worst waits
constexpr int leastHeight = 230;    // pixels; a lower panel shows no explanation

}  // namespace

WaitStatesPanel::WaitStatesPanel(ViewState& state, QWidget* parent) : ComputedPanel(parent), m_state(state)
{
    createHead();
    createBody();
    connect(m_patterns, &TableView::rowChosen, this, &WaitStatesPanel::choosePattern);
    connect(m_details, &TableView::rowChosen, this, &WaitStatesPanel::chooseDetail);
    connect(m_details, &TableView::rowActivated, this, &WaitStatesPanel::activateDetail);
    for (TableView* table : {m_patterns, m_details})
        connect(table, &TableView::exportFailed, this, &WaitStatesPanel::exportFailed);
    connect(&m_state, &ViewState::colourChanged, this, &WaitStatesPanel::showDetails);
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, [this] {
        if (m_state.marked() != m_range) outdate();
    });
    connect(&m_state, &ViewState::markedChanged, this, [this] { m_settling.start(); });
    outdate();
}

void WaitStatesPanel::createHead()
{
    m_show = new QComboBox(this);
    m_show->setObjectName(QStringLiteral("compact"));
    m_show->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_show->addItems({tr("worst waits"), tr("root causes"), tr("imbalance by rank")});
    m_show->setAccessibleName(tr("What stands beside the patterns"));
    m_show->setToolTip(
        tr("Worst waits: the longest of the chosen pattern. Root causes: the code that made others wait, "
           "directly and by way of waits it caused in turn. Imbalance: of synchronizing blocking "
           "collective calls"));
    if (m_state.store().info().isPart()) {
        auto* items = qobject_cast<QStandardItemModel*>(m_show->model());
        QStandardItem* imbalance = items != nullptr ? items->item(static_cast<int>(Show::Imbalance)) : nullptr;
        if (imbalance != nullptr) imbalance->setEnabled(false);
        m_show->setItemData(static_cast<int>(Show::Imbalance),
                            tr("Needs all events: this trace has those of parts of the run"), Qt::ToolTipRole);
    }
    connect(m_show, &QComboBox::activated, this, &WaitStatesPanel::showDetails);
    head().insertWidget(0, m_show);
}

void WaitStatesPanel::createBody()
{
    constexpr int leastPatterns = 320;
    auto* parts = new SideBySide(this);
    auto* left = new QWidget(parts);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_patterns = new TableView(left);
    m_patterns->setAccessibleName(tr("Patterns of waiting"));
    m_explanation = new QLabel(left);
    m_explanation->setObjectName(QStringLiteral("muted"));
    m_explanation->setWordWrap(true);
    m_explanation->setMargin(12);
    m_explanation->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_patterns, 1);
    column->addWidget(m_explanation);
    m_details = new TableView(parts);
    m_details->setAccessibleName(tr("Waits, causes or ranks"));
    parts->addPart(left, tr("Patterns"), leastPatterns);
    parts->addPart(m_details, tr("Waits"));
    parts->choosePart(m_details);  // who waited for whom
    body().addWidget(parts, 1);
}

bool WaitStatesPanel::begin()
{
    m_range = m_state.marked();
    WaitOptions options;
    if (!m_range.isEmpty()) options.range = m_range;
    m_waiting.ask(m_state.results(), WaitsQuestion::of(m_state.store(), options),
                  [this](const Watch<WaitsQuestion>::Answer& waits) {
                      if (!waits.ok()) return finish(waits.error(), {});
                      // The profile of calls needs all events, of which such a trace has a part only.
                      if (m_state.store().info().isPart()) accept({*waits, std::make_shared<const MpiProfile>()});
                      else askProfile(*waits);
                  });
    return true;
}

void WaitStatesPanel::askProfile(const std::shared_ptr<const WaitStates>& waits)
{
    m_profiling.ask(m_state.results(), MpiProfileQuestion::of(m_state.store(), m_range),
                    [this, waits](const Watch<MpiProfileQuestion>::Answer& profile) {
                        if (!profile.ok()) return finish(profile.error(), {});
                        accept({waits, *profile});
                    });
}

void WaitStatesPanel::accept(Found found)
{
    m_found = std::make_shared<const Found>(std::move(found));
    showPatterns();
    showDetails();
    finish({}, summary());
}

void WaitStatesPanel::stop()
{
    m_waiting.cancel();
    m_profiling.cancel();
}

void WaitStatesPanel::clear()
{
    m_found.reset();
    m_pattern = 0;
    showPatterns();
    showDetails();
}

QString WaitStatesPanel::summary() const
{
    const WaitStates& waits = *m_found->waits;
    const QString where = m_range.isEmpty() ? tr("whole run") : tr("marked range");
    if (waits.states.empty()) return tr("No call waited for another rank · %1").arg(where);
    const bool isWhole = hasAllRanks(m_state.store());
    const MpiImbalance program = isWhole ? imbalanceOfProgram(*m_found->profile) : MpiImbalance{};
    QString text = waits.isOfPart
                       ? tr("Waits that begin in the marked range last %1 together").arg(formatTime(waits.total))
                       : (waits.threads > 0 ? tr("Ranks and threads waited %1 of their time (%2)")
                                            : tr("Ranks waited %1 of ranks × duration (%2)"))
                             .arg(shareText(waits.total, waits.totalTime), formatTime(waits.total));
    if (program.ofProcess)
        text += tr(" · imbalance of collective calls: %1 s waited for each second of work in them or outside MPI")
                    .arg(cellText(Cell(program.ofProcess), CellKind::Ratio, nullptr));
    if (program.waitExecution)
        text += tr(" · %1 s waited in collective calls for each second of work in them")
                    .arg(cellText(Cell(program.waitExecution), CellKind::Ratio, nullptr));
    if (!isWhole) text += tr(" · waits for missing ranks are not known");
    return text % QStringLiteral(" · ") % where;
}

void WaitStatesPanel::showPatterns()
{
    const auto found = m_found ? m_found : std::make_shared<const Found>();
    const auto states = std::shared_ptr<const std::vector<WaitState>>(found, &found->waits->states);
    const TraceStore& store = m_state.store();
    // Of a marked range whole waits are counted, which may begin before it: they have no share of its time.
    const auto table = waitStateTable(store, found->waits->totalTime);
    TableContent content = contentOf(found->waits->isOfPart ? table.only({"pattern", "count", "time_ns"})
                                                            : table.only({"pattern", "count", "time_ns", "share"}),
                                     states, m_state.sharedStore());
    content["pattern"].text = [states](std::size_t row) {
        const WaitStateKind kind = (*states)[row].kind;
        return isPartOfAnother(kind) ? tr("… %1").arg(title(kind)) : title(kind);
    };
    m_patterns->setContent(std::move(content));
    m_patterns->setColumnWidths({0, 50, 60, 60});
    if (m_pattern < found->waits->states.size()) m_patterns->showRow(m_pattern);
    showExplanation();
}

// Explains the chosen pattern. In a low panel the table of patterns needs the room: there only its tooltip explains.
void WaitStatesPanel::showExplanation()
{
    const bool any = m_found && m_pattern < m_found->waits->states.size();
    m_explanation->setVisible(any && height() >= leastHeight);
    m_explanation->setText(any ? longpole::explanation(m_found->waits->states[m_pattern].kind) : QString());
    m_patterns->setToolTip(m_explanation->text());
}

void WaitStatesPanel::resizeEvent(QResizeEvent* event)
{
    ComputedPanel::resizeEvent(event);
    showExplanation();
}

void WaitStatesPanel::choosePattern(std::size_t row)
{
    if (!m_found || row >= m_found->waits->states.size()) return;
    m_pattern = row;
    showExplanation();
    m_show->setCurrentIndex(static_cast<int>(Show::Worst));
    showDetails();
}

void WaitStatesPanel::showDetails()
{
    switch (static_cast<Show>(m_show->currentIndex())) {
    case Show::Worst: showWorst(); break;
    case Show::Causes: showCauses(); break;
    case Show::Imbalance: showImbalance(); break;
    }
}

void WaitStatesPanel::showWorst()
{
    const auto found = m_found ? m_found : std::make_shared<const Found>();
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = m_state.palette(themeOf(*this));
    const bool hasPattern = m_pattern < found->waits->states.size();
    m_show->setItemText(static_cast<int>(Show::Worst),
                        hasPattern ? tr("worst waits: %1").arg(title(found->waits->states[m_pattern].kind))
                                   : tr("worst waits"));
    const auto waits = std::make_shared<const std::vector<WorstWait>>(m_pattern < found->waits->states.size()
                                                                          ? worstWaits(found->waits->states[m_pattern])
                                                                          : std::vector<WorstWait>());
    TableContent content = contentOf<WorstWait>(
        worstWaitTable(*store).only({"rank", "time_ns", "call", "begin_ns", "culprit", "during", "during_ns",
                                     "culprit_waited_ns"}),
        waits->size(), [found, waits](std::size_t row) -> const WorstWait& { return (*waits)[row]; }, store);
    const auto wait = [found, waits](std::size_t row) -> const WaitInstance& { return *(*waits)[row].wait; };
    content["call"].isLink = [wait](std::size_t row) { return wait(row).seq >= 0; };  // not of a thread's barrier
    content["culprit"].isLink = [wait](std::size_t row) { return wait(row).culpritSeq >= 0; };
    content["during"].swatch = [wait, palette](std::size_t row) {
        const EntryId code = wait(row).meanwhile.entry;
        return code == noEntry ? QColor() : QColor(palette->entry(code));
    };
    content["during"].isLink = [wait](std::size_t row) { return wait(row).meanwhile.task.isValid(); };
    m_details->setContent(std::move(content));
    m_details->setColumnWidths({44, 60, 90, 70, 50, 0, 60, 70});
}

void WaitStatesPanel::showCauses()
{
    const auto found = m_found ? m_found : std::make_shared<const Found>();
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = m_state.palette(themeOf(*this));
    const auto causes = std::make_shared<const std::vector<DelayCause>>(delayCauses(*found->waits));
    const TimeNs largest = causes->empty() ? 1 : std::max<TimeNs>(1, causes->front().cost.sum());
    const auto cost = [causes](std::size_t row) -> const DelayCost& { return (*causes)[row].cost; };
    const auto table = delayCauseTable(*store, found->waits->total);
    const bool hasPlaces = !store->callPaths().empty();
    TableContent content = contentOf(hasPlaces
                                         ? table.only({"entry", "where", "direct_ns", "time_ns", "share", "rank",
                                                       "there_ns"})
                                         : table.only({"entry", "direct_ns", "time_ns", "share", "rank", "there_ns"}),
                                     causes, store);
    content["entry"].swatch = [cost, palette](std::size_t row) { return QColor(palette->entry(cost(row).entry)); };
    PanelColumn& parts = content["direct_ns"];
    parts.title = tr("Directly / by way of others");
    parts.bars = [cost, largest](std::size_t row) {
        return std::pair(ratio(double(cost(row).direct), double(largest)),
                         ratio(double(cost(row).propagated), double(largest)));
    };
    parts.ofPath = false;
    parts.text = [cost](std::size_t row) {
        return tr("%1 / %2").arg(formatTime(cost(row).direct), formatTime(cost(row).propagated));
    };
    m_details->setContent(std::move(content));
    if (hasPlaces) m_details->setColumnWidths({0, 0, 150, 60, 60, 60, 60});
    else m_details->setColumnWidths({0, 190, 60, 60, 60, 60});
}

void WaitStatesPanel::showImbalance()
{
    const auto found = m_found ? m_found : std::make_shared<const Found>();
    const auto ranks = std::make_shared<const std::vector<MpiSumsRow>>(mpiByRank(*found->profile));
    TableContent content = contentOf(mpiRankTable(m_state.store())
                                         .only({"rank", "program_ns", "sync_execution_ns", "sync_wait_ns", "imbalance",
                                                "wait_execution"}),
                                     ranks, m_state.sharedStore());
    m_details->setContent(std::move(content));
    m_details->setColumnWidths({0, 60, 60, 60, 60, 60});
}

// Shows the call that waited; from the culprit's column its call, and from the columns after that the code that
// delayed it.
void WaitStatesPanel::chooseDetail(std::size_t row, int column)
{
    if (!m_found || static_cast<Show>(m_show->currentIndex()) != Show::Worst) return;
    if (m_pattern >= m_found->waits->states.size() || row >= m_found->waits->states[m_pattern].worst.size()) return;
    const WaitInstance& wait = m_found->waits->states[m_pattern].worst[row];
    if (wait.seq < 0) return;
    if (column > columnOfCulprit && wait.meanwhile.task.isValid()) m_state.reveal({.task = wait.meanwhile.task});
    else if (column == columnOfCulprit && wait.culpritSeq >= 0)
        m_state.reveal({.call = {static_cast<std::uint32_t>(wait.culprit), wait.culpritSeq}});
    else m_state.reveal({.call = {wait.rank, wait.seq}});
}

// Where the row's call was made; from the column of the culprit's code on, where that code is.
std::uint32_t WaitStatesPanel::pathOfDetail(std::size_t row, int column) const
{
    if (!m_found) return noCallPath;
    const WaitStates& waits = *m_found->waits;
    switch (static_cast<Show>(m_show->currentIndex())) {
    case Show::Worst: {
        if (m_pattern >= waits.states.size() || row >= waits.states[m_pattern].worst.size()) return noCallPath;
        const WaitInstance& wait = waits.states[m_pattern].worst[row];
        const bool isOfCulprit = column > columnOfCulprit && wait.meanwhile.function != noCallPath;
        return isOfCulprit ? wait.meanwhile.function : wait.path;
    }
    case Show::Causes: {
        const std::vector<DelayCause> causes = delayCauses(waits);
        return row < causes.size() ? causes[row].cost.path : noCallPath;
    }
    case Show::Imbalance: break;
    }
    return noCallPath;
}

// Opens the row's line in the source; of a trace without them goes to the culprit's call.
void WaitStatesPanel::activateDetail(std::size_t row, int column)
{
    if (const std::uint32_t path = pathOfDetail(row, column); path != noCallPath) Q_EMIT pathActivated(path);
    else chooseDetail(row, columnOfCulprit);
}

void WaitStatesPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_found) showDetails();
}

namespace {

QWidget* makeWaitStatesPanel(PanelHost& host, QWidget* parent)
{
    auto* panel = new WaitStatesPanel(host.state(), parent);
    QObject::connect(panel, &WaitStatesPanel::exportFailed, &host, &PanelHost::failed);
    QObject::connect(panel, &WaitStatesPanel::pathActivated, &host, &PanelHost::openPath);
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec waitStates;
const PanelSpec waitStates{
    .id = "panel.waitStates",
    .title = QT_TRANSLATE_NOOP("Actions", "Wait states"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Wait states"),
    .question = QT_TRANSLATE_NOOP("Actions", "Who made whom wait?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "What ranks waited for, the longest waits, and the code that caused them"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "What ranks of an MPI program waited for, by pattern, with the longest waits of each, the code that "
        "caused them and the imbalance of each rank. Change the code that caused a wait, not the call in "
        "which the wait is seen. A double-click opens the row's line in your editor, where call stacks were recorded."),
    .alsoCalled = QT_TRANSLATE_NOOP(
        "Actions", "late sender, late receiver, wait at barrier, root cause, delay, Scalasca, imbalance, blocked"),
    .group = PanelGroup::WhySlow,
    .needs = PanelNeeds::RankAnswers,
    .create = makeWaitStatesPanel,
};

}  // namespace panels

}  // namespace longpole
