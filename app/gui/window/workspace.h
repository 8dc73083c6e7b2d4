// SPDX-License-Identifier: GPL-3.0-or-later
// The views of one open trace and how they are arranged: the sidebar, timeline and panels in docks, advice and health
// at the right. Made anew for each trace, and arranged as the user left the last one.
#pragma once

#include "app/gui/frame/dockarea.h"
#include "app/gui/frame/settings.h"
#include "app/gui/session/bookmarks.h"
#include "app/gui/session/savedsession.h"
#include "views/state/latestjob.h"
#include "views/state/viewstate.h"

#include <QHash>
#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <optional>

class QSplitter;

namespace longpole {

class AdvicePanel;
class HealthPanel;
class PanelHost;
class RightColumn;
class SecondTrace;
class Session;
class Sidebar;
class TimelineView;
struct PanelSpec;
struct PlaceSpec;
class TrialSheet;
class Trials;
struct Advice;
struct Theme;
struct Trial;
struct TrialChoice;
enum class PanelGroup : std::uint8_t;

enum class Panel : std::uint8_t { Sidebar, Bottom, Right };
// What the right column shows.
enum class RightPage : std::uint8_t { Advice, Health };
// Settings of gestures: whether the plain wheel, or a plain drag, zooms.
enum class Gesture : std::uint8_t { WheelZooms, DragZooms };
QString gestureName(Gesture gesture);

class Workspace : public QWidget {
    Q_OBJECT
public:
    Workspace(Session& session, Settings& settings, QWidget* parent = nullptr);
    ~Workspace() override;

    ViewState& state() { return m_state; }
    TimelineView& timeline() { return *m_timeline; }
    Session& session() { return m_session; }
    HealthPanel& healthPanel() { return *m_health; }
    AdvicePanel* advicePanel() { return m_advice; }  // null for a summary
    // Whether this user has never opened this trace before: there is no side file of it.
    bool isFirstLook() const { return m_isFirstLook; }
    void showFirstAdvice();
    // The trials of advice that have ended.
    std::vector<Trial> trials() const;
    SecondTrace& second() { return *m_second; }
    TimelineView* secondTimeline() { return m_secondTimeline; }  // null while there is no second trace
    void setTheme(const Theme& theme);
    Sidebar& sidebar() { return *m_sidebar; }
    DockArea& area() { return *m_area; }
    // The panel of that id, which is made if it was never shown.
    template <typename PanelType>
    PanelType& panel(const char* id) const
    {
        return *qobject_cast<PanelType*>(&m_area->find(QLatin1String(id))->content());
    }

    bool isPanelShown(Panel panel) const;
    void setPanelShown(Panel panel, bool shown);
    void showTab(const QString& id);  // of a view; see panels.h
    // Shows the views of that place as tabs, as far as the trace has what they need, and hides those of other places.
    void showPlace(PanelGroup group);
    // The panel, or page of the right column, that a widget is part of; null if it is of none.
    const PanelSpec* panelOf(const QWidget* widget) const;
    void showRight(RightPage page);
    bool isRightShown(RightPage page) const;
    void toggleRight(RightPage page);  // shows it, or folds the column if it does
    // Keeps the arrangement for the next trace, unless it came with a session.
    void saveLayout();
    // The same before a session rearranges the views. Hides the view of the second run.
    void saveLayoutBeforeSession();
    void resetLayout();
    void applyGestures();

    const SideFile& sideFile() const { return m_side; }
    // A number of 0 takes the first free one.
    void setBookmarkHere(int number);
    void goToBookmark(int number);
    // Writes the range, rows and colours that show, and all bookmarks, those that other windows have set meanwhile as
    // well. A file that cannot be read is left as it is, until a bookmark is set. Error: it is not writable.
    Result<> saveSideFile();

    SavedSession savedSession();
    // Shows what the session showed, and adds its bookmarks. A session of another trace is used as far as it fits.
    // Returns how many of its bookmarks lie outside the run.
    int apply(const SavedSession& saved);

Q_SIGNALS:
    void reportRequested();
    void secondRequested();
    void foldRequested();
    void failed(const longpole::Error& error);
    void exportRequested(const longpole::FileExport& file);
    void hovered(const QString& text);  // what is under the cursor in a timeline
    void panelsChanged();
    void helpRequested(const longpole::PanelSpec& panel);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void foldForWidth(int width);
    void shareWidth(int width);
    // Why there is no critical path yet; empty if there is nothing to say.
    QString workNotice() const;
    void createSidebar();
    void addPlace(const PlaceSpec& place);
    void addEntries(PanelGroup group);
    void openPlaceOf(const QString& id);
    bool isBelowWanted(const QString& id) const;
    std::vector<PanelDock*> docksOf(PanelGroup group) const;
    void rememberTops();
    QWidget* createPanel(const PanelSpec& spec, QWidget* parent);
    void createArea();
    void createTimeline();
    void readThresholds();
    void createHost();
    void createSecond();
    void showSecond();
    void leaveSecond();
    void createRight();
    QWidget* createAdvice(QWidget* parent);
    void markRight();
    void showMeasured();
    void createTrials();
    void askTrial(const longpole::Advice& advice);
    void startTrial(const longpole::TrialChoice& choice);
    void showSql(const QString& sql);
    void markShown();
    void restoreLayout();
    void putLayout();
    void loadSideFile();
    void noteView();
    void showRows(const JsonValue& view);
    void showViews(const SavedSession& session);
    void shareColours();
    void setColours(ColourMemory colours);
    void giveColour(const QString& name, const QColor& colour);
    void showBookmarks();
    void keepBookmarks();
    bool takeOthersBookmarks();

    Session& m_session;
    Settings& m_settings;
    ViewState& m_state;
    SideFile m_side;
    std::vector<Bookmark> m_sideBookmarks;  // those in the side file when it was last read or written
    // What a session has set is not written into the settings, which keep what the user had chosen before it.
    std::optional<QString> m_sessionThresholds;
    bool m_hasSessionLayout = false;
    QSplitter* m_columns = nullptr;
    bool m_areColumnsByHand = false;
    DockArea* m_area = nullptr;
    Sidebar* m_sidebar = nullptr;
    TimelineView* m_timeline = nullptr;
    AdvicePanel* m_advice = nullptr;
    SecondTrace* m_second = nullptr;
    using Learned = std::optional<ColourMemory>;
    LatestJob<Learned> m_learning;  // the colours of traces of many names
    bool m_isFirstLook = false;
    const ViewState* m_measured = nullptr;  // the second run that was compared for the cards of advice
    Trials* m_trials = nullptr;             // null for a summary
    QPointer<TrialSheet> m_trialSheet;      // a child of the window
    QString m_triedId;                      // of the advice that the sheet asks about
    QByteArray m_triedPriorities;
    PanelHost* m_host = nullptr;
    TimelineView* m_secondTimeline = nullptr;
    HealthPanel* m_health = nullptr;
    RightColumn* m_right = nullptr;
    PanelGroup m_place{};                   // whose views the user looks at
    QHash<PanelGroup, QStringList> m_tops;  // the tabs that were on top when the user left a place
};

}  // namespace longpole
