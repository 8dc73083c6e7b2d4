// The views of one open trace and how they are arranged: sidebar, timeline, tables below, health at the right. Made
// anew for each trace, folded and sized as the user left it.
#pragma once

#include "app/gui/bookmarks.h"
#include "app/gui/settings.h"
#include "views/viewstate.h"

#include <QTabWidget>
#include <QWidget>

class QSplitter;

namespace longpole {

class CriticalPathPanel;
class HealthPanel;
class Session;
class Sidebar;
class TimelineView;

enum class Panel : std::uint8_t { Sidebar, Bottom, Right };
// Settings of the hand: what the plain wheel and a plain drag do.
enum class Gesture : std::uint8_t { WheelZooms, DragZooms };
QString gestureName(Gesture gesture);

class Workspace : public QWidget {
    Q_OBJECT
public:
    Workspace(Session& session, Settings& settings, QWidget* parent = nullptr);

    ViewState& state() { return m_state; }
    TimelineView& timeline() { return *m_timeline; }
    Session& session() { return m_session; }
    HealthPanel& healthPanel() { return *m_health; }
    Sidebar& sidebar() { return *m_sidebar; }
    // The panel of that type among those of the list (panels.h).
    template <typename PanelType>
    PanelType& panel() const { return *m_tabs->findChild<PanelType*>(); }

    bool isPanelShown(Panel panel) const;
    void setPanelShown(Panel panel, bool shown);
    void showTab(const QString& id);  // of panels.h
    void saveLayout();
    void applyGestures();

    const SideFile& sideFile() const { return m_side; }
    // A number of 0 takes the first free one.
    void setBookmarkHere(int number);
    void goToBookmark(int number);
    // Range, rows and colours go to the side file. Errors: not writable.
    Result<> saveSideFile();

Q_SIGNALS:
    void reportRequested();
    void failed(const longpole::Error& error);
    void panelsChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void foldForWidth(int width);
    void createSidebar();
    void createCentre();
    void createBottom();
    void createRight();
    void restoreLayout();
    void loadSideFile();
    void showBookmarks();
    void keepBookmarks();
    void showWork();
    QWidget* panelWidget(Panel panel) const;

    Session& m_session;
    Settings& m_settings;
    ViewState& m_state;
    SideFile m_side;
    QSplitter* m_columns = nullptr;
    QSplitter* m_rows = nullptr;
    QTabWidget* m_tabs = nullptr;
    Sidebar* m_sidebar = nullptr;
    TimelineView* m_timeline = nullptr;
    CriticalPathPanel* m_path = nullptr;
    HealthPanel* m_health = nullptr;
    QWidget* m_right = nullptr;
};

}  // namespace longpole
