// SPDX-License-Identifier: GPL-3.0-or-later
// The expert's part of the workspace: its thresholds, and what its panels ask of other views.
#include "analysis/replay/writtentrace.h"
#include "app/gui/frame/rightcolumn.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/workspace.h"
#include "core/trace/storedanswers.h"
#include "views/expert/advicepanel.h"
#include "views/expert/treepanel.h"
#include "views/tables/sqlpanel.h"

#include <QPlainTextEdit>
#include <QTimer>

namespace longpole {

namespace {

QString thresholdsKey() { return QStringLiteral("thresholds"); }

}  // namespace

void Workspace::readThresholds()
{
    const QString file = m_settings.text(thresholdsKey());
    if (const Result<> chosen = m_state.setThresholdsFile(file); !chosen)
        QTimer::singleShot(0, this, [this, error = chosen.error()] { Q_EMIT failed(error); });  // when it is connected
    connect(&m_state, &ViewState::thresholdsChanged, this, [this] {
        if (m_sessionThresholds && *m_sessionThresholds == m_state.thresholdsFile()) return;
        m_sessionThresholds.reset();
        m_settings.setText(thresholdsKey(), m_state.thresholdsFile());
    });
}

void Workspace::showSql(const QString& sql)
{
    showTab(QLatin1String(panels::sql.id));
    auto& sqlPanel = panel<SqlPanel>(panels::sql.id);
    sqlPanel.editor().setPlainText(sql);
    sqlPanel.run();
}

// Null for a summary, on which no advice can be given, and for a trace of parts that does not have it.
QWidget* Workspace::createAdvice(QWidget* parent)
{
    if (!m_state.store().hasEvents() && !m_state.store().answers().isThere()) return nullptr;
    m_advice = makeExpertPanel<AdvicePanel>(*m_host, parent);
    // Advice on a short run is computed even if nobody looks, so that the sidebar can count it.
    constexpr std::int64_t longRun = 4'000'000;
    if (m_state.store().info().tasks <= longRun)
        for (const auto signal : {&ViewState::graphChanged, &ViewState::thresholdsChanged})
            connect(&m_state, signal, m_advice, &AdvicePanel::want, Qt::QueuedConnection);
    if (m_state.store().info().isPart()) QTimer::singleShot(0, m_advice, &AdvicePanel::want);  // its answer is there
    connect(m_advice, &AdvicePanel::treeRequested, this, [this] { showTab(QLatin1String(panels::tree.id)); });
    connect(m_advice, &AdvicePanel::prioritiesRequested, this,
            [this] { showTab(QLatin1String(panels::priorities.id)); });
    connect(m_advice, &AdvicePanel::replayRequested, m_second, &SecondTrace::replayAdvice);
    connect(m_advice, &AdvicePanel::secondRequested, this, &Workspace::secondRequested);
    connect(m_advice, &AdvicePanel::secondDropped, m_second, &SecondTrace::open);
    connect(&m_second->comparison(), &ComparisonSource::changed, this, &Workspace::showMeasured);
    createTrials();
    connect(m_advice, &AdvicePanel::countChanged, this,
            [this] { m_sidebar->setCount(QStringLiteral("advice"), m_advice->countText(), true); });
    return m_advice;
}

void Workspace::showFirstAdvice()
{
    if (!m_advice) return;
    showRight(RightPage::Advice);
    m_advice->showFirst();
}

// What became of the advice in the second run stands on the cards, without anybody opening the comparison.
void Workspace::showMeasured()
{
    ComparisonSource& source = m_second->comparison();
    QHash<QString, MeasuredAdvice> measured;
    if (const auto& comparison = source.comparison())
        for (const AdviceCheck& checked : comparison->advice)
            if (!checked.isOfAnother)
                measured.insert(checked.advice.id, {.run = m_second->name(),
                                                    .text = checked.text,
                                                    .isReplayed = isReplayed(comparison->b.info)});
    m_advice->setMeasured(measured);
    if (m_measured == source.second()) return;  // asked once: who cancels it means it
    if (!source.second() || source.want()) m_measured = source.second();
}

}  // namespace longpole
