// The list of panels.
#include "app/gui/panels.h"

#include "app/gui/session.h"
#include "app/gui/workspace.h"
#include "views/activitytablepanel.h"
#include "views/criticalpathpanel.h"
#include "views/graphpanel.h"
#include "views/nearcriticalpanel.h"
#include "views/parallelismpanel.h"
#include "views/pathchips.h"
#include "views/selectionpanel.h"
#include "views/sqlpanel.h"
#include "views/streamingpanel.h"
#include "views/whatifpanel.h"

#include <QCoreApplication>

namespace longpole {

namespace {

template <typename PanelType>
QWidget* make(Workspace& workspace, QWidget* parent)
{
    auto* panel = new PanelType(workspace.state(), parent);
    QObject::connect(panel, &PanelType::exportFailed, &workspace, &Workspace::failed);
    return panel;
}

QWidget* makePath(Workspace& workspace, QWidget* parent)
{
    auto* panel = static_cast<CriticalPathPanel*>(make<CriticalPathPanel>(workspace, parent));
    Session& session = workspace.session();
    QObject::connect(&panel->chips(), &PathChips::wholeRunRequested, &session, &Session::askWholeRun);
    QObject::connect(&panel->chips(), &PathChips::rangeRequested, &session, &Session::setRange);
    return panel;
}

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

const PanelSpec specs[] = {
    {panels::path, TEXT("Critical path"), TEXT("&Critical path table"), TEXT("Profile and steps of the path"), true,
     makePath},
    {panels::nearCritical, TEXT("Near-critical"), TEXT("&Near-critical paths"),
     TEXT("Which path takes over when the critical one gets shorter"), true, make<NearCriticalPanel>},
    {panels::whatIf, TEXT("What if"), TEXT("&What if"),
     TEXT("What the path would gain if entry methods cost less"), true, make<WhatIfPanel>},
    {panels::parallelism, TEXT("Parallelism"), TEXT("&Parallelism"),
     TEXT("Tasks that much concurrent work waited for and that began late"), true, make<ParallelismPanel>},
    {panels::streaming, TEXT("Streaming"), TEXT("St&reaming"),
     TEXT("The path as it grew, by the algorithm that runs beside a program"), true, make<StreamingPanel>},
    {panels::graph, TEXT("Graph"), TEXT("Activity &graph"),
     TEXT("Tasks and what they depend on, of the marked or visible range or along a path"), false, make<GraphPanel>},
    {panels::activity, TEXT("Activity table"), TEXT("Activity t&able"),
     TEXT("What a processor would have recorded of the paths through its tasks"), false, make<ActivityTablePanel>},
    {panels::selection, TEXT("Selection"), TEXT("Se&lection table"),
     TEXT("Every field of the selected task and its messages"), false, make<SelectionPanel>},
    {panels::sql, TEXT("SQL"), TEXT("S&QL"), TEXT("Ask the trace in SQL"), false, make<SqlPanel>},
};

#undef TEXT

}  // namespace

std::span<const PanelSpec> panelSpecs() { return specs; }

QString panelText(const char* text) { return QCoreApplication::translate("Actions", text); }

}  // namespace longpole
