// SPDX-License-Identifier: GPL-3.0-or-later
// How the window guides who is new: a tour of four notes, and one sentence on a trace that was never looked at.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/tour.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"
#include "app/gui/window/sidebar.h"
#include "views/expert/advicepanel.h"
#include "views/timeline/canvas.h"
#include "views/timeline/taskcard.h"
#include "views/timeline/view.h"

#include <QPushButton>
#include <QTimer>

namespace longpole {

namespace {

QString tourName() { return QStringLiteral("tourOffered"); }

}  // namespace

void MainWindow::guide()
{
    if (!m_isGuiding || !m_workspace->advicePanel()) return;
    const bool tours = !m_settings.flag(tourName(), false);
    if (tours) {
        m_settings.setFlag(tourName(), true);
        makeTour();
        QTimer::singleShot(0, this, &MainWindow::startTour);  // when the views have their places
    }
    if (!m_workspace->isFirstLook()) return;
    // One thing at a time: after the tour.
    const auto offer = [this] {
        connect(m_workspace->advicePanel(), &AdvicePanel::countChanged, this, &MainWindow::offerFirstLook);
        offerFirstLook();
    };
    if (tours) connect(m_tour, &Tour::ended, m_workspace, offer, Qt::SingleShotConnection);
    else offer();
}

// Says the first sentence of the report, once for each trace, unless the banner is in use.
void MainWindow::offerFirstLook()
{
    AdvicePanel* advice = m_workspace ? m_workspace->advicePanel() : nullptr;
    const QString lead = advice ? advice->lead() : QString();
    if (lead.isEmpty()) return;
    disconnect(advice, &AdvicePanel::countChanged, this, &MainWindow::offerFirstLook);
    if (m_banner->isVisible()) return;
    const bool hasAdvice = !advice->countText().isEmpty();
    if (!hasAdvice && !advice->isTraceInDoubt()) m_banner->showNote(lead);
    else
        m_banner->showOffer(lead, tr("Show me"), [this, hasAdvice] {
            if (!m_workspace) return;
            if (hasAdvice) m_workspace->showFirstAdvice();
            else m_workspace->showRight(RightPage::Health);
        });
}

// When the tour ends, the timeline has the focus again.
void MainWindow::makeTour()
{
    if (m_tour) return;
    m_tour = new Tour(this);
    connect(m_tour, &Tour::ended, this, [this] {
        if (m_workspace) m_workspace->timeline().setFocus();
    });
}

void MainWindow::startTour()
{
    if (!m_workspace || !m_workspace->advicePanel()) return;
    const Vocabulary words = m_workspace->state().store().words();
    TimelineView& timeline = m_workspace->timeline();
    QWidget& path = *m_workspace->area().find(QLatin1String(panels::timelines))->header();
    // In a window that is too narrow for the advice, the note stands beside what opens it.
    QWidget* advice = m_workspace->advicePanel();
    for (const char* id : {"advice", placeOf(PanelGroup::WhySlow).id})
        if (QWidget* entry = m_workspace->sidebar().find(QLatin1String(id));
            entry && !advice->isVisible() && entry->isVisible())
            advice = entry;
    const bool isThere = advice == m_workspace->advicePanel();
    makeTour();
    timeline.taskCard().hide();
    m_tour->start({
        {&timeline.canvas(),
         words.say(
             tr("Each row is a PE, each coloured box a task; where none is, the PE was idle or in overhead. W and S "
                "zoom at the "
                "pointer, A and D move."),
             tr("Each row is a rank, each coloured box its code; hatched is waiting in an MPI call. W and S zoom at "
                "the "
                "pointer, A and D move."))},
        {&path, tr("The orange line through the rows is the critical path: what lies on it decides how long the run "
                   "takes. This "
                   "sentence sums it up; click it for other paths.")},
        {&timeline.canvas(),
         words.say(tr("Click a task to see who sent its message, and how long it waited. Double-click "
                      "zooms to it."),
                   tr("Click a box to see what it is, how long it waited, and for whom. Double-click zooms to it."))},
        {advice,
         isThere ? tr("Here is what to change first, how sure that is, and what it would save. Help > Tour of the "
                      "window shows these notes again.")
                 : tr("What to change first, how sure that is, and what it would save, shows by Ctrl+I. Help > Tour "
                      "of the window shows these notes again.")},
    });
}

}  // namespace longpole
