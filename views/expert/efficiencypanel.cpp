// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/efficiencypanel.h"

#include "analysis/report/experttables.h"
#include "core/trace/format.h"
#include "views/plots/frame.h"
#include "views/state/evidenceplace.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr std::size_t mostPhases = 24;

}  // namespace

EfficiencyCanvas::EfficiencyCanvas(QWidget* parent) : ChartCanvas(parent)
{
    setMinimumSize(320, static_cast<int>(leastEfficiencyHeight));
    setAccessibleName(tr("Efficiencies"));
}

void EfficiencyCanvas::setEfficiency(const std::optional<Efficiency>& efficiency)
{
    m_efficiency = efficiency;
    update();
}

std::vector<EfficiencyNode> EfficiencyCanvas::nodes() const
{
    return m_efficiency ? efficiencyNodes(*m_efficiency, size()) : std::vector<EfficiencyNode>{};
}

void EfficiencyCanvas::paintChart(QPainter& painter) { paintEfficiencies(painter, nodes(), theme()); }

QByteArray EfficiencyCanvas::toCsv() const
{
    QString text = QStringLiteral("\"efficiency\",\"value\"\r\n");
    for (const EfficiencyNode& node : nodes())
        text += csvQuoted(node.id) % QLatin1Char(',') % csvNumber(node.value) % QStringLiteral("\r\n");
    return text.toUtf8();
}

bool EfficiencyCanvas::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return ChartCanvas::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const EfficiencyNode& node : nodes())
        if (node.rect.contains(help->pos())) {
            QToolTip::showText(help->globalPos(), node.name % QStringLiteral(" = ") % node.formula, this);
            return true;
        }
    QToolTip::hideText();
    return true;
}

EfficiencyPanel::EfficiencyPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_canvas(new EfficiencyCanvas(this)), m_phases(new TableView(this))
{
    m_phases->setAccessibleName(tr("Efficiencies by phase"));
    constexpr int leastTree = 380;
    auto* parts = new SideBySide(this);
    parts->addPart(m_canvas, tr("Whole range"), leastTree);
    parts->addPart(m_phases, tr("By phase"));
    body().addWidget(parts, 1);
    connect(m_canvas, &ChartCanvas::exportFailed, this, &EfficiencyPanel::exportFailed);
    connect(m_phases, &TableView::exportFailed, this, &EfficiencyPanel::exportFailed);
    connect(m_phases, &TableView::rowChosen, this, &EfficiencyPanel::choose);
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, [this] {
        const TimeRange marked = m_state.marked();
        bool isPhase = false;  // marked by a click in this panel's table, which must keep its rows
        if (m_parts)
            for (const EfficiencyPhase& part : *m_parts) isPhase = isPhase || part.efficiency.range == marked;
        if (marked != m_range && !isPhase) outdate();
    });
    connect(&m_state, &ViewState::markedChanged, this, [this] { m_settling.start(); });
    connect(&m_state, &ViewState::graphChanged, this, &EfficiencyPanel::outdate);
    outdate();
}

bool EfficiencyPanel::begin()
{
    if (!m_state.graph() && !m_state.store().info().isPart()) return false;
    m_range = m_state.marked();
    m_asking.ask(m_state.results(), EfficiencyQuestion::of(m_state.store(), m_range),
                 [this](const Watch<EfficiencyQuestion>::Answer& all) {
                     if (!all.ok()) return finish(all.error(), {});
                     if (!m_range.isEmpty()) return accept({{m_range, tr("marked range"), **all}});
                     Parts whole{{(*all)->range, tr("whole run"), **all}};
                     // Efficiencies of phases are computed from events, of which such a trace has a part only.
                     if (m_state.store().info().isPart()) accept(std::move(whole));
                     else askPhases(std::move(whole));
                 });
    return true;
}

void EfficiencyPanel::askPhases(Parts parts)
{
    m_cutting.ask(m_state.results(), EfficiencyPhasesQuestion{mostPhases},
                  [this, parts = std::move(parts)](const Watch<EfficiencyPhasesQuestion>::Answer& phases) {
                      if (!phases.ok()) return finish(phases.error(), {});
                      Parts all = parts;
                      all.insert(all.end(), (*phases)->begin(), (*phases)->end());
                      accept(std::move(all));
                  });
}

void EfficiencyPanel::stop()
{
    m_asking.cancel();
    m_cutting.cancel();
}

void EfficiencyPanel::clear()
{
    m_parts.reset();
    m_canvas->setEfficiency({});
    showPhases();
}

void EfficiencyPanel::accept(Parts parts)
{
    m_parts = std::make_shared<const Parts>(std::move(parts));
    m_canvas->setEfficiency(m_parts->front().efficiency);
    showPhases();
    finish({}, summary());
}

QString EfficiencyPanel::summary() const
{
    const Efficiency& whole = m_parts->front().efficiency;
    if (whole.parallel <= 0) return tr("No busy time · %1").arg(m_parts->front().name);
    QString text = tr("%1 of the time was busy · %2").arg(formatShare(whole.parallel), m_parts->front().name);
    const TimeRange run = m_state.fullRange();
    if (m_range.isEmpty() && whole.range != run) text += tr(" · without start-up and shut-down");
    if (whole.threads.count > 0) text += tr(" · of the ranks' own threads: others are left out");
    return text;
}

void EfficiencyPanel::showPhases()
{
    TableContent content = contentOf(efficiencyTable(m_state.store())
                                         .only({"name", "begin_ns", "duration_ns", "parallel", "load_balance",
                                                "communication", "serialization", "transfer"}),
                                     m_parts ? m_parts : std::make_shared<const Parts>(), m_state.sharedStore());
    content["parallel"].title = tr("Parallel");
    content["load_balance"].title = tr("Balance");
    m_phases->setContent(std::move(content));
    m_phases->setColumnWidths({0, -1, 60, 60, 60, -1, 60, 60});
}

// Draws the tree of that row; a phase is also marked and shown in every view.
void EfficiencyPanel::choose(std::size_t row)
{
    if (!m_parts || row >= m_parts->size()) return;
    const Efficiency& part = (*m_parts)[row].efficiency;
    m_canvas->setEfficiency(part);
    if (row > 0) showPlace(m_state, part.range);
}

namespace panels {

extern const PanelSpec efficiency;
const PanelSpec efficiency{
    .id = "panel.efficiency",
    .title = QT_TRANSLATE_NOOP("Actions", "Efficiency"),
    .command = QT_TRANSLATE_NOOP("Actions", "E&fficiency"),
    .question = QT_TRANSLATE_NOOP("Actions", "Is the machine busy?"),
    .tip = QT_TRANSLATE_NOOP("Actions",
                             "Parallel efficiency taken apart: load balance, serialization, transfer, also by phase"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "How much of the run's time was busy, and what took the rest: parallel efficiency is load balance x "
        "serialization x transfer. The smallest factor is the one to work on; a table has them by phase."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "POP, utilization, load balance, scaling, parallel efficiency, idle"),
    .group = PanelGroup::WhySlow,
    .needs = PanelNeeds::Answers,
    .create = makePanel<EfficiencyPanel>,
};

}  // namespace panels

}  // namespace longpole
