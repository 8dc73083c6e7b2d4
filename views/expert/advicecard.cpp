// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/advicecard.h"

#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/flowlayout.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/notice.h"
#include "views/widgets/sharebar.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace longpole {

namespace {

LinkLabel* words(const QString& text, const QString& role, QWidget* parent)
{
    auto* label = new LinkLabel(role, parent);
    label->setWords(unbroken(text));
    return label;
}

void addRow(QVBoxLayout& rows, const QString& caption, const QString& text)
{
    if (text.isEmpty()) return;
    auto* label = words({}, QStringLiteral("muted"), rows.parentWidget());
    label->setCaptioned(caption, unbroken(text));
    rows.addWidget(label);
}

QString percentOf(double share) { return QStringLiteral("%1 %").arg(qRound(share * 100)); }

}  // namespace

double shareOfRun(const Advice& advice, TimeNs duration, std::int64_t processors)
{
    const double whole = static_cast<double>(duration) * static_cast<double>(processors);
    return whole > 0 ? std::clamp(static_cast<double>(advice.severity) / whole, 0.0, 1.0) : 0.0;
}

std::optional<Prediction> promiseOf(const Advice& advice)
{
    return isReplayed(advice) && advice.isOfScheduling() ? advice.prediction : std::nullopt;
}

AdviceCard::AdviceCard(Advice advice, int rank, AdviceFrame frame, QWidget* parent)
    : QFrame(parent), m_advice(std::move(advice)), m_rank(rank), m_frame(std::move(frame))
{
    setObjectName(QStringLiteral("adviceCard"));
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 9, 12, 10);
    layout->setSpacing(5);
    createHead(*layout, rank);
    createMore(*layout);
    setOpen(false);
}

void AdviceCard::createHead(QVBoxLayout& layout, int rank)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    m_title = new QLabel(this);
    m_title->setObjectName(QStringLiteral("cardTitle"));
    m_title->setTextFormat(Qt::RichText);
    m_title->setWordWrap(true);
    m_title->setAttribute(Qt::WA_TransparentForMouseEvents);  // a click opens the card
    m_fold = new QLabel(this);
    m_fold->setObjectName(QStringLiteral("muted"));
    m_fold->setAttribute(Qt::WA_TransparentForMouseEvents);
    row->addWidget(m_title, 1);
    row->addWidget(m_fold, 0, Qt::AlignTop);
    layout.addLayout(row);
    writeTitle();
    if (!m_advice.verdict.isEmpty()) layout.addWidget(words(m_advice.verdict, QStringLiteral("verdict"), this));
    m_lost = new ShareBar(shareOfRun(m_advice, m_frame.duration, m_frame.processors), ShareBar::Role::Path, this);
    m_lost->setToolTip(m_advice.isOfScheduling() ? gain() : loss());
    layout.addWidget(m_lost);
    m_loss = words(loss(), QStringLiteral("muted"), this);
    layout.addWidget(m_loss);
    setAccessibleName(tr("Advice %1: %2 %3").arg(QString::number(rank), m_advice.title, gain()));
}

QString AdviceCard::gain() const { return gainText(m_advice, m_frame.duration); }

void AdviceCard::writeTitle()
{
    const Theme& theme = themeOf(*this);
    constexpr double little = 0.005;
    // Only a predicted gain stands out: a mere upper bound may be far from what is gained.
    const bool isPromised = isReplayed(m_advice) && m_advice.prediction->gainHigh >= little;
    m_title->setText(QStringLiteral("%1 · %2 <span style=\"color:%3\">%4</span>")
                         .arg(QString::number(m_rank), breakable(m_advice.title).toHtmlEscaped(),
                              (isPromised ? theme.accent : theme.mutedText).name(),
                              gain().replace(QLatin1Char(' '), QChar(QChar::Nbsp)).toHtmlEscaped()));
}

QString AdviceCard::loss() const
{
    QStringList parts;
    if (m_advice.severity > 0 && !m_advice.isOfScheduling())
        parts += tr("%1 lost, %2 of the run")
                     .arg(processorTime(m_frame.words, m_advice.severity),
                          formatShare(shareOfRun(m_advice, m_frame.duration, m_frame.processors)));
    parts += tr("confidence %1").arg(percentOf(m_advice.confidence));
    return parts.join(QStringLiteral(" · "));
}

QString AdviceCard::confidence() const
{
    return m_advice.confidence < 0.995 ? tr("Confidence %1").arg(percentOf(m_advice.confidence)) : tr("Doubt");
}

void AdviceCard::createMore(QVBoxLayout& layout)
{
    m_more = new QWidget(this);
    auto* rows = new QVBoxLayout(m_more);
    rows->setContentsMargins(0, 3, 0, 0);
    rows->setSpacing(5);
    addRow(*rows, tr("What to do"), m_advice.action);
    createButtons(*rows);
    addRow(*rows, tr("Why"), m_advice.meaning);
    addRow(*rows, tr("Effect"), effect());
    m_trial = new TrialBox(m_more);
    connect(m_trial, &TrialBox::cancelRequested, this, &AdviceCard::cancelTryRequested);
    rows->addWidget(m_trial);
    const auto tried = m_frame.tried.constFind(m_advice.id);
    if (tried != m_frame.tried.constEnd()) showTried(*tried);
    else m_trial->hide();
    createMeasured(*rows);
    addRow(*rows, tr("Scope"), m_advice.scope.text);
    addRow(*rows, confidence(), m_advice.doubts.join(QLatin1Char(' ')));
    if (!m_advice.evidence.empty()) {
        constexpr std::size_t few = 3;
        m_evidence = new EvidenceList(m_advice.evidence, m_frame.words, m_frame.zero, few, m_more);
        connect(m_evidence, &EvidenceList::chosen, this, &AdviceCard::evidenceChosen);
        rows->addSpacing(2);
        rows->addWidget(m_evidence);
    }
    layout.addWidget(m_more);
}

void AdviceCard::showTried(const TriedAdvice& tried)
{
    m_trial->showTrial(tried, promiseOf(m_advice));
    m_trial->setVisible(true);
}

// The loop's end: what the run made with the change took, or where to put it.
void AdviceCard::createMeasured(QVBoxLayout& layout)
{
    const auto measured = m_frame.measured.constFind(m_advice.id);
    if (measured != m_frame.measured.constEnd()) {
        const QString caption = measured->isReplayed ? tr("Replayed, not measured: B is %1") : tr("Measured, B is %1");
        QString text = measured->text;
        if (text.startsWith(m_advice.effect)) text = text.mid(m_advice.effect.size()).trimmed();  // stands above
        addRow(layout, caption.arg(measured->run), text);
        return;
    }
    if (!m_frame.canMeasure) return;
    auto* link = new LinkLabel(QStringLiteral("muted"), m_more);
    link->setLink(tr("Open the new run …"), {}, tr("Done? Drop the new run here: "));
    connect(link, &LinkLabel::followed, this, &AdviceCard::measureRequested);
    layout.addWidget(link);
}

QString AdviceCard::effect() const
{
    if (isReplayed(m_advice)) return m_advice.effect % QLatin1Char(' ') % baseline();
    if (!m_frame.words.ofRanks()) return m_advice.effect;
    return m_advice.effect % QLatin1Char(' ') % tr("No saving is predicted: only runs of Charm++ are replayed.");
}

// How well the replay reproduces the run without any change, which is the base of the prediction.
QString AdviceCard::baseline() const
{
    const double percent = m_advice.prediction->baselineError * 100;
    const QString figure = QString::number(std::abs(percent), 'f', 1) % QStringLiteral(" %");
    if (figure.startsWith(QLatin1String("0.0")))
        return tr("Without that change the replay takes as long as the run did.");
    return percent > 0 ? tr("Without that change the replay takes %1 longer than the run did.").arg(figure)
                       : tr("Without that change the replay takes %1 less than the run did.").arg(figure);
}

template <typename Call>
void AdviceCard::addButton(QLayout& row, const QString& text, const QString& tip, Call call)
{
    auto* button = new QPushButton(text, m_more);
    button->setObjectName(QStringLiteral("cardButton"));
    button->setToolTip(tip);
    connect(button, &QPushButton::clicked, this, call);
    row.addWidget(button);
}

void AdviceCard::createButtons(QVBoxLayout& layout)
{
    auto* row = new FlowLayout(4, 4);  // in a second line what the column has no room for
    row->setContentsMargins(0, 2, 0, 4);
    if (!m_advice.range.isEmpty() || !m_advice.evidence.empty())
        addButton(*row, tr("Show"), tr("Every view shows where it matters"), [this] { Q_EMIT placeRequested(); });
    if (m_frame.canReplay && m_advice.kind == QLatin1String("prioritize") && m_advice.replay)
        addButton(*row, tr("Replay"), tr("The run with the advised priorities, as a second timeline"),
                  [this] { Q_EMIT replayRequested(); });
    if (!m_advice.sql.isEmpty())
        addButton(*row, tr("SQL"), tr("Ask the trace for it"), [this] { Q_EMIT sqlRequested(m_advice.sql); });
    addButton(*row, tr("Copy"), tr("Copy the words"), [this] { copyText(*this, toText(), tr("the advice")); });
    if (m_frame.canTry)
        addButton(*row, tr("Try it"), tr("Runs the program with the change and without it, in turn"),
                  [this] { Q_EMIT tryRequested(); });
    if (m_advice.kind == QLatin1String("prioritize")) {
        auto* link = new LinkLabel(QStringLiteral("muted"), m_more);
        link->setLink(tr("Export priorities …"));
        link->setToolTip(tr("As JSON, a C header, or CSV"));
        connect(link, &LinkLabel::followed, this, &AdviceCard::exportRequested);
        row->addWidget(link);
    }
    layout.addLayout(row);
}

void AdviceCard::setOpen(bool open)
{
    m_isOpen = open;
    m_more->setVisible(open);
    m_lost->setHidden(open || m_advice.severity <= 0);
    m_loss->setHidden(open || loss().isEmpty());  // the rows of an open card say it
    m_fold->setText(open ? QStringLiteral("▾") : QStringLiteral("▸"));
    setAccessibleDescription(open ? tr("open") : tr("folded"));
    if (open) Q_EMIT opened();
}

QString AdviceCard::toText() const
{
    QString text = QStringLiteral("%1. %2 %3").arg(QString::number(m_rank), m_advice.title, gain()).trimmed()
                   % QLatin1Char('\n');
    for (const QString& line : {textOf(m_advice), loss()})
        if (!line.isEmpty()) text += line % QLatin1Char('\n');
    for (const QString& doubt : m_advice.doubts) text += tr("Doubt: %1").arg(doubt) % QLatin1Char('\n');
    if (const QString tried = m_trial->toText(); !tried.isEmpty()) text += tried % QLatin1Char('\n');
    for (const Evidence& one : m_advice.evidence)
        text += placeText(m_frame.words, one, m_frame.zero) % QStringLiteral("  ") % one.text % QLatin1Char('\n');
    return text.replace(QChar(QChar::Nbsp), QLatin1Char(' '));
}

void AdviceCard::mousePressEvent(QMouseEvent* event) { event->accept(); }

void AdviceCard::mouseReleaseEvent(QMouseEvent* event)
{
    const bool isHead = event->pos().y() <= m_title->geometry().bottom() + 4 || !m_isOpen;
    if (event->button() == Qt::LeftButton && isHead && rect().contains(event->pos())) setOpen(!m_isOpen);
}

void AdviceCard::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space) setOpen(!m_isOpen);
    else QFrame::keyPressEvent(event);
}

bool AdviceCard::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space) event->accept();
    }
    return QFrame::event(event);
}

void AdviceCard::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_title) writeTitle();
}

}  // namespace longpole
