// SPDX-License-Identifier: GPL-3.0-or-later
// The second timeline in the workspace, which comes and goes with the second trace.
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/pathstrip.h"
#include "app/gui/window/secondstrip.h"
#include "app/gui/window/timelinemenu.h"
#include "app/gui/window/workspace.h"
#include "core/trace/format.h"
#include "views/timeline/view.h"

#include <QVBoxLayout>

#include <utility>

namespace longpole {

void Workspace::createSecond()
{
    PanelDock& dock = m_area->add(QLatin1String(panels::second), tr("Second run"), PanelPlace::Under, false,
                                  [](QWidget* parent) {
                                      auto* holder = new QWidget(parent);
                                      auto* layout = new QVBoxLayout(holder);
                                      layout->setContentsMargins(0, 0, 0, 0);
                                      return holder;
                                  });
    dock.title().addControls(new SecondStrip(*m_second, &dock.title()));
    connect(&dock, &PanelDock::closedByHand, m_second, &SecondTrace::close);
    connect(m_second, &SecondTrace::opened, this, &Workspace::showSecond);
    connect(m_second, &SecondTrace::closing, this, &Workspace::leaveSecond);
    connect(m_second, &SecondTrace::failed, this, &Workspace::failed);
    connect(m_second, &SecondTrace::lockChanged, this, [this] {
        if (m_secondTimeline) m_secondTimeline->setMinimapShown(!m_second->isLocked());
        Q_EMIT panelsChanged();
    });
}

void Workspace::showSecond()
{
    PanelDock& dock = *m_area->find(QLatin1String(panels::second));
    PanelDock& first = *m_area->find(QLatin1String(panels::timelines));
    ViewState& state = *m_second->view();
    state.results()->setCapacity(m_settings.answerBytes());
    shareColours();
    connect(&state, &ViewState::colourAsked, this, &Workspace::giveColour);
    m_secondTimeline = new TimelineView(&state, &dock.content());
    m_secondTimeline->setTheme(themeFor(m_settings.theme()));
    m_secondTimeline->setMinimapShown(false);
    dock.content().layout()->addWidget(m_secondTimeline);
    dock.content().setFocusProxy(m_secondTimeline);
    connect(m_secondTimeline, &TimelineView::damageMet, this, &Workspace::failed);
    connect(m_secondTimeline, &TimelineView::hovered, this, &Workspace::hovered);
    connect(m_secondTimeline, &TimelineView::rowMenuRequested, this,
            [this, &state](std::size_t row, const QPoint& at) { showRowMenu(state, *m_secondTimeline, row, at); });
    applyGestures();
    first.setKeepsTitle(true);
    first.title().setText(tr("A  %1 · %2").arg(m_second->nameOfFirst(), formatTime(m_state.store().info().duration())));
    dock.title().setText(tr("B  %1").arg(m_second->caption()));
    constexpr int smallArea = 700;  // pixels: both lanes get what the overview of A has there
    m_timeline->setMinimapShown(m_area->height() >= smallArea);
    m_area->reveal(first);
    m_area->reveal(dock);
    m_area->reveal(*m_area->find(QLatin1String(panels::comparison.id)));
    const PathStrip* sentence = first.findChild<PathStrip*>();
    m_area->share(m_timeline->minimapHeight() + (sentence ? sentence->sizeHint().height() : 0));
}

void Workspace::leaveSecond()
{
    PanelDock& first = *m_area->find(QLatin1String(panels::timelines));
    first.setKeepsTitle(false);
    first.title().setText(tr("Timelines"));
    m_area->endMaximized();
    delete std::exchange(m_secondTimeline, nullptr);
    m_area->find(QLatin1String(panels::second))->hide();
    m_timeline->setMinimapShown(true);
    m_area->share(0);
}

void Workspace::setTheme(const Theme& theme)
{
    m_timeline->setTheme(theme);
    if (m_secondTimeline) m_secondTimeline->setTheme(theme);
}

}  // namespace longpole
