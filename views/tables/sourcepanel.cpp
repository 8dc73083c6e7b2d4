// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/sourcepanel.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/naming.h"
#include "core/trace/format.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/tables/codepane.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr int mostIndented = 20;            // of a call tree's rows
constexpr std::size_t mostPlaces = 10'000;  // the others share a row

// Seconds since 1970; 0: not known.
std::int64_t timeOf(const TraceStore& store)
{
    const QDateTime time = QDateTime::fromString(store.info().timestamp, Qt::ISODate);
    return time.isValid() ? time.toSecsSinceEpoch() : 0;
}

TableContent framesContent(const std::shared_ptr<const std::vector<CodeFrame>>& frames, const QString& what)
{
    TableContent content;
    content.rows = frames->size();
    content.columns = {
        {.key = QStringLiteral("function"),
         .title = what,
         .value = [frames](std::size_t row) { return QVariant((*frames)[row].function); }},
        {.key = QStringLiteral("place"),
         .title = SourcePanel::tr("Place"),
         .value = [frames](std::size_t row) { return QVariant(placeOf((*frames)[row])); },
         .isLink = [frames](std::size_t row) { return (*frames)[row].line > 0; },
         .isExported = false},
        {.key = QStringLiteral("file"),
         .title = SourcePanel::tr("File"),
         .value = [frames](std::size_t row) { return QVariant((*frames)[row].file); }},
        {.key = QStringLiteral("line"),
         .title = SourcePanel::tr("Line"),
         .kind = CellKind::Number,
         .value = [frames](std::size_t row) { return QVariant((*frames)[row].line); }},
    };
    return content;
}

}  // namespace

SourcePanel::SourcePanel(ViewState& state, SourceSettings& settings, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_list(std::make_shared<const std::vector<CodeFrame>>()),
      m_parts(new SideBySide(this)), m_table(new TableView(this)), m_frames(new TableView(this)),
      m_code(new CodePane(settings, timeOf(state.store()), this))
{
    createHead();
    createParts();
    m_code->say(
        tr("Choose a row, or an MPI call or code between calls in the timeline: where it is in the source "
           "stands here."));
    showFrames(tr("Called from"));
    connect(&m_state, &ViewState::selectionChanged, this, &SourcePanel::followSelection);
    followSelection();
    outdate();
}

void SourcePanel::createHead()
{
    m_shown = compactChoiceBox({tr("call tree"), tr("MPI calls by place")}, tr("What the table lists"), this);
    head().insertWidget(0, m_shown);
    connect(m_shown, &QComboBox::activated, this, &SourcePanel::outdate);
}

void SourcePanel::createParts()
{
    constexpr int leastCode = 300;
    m_table->setAccessibleName(tr("Call tree"));
    m_frames->setAccessibleName(tr("Call path"));
    m_parts->addPart(m_table, tr("Calls"));
    m_parts->addPart(m_frames, tr("Call path"));
    m_parts->addPart(m_code, tr("Source"), leastCode);
    m_parts->setCompanion(m_code);
    body().addWidget(m_parts, 1);
    connect(m_table, &TableView::rowChosen, this, [this](std::size_t row, int) { chooseRow(row, false); });
    connect(m_table, &TableView::rowActivated, this, [this](std::size_t row, int) { chooseRow(row, true); });
    connect(m_frames, &TableView::rowChosen, this, [this](std::size_t row, int) { chooseFrame(row, false); });
    connect(m_frames, &TableView::rowActivated, this, [this](std::size_t row, int) { chooseFrame(row, true); });
    for (TableView* table : {m_table, m_frames})
        connect(table, &TableView::exportFailed, this, &SourcePanel::exportFailed);
    connect(m_code, &CodePane::failed, this, &SourcePanel::exportFailed);
}

bool SourcePanel::begin()
{
    if (static_cast<Shown>(m_shown->currentIndex()) == Shown::Places)
        m_askingPlaces.ask(m_state.results(), {}, [this](const Watch<CallSitesQuestion>::Answer& sites) {
            if (!sites.ok()) return finish(sites.error(), {});
            showPlaces(*sites);
        });
    else
        m_asking.ask(m_state.results(), {}, [this](const Watch<CallTreeQuestion>::Answer& tree) {
            if (!tree.ok()) return finish(tree.error(), {});
            showTree(*tree);
        });
    return true;
}

void SourcePanel::stop()
{
    m_asking.cancel();
    m_askingPlaces.cancel();
}

double SourcePanel::fraction() const { return m_asking.isRunning() ? m_asking.fraction() : m_askingPlaces.fraction(); }

void SourcePanel::clear()
{
    m_tree.reset();
    m_places.reset();
    m_table->setContent({});
}

void SourcePanel::showTree(const std::shared_ptr<const CallTree>& tree)
{
    m_tree = tree;
    const std::shared_ptr<const std::vector<CallTreeRow>> rows(tree, &tree->rows);
    m_table->setAccessibleName(tr("Call tree"));
    TableContent content = contentOf(callTreeTable(m_state.store(), tree->total)
                                         .only({"frame", "inclusive_ns", "wait_ns", "cause_ns", "path_ns", "share",
                                                "exclusive_ns", "count", "bytes"}),
                                     rows, m_state.sharedStore());
    PanelColumn& frame = content["frame"];
    frame.text = [rows, value = frame.value](std::size_t row) -> QString {  // and no builder of one
        const int depth = std::min((*rows)[row].depth, mostIndented);
        return QString(qsizetype{3} * depth, QLatin1Char(' ')) + rawValue(value(row)).toString();
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 60, 60, 60, -1, -1, -1, -1, -1});
    const auto functions = std::count_if(rows->begin(), rows->end(), [](const CallTreeRow& row) { return !row.call; });
    finish({}, tr("%1 · a click shows the source, a double-click opens it in the editor")
                   .arg(counted("%1 functions", "%1 function", functions)));
}

void SourcePanel::showPlaces(const std::shared_ptr<const std::vector<MpiSiteSums>>& sites)
{
    TimeNs time = 0;
    for (const MpiSiteSums& site : *sites) time = saturatingAdd(time, site.sums.time);
    m_places = std::make_shared<const std::vector<CallSite>>(callSites(*sites, CallSitesBy::Site, mostPlaces));
    m_table->setAccessibleName(tr("MPI calls by place"));
    m_table->setContent(contentOf(callSiteTable(m_state.store(), time)
                                      .only({"call", "site", "time_ns", "share", "wait_ns", "count", "bytes",
                                             "worst_rank", "there_ns"}),
                                  m_places, m_state.sharedStore()));
    m_table->setColumnWidths({70, 0, 60, -1, 60, 50, -1, -1, -1});
    finish({}, tr("%1 · a click shows the source, a double-click opens it in the editor")
                   .arg(counted("%1 places", "%1 place", static_cast<std::int64_t>(m_places->size()))));
}

// A function's row names the place that calls it: that is chosen of its path, if there is one.
void SourcePanel::chooseRow(std::size_t row, bool opens)
{
    const TraceStore& store = m_state.store();
    m_following.cancel();
    if (m_tree && row < m_tree->rows.size()) {
        const CallTreeRow& chosen = m_tree->rows[row];
        const QString what = chosen.call ? callName(store, *chosen.call) : tr("Function");
        setFrames(framesOf(store, chosen.path), what, chosen.call ? 0 : 1, opens);
    } else if (m_places && row < m_places->size()) {
        const CallSite& chosen = (*m_places)[row];
        if (!chosen.call) return m_code->say(tr("This row is of all places that are not listed."));
        setFrames(framesOf(store, chosen.path), callName(store, *chosen.call), 0, opens);
    }
}

QString SourcePanel::nameOfSelection() const
{
    const Selection& selection = m_state.selection();
    if (selection.call.isValid()) return tr("Call %1 of rank %2").arg(selection.call.seq).arg(selection.call.rank);
    return selection.message.isValid() ? tr("The message's sender")
                                       : tr("Task %1").arg(longpole::toText(selection.task));
}

void SourcePanel::followSelection()
{
    m_isBehind = !isVisible();
    if (m_isBehind || !m_state.selection().isValid()) return m_following.cancel();
    m_following.ask(m_state.results(), {m_state.selection()}, [this](const Watch<CodeQuestion>::Answer& frames) {
        if (frames.ok()) setFrames(**frames, nameOfSelection(), 0, false);
        else m_code->say(longpole::toText(frames.error()));
    });
}

void SourcePanel::openPath(std::uint32_t path)
{
    m_following.cancel();
    m_isBehind = false;
    setFrames(framesOf(m_state.store(), path), tr("Called from"), 0, true);
}

void SourcePanel::showEvent(QShowEvent* event)
{
    ComputedPanel::showEvent(event);
    if (m_isBehind) followSelection();
}

void SourcePanel::showFrames(const QString& what)
{
    m_frames->setContent(framesContent(m_list, what));
    m_frames->setColumnWidths({0, 60, -1, -1});
}

void SourcePanel::setFrames(std::vector<CodeFrame> frames, const QString& what, std::size_t chosen, bool opens)
{
    m_list = std::make_shared<const std::vector<CodeFrame>>(std::move(frames));
    showFrames(what);
    if (m_list->empty()) return m_code->say(tr("Nobody recorded where in the source that is."));
    chosen = std::min(chosen, m_list->size() - 1);
    m_frames->showRow(chosen);
    chooseFrame(chosen, opens);
}

void SourcePanel::chooseFrame(std::size_t frame, bool opens)
{
    if (frame >= m_list->size()) return;
    if (!opens) return m_code->show((*m_list)[frame]);
    m_parts->choosePart(m_code);  // which says why it may not be opened yet
    m_code->open((*m_list)[frame]);
}

namespace {

QWidget* makeSourcePanel(PanelHost& host, QWidget* parent)
{
    auto* panel = new SourcePanel(host.state(), host.sources(), parent);
    QObject::connect(panel, &SourcePanel::exportFailed, &host, &PanelHost::failed);
    QObject::connect(&host, &PanelHost::pathOpened, panel, [&host, panel] { panel->openPath(host.openedPath()); });
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec source;
const PanelSpec source{
    .id = "panel.source",
    .title = QT_TRANSLATE_NOOP("Actions", "Source"),
    .command = QT_TRANSLATE_NOOP("Actions", "S&ource"),
    .question = QT_TRANSLATE_NOOP("Actions", "Where in the source?"),
    .tip = QT_TRANSLATE_NOOP("Actions",
                             "The call tree, the call path of what is selected, and its lines in the source"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "The tree of functions that called MPI, with their time, their waits, and the waits that go back to them. "
        "Beside "
        "it the call path of the chosen row, or of what is selected in the timeline, and the source around its line. "
        "Of "
        "code between two calls both lines are marked. A double-click, or Enter, opens the line in your editor. A file "
        "at a recorded path is read only if you say so, one in your folders of sources at once."),
    .alsoCalled = QT_TRANSLATE_NOOP(
        "Actions", "call tree, call stack, call path, call graph, backtrace, line, code, editor, IDE, hot spots"),
    .group = PanelGroup::WhySlow,
    .needs = PanelNeeds::CallPaths,
    .create = makeSourcePanel,
};

}  // namespace panels

}  // namespace longpole
