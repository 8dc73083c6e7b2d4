// SPDX-License-Identifier: GPL-3.0-or-later
// The list of panels.
#include "app/gui/window/panels.h"

#include "app/gui/session/secondtrace.h"
#include "app/gui/window/workspace.h"
#include "views/expert/comparisonpanel.h"
#include "views/expert/efficiencypanel.h"
#include "views/expert/prioritypanel.h"
#include "views/expert/speculativepanel.h"
#include "views/expert/treepanel.h"
#include "views/expert/waitstatespanel.h"
#include "views/path/activitytablepanel.h"
#include "views/path/criticalpathpanel.h"
#include "views/path/graphpanel.h"
#include "views/path/nearcriticalpanel.h"
#include "views/path/parallelismpanel.h"
#include "views/path/phasepanel.h"
#include "views/path/streamingpanel.h"
#include "views/path/whatifpanel.h"
#include "views/projection/animationpanel.h"
#include "views/projection/commmatrixpanel.h"
#include "views/projection/detailpanel.h"
#include "views/projection/histogrampanel.h"
#include "views/projection/mpicallspanel.h"
#include "views/projection/noisepanel.h"
#include "views/projection/overviewpanel.h"
#include "views/tables/entrytablepanel.h"
#include "views/tables/logpanel.h"
#include "views/tables/selectionpanel.h"
#include "views/tables/sqlpanel.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace longpole {

namespace {

template <typename PanelType>
QWidget* make(Workspace& workspace, QWidget* parent)
{
    auto* panel = new PanelType(workspace.state(), parent);
    QObject::connect(panel, &PanelType::exportFailed, &workspace, &Workspace::failed);
    return panel;
}

// A projection view, which can ask for the timeline of some of its stages and processors.
template <typename PanelType>
QWidget* makeProjection(Workspace& workspace, QWidget* parent)
{
    QWidget* panel = make<PanelType>(workspace, parent);
    QObject::connect(static_cast<PanelType*>(panel), &ProjectionPanel::timelineRequested, &workspace,
                     [&workspace] { workspace.showTab(QLatin1String(panels::timelines)); });
    return panel;
}

QWidget* makeMpiCalls(Workspace& workspace, QWidget* parent)
{
    auto* panel = static_cast<MpiCallsPanel*>(make<MpiCallsPanel>(workspace, parent));
    QObject::connect(panel, &MpiCallsPanel::timelineRequested, &workspace,
                     [&workspace] { workspace.showTab(QLatin1String(panels::timelines)); });
    return panel;
}

QWidget* makePhases(Workspace& workspace, QWidget* parent)
{
    auto* panel = static_cast<PhasePanel*>(make<PhasePanel>(workspace, parent));
    QObject::connect(panel, &PhasePanel::foldRequested, &workspace, &Workspace::foldRequested);
    return panel;
}

QWidget* makePath(Workspace& workspace, QWidget* parent)
{
    auto* panel = static_cast<CriticalPathPanel*>(make<CriticalPathPanel>(workspace, parent));
    QObject::connect(&workspace, &Workspace::workNoticeChanged, panel, &CriticalPathPanel::setNotice);
    panel->setNotice(workspace.workNotice());
    return panel;
}

// A view of the expert's answer, which can ask for the timeline and for SQL.
template <typename PanelType>
PanelType* makeExpert(Workspace& workspace, QWidget* parent)
{
    auto* panel = new PanelType(workspace.state(), parent);
    workspace.follow(*panel);
    return panel;
}

QWidget* makeTree(Workspace& workspace, QWidget* parent)
{
    auto* panel = makeExpert<TreePanel>(workspace, parent);
    QObject::connect(panel, &TreePanel::adviceRequested, &workspace,
                     [&workspace] { workspace.showRight(RightPage::Advice); });
    QObject::connect(panel, &TreePanel::sharedRequested, &workspace,
                     [&workspace] { workspace.showTab(QLatin1String(panels::speculative)); });
    return panel;
}

QWidget* makePriorities(Workspace& workspace, QWidget* parent) { return makeExpert<PriorityPanel>(workspace, parent); }

QWidget* makeComparison(Workspace& workspace, QWidget* parent)
{
    auto* panel = new ComparisonPanel(workspace.state(), workspace.second().comparison(), parent);
    QObject::connect(panel, &ComparisonPanel::exportFailed, &workspace, &Workspace::failed);
    return panel;
}

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

constexpr PanelGroup expert = PanelGroup::Expert;
constexpr PanelGroup criticalPath = PanelGroup::CriticalPath;
constexpr PanelGroup projections = PanelGroup::Projections;
constexpr PanelGroup tables = PanelGroup::Tables;
constexpr PanelPlace centre = PanelPlace::Centre;
constexpr PanelPlace below = PanelPlace::Below;
constexpr PanelNeeds nothing = PanelNeeds::Nothing;
constexpr PanelNeeds events = PanelNeeds::Events;
constexpr PanelNeeds ranks = PanelNeeds::Ranks;

const PanelSpec specs[] = {
    {panels::path, TEXT("Critical path"), TEXT("&Critical path table"), TEXT("Profile and steps of the path"),
     criticalPath, below, true, events, makePath},
    {panels::nearCritical, TEXT("Near-critical"), TEXT("&Near-critical paths"),
     TEXT("Which path takes over when the critical one gets shorter"), criticalPath, below, false, events,
     make<NearCriticalPanel>},
    {panels::whatIf, TEXT("What if"), TEXT("&What if"), TEXT("What the path would gain if entry methods cost less"),
     criticalPath, below, true, events, make<WhatIfPanel>},
    {panels::parallelism, TEXT("Parallelism"), TEXT("&Parallelism"),
     TEXT("Tasks that much concurrent work waited for and that began late"), criticalPath, below, false, events,
     make<ParallelismPanel>},
    {panels::streaming, TEXT("Streaming"), TEXT("St&reaming"),
     TEXT("The path as it grew, by the algorithm that runs beside a program"), criticalPath, below, false, events,
     make<StreamingPanel>},
    {panels::graph, TEXT("Graph"), TEXT("Activity &graph"),
     TEXT("Tasks and what they depend on, of the marked or visible range or along a path"), criticalPath, below, false,
     events, make<GraphPanel>},
    {panels::activity, TEXT("Activity table"), TEXT("Activity t&able"),
     TEXT("What a processor would have recorded of the paths through its tasks"), criticalPath, below, false, events,
     make<ActivityTablePanel>},
    {panels::comparison, TEXT("Comparison"), TEXT("Co&mparison"),
     TEXT("What changed from this run to the one of File > Compare with …"), expert, below, false, nothing,
     makeComparison},
    {panels::overview, TEXT("Overview"), TEXT("&Overview"),
     TEXT("Time by entry method, or any attribute, added up over processors or over time"), projections, centre, false,
     nothing, makeProjection<OverviewPanel>},
    {panels::detail, TEXT("Stages × PEs"), TEXT("Stages and &processors"),
     TEXT("Any attribute by stage and processor: a heat map, or a line for each processor"), projections, centre, false,
     nothing, makeProjection<DetailPanel>},
    {panels::animation, TEXT("Animation"), TEXT("&Animation"),
     TEXT("Processors on a grid, coloured by any attribute, stage after stage, with the critical path walking over "
          "them"),
     projections, centre, false, nothing, makeProjection<AnimationPanel>},
    {panels::histogram, TEXT("Histogram"), TEXT("&Histogram"),
     TEXT("How task durations, message sizes, idle and waiting times are distributed"), projections, below, false,
     events, make<HistogramPanel>},
    {panels::commMatrix, TEXT("Communication"), TEXT("C&ommunication matrix"),
     TEXT("Who sends how much to whom: processors, nodes, entry methods"), projections, below, false, events,
     make<CommMatrixPanel>},
    {panels::noise, TEXT("Noise"), TEXT("&Noise"), TEXT("Tasks that took longer than theirs usually do"), projections,
     below, false, events, make<NoisePanel>},
    {panels::tree, TEXT("Decision tree"), TEXT("&Decision tree"),
     TEXT("What was asked about the run, and why each question fired or did not"), expert, centre, false, events,
     makeTree},
    {panels::priorities, TEXT("Priorities"), TEXT("Pr&iorities"),
     TEXT("Whether it would help to run critical tasks first, and which entry methods"), expert, below, false, events,
     makePriorities},
    {panels::speculative, TEXT("Speculative work"), TEXT("Spec&ulative work"),
     TEXT("Work done before a better value came, and how the program shares its variables"), expert, below, false,
     events, make<SpeculativePanel>},
    {panels::entries, TEXT("Entry methods"), TEXT("&Entry methods"),
     TEXT("Counts, times, grain and messages of every entry method"), tables, below, false, nothing,
     make<EntryTablePanel>},
    {panels::selection, TEXT("Selection"), TEXT("Se&lection table"),
     TEXT("Every field of the selected task and its messages"), tables, below, true, events, make<SelectionPanel>},
    {panels::sql, TEXT("SQL"), TEXT("S&QL"), TEXT("Ask the trace in SQL"), tables, below, false, nothing,
     make<SqlPanel>},
    {panels::log, TEXT("Log"), TEXT("&Log"), TEXT("Every record of the trace in the order of time, with search"),
     tables, below, false, events, make<LogPanel>},
    {panels::phases, TEXT("Phases"), TEXT("&Repeated phases"),
     TEXT("What repeats along the critical path, and the iterations that it cuts the run into"), criticalPath, below,
     false, events, makePhases},
    {panels::waitStates, TEXT("Wait states"), TEXT("&Wait states"),
     TEXT("What ranks waited for, the longest waits, and the code that caused them"), expert, below, false, ranks,
     make<WaitStatesPanel>},
    {panels::efficiency, TEXT("Efficiency"), TEXT("E&fficiency"),
     TEXT("Parallel efficiency taken apart: load balance, serialization, transfer, also by phase"), expert, below,
     false, events, make<EfficiencyPanel>},
    {panels::mpiCalls, TEXT("MPI calls"), TEXT("M&PI calls"),
     TEXT("Time and waits in each MPI call by rank, of what is marked or in view"), projections, centre, false, ranks,
     makeMpiCalls},
};

#undef TEXT

}  // namespace

std::span<const PanelSpec> panelSpecs() { return specs; }

QString panelText(const char* text) { return QCoreApplication::translate("Actions", text); }

}  // namespace longpole
