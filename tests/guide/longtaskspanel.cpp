// SPDX-License-Identifier: GPL-3.0-or-later
#include "guide/longtaskspanel.h"

#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QVBoxLayout>

namespace longpole {

LongTasksPanel::LongTasksPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_table(new TableView(this))
{
    m_table->setObjectName(QStringLiteral("longTasks"));
    m_table->setAccessibleName(tr("Long tasks"));
    body().addWidget(m_table);
    connect(m_table, &TableView::exportFailed, this, &LongTasksPanel::exportFailed);
    connect(m_table, &TableView::rowChosen, this, [this](std::size_t row) {
        if (m_tasks && row < m_tasks->size()) m_state.reveal({.task = (*m_tasks)[row].task});
    });
    outdate();
}

bool LongTasksPanel::begin()
{
    m_asking.ask(m_state.results(), LongTasksQuestion{}, [this](const Watch<LongTasksQuestion>::Answer& tasks) {
        if (!tasks.ok()) return finish(tasks.error(), {});
        show(*tasks);
        finish({}, tr("%1 tasks").arg(formatCount(static_cast<std::int64_t>(m_tasks->size()))));
    });
    return true;
}

void LongTasksPanel::clear() { show(std::make_shared<const std::vector<LongTask>>()); }

void LongTasksPanel::show(const std::shared_ptr<const std::vector<LongTask>>& tasks)
{
    m_tasks = tasks;
    const auto palette = std::make_shared<const Palette>(m_state.store(), themeOf(*this), m_state.paletteOptions());
    TableContent content = contentOf(longTaskTable(m_state.store()), tasks, m_state.sharedStore());
    content["entry"].swatch = [tasks, palette](std::size_t row) { return QColor(palette->entry((*tasks)[row].entry)); };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({50, 0, 60, 60});
}

namespace panels {

extern const PanelSpec longTasks;  // app/gui/window/panels.cpp lists it
const PanelSpec longTasks{
    .id = "panel.longTasks",
    .title = QT_TRANSLATE_NOOP("Actions", "Long tasks"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Long tasks"),
    .question = QT_TRANSLATE_NOOP("Actions", "Which tasks are the longest?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "All executions, the longest first"),
    .help = QT_TRANSLATE_NOOP("Actions", "All executions, the longest first. A click shows one in the timeline."),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<LongTasksPanel>,
};

}  // namespace panels

}  // namespace longpole
