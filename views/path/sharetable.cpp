// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/sharetable.h"

#include "analysis/report/profiletables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/viewstate.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>

#include <algorithm>
#include <span>

namespace longpole {

QString sharePair(double first, double second)
{
    const auto percent = [](double share) {
        return share > 0 && share < 0.0005 ? PathShareTable::tr("< 0.1") : QString::number(share * 100, 'f', 1);
    };
    return PathShareTable::tr("%1 / %2 %").arg(percent(first), percent(second));
}

namespace {

// A choice of the selector. The lists are in the order in which it offers them.
struct Key {
    ProfileBy by;
    const char* choice;
};
constexpr Key objectKeys[] = {
    {ProfileBy::Entry, QT_TRANSLATE_NOOP("PathShareTable", "by entry method")},
    {ProfileBy::Chare, QT_TRANSLATE_NOOP("PathShareTable", "by chare")},
    {ProfileBy::Object, QT_TRANSLATE_NOOP("PathShareTable", "by object")},
    {ProfileBy::Pe, QT_TRANSLATE_NOOP("PathShareTable", "by PE")},
};
constexpr Key rankKeys[] = {
    {ProfileBy::Entry, QT_TRANSLATE_NOOP("PathShareTable", "by region")},
    {ProfileBy::Calls, QT_TRANSLATE_NOOP("PathShareTable", "by code between calls")},
    {ProfileBy::Chare, QT_TRANSLATE_NOOP("PathShareTable", "by group")},
    {ProfileBy::Pe, QT_TRANSLATE_NOOP("PathShareTable", "by rank")},
};

std::span<const Key> keysOf(const TraceStore& store)
{
    return store.info().hasRanks() ? std::span<const Key>(rankKeys) : std::span<const Key>(objectKeys);
}

std::size_t placeOf(ProfileBy by, std::span<const Key> keys)
{
    const auto known = std::find_if(keys.begin(), keys.end(), [by](const Key& key) { return key.by == by; });
    return known == keys.end() ? 0 : static_cast<std::size_t>(known - keys.begin());
}

}  // namespace

PathShareTable::PathShareTable(ViewState& state, QWidget* parent)
    : TableView(parent), m_state(state), m_selector(new QComboBox(this))
{
    constexpr int pollEvery = 200;  // ms
    setAccessibleName(tr("Profile of the critical path"));
    const std::span<const Key> keys = keysOf(m_state.store());
    for (const Key& key : keys) m_selector->addItem(QCoreApplication::translate("PathShareTable", key.choice));
    m_selector->setObjectName(QStringLiteral("compact"));
    m_selector->setAccessibleName(tr("What the profile is by"));
    m_selector->setToolTip(tr("Whose time on the path is summed up"));
    connect(m_selector, &QComboBox::activated, this,
            [this, keys](int i) { setBy(keys[static_cast<std::size_t>(i)].by); });
    connect(&m_state, &ViewState::pathChanged, this, &PathShareTable::refresh);
    connect(&m_state, &ViewState::colourChanged, this, &PathShareTable::refresh);
    connect(this, &TableView::rowChosen, this, &PathShareTable::revealLongest);
    connect(this, &TableView::rowActivated, this, &PathShareTable::revealLongest);
    m_poll.setInterval(pollEvery);
    connect(&m_poll, &QTimer::timeout, this, &PathShareTable::tellProgress);
    refresh();
}

void PathShareTable::setBy(ProfileBy by)
{
    if (by == m_by) return;
    m_by = by;
    m_selector->setCurrentIndex(static_cast<int>(placeOf(by, keysOf(m_state.store()))));
    fill(std::make_shared<const Rows>());  // the old rows are by another key
    refresh();
}

void PathShareTable::refresh()
{
    m_job.cancel();
    m_poll.stop();
    Q_EMIT noticeChanged({});
    const std::shared_ptr<const CriticalPath> path = m_state.path();
    if (!path) fill(std::make_shared<const Rows>());
    else if (m_by == ProfileBy::Entry) fill(std::make_shared<const Rows>(entryShares(m_state.store(), *path)));
    else compute();
}

void PathShareTable::compute()
{
    if (!m_state.graph() && m_state.store().hasEvents()) return;  // else the answer says why there are no sums
    m_poll.start();
    m_job.ask(m_state.results(), PathSharesQuestion{m_state.question(), m_by},
              [this](const Watch<PathSharesQuestion>::Answer& rows) {
                  m_poll.stop();
                  Q_EMIT noticeChanged(rows.ok() ? QString() : longpole::toText(rows.error()));
                  fill(rows.ok() ? *rows : std::make_shared<const Rows>());
              });
}

void PathShareTable::tellProgress()
{
    Q_EMIT noticeChanged(tr("summing up all work … %1").arg(formatShare(m_job.fraction())));
}

void PathShareTable::fill(std::shared_ptr<const Rows> rows)
{
    m_rows = std::move(rows);
    const std::shared_ptr<const Rows> held = m_rows;
    const auto palette = m_state.palette(themeOf(*this));
    double largest = 0;  // the longest bar is as wide as its column
    for (const PathShare& row : *held) largest = std::max({largest, row.share, row.busyShare});
    TableContent content = contentOf(
        pathShareTable(m_state.store()).only({keyOf(m_by), "count", "time_ns", "share", "busy_share"}), held,
        m_state.sharedStore());
    PanelColumn& first = content.columns.front();
    first.kind = m_by == ProfileBy::Entry ? CellKind::Entry : CellKind::Text;
    if (m_by != ProfileBy::Entry) first.text = [held](std::size_t row) { return (*held)[row].name; };
    else first.swatch = [held, palette](std::size_t row) { return QColor(palette->entry((*held)[row].key.entry)); };
    PanelColumn& shares = content["share"];
    shares.title = tr("Of path / of all busy");
    shares.bars = [held, largest](std::size_t row) {
        const PathShare& r = (*held)[row];
        return largest > 0 ? std::pair(r.share / largest, r.busyShare / largest) : std::pair(0.0, 0.0);
    };
    shares.text = [held](std::size_t row) { return sharePair((*held)[row].share, (*held)[row].busyShare); };
    setContent(std::move(content));
    setColumnWidths({0, 50, 60, 150, -1});
}

void PathShareTable::revealLongest(std::size_t row)
{
    if (!m_rows || row >= m_rows->size() || !(*m_rows)[row].longest.isValid()) return;
    m_state.reveal(Selection{.task = (*m_rows)[row].longest, .message = {}});
}

void PathShareTable::changeEvent(QEvent* event)
{
    TableView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_rows) fill(m_rows);
}

}  // namespace longpole
