// The views of one open trace and how they are arranged: sidebar, timeline and its fellow views in docks, health at the
// right. Made anew for each trace, arranged as the user left it.
#pragma once

#include "app/gui/bookmarks.h"
#include "app/gui/dockarea.h"
#include "app/gui/settings.h"
#include "views/viewstate.h"

#include <QWidget>

class QSplitter;

namespace longpole {

class HealthPanel;
class Session;
class Sidebar;
class TimelineView;
struct PanelSpec;
enum class PanelGroup : std::uint8_t;

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
    DockArea& area() { return *m_area; }
    // The panel of panels.h, made if it was never shown.
    template <typename PanelType>
    PanelType& panel(const char* id) const
    {
        return *qobject_cast<PanelType*>(&m_area->find(QLatin1String(id))->content());
    }

    bool isPanelShown(Panel panel) const;
    void setPanelShown(Panel panel, bool shown);
    void showTab(const QString& id);  // of panels.h
    void saveLayout();
    void resetLayout();
    // Why there is no path yet; empty if there is nothing to say.
    QString workNotice() const;
    void applyGestures();

    const SideFile& sideFile() const { return m_side; }
    // A number of 0 takes the first free one.
    void setBookmarkHere(int number);
    void goToBookmark(int number);
    // Range, rows and colours go to the side file. Errors: not writable.
    Result<> saveSideFile();

Q_SIGNALS:
    void reportRequested();
    void foldRequested();
    void failed(const longpole::Error& error);
    void panelsChanged();
    void workNoticeChanged(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void foldForWidth(int width);
    void createSidebar();
    void addEntries(PanelGroup group);
    QWidget* createPanel(const PanelSpec& spec, QWidget* parent);
    void createArea();
    void createTimeline();
    void createRight();
    void markShown();
    void restoreLayout();
    void loadSideFile();
    void showBookmarks();
    void keepBookmarks();

    Session& m_session;
    Settings& m_settings;
    ViewState& m_state;
    SideFile m_side;
    QSplitter* m_columns = nullptr;
    DockArea* m_area = nullptr;
    Sidebar* m_sidebar = nullptr;
    TimelineView* m_timeline = nullptr;
    HealthPanel* m_health = nullptr;
    QWidget* m_right = nullptr;
};

}  // namespace longpole
