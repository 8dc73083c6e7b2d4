// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the table of actions, in the order of the menus: the window's own, and one for each view.
#include "app/gui/window/actions.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace longpole {

namespace {

template <int number>
void setBookmarkNumber(MainWindow& window)
{
    window.setBookmarkHere(number);
}
template <int number>
void goToBookmarkNumber(MainWindow& window)
{
    window.goToBookmark(number);
}

template <ReplayChange change>
void replay(MainWindow& window)
{
    window.replay(change);
}

template <PathMode mode>
void chooseMode(MainWindow& window)
{
    window.session().setMode(mode);
}
template <PathMode mode>
bool isMode(const MainWindow& window)
{
    return window.session().question().mode == mode;
}
template <EdgeLevel edges>
void chooseEdges(MainWindow& window)
{
    window.session().setEdges(edges);
}
template <EdgeLevel edges>
bool isEdges(const MainWindow& window)
{
    return window.session().question().edges == edges;
}
template <ThemeChoice theme>
void chooseTheme(MainWindow& window)
{
    window.setTheme(theme);
}
template <ThemeChoice theme>
bool isTheme(const MainWindow& window)
{
    return window.theme() == theme;
}
template <Panel panel>
void togglePanel(MainWindow& window)
{
    window.setPanelShown(panel, !window.isPanelShown(panel));
}
template <Panel panel>
bool isPanel(const MainWindow& window)
{
    return window.isPanelShown(panel);
}
template <RightPage page>
void toggleRight(MainWindow& window)
{
    if (window.workspace()) window.workspace()->toggleRight(page);
}
template <RightPage page>
bool isRight(const MainWindow& window)
{
    return window.workspace() && window.workspace()->isRightShown(page);
}
template <TimelineOrder order>
void orderRows(MainWindow& window)
{
    window.orderRows(order);
}
template <Gesture gesture>
void toggleGesture(MainWindow& window)
{
    window.setGesture(gesture, !window.isGesture(gesture));
}
template <Gesture gesture>
bool isGesture(const MainWindow& window)
{
    return window.isGesture(gesture);
}

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

ActionSpec separator(const char* menu) { return {"-", menu, "", "", "", nullptr, false}; }

const ActionSpec ownSpecs[] = {
    {"file.open", TEXT("&File"), TEXT("&Open …"), "Ctrl+O", TEXT("Open a trace file"),
     [](MainWindow& w) { w.chooseFile(); }, false},
    {"file.openFolder", TEXT("&File"), TEXT("Open &folder …"), "Ctrl+Shift+O", TEXT("Open the folder of a run"),
     [](MainWindow& w) { w.chooseFolder(); }, false},
    {"file.recent", TEXT("&File"), TEXT("Recent traces"), "", "", [](MainWindow&) {}, false},
    {"file.compare", TEXT("&File"), TEXT("Co&mpare with …"), "Ctrl+M",
     TEXT("Open another run under this one, and say what changed"), [](MainWindow& w) { w.chooseSecond(); }},
    {"file.closeSecond", TEXT("&File"), TEXT("Close the &second run"), "", TEXT("Show the first run alone again"),
     [](MainWindow& w) { w.closeSecond(); }},
    {"file.refresh", TEXT("&File"), TEXT("&Refresh"), "F5", TEXT("Open the run once more: it may have gone on since"),
     [](MainWindow& w) { w.refresh(); }},
    {"file.live", TEXT("&File"), TEXT("Path &while it ran"), "",
     TEXT("The samples of the path that were taken while the program ran, if it was recorded with --online"),
     [](MainWindow& w) { w.watchOpenRun(); }},
    separator(TEXT("&File")),
    {"file.saveSession", TEXT("&File"), TEXT("Sa&ve session …"), "Ctrl+S",
     TEXT("Keep how this run is looked at in a file: layout, ranges, bookmarks, choices"),
     [](MainWindow& w) { w.chooseSaveSession(); }},
    {"file.useSession", TEXT("&File"), TEXT("&Use session …"), "", TEXT("Look at this run as a session in a file did"),
     [](MainWindow& w) { w.chooseUseSession(); }},
    separator(TEXT("&File")),
    {"file.report", TEXT("&File"), TEXT("Export &report …"), "Ctrl+E",
     TEXT("Write the expert report as HTML, Markdown, JSON or PDF"), [](MainWindow& w) { w.chooseReport(); }},
    {"file.picture", TEXT("&File"), TEXT("Export &picture …"), "Ctrl+Shift+E",
     TEXT("Write what the timeline shows as PNG or SVG"), [](MainWindow& w) { w.choosePicture(); }},
    {"file.copyPicture", TEXT("&File"), TEXT("&Copy picture"), "Ctrl+Shift+C",
     TEXT("Copy what the timeline shows to the clipboard"), [](MainWindow& w) { w.copyPicture(); }},
    separator(TEXT("&File")),
    {"file.close", TEXT("&File"), TEXT("C&lose trace"), "Ctrl+W", TEXT("Back to the start page"),
     [](MainWindow& w) { w.closeTrace(); }},
    {"file.quit", TEXT("&File"), TEXT("&Quit"), "Ctrl+Q", TEXT("Leave Longpole"), [](MainWindow& w) { w.close(); },
     false},

    {"edit.find",
     TEXT("&Edit"),
     TEXT("&Find"),
     "Ctrl+F",
     {TEXT("Find entry methods by name or /regular expression/"), TEXT("Find regions by name or /regular expression/")},
     [](MainWindow& w) { w.startFinding(); }},
    {"edit.findNext", TEXT("&Edit"), TEXT("Find &next"), "F3", TEXT("Go to the next hit"),
     [](MainWindow& w) { w.findHit(true); }},
    {"edit.findPrevious", TEXT("&Edit"), TEXT("Find &previous"), "Shift+F3", TEXT("Go to the hit before"),
     [](MainWindow& w) { w.findHit(false); }},
    {"edit.clearSelection", TEXT("&Edit"), TEXT("&Clear selection"), "Esc",
     TEXT("Select nothing and show the path of the whole run"), [](MainWindow& w) { w.clearSelection(); }},

    {"view.back", TEXT("&View"), TEXT("&Back"), "Alt+Left Ctrl+Z", TEXT("The range before"),
     [](MainWindow& w) { w.goBack(); }},
    {"view.forward", TEXT("&View"), TEXT("&Forward"), "Alt+Right Ctrl+Y Ctrl+Shift+Z", TEXT("The range after"),
     [](MainWindow& w) { w.goForward(); }},
    {"view.whole", TEXT("&View"), TEXT("&Whole run"), "Home", TEXT("Show the run from begin to end"),
     [](MainWindow& w) { w.showWholeRun(); }},
    separator(TEXT("&View")),
    {"view.sidebar", TEXT("&View"), TEXT("&Sidebar"), "Ctrl+B", TEXT("Show or fold the left column"),
     togglePanel<Panel::Sidebar>, true, isPanel<Panel::Sidebar>},
    {"view.bottom", TEXT("&View"), TEXT("&Tables"), "Ctrl+J", TEXT("Show or fold the tables below the timeline"),
     togglePanel<Panel::Bottom>, true, isPanel<Panel::Bottom>},
    {"view.advice", TEXT("&View"), TEXT("Ad&vice"), "Ctrl+I", TEXT("Show or fold what to change first"),
     toggleRight<RightPage::Advice>, true, isRight<RightPage::Advice>},
    {"view.health", TEXT("&View"), TEXT("&Health"), "Ctrl+H",
     TEXT("Show or fold the health of the trace: how far to trust it"), toggleRight<RightPage::Health>, true,
     isRight<RightPage::Health>},
    separator(TEXT("&View")),
    {"view.processors",
     TEXT("&View"),
     {TEXT("Choose &PEs …"), TEXT("Choose &ranks …")},
     "Ctrl+P",
     {TEXT("Show some of the PEs, such as 1,3-9:3,11, or those of a node or process"),
      TEXT("Show some of the ranks, such as 1,3-9:3,11, or those of a node or communicator")},
     [](MainWindow& w) { w.chooseProcessors(); }},
    {"view.allProcessors",
     TEXT("&View"),
     {TEXT("&All PEs"), TEXT("&All ranks")},
     "",
     {TEXT("Show every PE again"), TEXT("Show every rank again")},
     [](MainWindow& w) { w.showAllProcessors(); }},
    separator(TEXT("&View")),
    {"view.nextIteration", TEXT("&View"), TEXT("&Next iteration"), "I",
     TEXT("All views to the next iteration of the chosen phase"), [](MainWindow& w) { w.showIteration(true); }},
    {"view.previousIteration", TEXT("&View"), TEXT("&Previous iteration"), "Shift+I",
     TEXT("All views to the iteration before"), [](MainWindow& w) { w.showIteration(false); }},
    {"view.bands", TEXT("&View"), TEXT("Iterations as &bands"), "", TEXT("Show the iterations over the timelines"),
     [](MainWindow& w) { w.toggleBands(); }, true, [](const MainWindow& w) { return w.areBandsShown(); }},
    separator(TEXT("&View")),
    {"view.lockSecond", TEXT("&View"), TEXT("&Lock the second run's time"), "Ctrl+L",
     TEXT("Zoom and pan both runs together"), [](MainWindow& w) { w.toggleSecondLock(); }, true,
     [](const MainWindow& w) { return w.isSecondLocked(); }},
    {"view.secondByPhase", TEXT("&View"), TEXT("Align runs by p&hase"), "",
     TEXT("Put the starts of iterations above each other instead of the same time since start"),
     [](MainWindow& w) { w.toggleSecondByPhase(); }, true, [](const MainWindow& w) { return w.isSecondByPhase(); }},
    separator(TEXT("&View")),
    {"view.orderTraced",
     TEXT("&View"),
     TEXT("Rows as &traced"),
     "",
     {TEXT("PEs in the order of the trace"), TEXT("Ranks in the order of the trace")},
     orderRows<TimelineOrder::AsTraced>},
    {"view.orderIdle",
     TEXT("&View"),
     TEXT("Most &idle rows first"),
     "",
     {TEXT("Order PEs by their idle time"), TEXT("Order ranks by their idle time")},
     orderRows<TimelineOrder::MostIdleFirst>},
    {"view.orderPath",
     TEXT("&View"),
     TEXT("Rows with most of the &path first"),
     "",
     {TEXT("Order PEs by their time on the critical path"), TEXT("Order ranks by their time on the critical path")},
     orderRows<TimelineOrder::MostOnPathFirst>},
    separator(TEXT("&View")),
    {"view.wheelZooms", TEXT("&View"), TEXT("Wheel &zooms"), "",
     TEXT("The plain wheel zooms instead of scrolling rows"), toggleGesture<Gesture::WheelZooms>, false,
     isGesture<Gesture::WheelZooms>},
    {"view.dragZooms", TEXT("&View"), TEXT("D&rag zooms"), "", TEXT("A plain drag zooms at once instead of marking"),
     toggleGesture<Gesture::DragZooms>, false, isGesture<Gesture::DragZooms>},
    separator(TEXT("&View")),
    {"view.themeSystem", TEXT("&View"), TEXT("Theme of the s&ystem"), "", TEXT("Dark or light as the desktop is"),
     chooseTheme<ThemeChoice::System>, false, isTheme<ThemeChoice::System>},
    {"view.themeDark", TEXT("&View"), TEXT("&Dark theme"), "", TEXT("Light words on dark ground"),
     chooseTheme<ThemeChoice::Dark>, false, isTheme<ThemeChoice::Dark>},
    {"view.themeLight", TEXT("&View"), TEXT("&Light theme"), "", TEXT("Dark words on light ground"),
     chooseTheme<ThemeChoice::Light>, false, isTheme<ThemeChoice::Light>},

    {"path.work", TEXT("&Analyse"), TEXT("&Work path"), "", TEXT("The longest chain of computation"),
     chooseMode<PathMode::Work>, true, isMode<PathMode::Work>},
    {"path.elapsed", TEXT("&Analyse"), TEXT("&Elapsed path"), "",
     TEXT("Backwards from the end: what each moment of the run waited for"), chooseMode<PathMode::Elapsed>, true,
     isMode<PathMode::Elapsed>},
    {"path.sweep", TEXT("&Analyse"), TEXT("&Sweep"), "", TEXT("One sweep over time"), chooseMode<PathMode::Sweep>, true,
     isMode<PathMode::Sweep>},
    separator(TEXT("&Analyse")),
    {"path.messages", TEXT("&Analyse"), TEXT("Edges: &messages"), "", TEXT("A task waits for its message only"),
     chooseEdges<EdgeLevel::Messages>, true, isEdges<EdgeLevel::Messages>},
    {"path.merges", TEXT("&Analyse"), TEXT("Edges: mer&ges"), "",
     TEXT("A task also waits for reductions and buffered messages, as far as recorded or inferred"),
     chooseEdges<EdgeLevel::Merges>, true, isEdges<EdgeLevel::Merges>},
    {"path.order",
     TEXT("&Analyse"),
     TEXT("Edges: &order"),
     "",
     {TEXT("A task waits for its message and for the task before it on its PE"),
      TEXT("A task waits for its message and for the task before it on its rank")},
     chooseEdges<EdgeLevel::Order>,
     true,
     isEdges<EdgeLevel::Order>},
    separator(TEXT("&Analyse")),
    {"path.toSelection", TEXT("&Analyse"), TEXT("Path to the selected &task"), "Ctrl+Return",
     TEXT("Show the critical path that ends at the selected task"), [](MainWindow& w) { w.showPathToSelection(); }},
    {"path.ofRange", TEXT("&Analyse"), TEXT("Path of the marked r&ange"), "R",
     TEXT("Show the critical path of the marked range alone; again: of the whole run"),
     [](MainWindow& w) { w.togglePathOfMarked(); }, true,
     [](const MainWindow& w) { return !w.session().question().range.isEmpty(); }},
    {"path.wholeRun", TEXT("&Analyse"), TEXT("Path of the whole &run"), "", TEXT("Show the run's critical path again"),
     [](MainWindow& w) { w.session().askWholeRun(); }},
    separator(TEXT("&Analyse")),
    {"path.fold", TEXT("&Analyse"), TEXT("&Fold iterations …"), "",
     TEXT("Lay the iterations of the chosen phase over each other, in a window of their own"),
     [](MainWindow& w) { w.foldIterations(); }},
    separator(TEXT("&Analyse")),
    {"replay.ideal", TEXT("&Analyse"), TEXT("Replay with an &ideal network"), "",
     TEXT("The run again with messages that take no time, under this one"), replay<ReplayChange::IdealNetwork>, true,
     nullptr, nullptr, PanelNeeds::Queues},
    {"replay.zeroLatency", TEXT("&Analyse"), TEXT("Replay without &latency"), "",
     TEXT("The run again with messages that only take what their size needs, under this one"),
     replay<ReplayChange::ZeroLatency>, true, nullptr, nullptr, PanelNeeds::Queues},
    {"replay.balance", TEXT("&Analyse"), TEXT("Replay with perfect &balance"), "",
     TEXT("The run again with the same work on every PE, under this one"), replay<ReplayChange::PerfectBalance>, true,
     nullptr, nullptr, PanelNeeds::Queues},
    {"replay.advised", TEXT("&Analyse"), TEXT("Replay with the advised &priorities"), "",
     TEXT("The run again with the priorities that the expert advises, under this one"), replay<ReplayChange::Advised>,
     true, nullptr, nullptr, PanelNeeds::Queues},
    {"bookmark.add", TEXT("&Bookmarks"), TEXT("&Bookmark what shows"), "B",
     TEXT("Remember the visible or marked range with a note"), [](MainWindow& w) { w.setBookmarkHere(0); }},
    {"bookmark.set1", "", TEXT("Set bookmark 1"), "Ctrl+1", "", setBookmarkNumber<1>},
    {"bookmark.set2", "", TEXT("Set bookmark 2"), "Ctrl+2", "", setBookmarkNumber<2>},
    {"bookmark.set3", "", TEXT("Set bookmark 3"), "Ctrl+3", "", setBookmarkNumber<3>},
    {"bookmark.set4", "", TEXT("Set bookmark 4"), "Ctrl+4", "", setBookmarkNumber<4>},
    {"bookmark.set5", "", TEXT("Set bookmark 5"), "Ctrl+5", "", setBookmarkNumber<5>},
    {"bookmark.set6", "", TEXT("Set bookmark 6"), "Ctrl+6", "", setBookmarkNumber<6>},
    {"bookmark.set7", "", TEXT("Set bookmark 7"), "Ctrl+7", "", setBookmarkNumber<7>},
    {"bookmark.set8", "", TEXT("Set bookmark 8"), "Ctrl+8", "", setBookmarkNumber<8>},
    {"bookmark.set9", "", TEXT("Set bookmark 9"), "Ctrl+9", "", setBookmarkNumber<9>},
    {"bookmark.go1", TEXT("&Bookmarks"), TEXT("Go to bookmark 1"), "1", "", goToBookmarkNumber<1>},
    {"bookmark.go2", TEXT("&Bookmarks"), TEXT("Go to bookmark 2"), "2", "", goToBookmarkNumber<2>},
    {"bookmark.go3", TEXT("&Bookmarks"), TEXT("Go to bookmark 3"), "3", "", goToBookmarkNumber<3>},
    {"bookmark.go4", "", TEXT("Go to bookmark 4"), "4", "", goToBookmarkNumber<4>},
    {"bookmark.go5", "", TEXT("Go to bookmark 5"), "5", "", goToBookmarkNumber<5>},
    {"bookmark.go6", "", TEXT("Go to bookmark 6"), "6", "", goToBookmarkNumber<6>},
    {"bookmark.go7", "", TEXT("Go to bookmark 7"), "7", "", goToBookmarkNumber<7>},
    {"bookmark.go8", "", TEXT("Go to bookmark 8"), "8", "", goToBookmarkNumber<8>},
    {"bookmark.go9", "", TEXT("Go to bookmark 9"), "9", "", goToBookmarkNumber<9>},

    {"window.tearOff", TEXT("&Window"), TEXT("View in its own &window, or back"), "Ctrl+Shift+D",
     TEXT("Tear the view that has the focus off, or put it back"), [](MainWindow& w) { w.tearOffView(); }},
    {"window.maximize", TEXT("&Window"), TEXT("&Maximize view, or back"), "Ctrl+Shift+M",
     TEXT("Give the view that has the focus the room of all others, or put these back"),
     [](MainWindow& w) { w.maximizeView(); }},
    {"window.closeView", TEXT("&Window"), TEXT("Close &view"), "Ctrl+F4", TEXT("Close the view that has the focus"),
     [](MainWindow& w) { w.closeView(); }},
    {"window.reset", TEXT("&Window"), TEXT("Rese&t layout"), "", TEXT("Every view where it stands by default"),
     [](MainWindow& w) { w.resetLayout(); }},

    {"help.palette", TEXT("&Help"), TEXT("&Command palette"), "Ctrl+Shift+P", TEXT("Find and run any command"),
     [](MainWindow& w) { w.openPalette(); }, false},
    {"help.keys", TEXT("&Help"), TEXT("&Keys and gestures"), "?", TEXT("What the mouse and the keys do"),
     [](MainWindow& w) { w.openKeyHelp(); }, false},
    {"help.documents", TEXT("&Help"), TEXT("&Documents"), "", TEXT("Tutorial, tasks, concepts, and what figures mean"),
     [](MainWindow& w) { w.openDocuments(); }, false},
    {"help.tour", TEXT("&Help"), TEXT("&Tour of the window"), "", TEXT("Four notes on what shows, and where advice is"),
     [](MainWindow& w) { w.startTour(); }},
    {"help.trace", TEXT("&Help"), TEXT("About this t&race"), "", TEXT("What is held in memory of the trace"),
     [](MainWindow& w) { w.openTraceSheet(); }},
    {"help.view", TEXT("&Help"), TEXT("What this &view shows"), "F1",
     TEXT("What the view under the mouse shows, and how to read it"), [](MainWindow& w) { w.openViewHelp(); }, false},
    {"help.about", TEXT("&Help"), TEXT("&About Longpole"), "", TEXT("Version and licence"),
     [](MainWindow& w) { w.openAbout(); }, false},
};

const ActionSpec timelines{"view.timelines",
                           "&Window/&Timeline",
                           TEXT("What ran when?  ·  &Timelines"),
                           "Alt+0",
                           {TEXT("The timelines of all PEs"), TEXT("The timelines of all ranks")},
                           [](MainWindow& w) { w.showTab(QLatin1String(panels::timelines)); }};

#undef TEXT

// The rows of the places, each with its panels.
std::vector<ActionSpec> windowSpecs()
{
    std::vector<ActionSpec> specs;
    for (const PlaceSpec& place : places()) {
        specs.push_back({place.id, place.menu, place.command, place.keys, place.question,
                         [group = place.group](MainWindow& window) { window.showPlace(group); }});
        specs.push_back(separator(place.menu));
        if (place.group == PanelGroup::Timeline) specs.push_back(timelines);
        for (const PanelSpec* panel : panelSpecs()) {
            if (panel->group != place.group) continue;
            specs.push_back({panel->id, place.menu, panel->command, "", panel->tip,
                             [id = QLatin1String(panel->id)](MainWindow& window) { window.showTab(id); }, true, nullptr,
                             panel});
        }
    }
    specs.push_back(separator("&Window"));
    return specs;
}

std::vector<ActionSpec> allSpecs()
{
    std::vector<ActionSpec> specs(std::begin(ownSpecs), std::end(ownSpecs));
    const auto layout = std::find_if(specs.begin(), specs.end(), [](const ActionSpec& spec) {
        return spec.id == std::string_view("window.tearOff");
    });
    const std::vector<ActionSpec> panels = windowSpecs();
    specs.insert(layout, panels.begin(), panels.end());
    return specs;
}

}  // namespace

const std::vector<ActionSpec>& actionSpecs()
{
    static const std::vector<ActionSpec> specs = allSpecs();
    return specs;
}

}  // namespace longpole
