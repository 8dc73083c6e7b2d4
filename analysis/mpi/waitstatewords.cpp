// SPDX-License-Identifier: GPL-3.0-or-later
// The names, titles and explanations of wait states.
#include "analysis/mpi/waitstates.h"

#include "core/base/translate.h"

#include <QCoreApplication>

#include <array>

namespace longpole {

namespace {

struct Words {
    const char* name;
    const char* title;
    const char* explanation;
};

constexpr std::array<Words, waitStateKinds> words{{
    {"late_sender", QT_TRANSLATE_NOOP("longpole", "Late sender"),
     QT_TRANSLATE_NOOP("longpole",
                       "A receive was entered before the message was sent. Give the sender less to do before "
                       "it, send earlier, or receive later with a non-blocking call.")},
    {"late_receiver", QT_TRANSLATE_NOOP("longpole", "Late receiver"),
     QT_TRANSLATE_NOOP("longpole",
                       "A send had to wait until the receive was posted (rendezvous). Post receives early, or "
                       "send without blocking.")},
    {"wrong_order_same_source", QT_TRANSLATE_NOOP("longpole", "Wrong order, same source"),
     QT_TRANSLATE_NOOP("longpole",
                       "While a receive waited, an earlier message of the same sender could be taken. "
                       "Receive in the order of sending, or with MPI_ANY_TAG.")},
    {"wrong_order_different_source", QT_TRANSLATE_NOOP("longpole", "Wrong order, different source"),
     QT_TRANSLATE_NOOP("longpole",
                       "While a receive waited, an earlier message of another sender could be taken. "
                       "Receive from MPI_ANY_SOURCE, or with MPI_Waitany.")},
    {"wait_at_barrier", QT_TRANSLATE_NOOP("longpole", "Wait at barrier"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks came to a barrier before the last one did. Balance the work before it, or leave "
                       "the barrier out.")},
    {"barrier_completion", QT_TRANSLATE_NOOP("longpole", "Barrier completion"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks were still in a barrier when the first had left it: the library's time, or "
                       "noise. Fewer barriers help.")},
    {"wait_at_nxn", QT_TRANSLATE_NOOP("longpole", "Wait at N x N"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks came to a collective call that needs data of all (MPI_Allreduce) or of neighbours "
                       "before the last of these did. Balance the work before it, or use a non-blocking one.")},
    {"nxn_completion", QT_TRANSLATE_NOOP("longpole", "N x N completion"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks were still in such a call when the first had left it: the library's time, or "
                       "noise. Fewer or smaller calls help.")},
    {"early_reduce", QT_TRANSLATE_NOOP("longpole", "Early reduce"),
     QT_TRANSLATE_NOOP("longpole",
                       "The root of a reduction or gather came before the last contribution was sent. Balance "
                       "the work before it, or use a non-blocking one.")},
    {"late_broadcast", QT_TRANSLATE_NOOP("longpole", "Late broadcast"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks came to a broadcast or scatter before its root did. Let the root come earlier, "
                       "or use a non-blocking one.")},
    {"early_scan", QT_TRANSLATE_NOOP("longpole", "Early scan"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks came to a scan before those of lower number did. Balance the work before it.")},
    {"omp_barrier", QT_TRANSLATE_NOOP("longpole", "Wait at OpenMP barrier"),
     QT_TRANSLATE_NOOP("longpole",
                       "Threads came to a barrier of their team before its last thread did. Spread the loop before it "
                       "more evenly (another schedule), or go on without it (nowait).")},
    {"device_synchronization", QT_TRANSLATE_NOOP("longpole", "Wait for a device"),
     QT_TRANSLATE_NOOP("longpole",
                       "A thread waited until a device had done what it had started there. Give it work meanwhile, or "
                       "synchronize later.")},
    {"wait_at_fence", QT_TRANSLATE_NOOP("longpole", "Wait at fence"),
     QT_TRANSLATE_NOOP("longpole",
                       "Ranks came to the fence of a window before the last one did. Balance the work before it, or "
                       "synchronize only those that access each other (MPI_Win_post and MPI_Win_start).")},
    {"late_post", QT_TRANSLATE_NOOP("longpole", "Late post"),
     QT_TRANSLATE_NOOP("longpole",
                       "A rank that accesses another's window waited until that one had called MPI_Win_post. Post "
                       "earlier, or give the other ranks something to do before they access.")},
    {"early_wait", QT_TRANSLATE_NOOP("longpole", "Early wait"),
     QT_TRANSLATE_NOOP("longpole",
                       "A rank waited in MPI_Win_wait until the last rank that accesses its window had called "
                       "MPI_Win_complete. Compute something before it, or test with MPI_Win_test.")},
    {"late_complete", QT_TRANSLATE_NOOP("longpole", "Late complete"),
     QT_TRANSLATE_NOOP("longpole",
                       "Of an early wait most passed after the other rank's last access. Call MPI_Win_complete right "
                       "after it.")},
    {"lock_competition", QT_TRANSLATE_NOOP("longpole", "Lock competition"),
     QT_TRANSLATE_NOOP("longpole",
                       "A rank waited for the lock of a window that another one held. Hold locks for less long, lock "
                       "shared where that is enough, or spread what is locked over several windows or ranks.")},
}};

const Words& of(WaitStateKind kind) { return words[static_cast<std::size_t>(kind)]; }

}  // namespace

const char* name(WaitStateKind kind) { return of(kind).name; }
QString title(WaitStateKind kind) { return tr(of(kind).title); }

QString titleInSentence(WaitStateKind kind)
{
    const QString text = title(kind);
    const bool isSymbol = text.size() > 1 && text[1].isSpace();  // "N x N completion"
    return isSymbol ? text : text.left(1).toLower() + text.mid(1);
}
QString explanation(WaitStateKind kind) { return tr(of(kind).explanation); }

std::optional<WaitStateKind> waitStateNamed(const QString& wanted)
{
    for (std::size_t i = 0; i < words.size(); ++i)
        if (wanted == QLatin1String(words[i].name)) return static_cast<WaitStateKind>(i);
    return {};
}

std::optional<WaitStateKind> wholeOf(WaitStateKind kind)
{
    switch (kind) {
    case WaitStateKind::WrongOrderSameSource:
    case WaitStateKind::WrongOrderDifferentSource: return WaitStateKind::LateSender;
    case WaitStateKind::LateComplete: return WaitStateKind::EarlyWait;
    default: return {};
    }
}

std::optional<WaitStateKind> stateOf(WaitPattern pattern)
{
    switch (pattern) {
    case WaitPattern::None: return {};
    case WaitPattern::LateSender: return WaitStateKind::LateSender;
    case WaitPattern::LateReceiver: return WaitStateKind::LateReceiver;
    case WaitPattern::WaitAtBarrier: return WaitStateKind::WaitAtBarrier;
    case WaitPattern::WaitAtNxN: return WaitStateKind::WaitAtNxN;
    case WaitPattern::EarlyReduce: return WaitStateKind::EarlyReduce;
    case WaitPattern::LateBroadcast: return WaitStateKind::LateBroadcast;
    case WaitPattern::EarlyScan: return WaitStateKind::EarlyScan;
    case WaitPattern::OmpBarrier: return WaitStateKind::OmpBarrier;
    case WaitPattern::DeviceSynchronization: return WaitStateKind::DeviceSynchronization;
    case WaitPattern::WaitAtFence: return WaitStateKind::WaitAtFence;
    case WaitPattern::LatePost: return WaitStateKind::LatePost;
    case WaitPattern::EarlyWait: return WaitStateKind::EarlyWait;
    case WaitPattern::LockCompetition: return WaitStateKind::LockCompetition;
    }
    return {};
}

}  // namespace longpole
