// SPDX-License-Identifier: GPL-3.0-or-later
// The five places of the workspace: the sidebar that leads to them, and which views stand there.
#include "app/gui/session/secondtrace.h"
#include "app/gui/session/session.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/workspace.h"
#include "views/timeline/view.h"

#include <QPushButton>
#include <QSplitter>

#include <algorithm>

namespace longpole {

void Workspace::createSidebar()
{
    m_sidebar = new Sidebar(m_columns);
    const QString last = m_settings.text(placeKey());
    for (const PlaceSpec& place : places()) {
        addPlace(place);
        if (last == QLatin1String(place.id)) m_place = place.group;
    }
    m_sidebar->openPlace(QLatin1String(placeOf(m_place).id));
    connect(m_sidebar, &Sidebar::bookmarkChosen, this,
            [this](const Bookmark& bookmark) { m_state.setRange(bookmark.range); });
    // Another window may have removed it.
    connect(m_sidebar, &Sidebar::bookmarkRenamed, this, [this](const Bookmark& bookmark, const QString& note) {
        const auto at = std::find(m_side.bookmarks.begin(), m_side.bookmarks.end(), bookmark);
        if (at == m_side.bookmarks.end()) return;
        at->note = note;
        keepBookmarks();
    });
    connect(m_sidebar, &Sidebar::bookmarkRemoved, this, [this](const Bookmark& bookmark) {
        const auto at = std::find(m_side.bookmarks.begin(), m_side.bookmarks.end(), bookmark);
        if (at == m_side.bookmarks.end()) return;
        m_side.bookmarks.erase(at);
        keepBookmarks();
    });
    m_columns->addWidget(m_sidebar);
}

// The heading, what is no panel, then the panels that the trace can have.
void Workspace::addPlace(const PlaceSpec& place)
{
    const Vocabulary words = m_state.store().words();
    QString title = panelText(words, place.title);
    title.remove(QLatin1Char('&'));
    QPushButton* heading = m_sidebar->addPlace(QLatin1String(place.id), title,
                                               [this, group = place.group] { showPlace(group); });
    heading->setToolTip(panelText(words, place.question));
    switch (place.group) {
    case PanelGroup::Timeline:
        m_sidebar->addEntry(QLatin1String(panels::timelines), tr("What ran when?"), [this] {
            showTab(QLatin1String(panels::timelines));
            m_timeline->setFocus();
        });
        break;
    case PanelGroup::WhySlow:
        m_sidebar->addEntry(QStringLiteral("advice"), tr("What to change first?"),
                            [this] { toggleRight(RightPage::Advice); });
        m_sidebar->addEntry(QStringLiteral("health"), tr("Trust this trace?"),
                            [this] { toggleRight(RightPage::Health); });
        break;
    case PanelGroup::Compare:
        m_sidebar->addEntry(QStringLiteral("openSecond"), tr("Open another run …"),
                            [this] { Q_EMIT secondRequested(); });
        break;
    case PanelGroup::WhatIf:
    case PanelGroup::Data: break;
    }
    addEntries(place.group);
    if (place.group == PanelGroup::WhySlow)
        m_sidebar->addEntry(QStringLiteral("report"), tr("Write a report …"), [this] { Q_EMIT reportRequested(); });
}

void Workspace::addEntries(PanelGroup group)
{
    const Vocabulary words = m_state.store().words();
    for (const PanelSpec* spec : panelSpecs()) {
        if (spec->group != group || !requireNeeds(spec->needs, m_state.store())) continue;
        QPushButton* entry = m_sidebar->addEntry(QLatin1String(spec->id), panelText(words, spec->question),
                                                 [this, id = QLatin1String(spec->id)] { showTab(id); });
        entry->setToolTip(tr("%1: %2").arg(panelText(words, spec->title), panelText(words, spec->tip)));
    }
}

// In the order of the list.
std::vector<PanelDock*> Workspace::docksOf(PanelGroup group) const
{
    std::vector<PanelDock*> docks;
    for (const PanelSpec* spec : panelSpecs())
        if (spec->group == group && requireNeeds(spec->needs, m_state.store()).ok())
            docks.push_back(m_area->find(QLatin1String(spec->id)));
    return docks;
}

void Workspace::rememberTops()
{
    QStringList& tops = m_tops[m_place];
    tops.clear();
    for (const PanelDock* dock : docksOf(m_place))
        if (dock->isOnScreen()) tops.append(dock->objectName());
}

// The last of the docks is on top: the first view of the place, or what the user left there on top. The timeline is
// there in each place, in front where the place has nothing else for the centre.
void Workspace::showPlace(PanelGroup group)
{
    rememberTops();
    m_place = group;
    std::vector<PanelDock*> docks = docksOf(group);
    std::reverse(docks.begin(), docks.end());
    PanelDock* timelines = m_area->find(QLatin1String(panels::timelines));
    docks.push_back(timelines);
    for (const QString& id : m_tops.value(group)) docks.push_back(m_area->find(id));
    m_area->exchange(docks);
    const QStringList tops = m_tops.value(group);
    m_area->setBelowWanted(group != PanelGroup::Timeline
                           && std::ranges::all_of(tops, [this](const QString& id) { return isBelowWanted(id); }));
    m_sidebar->openPlace(QLatin1String(placeOf(group).id));
    if (group == PanelGroup::WhySlow && m_advice) showRight(RightPage::Advice);
}

// The timelines are part of every place.
void Workspace::openPlaceOf(const QString& id)
{
    const PanelGroup before = m_place;
    for (const PanelSpec* spec : panelSpecs())
        if (id == QLatin1String(spec->id)) m_place = spec->group;
    if (m_place != before) m_sidebar->openPlace(QLatin1String(placeOf(m_place).id));
}

// Of a view below the timeline; in its own place the timeline is the question.
bool Workspace::isBelowWanted(const QString& id) const
{
    const PanelDock* const dock = m_area->find(id);
    return m_place != PanelGroup::Timeline
           && (id == QLatin1String(panels::timelines) || (dock && m_area->isBelow(*dock)));
}

void Workspace::showTab(const QString& id)
{
    PanelDock* dock = m_area->find(id);
    if (!dock) return;
    openPlaceOf(id);
    m_area->reveal(*dock);
    if (id != QLatin1String(panels::timelines)) m_area->setBelowWanted(isBelowWanted(id));
    // Keys are the view's, not those of what stands beside it: what it has to type into, or Tab from its begin on.
    dock->content().setFocus();
}

}  // namespace longpole
