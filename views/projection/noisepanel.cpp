// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/noisepanel.h"

#include "analysis/base/naming.h"
#include "analysis/report/sumtables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QVBoxLayout>

namespace longpole {

namespace {

}  // namespace

NoisePanel::NoisePanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_parts(new SideBySide(this)), m_entries(new TableView(this)),
      m_tasks(new TableView(this))
{
    m_entries->setAccessibleName(m_state.store().words().say(tr("Entry methods with stretched tasks"),
                                                             tr("Regions with stretched tasks")));
    m_tasks->setAccessibleName(tr("Stretched tasks"));
    m_parts->addPart(m_entries, m_state.store().words().say(tr("Entry methods"), tr("Regions")));
    m_parts->addPart(m_tasks, tr("Stretched tasks"));
    body().addWidget(m_parts, 1);
    for (TableView* table : {m_entries, m_tasks})
        connect(table, &TableView::exportFailed, this, &NoisePanel::exportFailed);
    connect(m_entries, &TableView::rowChosen, this, &NoisePanel::chooseEntry);
    connect(m_tasks, &TableView::rowChosen, this, [this](std::size_t row) {
        if (m_noise && row < m_listed.size())
            m_state.reveal({.task = m_noise->worst[m_listed[row]].task, .message = {}});
    });
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, [this] {
        if (m_state.marked() != m_range) outdate();
    });
    connect(&m_state, &ViewState::markedChanged, this, [this] { m_settling.start(); });
    connect(&m_state, &ViewState::colourChanged, this, [this] {
        showEntries();
        showTasks();
    });
    outdate();
}

bool NoisePanel::begin()
{
    m_range = m_state.marked();
    m_job.ask(m_state.results(), NoiseQuestion{{.range = m_range}},
              [this](const Result<std::shared_ptr<const Noise>>& found) { accept(found); });
    return true;
}

void NoisePanel::stop() { m_job.cancel(); }

void NoisePanel::clear()
{
    m_noise.reset();
    m_entry.reset();
    showEntries();
    showTasks();
}

void NoisePanel::accept(const Result<std::shared_ptr<const Noise>>& found)
{
    if (!found.ok()) {
        finish(found.error(), {});
        return;
    }
    m_noise = *found;
    showEntries();
    showTasks();
    finish({}, summary());
}

QString NoisePanel::summary() const
{
    const QString where = m_range.isEmpty() ? tr("whole run") : tr("marked range");
    if (m_noise->worst.empty()) return tr("No task took much longer than theirs usually do · %1").arg(where);
    QStringList parts;
    if (m_noise->interrupted > 0)
        parts << counted("%1 tasks were interrupted for %2 (%3 of busy time)",
                         "%1 task was interrupted for %2 (%3 of busy time)", m_noise->interrupted)
                     .arg(formatTime(m_noise->interruptedFor), formatShare(m_noise->interruptedShare()));
    if (m_noise->stretched > 0)
        parts << tr("%1 took longer than theirs usually do, %2 more in all")
                     .arg(counted("%1 tasks", "%1 task", m_noise->stretched), formatTime(m_noise->lost));
    if (m_noise->interrupted == 0) parts << tr("none is known to have been interrupted");
    QString text = parts.join(tr(" · "));
    constexpr std::size_t most = 3;  // so many periods are named
    for (std::size_t i = 0; i < std::min(most, m_noise->periods.size()); ++i)
        text += m_state.store()
                    .words()
                    .say(tr(" · PE %1: every %2"), tr(" · rank %1: every %2"))
                    .arg(index(m_noise->periods[i].pe))
                    .arg(formatTime(m_noise->periods[i].period));
    if (m_noise->periods.size() > most)
        text += tr(" and %1 more")
                    .arg(countedProcessors(m_state.store().words(), std::int64_t(m_noise->periods.size() - most)));
    return text % QStringLiteral(" · ") % where;
}

void NoisePanel::showEntries()
{
    const auto found = m_noise ? m_noise : std::make_shared<const Noise>();
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = m_state.palette(themeOf(*this));
    const auto entries = std::shared_ptr<const std::vector<EntryNoise>>(found, &found->entries);
    TableContent content = contentOf(noiseTable(*store), entries, store);
    content["entry"].swatch = [entries, palette](std::size_t row) {
        return QColor(palette->entry((*entries)[row].entry));
    };
    m_entries->setContent(std::move(content));
    m_entries->setColumnWidths({0, 60, 60, 70, 50, -1, 100});
}

void NoisePanel::showTasks()
{
    const auto found = m_noise ? m_noise : std::make_shared<const Noise>();
    m_listed.clear();
    for (std::size_t i = 0; i < found->worst.size(); ++i)
        if (!m_entry || found->worst[i].entry == *m_entry) m_listed.push_back(i);
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = m_state.palette(themeOf(*this));
    const auto task = [found, rows = m_listed](std::size_t row) -> const StretchedTask& {
        return found->worst[rows[row]];
    };
    TableContent content = contentOf<StretchedTask>(stretchedTaskTable(*store), m_listed.size(), task, store);
    content["entry"].swatch = [task, palette](std::size_t row) { return QColor(palette->entry(task(row).entry)); };
    m_tasks->setContent(std::move(content));
    m_tasks->setColumnWidths({60, 0, 70, 60, 60, 70});
}

// Lists the tasks of that entry method only; chosen again, it lists all.
void NoisePanel::chooseEntry(std::size_t row)
{
    if (!m_noise || row >= m_noise->entries.size()) return;
    const EntryId entry = m_noise->entries[row].entry;
    m_entry = m_entry == entry ? std::nullopt : std::optional(entry);
    showTasks();
}

void NoisePanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_noise) return;
    showEntries();
    showTasks();
}

namespace panels {

extern const PanelSpec noise;
const PanelSpec noise{
    .id = "panel.noise",
    .title = QT_TRANSLATE_NOOP("Actions", "Noise"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Noise"),
    .question = QT_TRANSLATE_NOOP("Actions", "What was disturbed?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Tasks that took longer than theirs usually do"),
    .help = {QT_TRANSLATE_NOOP(
                 "Actions",
                 "Tasks that took longer than the tasks of their entry method usually do: by entry method with the "
                 "clusters of their durations, and the worst one by one. What comes back after a fixed time on a PE is "
                 "likely the machine; what keeps to one entry method is likely its data."),
             QT_TRANSLATE_NOOP("Actions",
                               "Tasks that took longer than the tasks of their region usually do: by region with the "
                               "clusters of their durations, and the worst one by one. What comes back after a fixed "
                               "time on a rank is likely the machine; what keeps to one region is likely its data.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions",
                                    "outlier analysis, jitter, operating system, interrupted, slow tasks, variation"),
    .group = PanelGroup::WhySlow,
    .needs = PanelNeeds::Events,
    .create = makePanel<NoisePanel>,
};

}  // namespace panels

}  // namespace longpole
