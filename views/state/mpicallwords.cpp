// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/mpicallwords.h"

#include "analysis/base/naming.h"
#include "analysis/mpi/waitstates.h"
#include "core/base/result.h"
#include "core/trace/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace longpole {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(longpole::MpiCallWords)
};

QString patternTitle(WaitPattern pattern)
{
    switch (pattern) {
    case WaitPattern::None: break;
    case WaitPattern::LateSender: return title(WaitStateKind::LateSender);
    case WaitPattern::LateReceiver: return title(WaitStateKind::LateReceiver);
    case WaitPattern::WaitAtBarrier: return title(WaitStateKind::WaitAtBarrier);
    case WaitPattern::WaitAtNxN: return title(WaitStateKind::WaitAtNxN);
    case WaitPattern::EarlyReduce: return title(WaitStateKind::EarlyReduce);
    case WaitPattern::LateBroadcast: return title(WaitStateKind::LateBroadcast);
    case WaitPattern::EarlyScan: return title(WaitStateKind::EarlyScan);
    case WaitPattern::OmpBarrier: return title(WaitStateKind::OmpBarrier);
    case WaitPattern::DeviceSynchronization: return title(WaitStateKind::DeviceSynchronization);
    case WaitPattern::WaitAtFence: return title(WaitStateKind::WaitAtFence);
    case WaitPattern::LatePost: return title(WaitStateKind::LatePost);
    case WaitPattern::EarlyWait: return title(WaitStateKind::EarlyWait);
    case WaitPattern::LockCompetition: return title(WaitStateKind::LockCompetition);
    }
    return Words::tr("none");
}

QString entryText(const TraceStore& store, EntryId id)
{
    const Entry* entry = store.entry(id);
    return entry ? entryName(*entry) : QString();
}

QString rankText(const TraceStore& store, const Culprit& culprit)
{
    const QString meanwhile = culpritText(store, culprit.meanwhile);
    return meanwhile.isEmpty() ? Words::tr("rank %1").arg(culprit.rank)
                               : Words::tr("rank %1, %2").arg(QString::number(culprit.rank), meanwhile);
}

QStringList flagTexts(std::uint16_t flags)
{
    const std::pair<int, QString> texts[] = {
        {MpiCallFlag::Synchronization, Words::tr("the whole run meets here")},
        {MpiCallFlag::NotSynchronizing, Words::tr("a member left before the last one came")},
        {MpiCallFlag::WrongOrderSameSource, Words::tr("messages of that rank came in another order than received")},
        {MpiCallFlag::WrongOrderDifferentSource, Words::tr("another rank's message was sent earlier")},
        {MpiCallFlag::Unmatched, Words::tr("a message without partner in the trace")},
        {MpiCallFlag::Incomplete, Words::tr("has no end: the run was cut")},
        {MpiCallFlag::Completes, Words::tr("completes requests")},
        {MpiCallFlag::ReverseEdge, Words::tr("waited until the receiver was there (rendezvous)")},
        {MpiCallFlag::LateComplete, Words::tr("mostly after that rank's last access")},
    };
    QStringList list;
    for (const auto& [flag, text] : texts)
        if (flags & flag) list << text;
    return list;
}

QString since(const TraceStore& store, TimeNs time)
{
    return formatTimeAt(saturatingSubtract(time, store.info().begin), 1000);
}

class Fields {
public:
    Fields(const TraceStore& store, const MpiCallRow& call) : m_store(store), m_call(call) {}

    std::vector<SelectionField> all()
    {
        add(Words::tr("MPI call"),
            Words::tr("%1, call %2 of rank %3")
                .arg(callName(m_store, m_call.region), formatCount(m_call.seq), QString::number(m_call.rank)));
        addWait();
        addTimes();
        addData();
        if (m_call.task >= 0) {
            const TaskId task{ProcessorId{m_call.rank}, static_cast<std::uint32_t>(m_call.task)};
            const Result<TaskDetail> before = m_store.task(task);
            const QString code = before ? entryText(m_store, before->entry) : QString();
            add(Words::tr("Code before it"), code.isEmpty() ? longpole::toText(task) : code, {.task = task});
        }
        const QStringList flags = flagTexts(m_call.flags);
        if (!flags.isEmpty()) add(Words::tr("Notes"), flags.join(QStringLiteral("; ")));
        return std::move(m_fields);
    }

private:
    void add(const QString& name, const QString& text, const Selection& link = {})
    {
        m_fields.push_back({name, text, link});
    }

    void addTimes()
    {
        add(Words::tr("Start"), since(m_store, m_call.range.begin));
        add(Words::tr("Duration"), formatTime(m_call.range.length()));
        add(Words::tr("Wait before"), formatTime(m_call.waitBefore));
        add(Words::tr("Execution"), formatTime(m_call.execution));
        add(Words::tr("Wait after"), formatTime(m_call.waitAfter));
        if (const std::optional<double> imbalance = imbalanceOfCall(m_call).ofCall)
            add(Words::tr("Imbalance"), Words::tr("%1 (wait / execution)").arg(*imbalance, 0, 'f', 2));
    }

    void addWait()
    {
        if (m_call.pattern != WaitPattern::None)
            add(Words::tr("Wait state"),
                patternTitle(m_call.pattern) + QStringLiteral(", ") + formatTime(m_call.severity));
        const std::optional<Culprit> culprit = culpritOf(m_store, m_call);
        if (!culprit) return;
        const TaskId task = culprit->meanwhile.task;
        add(Words::tr("Waited for"), rankText(m_store, *culprit),
            task.isValid() ? Selection{.task = task} : Selection{});
        if (!culprit->call) return;
        add(Words::tr("Its call"),
            Words::tr("go to rank %1: %2")
                .arg(QString::number(culprit->rank), callName(m_store, culprit->call->region)),
            {.call = {culprit->rank, culprit->call->seq}});
    }

    void addData()
    {
        if (m_call.peer >= 0)
            add((m_call.flags & MpiCallFlag::Collective) != 0 ? Words::tr("Root") : Words::tr("Peer"),
                Words::tr("rank %1").arg(m_call.peer));
        if (m_call.tag >= 0) add(Words::tr("Tag"), QString::number(m_call.tag));
        if (m_call.bytes >= 0) add(Words::tr("Bytes"), formatBytes(m_call.bytes));
        if (m_call.comm >= 0) {
            const Region* comm = m_store.region(RegionId{static_cast<std::uint32_t>(m_call.comm)});
            if (comm)
                add(Words::tr("Communicator"), Words::tr("%1, %2 ranks").arg(comm->name, formatCount(comm->number)));
        }
        if (m_call.instance >= 0) add(Words::tr("Collective call"), Words::tr("number %1").arg(m_call.instance));
    }

    const TraceStore& m_store;
    const MpiCallRow& m_call;
    std::vector<SelectionField> m_fields;
};

}  // namespace

std::optional<Culprit> culpritOf(const TraceStore& store, const MpiCallRow& call)
{
    if (call.culprit < 0) return {};
    Culprit culprit{.rank = static_cast<std::uint32_t>(call.culprit)};
    if (call.culpritSeq < 0) return culprit;
    Result<std::optional<MpiCallRow>> found = mpiCall(store, culprit.rank, call.culpritSeq);
    if (!found || !*found) return culprit;
    culprit.call = **found;
    const TimeNs waited = call.severity > 0 ? call.severity : call.waitBefore;
    const Result<CulpritWork> work = culpritWork(store, culprit.rank, call.culpritSeq,
                                                 {call.range.begin, saturatingAdd(call.range.begin, waited)});
    if (work) culprit.meanwhile = *work;
    return culprit;
}

QString callSentence(const TraceStore& store, const MpiCallRow& call)
{
    QString text = callName(store, call.region) + QStringLiteral(", ") + formatTime(call.range.length());
    if (call.waitBefore == 0 && call.waitAfter == 0)
        return text + (hasAllRanks(store) ? Words::tr(", no wait") : Words::tr(", no wait known: ranks are missing"));
    text += Words::tr(" = %1 wait before + %2 execution + %3 wait after")
                .arg(formatTime(call.waitBefore), formatTime(call.execution), formatTime(call.waitAfter));
    if (const std::optional<Culprit> culprit = culpritOf(store, call))
        text += Words::tr("; waited %1 for %2")
                    .arg(formatTime(call.severity > 0 ? call.severity : call.waitBefore), rankText(store, *culprit));
    return text;
}

std::vector<SelectionField> callFields(const TraceStore& store, const MpiCallRow& call)
{
    return Fields(store, call).all();
}

Result<std::vector<MpiCallRow>> membersOf(const TraceStore& store, const MpiCallRow& call, const Progress& progress)
{
    std::vector<MpiCallRow> members;
    if (call.instance < 0) return members;
    // The members of a call that does not synchronize need not overlap with it: the second look covers the time of all
    // that the first one found.
    TimeRange range = call.range;
    for (int look = 0; look < 2; ++look) {
        members.clear();
        TimeRange all = range;
        for (const Processor& processor : store.processors()) {
            if (progress.isCancelled()) return cancelledError();
            Result<std::vector<MpiCallRow>> calls = mpiCalls(store, index(processor.pe), range);
            if (!calls) return calls.error();
            for (const MpiCallRow& one : *calls) {
                if (one.instance != call.instance) continue;
                members.push_back(one);
                all = {std::min(all.begin, one.range.begin), std::max(all.end, one.range.end)};
            }
        }
        if (all == range) break;
        range = all;
    }
    return members;
}

}  // namespace longpole
