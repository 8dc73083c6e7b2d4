// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of the open trace, in its status bar, and of what is under way, in its banner.
#include "analysis/base/naming.h"
#include "app/gui/frame/banner.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/mainwindow.h"
#include "core/trace/format.h"
#include "views/expert/healthpanel.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/plaintext.h"

#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QStatusBar>

#include <algorithm>
#include <cstddef>
#include <span>

namespace longpole {

void MainWindow::createStatusBar()
{
    auto* bar = new QStatusBar(this);
    bar->setObjectName(QStringLiteral("statusBar"));
    bar->setSizeGripEnabled(false);
    bar->setMinimumHeight(bar->fontMetrics().height() + 12);  // so that it stays while chips come and go
    const auto addLabel = [bar] {
        auto* label = new ElidedLabel(bar);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(10, 2, 10, 2);
        bar->addWidget(label);
        return label;
    };
    m_pathStatus = addLabel();
    m_rangeStatus = addLabel();
    auto* hover = new ElidedLabel(bar);
    hover->setKeepsBeginning(true);
    m_hover = hover;
    m_hover->setContentsMargins(10, 2, 10, 2);
    m_hover->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the others take their room first
    bar->addWidget(m_hover, 1);
    const auto addDoubt = [this, bar](const QString& text) {
        auto* button = new QPushButton(text, bar);
        button->setObjectName(QStringLiteral("flat"));
        button->setFocusPolicy(Qt::TabFocus);
        button->hide();
        connect(button, &QPushButton::clicked, this, [this] {
            if (m_workspace) m_workspace->showRight(RightPage::Health);
        });
        bar->addPermanentWidget(button);
        return button;
    };
    m_estimated = addDoubt(tr("arrival times estimated"));
    m_notes = addDoubt({});
    setStatusBar(bar);
}

// While the words under the cursor need more room than they have, the other labels hide, one after the other.
void MainWindow::readOut(const QString& text)
{
    m_hover->setText(text);
    if (text.isEmpty()) {
        for (QLabel* label : {m_pathStatus, m_rangeStatus}) label->show();
        return;
    }
    int missing = m_hover->sizeHint().width() - m_hover->width();
    for (QLabel* label : {m_pathStatus, m_rangeStatus}) {
        if (missing <= 0 || label->isHidden()) continue;
        missing -= label->width();
        label->hide();
    }
}

void MainWindow::showStatus()
{
    if (!m_workspace) return;
    m_pathStatus->setText(m_session.isLoadingGraph() ? tr("loading tasks …") : QString());
    if (const std::shared_ptr<const CountedPath> path = m_session.countedPath()) {
        const QString says = tr("%1 of %2 on the path · %3 · %4")
                                 .arg(formatTime(path->path->length), formatTime(path->until),
                                      counted("%1 tasks", "%1 task", path->tasks),
                                      countedProcessors(m_workspace->state().store().words(), path->processors));
        m_pathStatus->setText(m_workspace->second().view() ? tr("A: %1").arg(says) : says);
    }
    showDoubts();
}

void MainWindow::showDoubts()
{
    const HealthPanel& panel = m_workspace->healthPanel();
    const std::shared_ptr<const Health>& health = panel.health();
    m_estimated->setVisible(health && health->receiveTimesEstimated > 0);
    if (health)
        m_estimated->setToolTip(
            inLines(tr("%1 of %2 tasks have no recorded arrival of their message: how long it was on the network and "
                       "how long it queued is estimated. A click opens Health.")
                        .arg(formatCount(health->receiveTimesEstimated), formatCount(health->receiveTimes))));
    m_notes->setText(panel.countText());
    m_notes->setVisible(panel.notes() > 0);
    QStringList lines{tr("What was odd in the trace, and what was made of it. A click opens Health.")};
    constexpr std::size_t most = 10;
    if (health)
        for (const HealthIssue& issue : std::span(health->issues).first(std::min(most, health->issues.size())))
            lines << inLines(tr("%1 × %2").arg(formatCount(issue.issue.count), issue.sentence));
    m_notes->setToolTip(lines.join(QStringLiteral("\n\n")));
}

void MainWindow::showRange()
{
    if (!m_workspace) return;
    const ViewState& state = m_workspace->state();
    const TimeNs zero = state.fullRange().begin;
    const TimeRange range = state.marked().isEmpty() ? state.range() : state.marked();
    const TimeNs resolution = std::max<TimeNs>(1, range.length() / 1000);
    QString text = formatTimeAt(range.begin - zero, resolution) % QStringLiteral(" … ")
                   % formatTimeAt(range.end - zero, resolution);
    if (!state.marked().isEmpty()) text += tr(" · marked %1").arg(formatTime(range.length()));
    m_rangeStatus->setText(text);
}

// An error or a note stays until it was read: progress comes after it.
void MainWindow::showProgress()
{
    const bool mayShow = m_banner->isHidden() || m_banner->isProgress();
    if (m_session.isOpening()) {
        // A trace that opens quickly needs no progress.
        if (mayShow && m_session.openingSeconds() > 0.4)
            m_banner->showProgress(tr("Opening %1").arg(QFileInfo(m_session.openingPath()).fileName()),
                                   m_session.openingFraction(), m_session.openingSecondsLeft());
        return;
    }
    if (m_workspace && m_workspace->second().isOpening()) {
        if (mayShow)
            m_banner->showProgress(m_workspace->second().openingText(), m_workspace->second().openingFraction(), -1);
        return;
    }
    if (m_exporting.isRunning()) {
        if (mayShow)
            m_banner->showProgress(tr("Writing %1").arg(QFileInfo(m_exportPath).fileName()), m_exporting.fraction(),
                                   -1);
        return;
    }
    m_poll.stop();
    if (m_banner->isProgress()) m_banner->clear();
}

// What the banner shows (showProgress()), and nothing else that is under way.
void MainWindow::cancelShown()
{
    if (m_session.isOpening()) {
        forgetPending();
        m_session.cancelOpening();
    } else if (m_workspace && m_workspace->second().isOpening()) {
        m_workspace->second().cancelOpening();
    } else {
        m_exporting.cancel();
    }
    showProgress();
}

}  // namespace longpole
