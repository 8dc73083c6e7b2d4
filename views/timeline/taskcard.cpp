// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/taskcard.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "analysis/mpi/calls.h"
#include "analysis/results/bytesof.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr int nearby = 60;  // pixels that the cursor may move before the card goes

QString link(TaskId task)
{
    const QString id = toText(task);
    return QStringLiteral("<a href=\"%1\">%1</a>").arg(id);
}

// "3:1207" back to the task.
TaskId taskOf(const QString& text)
{
    const QStringList parts = text.split(QLatin1Char(':'));
    return parts.size() == 2 ? TaskId{ProcessorId{parts[0].toUInt()}, parts[1].toUInt()} : TaskId{};
}

QString nameOf(const TraceStore& store, EntryId id)
{
    const Entry* entry = store.entry(id);
    return entry ? onOneLine(entryName(*entry)).toHtmlEscaped() : QString();
}

QString objectOf(const TraceStore& store, const TaskDetail& task)
{
    const Entry* entry = store.entry(task.entry);
    if (!entry || store.info().hasRanks()) return {};
    for (const Chare& chare : store.chares())
        if (chare.id == entry->chareId && chare.name == entry->chare)
            return onOneLine(objectName(chare, task.objectIndex)).toHtmlEscaped();
    return {};
}

// How long its message was on the way, and then lay in the queue; ranks have none.
QString waitLine(const TraceStore& store, const TaskDetail& task)
{
    if (!task.sent || isWithoutMessage(task.link)) return {};
    const TimeNs waited = task.range.begin - *task.sent;
    if (!task.received || store.info().hasRanks())
        return tr("Started %1 after its message was sent").arg(formatTime(waited));
    const QString way = formatTime(*task.received - *task.sent);
    const QString queue = formatTime(task.range.begin - *task.received);
    if (task.receivedEstimated)
        return tr("Waited %1: about %2 on the way, %3 in the queue (estimated)").arg(formatTime(waited), way, queue);
    return tr("Waited %1: %2 on the way, %3 in the queue").arg(formatTime(waited), way, queue);
}

// Of a rank's code that no message began, the call that it follows; empty if that is not known.
QString callLine(const TraceStore& store, const TaskCardFacts& facts)
{
    if (!facts.after) return {};
    const QString call = onOneLine(callName(store, *facts.after)).toHtmlEscaped();
    if (!facts.source.isValid()) return tr("Follows %1 on its rank").arg(call);
    const QString source = tr("task %1, %2").arg(link(facts.source), nameOf(store, facts.sourceEntry));
    return isWithoutMessage(facts.link) ? tr("Follows %1, which waited for the call after %2").arg(call, source)
                                        : tr("Follows %1, whose message was sent by %2").arg(call, source);
}

QString sourceLine(const TraceStore& store, const TaskCardFacts& facts)
{
    if (!facts.task.source.isValid())
        return store.info().hasRanks() ? callLine(store, facts) : tr("No sender is known");
    const QString source = nameOf(store, facts.sourceEntry);
    return isWithoutMessage(facts.task.link)
               ? tr("Waited for the call after task %1, %2").arg(link(facts.task.source), source)
               : tr("Sent by task %1, %2").arg(link(facts.task.source), source);
}

// Adds the call at whose end the code began of which the task is a part. Reads a few tasks before it.
void addCallBefore(const TraceStore& store, TaskCardFacts& facts)
{
    constexpr int mostSteps = 64;
    TaskDetail first = facts.task;
    for (int step = 0; step < mostSteps && !first.source.isValid() && first.id.index > 0; ++step) {
        Result<TaskDetail> before = store.task({first.id.pe, first.id.index - 1});
        if (!before || before->range.end != first.range.begin) break;
        first = std::move(*before);
    }
    const std::uint32_t rank = index(first.id.pe);
    const Processor* processor = store.processor(first.id.pe);
    const auto calls = mpiCalls(store, rank, {saturatingSubtract(first.range.begin, 1), first.range.begin});
    if (processor == nullptr || !calls) return;
    for (const MpiCallRow& call : *calls)
        if (call.track == processor->track && call.range.end == first.range.begin) facts.after = call.region;
    facts.link = first.link;
    facts.source = first.source;
}

}  // namespace

Result<std::shared_ptr<const TaskCardFacts>> TaskCardQuestion::compute(Results& results, const Progress&) const
{
    Result<TaskDetail> detail = results.store().task(task);
    if (!detail.ok()) return detail.error();
    TaskCardFacts facts{.task = std::move(*detail)};
    facts.link = facts.task.link;
    facts.source = facts.task.source;
    if (!facts.source.isValid() && results.store().info().hasRanks()) addCallBefore(results.store(), facts);
    if (facts.source.isValid())
        if (const Result<TaskDetail> source = results.store().task(facts.source); source.ok())
            facts.sourceEntry = source->entry;
    return std::make_shared<const TaskCardFacts>(std::move(facts));
}

std::int64_t TaskCardQuestion::bytes(const TaskCardFacts& facts) { return bytesOf(facts.task.pieces); }

QString taskCardText(const TraceStore& store, const TaskCardFacts& facts, std::optional<TimeNs> slack)
{
    const TaskDetail& task = facts.task;
    const TimeNs begin = saturatingSubtract(task.range.begin, store.info().begin);
    QStringList lines;
    lines << QStringLiteral("<b>%1</b>").arg(nameOf(store, task.entry));
    const QString object = objectOf(store, task);
    lines << (object.isEmpty() ? tr("Task %1").arg(link(task.id)) : tr("Task %1 of %2").arg(link(task.id), object));
    lines << tr("At %1 for %2")
                 .arg(formatTimeAt(begin, std::max<TimeNs>(1, task.range.length() / 100)),
                      formatTime(task.range.length()));
    if (task.cpu) lines << tr("CPU time %1").arg(formatTime(*task.cpu));
    if (task.outer != task.id) lines << tr("Inside task %1").arg(link(task.outer));
    if (const QString source = sourceLine(store, facts); !source.isEmpty()) lines << source;
    if (const QString wait = waitLine(store, task); !wait.isEmpty()) lines << wait;
    if (slack)
        lines << (*slack == 0 ? tr("No slack: any delay delays the end") : tr("Slack %1").arg(formatTime(*slack)));
    return lines.join(QStringLiteral("<br>"));
}

QString callCardText(const QString& sentence)
{
    const qsizetype name = sentence.indexOf(QStringLiteral(", "));
    if (name < 0) return QStringLiteral("<b>%1</b>").arg(sentence.toHtmlEscaped());
    QStringList lines = sentence.mid(name + 2).split(QStringLiteral("; "));
    for (QString& line : lines) line = line.toHtmlEscaped();
    return QStringLiteral("<b>%1</b><br>%2")
        .arg(sentence.left(name).toHtmlEscaped(), lines.join(QStringLiteral("<br>")));
}

QString withoutLinks(const QString& card)
{
    QString text;
    qsizetype done = 0;
    while (true) {
        const qsizetype open = card.indexOf(QStringLiteral("<a "), done);
        const qsizetype inside = open < 0 ? -1 : card.indexOf(QLatin1Char('>'), open) + 1;
        const qsizetype close = inside <= 0 ? -1 : card.indexOf(QStringLiteral("</a>"), inside);
        if (close < 0) return text + card.mid(done);
        text += card.mid(done, open - done) + card.mid(inside, close - inside);
        done = close + 4;
    }
}

TaskCard::TaskCard(ViewState& state, QWidget* parent) : QFrame(parent), m_state(state), m_text(new QLabel(this))
{
    setObjectName(QStringLiteral("overlay"));
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 9);
    layout->addWidget(m_text);
    m_text->setTextFormat(Qt::RichText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    connect(m_text, &QLabel::linkActivated, this, [this](const QString& id) {
        hide();
        m_state.reveal(Selection{.task = taskOf(id), .message = {}});
    });
    connect(&state, &ViewState::rangeChanged, this, &TaskCard::leave);
    hide();
}

// Of what cannot be read, the readout says what the row lacks.
void TaskCard::showAt(const Selection& thing, std::optional<TimeNs> slack, QPoint at, CardRole role)
{
    if (thing == m_thing && isVisible() && (m_role == CardRole::Kept || role == CardRole::Hover)) return;
    leave();
    m_thing = thing;
    m_at = at;
    m_role = role;
    setAttribute(Qt::WA_TransparentForMouseEvents, role == CardRole::Hover);
    if (thing.call.isValid())
        m_askedOfCall.ask(m_state.results(), {thing.call}, [this](const Watch<CallSentenceQuestion>::Answer& words) {
            if (words.ok() && !(*words)->isEmpty()) say(callCardText(**words));
        });
    else
        m_asked.ask(m_state.results(), {thing.task}, [this, slack](const Watch<TaskCardQuestion>::Answer& facts) {
            if (facts.ok()) say(taskCardText(m_state.store(), **facts, slack));
        });
}

void TaskCard::say(const QString& text)
{
    m_text->setText(m_role == CardRole::Hover ? withoutLinks(text) : text);
    place();
}

// Right below the cursor, or where there is room.
void TaskCard::place()
{
    adjustSize();
    constexpr int away = 14;
    const QSize room = parentWidget()->size();
    const int x = std::clamp(m_at.x() + away, 0, std::max(0, room.width() - width()));
    const bool isBelow = m_at.y() + away + height() <= room.height();
    move(x, isBelow ? m_at.y() + away : std::max(0, m_at.y() - away - height()));
    show();
    raise();
    qApp->installEventFilter(this);
}

void TaskCard::followCursor(QPoint at)
{
    const bool isFar = (at - m_at).manhattanLength() > nearby;
    const bool isOver = geometry().contains(at);
    if (m_role == CardRole::Hover ? isFar || isOver : isFar && !geometry().adjusted(-20, -20, 20, 20).contains(at))
        leave();
}

void TaskCard::leaveIfHovering()
{
    if (m_role == CardRole::Hover) leave();
}

bool TaskCard::eventFilter(QObject*, QEvent* event)
{
    if (event->type() != QEvent::KeyPress) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isModifier = key->key() == Qt::Key_Control || key->key() == Qt::Key_Shift;
    if (!isModifier && !key->matches(QKeySequence::Copy)) leave();
    return false;
}

void TaskCard::hideEvent(QHideEvent*) { qApp->removeEventFilter(this); }

void TaskCard::leaveEvent(QEvent*) { leave(); }

void TaskCard::leave()
{
    m_asked.cancel();
    m_askedOfCall.cancel();
    m_thing = {};
    hide();
}

}  // namespace longpole
