// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/nearcriticalpanel.h"

#include "analysis/report/pathtables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/pathquestion.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QVBoxLayout>

namespace longpole {

NearCriticalPanel::NearCriticalPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_table(new TableView(this))
{
    m_table->setAccessibleName(tr("Near-critical paths"));
    body().addWidget(m_table);
    connect(m_table, &TableView::rowChosen, this, &NearCriticalPanel::choose);
    connect(m_table, &TableView::exportFailed, this, &NearCriticalPanel::exportFailed);
    connect(&m_state, &ViewState::graphChanged, this, &NearCriticalPanel::outdate);
    connect(&m_state, &ViewState::colourChanged, this, [this] {
        if (m_paths) showPaths();
    });
    connect(&m_state, &ViewState::questionChanged, this, [this] {
        if (modelOf(m_state.question()) != m_model) outdate();
    });
    outdate();
}

bool NearCriticalPanel::begin()
{
    if (!m_state.graph() && !m_state.store().info().isPart()) return false;
    m_model = modelOf(m_state.question());
    m_job.ask(m_state.results(), NearCriticalQuestion{m_model},
              [this](const Watch<NearCriticalQuestion>::Answer& paths) { accept(paths); });
    return true;
}

void NearCriticalPanel::stop() { m_job.cancel(); }

void NearCriticalPanel::clear()
{
    if (m_shown && m_state.secondPath().path == m_shown) m_state.setSecondPath({});
    m_shown.reset();
    m_paths.reset();
    showPaths();
}

void NearCriticalPanel::accept(const Watch<NearCriticalQuestion>::Answer& paths)
{
    if (!paths.ok()) {
        finish(paths.error(), {});
        return;
    }
    m_paths = *paths;
    showPaths();
    finish({}, summary());
}

QString NearCriticalPanel::summary() const
{
    const QString rest = modelName(m_model);
    if (m_paths->size() < 2)
        return tr("No other path within 5 % of the critical one has a fifth of its time on tasks of its own · %1")
            .arg(rest);
    const NearCriticalPath& next = (*m_paths)[1];
    return tr("Shorten the critical path by more than %1 and the next one takes over · %2")
        .arg(formatTime(next.slack), rest);
}

void NearCriticalPanel::showPaths()
{
    const std::shared_ptr<const Paths> paths = m_paths ? m_paths : std::make_shared<const Paths>();
    struct Rows {
        std::shared_ptr<const Paths> paths;  // owns what `numbered` points to
        std::vector<NumberedPath> numbered;
    };
    const auto rows = std::make_shared<const Rows>(Rows{paths, numbered(*paths)});
    const auto palette = m_state.palette(themeOf(*this));
    TableContent content = contentOf(nearCriticalTable(m_state.store())
                                         .only({"path", "entry", "length_ns", "slack_ns", "distinct_ns", "step_count",
                                                "pes", "takes_over"}),
                                     std::shared_ptr<const std::vector<NumberedPath>>(rows, &rows->numbered),
                                     m_state.sharedStore());
    content["entry"].swatch = [paths, palette](std::size_t row) {
        const std::vector<PathProfileRow>& profile = (*paths)[row].path->profile;
        return QColor(palette->entry(profile.empty() ? noEntry : profile.front().entry));
    };
    m_table->setContent(std::move(content));
    // When a path takes over is its slack, in words: they are exported, and leave the room to the names.
    m_table->setColumnWidths({36, 0, 70, 70, 70, 50, 40, -1});
}

// Draws the chosen path beside the critical one. The first row is the critical path itself: choosing it takes the
// other one away.
void NearCriticalPanel::choose(std::size_t row)
{
    if (!m_paths || row >= m_paths->size()) return;
    m_shown = row == 0 ? nullptr : (*m_paths)[row].path;
    m_state.setSecondPath({.path = m_shown, .name = m_shown ? tr("near-critical path %1").arg(row + 1) : QString()});
}

void NearCriticalPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_paths) showPaths();
}

namespace panels {

extern const PanelSpec nearCritical;
const PanelSpec nearCritical{
    .id = "panel.nearCritical",
    .title = QT_TRANSLATE_NOOP("Actions", "Near-critical"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Near-critical paths"),
    .question = QT_TRANSLATE_NOOP("Actions", "What would limit next?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Which path takes over when the critical one gets shorter"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "The longest paths that share little with those above them, the critical path first. Slack is by how "
        "much a path is shorter: where it is small, shortening the critical path alone gains no more than "
        "that. A click shows the path beside the critical one in the timeline."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "slack, second path, next bottleneck, limit"),
    .group = PanelGroup::WhatIf,
    .needs = PanelNeeds::Answers,
    .create = makePanel<NearCriticalPanel>,
};

}  // namespace panels

}  // namespace longpole
