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
    connect(m_tabs, &QTabBar::currentChanged, this, &SideBySide::showParts);
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
        if (one.widget == part && one.isThere) m_tabs->setCurrentIndex(tab);
        tab += one.isThere ? 1 : 0;
    }
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
        if (!part.isThere) continue;
        const int tab = m_tabs->addTab(part.title);
        if (part.title == chosen) m_tabs->setCurrentIndex(tab);
    }
}

void SideBySide::showParts()
{
    m_tabs->setVisible(m_isNarrow);
    int tab = 0;
    for (const Part& part : m_parts) {
        const bool isChosen = part.isThere && tab == m_tabs->currentIndex();
        tab += part.isThere ? 1 : 0;
        part.widget->setVisible(part.isThere && (!m_isNarrow || isChosen));
    }
}

void SideBySide::fit()
{
    QList<int> sizes;
    int sum = 0;
    int shown = 0;
    for (const Part& part : m_parts) {
        sizes.append(part.isThere ? widthOf(part) : 0);
        sum += sizes.back();
        shown += part.isThere ? 1 : 0;
    }
    int rest = width() - sum - m_splitter->handleWidth() * std::max(0, shown - 1);
    const bool isNarrow = shown > 1 && rest < 0;
    if (isNarrow != m_isNarrow) {
        m_isNarrow = isNarrow;
        showParts();
    }
    if (m_moved || m_isNarrow) return;
    // Names have what they need before anything has more than that.
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (!m_parts[i].isThere || !m_parts[i].table) continue;
        const int more = std::clamp(m_parts[i].table->wholeWidth() - sizes[qsizetype(i)], 0, std::max(0, rest));
        sizes[qsizetype(i)] += more;
        rest -= more;
    }
    for (std::size_t i = 0; shown > 0 && i < m_parts.size(); ++i)
        if (m_parts[i].isThere) sizes[qsizetype(i)] += rest / shown;
    m_splitter->setSizes(sizes);
}

void SideBySide::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

}  // namespace longpole
