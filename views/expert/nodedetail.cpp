// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/nodedetail.h"

#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/drawing/graphs/treepainter.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/scrolling.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QVBoxLayout>

#include <utility>

namespace longpole {

namespace {

// Ids of the nodes that get a link to the view of shared variables.
constexpr char sharedVariables[] = "shared_variables";
constexpr char speculative[] = "speculative";

class Meter : public QWidget {
public:
    Meter(NodeTest test, QWidget* parent) : QWidget(parent), m_test(std::move(test)) { setFixedHeight(13); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const MeterScale scale = meterScale(m_test);
        paintMeter(painter, QRectF(0, 4, width(), 5), scale.value, scale.threshold, m_test.fired, themeOf(*this));
    }

private:
    NodeTest m_test;
};

}  // namespace

NodeDetail::NodeDetail(QWidget* parent) : QScrollArea(parent)
{
    scrollDownOnly(*this);
    speakAs(*this, QAccessible::Pane);
    setAccessibleName(tr("About the chosen question"));
    auto* page = new QWidget;
    m_rows = new QVBoxLayout(page);
    m_rows->setContentsMargins(16, 14, 16, 14);
    m_rows->setSpacing(6);
    setWidget(page);
}

void NodeDetail::clear()
{
    while (const QLayoutItem* item = m_rows->takeAt(0)) {
        if (QWidget* row = item->widget()) {
            row->hide();
            row->deleteLater();  // not at once: a click on this row may have brought us here
        }
        delete item;
    }
    m_evidence = nullptr;
    m_text.clear();
    verticalScrollBar()->setValue(0);
}

void NodeDetail::addHeading(const QString& text)
{
    m_rows->addSpacing(7);
    addWords(text, QStringLiteral("panelTitle"));
}

void NodeDetail::addWords(const QString& text, const QString& role)
{
    if (text.isEmpty()) return;
    auto* label = new LinkLabel(role, widget());
    label->setWords(text);
    m_rows->addWidget(label);
    m_text += text % QLatin1Char('\n');
}

void NodeDetail::addTest(const NodeTest& test)
{
    addWords(testText(test), {});
    m_rows->addWidget(new Meter(test, widget()));
    const QString says = test.firesAbove ? tr("found above %1") : tr("found below %1");
    const QString key = test.key.isEmpty() ? QString() : tr(" · %1 in the thresholds").arg(test.key);
    addWords(says.arg(metricText(test.kind, test.threshold)) % key, QStringLiteral("muted"));
}

void NodeDetail::addEvidence(const std::vector<Evidence>& evidence, TimeNs zero)
{
    if (evidence.empty()) return;
    constexpr std::size_t few = 6;
    m_evidence = new EvidenceList(evidence, m_words, zero, few, widget());
    connect(m_evidence, &EvidenceList::chosen, this, &NodeDetail::evidenceChosen);
    m_rows->addWidget(m_evidence);
    for (const Evidence& one : evidence)
        m_text += placeText(m_words, one, zero) % QStringLiteral("  ") % one.text % QLatin1Char('\n');
}

void NodeDetail::addAdvice(const QString& text)
{
    auto* label = new LinkLabel({}, widget());
    const QString end = text.endsWith(QLatin1Char('.')) ? QStringLiteral(" ") : QStringLiteral(". ");
    label->setLink(tr("All advice, ranked"), {}, text % end);
    connect(label, &LinkLabel::followed, this, &NodeDetail::adviceRequested);
    m_rows->addWidget(label);
    m_text += text % QLatin1Char('\n');
}

// A link to the view of shared variables.
void NodeDetail::addShared(const SharedAccess& shared)
{
    auto* label = new LinkLabel({}, widget());
    label->setLink(shared.isRecorded ? tr("Shared variables, and speculative work over time") : tr("How to record it"));
    connect(label, &LinkLabel::followed, this, &NodeDetail::sharedRequested);
    m_rows->addWidget(label);
}

void NodeDetail::showNode(const TreeNode& node, const SharedAccess& shared, Vocabulary words, TimeNs zero)
{
    m_words = words;
    clear();
    addWords(node.letter.isEmpty() ? node.question : node.letter % QStringLiteral(" · ") % node.question,
             QStringLiteral("cardTitle"));
    QString verdict = title(node.verdict);
    verdict[0] = verdict[0].toUpper();
    if (node.severity > 0)
        verdict += tr(" · %1 lost, %2 of the run").arg(processorTime(m_words, node.severity), formatShare(node.share));
    addWords(verdict, QStringLiteral("muted"));
    addWords(node.why, {});
    if (!node.needs.isEmpty()) {
        addHeading(tr("What is missing"));
        for (const QString& need : node.needs) addWords(need, {});
    }
    const bool isShared = node.id == QLatin1String(sharedVariables) || node.id == QLatin1String(speculative);
    if (isShared) addShared(shared);
    if (!node.advice.isEmpty()) {
        addHeading(tr("What to do"));
        addAdvice(node.advice);
    }
    if (!node.tests.empty()) addHeading(tr("The numbers behind it"));
    for (const NodeTest& test : node.tests) addTest(test);
    if (!node.change.isEmpty()) {
        addHeading(tr("What would change it"));
        addWords(node.change, {});
    }
    if (!node.evidence.empty()) addHeading(tr("Where it can be seen"));
    addEvidence(node.evidence, zero);
    m_rows->addStretch();
}

void NodeDetail::showCause(IdleCause cause, const IdleLabels& idle, const std::vector<Evidence>& longest,
                           Vocabulary words, TimeNs zero)
{
    m_words = words;
    clear();
    TimeNs whole = 0;
    for (const TimeNs time : idle.total) whole = saturatingAdd(whole, time);
    const TimeNs time = idle.total[static_cast<std::size_t>(cause)];
    addWords(tr("Idle: %1").arg(longpole::title(cause)), QStringLiteral("cardTitle"));
    if (whole > 0)
        addWords(tr("%1, %2 of all idle time")
                     .arg(processorTime(m_words, time),
                          formatShare(static_cast<double>(time) / static_cast<double>(whole))),
                 QStringLiteral("muted"));
    addWords(explanation(m_words, cause), {});
    const bool isEstimate = cause == IdleCause::Latency || cause == IdleCause::Scheduling;
    if (isEstimate && idle.estimated > 0)
        addWords(tr("%1 of what was in transit or had arrived rests on estimated arrival times.")
                     .arg(processorTime(m_words, idle.estimated)),
                 QStringLiteral("muted"));
    if (!longest.empty()) addHeading(tr("The longest"));
    addEvidence(longest, zero);
    m_rows->addStretch();
}

void NodeDetail::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy all"), this, [this] { QApplication::clipboard()->setText(m_text); })
        ->setEnabled(!m_text.isEmpty());
    menu.exec(event->globalPos());
}

}  // namespace longpole
