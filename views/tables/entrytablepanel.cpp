// SPDX-License-Identifier: GPL-3.0-or-later
// The table of entry methods.
#include "views/tables/entrytablepanel.h"

#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QVBoxLayout>

#include <cmath>
#include <unordered_map>

namespace longpole {

EntryTablePanel::EntryTablePanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_table(new TableView(this))
{
    m_table->setAccessibleName(m_state.store().words().say(tr("Entry methods"), tr("Regions")));
    body().addWidget(m_table);
    connect(m_table, &TableView::rowActivated, this, &EntryTablePanel::choose);
    connect(m_table, &TableView::exportFailed, this, &EntryTablePanel::exportFailed);
    for (const auto signal : {&ViewState::pathChanged, &ViewState::colourChanged})
        connect(&m_state, signal, this, &EntryTablePanel::showFigures);
    connect(&m_state, &ViewState::filterChanged, this, [this] {
        if (isThere()) setSummary(summary());
    });
    outdate();
}

bool EntryTablePanel::begin()
{
    m_job.ask(m_state.results(), EntryTableQuestion{},
              [this](const Result<std::shared_ptr<const Figures>>& figures) { accept(figures); });
    return true;
}

void EntryTablePanel::stop() { m_job.cancel(); }

void EntryTablePanel::clear()
{
    m_figures.reset();
    showFigures();
}

void EntryTablePanel::accept(const Result<std::shared_ptr<const Figures>>& figures)
{
    if (!figures.ok()) {
        finish(figures.error(), {});
        return;
    }
    m_figures = *figures;
    showFigures();
    finish({}, summary());
}

QString EntryTablePanel::summary() const
{
    const QString count = m_state.store()
                              .words()
                              .say(tr("%1 entry methods ran"), tr("%1 regions ran"))
                              .arg(formatCount(static_cast<std::int64_t>(m_figures->size())));
    if (m_state.filterText().isEmpty()) return tr("%1 · double-click one to dim all others").arg(count);
    return tr("%1 · dimmed: all but %2 · double-click it again to show all").arg(count, m_state.filterText());
}

void EntryTablePanel::showFigures()
{
    const auto figures = m_figures ? m_figures : std::make_shared<const Figures>();
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = std::make_shared<const Palette>(*store, themeOf(*this), m_state.paletteOptions());
    const auto pathShares = std::make_shared<std::unordered_map<std::uint32_t, double>>();
    if (m_state.path())
        for (const PathProfileRow& row : m_state.path()->profile) (*pathShares)[index(row.entry)] = row.share;
    const auto figure = [figures](const char* id, const QString& title, CellKind kind, auto EntryFigures::*of) {
        return PanelColumn{.key = QLatin1String(id),
                           .title = title,
                           .kind = kind,
                           .value = [figures, of](std::size_t row) {
                               return QVariant::fromValue<qlonglong>((*figures)[row].*of);
                           }};
    };
    // What single executions and messages say, a summary does not know: its cells stay empty.
    const auto ofEvents = [&](PanelColumn column) {
        if (!store->hasEvents()) column.value = [](std::size_t) { return QVariant(); };
        return column;
    };
    TableContent content;
    content.rows = figures->size();
    content.columns = {
        {.key = QStringLiteral("entry"),
         .title = m_state.store().words().say(tr("Entry method"), tr("Region")),
         .value =
             [figures, store](std::size_t row) {
                 const Entry* entry = store->entry((*figures)[row].entry);
                 return entry ? QVariant(entryName(*entry)) : QVariant(tr("(unknown)"));
             },
         .swatch = [figures, palette](std::size_t row) { return QColor(palette->entry((*figures)[row].entry)); }},
        figure("count", tr("count"), CellKind::Count, &EntryFigures::count),
        figure("exclusive_ns", tr("time"), CellKind::Time, &EntryFigures::exclusive),
        {.key = QStringLiteral("share"),
         .title = tr("share"),
         .kind = CellKind::Share,
         .value = [figures](std::size_t row) { return QVariant((*figures)[row].share); }},
        figure("time_ns", tr("with nested"), CellKind::Time, &EntryFigures::time),
        {.key = QStringLiteral("path_share"),
         .title = tr("of the path"),
         .kind = CellKind::Share,
         .value =
             [figures, pathShares](std::size_t row) {
                 const auto known = pathShares->find(index((*figures)[row].entry));
                 return known == pathShares->end() ? QVariant() : QVariant(known->second);
             }},
        {.key = QStringLiteral("mean_grain_ns"),
         .title = tr("grain mean"),
         .kind = CellKind::Time,
         .value =
             [figures](std::size_t row) {
                 return QVariant::fromValue<qlonglong>(std::llround((*figures)[row].meanGrain));
             }},
        ofEvents(figure("median_grain_ns", tr("median"), CellKind::Time, &EntryFigures::medianGrain)),
        ofEvents(figure("grain_95_ns", tr("95 % up to"), CellKind::Time, &EntryFigures::grain95)),
        ofEvents(figure("most_grain_ns", tr("most"), CellKind::Time, &EntryFigures::mostGrain)),
        ofEvents(figure("messages", tr("messages"), CellKind::Count, &EntryFigures::messages)),
        ofEvents(figure("bytes", tr("bytes"), CellKind::Bytes, &EntryFigures::bytes)),
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 50, 60, 50, -1, 60, 60, 60, -1, 60, 50, 50});
}

void EntryTablePanel::choose(std::size_t row)
{
    if (!m_figures || row >= m_figures->size()) return;
    const Entry* entry = m_state.store().entry((*m_figures)[row].entry);
    if (entry == nullptr) return;
    const QString name = entryName(*entry);
    m_state.setFilter(m_state.filterText() == name ? QString() : name);
}

void EntryTablePanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_figures) showFigures();
}

namespace panels {

extern const PanelSpec entries;
const PanelSpec entries{
    .id = "panel.entries",
    .title = {QT_TRANSLATE_NOOP("Actions", "Entry methods"), QT_TRANSLATE_NOOP("Actions", "Regions")},
    .command = {QT_TRANSLATE_NOOP("Actions", "&Entry methods"), QT_TRANSLATE_NOOP("Actions", "&Regions")},
    .tip = {QT_TRANSLATE_NOOP("Actions", "Counts, times, grain and messages of every entry method"),
            QT_TRANSLATE_NOOP("Actions", "Counts, times, grain and messages of every region")},
    .help = {QT_TRANSLATE_NOOP(
                 "Actions",
                 "All entry methods that ran: how often, how long, how long each time (grain), their messages, and "
                 "their share of the path. Sort by any column; a double-click dims all others in the timeline."),
             QT_TRANSLATE_NOOP(
                 "Actions",
                 "All regions that ran: how often, how long, how long each time (grain), their messages, and their "
                 "share of the path. Sort by any column; a double-click dims all others in the timeline.")},
    .group = PanelGroup::Tables,
    .create = makePanel<EntryTablePanel>,
};

}  // namespace panels

}  // namespace longpole
