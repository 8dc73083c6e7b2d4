// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/entrytablepanel.h"

#include "analysis/base/naming.h"
#include "analysis/report/profiletables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>

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
    for (const auto signal : {&ViewState::pathChanged, &ViewState::filterChanged})
        connect(&m_state, signal, this, [this] {
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
    const Vocabulary words = m_state.store().words();
    const auto ran = std::count_if(m_figures->begin(), m_figures->end(),
                                   [](const EntryFigures& row) { return row.entry != noEntry && row.count > 0; });
    const bool isPathOfPart = m_state.path() && m_state.path()->duration < m_state.fullRange().length();
    const QString count = tr("%1 ran · whole run%2")
                              .arg(words.say(counted("%1 entry methods", "%1 entry method", std::int64_t{ran}),
                                             counted("%1 regions", "%1 region", std::int64_t{ran})),
                                   isPathOfPart ? tr(", path of the marked range") : QString());
    if (m_state.filterText().isEmpty()) return tr("%1 · double-click one to dim all others").arg(count);
    return tr("%1 · dimmed: all but %2 · double-click it again to show all").arg(count, m_state.filterText());
}

void EntryTablePanel::showFigures()
{
    const auto figures = m_figures ? m_figures : std::make_shared<const Figures>();
    const auto palette = m_state.palette(themeOf(*this));
    TableContent content = contentOf(entryFigureTable(m_state.store(), m_state.path().get())
                                         .only({"entry", "count", "exclusive_ns", "share", "time_ns", "path_share",
                                                "mean_grain_ns", "median_grain_ns", "grain_95_ns", "most_grain_ns",
                                                "messages", "bytes"}),
                                     figures, m_state.sharedStore());
    content["entry"].swatch = [figures, palette](std::size_t row) {
        return QColor(palette->entry((*figures)[row].entry));
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 50, 60, 50, -1, 60, 60, 60, -1, 60, 50, 50});
}

void EntryTablePanel::choose(std::size_t row)
{
    if (!m_figures || row >= m_figures->size()) return;
    const Entry* entry = m_state.store().entry((*m_figures)[row].entry);
    if (entry == nullptr) return;
    m_state.dimOthers(entryName(*entry));
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
    .question = QT_TRANSLATE_NOOP("Actions", "Which code takes time?"),
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
    .alsoCalled = QT_TRANSLATE_NOOP(
        "Actions", "function summary, time profile, flat profile, hot spots, grain size, usage profile"),
    .group = PanelGroup::Data,
    .create = makePanel<EntryTablePanel>,
};

}  // namespace panels

}  // namespace longpole
