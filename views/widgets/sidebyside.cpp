// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/sidebyside.h"

#include "views/widgets/tableview.h"

#include <QSplitter>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

SideBySide::SideBySide(QWidget* parent)
    : QWidget(parent), m_tabs(new QTabBar(this)), m_splitter(new QSplitter(Qt::Horizontal, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Parts of this view"));
    m_tabs->hide();
    m_splitter->setHandleWidth(1);
    m_splitter->setChildrenCollapsible(false);
    layout->addWidget(m_tabs);
    layout->addWidget(m_splitter, 1);
    connect(m_tabs, &QTabBar::currentChanged, this, [this] {
        showParts();
        fit();
    });
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_moved = true; });
}

void SideBySide::addPart(QWidget* part, const QString& title, int least)
{
    auto* table = qobject_cast<TableView*>(part);
    if (!table) table = part->findChild<TableView*>();
    if (table) connect(table, &TableView::measured, this, &SideBySide::fit);
    m_parts.push_back({.widget = part, .table = table, .title = title, .least = least});
    m_splitter->addWidget(part);
    listTabs();
}

void SideBySide::setPartVisible(QWidget* part, bool visible)
{
    const auto found = std::find_if(m_parts.begin(), m_parts.end(),
                                    [part](const Part& one) { return one.widget == part; });
    if (found == m_parts.end() || found->isThere == visible) return;
    found->isThere = visible;
    listTabs();
    showParts();
    fit();
}

void SideBySide::choosePart(QWidget* part)
{
    int tab = 0;
    for (const Part& one : m_parts) {
        if (one.widget == part && hasTab(one)) m_tabs->setCurrentIndex(tab);
        tab += hasTab(one) ? 1 : 0;
    }
}

void SideBySide::setCompanion(QWidget* part)
{
    for (Part& one : m_parts) one.stays = one.widget == part;
    fit();
}

int SideBySide::widthOf(const Part& part) const
{
    return part.table ? std::max(part.table->wantedWidth(), part.least) : part.least;
}

// The tabs of the parts that are there; the chosen one stays chosen.
void SideBySide::listTabs()
{
    const QSignalBlocker quiet(m_tabs);
    const QString chosen = m_tabs->tabText(m_tabs->currentIndex());
    while (m_tabs->count() > 0) m_tabs->removeTab(0);
    for (const Part& part : m_parts) {
        if (!hasTab(part)) continue;
        const int tab = m_tabs->addTab(part.title);
        if (part.title == chosen) m_tabs->setCurrentIndex(tab);
    }
}

void SideBySide::showParts()
{
    m_tabs->setVisible(m_room != Room::All);
    int tab = 0;
    for (Part& part : m_parts) {
        const bool isChosen = hasTab(part) && tab == m_tabs->currentIndex();
        tab += hasTab(part) ? 1 : 0;
        const bool stays = m_room == Room::All || (m_room == Room::Two && part.stays);
        part.isShown = part.isThere && (stays || isChosen);
        part.widget->setVisible(part.isShown);
    }
}

// For how many parts of these widths there is room; whichever is chosen, a companion stays or it does not.
SideBySide::Room SideBySide::roomFor(const QList<int>& widths) const
{
    int sum = 0, widest = 0, companion = 0, shown = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (!m_parts[i].isThere) continue;
        const int needed = widths[qsizetype(i)];
        sum += needed;
        ++shown;
        if (m_parts[i].stays) companion = needed;
        else widest = std::max(widest, needed);
    }
    const int handle = m_splitter->handleWidth();
    if (shown < 2 || sum + handle * (shown - 1) <= width()) return Room::All;
    const bool two = shown > 2 && companion > 0 && widest + companion + handle <= width();
    return two ? Room::Two : Room::One;
}

void SideBySide::fit()
{
    QList<int> sizes;
    for (const Part& part : m_parts) sizes.append(part.isThere ? widthOf(part) : 0);
    if (const Room room = roomFor(sizes); room != m_room) {
        m_room = room;
        listTabs();
        showParts();
    }
    if (m_moved || m_room == Room::One) return;
    int rest = width();
    int shown = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (!m_parts[i].isShown) sizes[qsizetype(i)] = 0;
        rest -= sizes[qsizetype(i)];
        shown += m_parts[i].isShown ? 1 : 0;
    }
    rest -= m_splitter->handleWidth() * std::max(0, shown - 1);
    // Names have what they need before anything has more than that.
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (!m_parts[i].isShown || !m_parts[i].table) continue;
        const int more = std::clamp(m_parts[i].table->wholeWidth() - sizes[qsizetype(i)], 0, std::max(0, rest));
        sizes[qsizetype(i)] += more;
        rest -= more;
    }
    for (std::size_t i = 0; shown > 0 && i < m_parts.size(); ++i)
        if (m_parts[i].isShown) sizes[qsizetype(i)] += rest / shown;
    m_splitter->setSizes(sizes);
}

void SideBySide::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

}  // namespace longpole
