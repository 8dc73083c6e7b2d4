// SPDX-License-Identifier: GPL-3.0-or-later
// With Projections in the program, messages have its numbers, which it writes into them just before we are told; else
// they get ours. So both logs speak of the same messages.
#include "activitytrace.h"
#include "module.h"

#include "charm++.h"
#include "ck.h"
#include "trace-common.h"
#include "trace.h"

#include <chrono>
#include <memory>

CkpvExtern(TraceArray *, _traces);
CkpvExtern(int, traceOnPe);
#if CMK_TRACE_ENABLED
CtvExtern(int, curThreadEvent);
// In the program if it is linked with -tracemode projections.
extern void _createTraceprojections(char **arguments) __attribute__((weak));
#endif

namespace longpole_module {

#if CMK_TRACE_ENABLED

namespace {

// Messages that carry an array's broadcast to its elements (docs/formats/projections.md 4).
const int firstArrayBroadcast = 23, lastArrayBroadcast = 25;
const std::size_t mostLone = 1u << 20;

// Of this PE's log, and of no other one, also of another run that an object was restored from.
std::uint64_t newIdentity()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return (static_cast<std::uint64_t>(time) << 24) ^ static_cast<std::uint64_t>(CkMyPe());
}

class ActivityTrace : public Trace {
public:
    ActivityTrace(bool records, bool hasOtherNumbers, std::size_t mostBytes)
        : m_log(mostBytes, newIdentity()), m_records(records), m_hasOtherNumbers(hasOtherNumbers)
    {
    }

    ActivityLog m_log;
    bool m_records;
    std::uint64_t m_tasks = 0;
    std::vector<LoneExecution> *m_lone = nullptr;

    void creation(envelope *env, int entry, int) override { made(env, entry); }
    void creationMulticast(envelope *env, int entry, int, const int *) override { made(env, entry); }

    void beginExecute(envelope *env, void *) override
    {
        if (env == nullptr) begin(CtvAccess(curThreadEvent), _threadEP, CkMyPe());
        else {
            if (m_lone != nullptr && m_depth == 0 && env->getMsgtype() == ForChareMsg && m_lone->size() < mostLone)
                m_lone->push_back(LoneExecution{env->getEpIdx(), nowNs()});
            begin(static_cast<int>(env->getEvent()), env->getEpIdx(), static_cast<int>(env->getSrcPe()));
        }
    }
    void beginExecute(CmiObjId *) override { begin(CtvAccess(curThreadEvent), _threadEP, CkMyPe()); }
    void beginExecute(int event, int, int entry, int sourcePe, int, CmiObjId *, void *) override
    {
        begin(event, entry, sourcePe);
    }
    void endExecute() override
    {
        if (m_depth > 0) --m_depth;
        if (m_records) m_log.end(nowNs());
    }
    void beginIdle(double) override
    {
        if (m_records) m_log.idle();
    }

private:
    bool m_hasOtherNumbers;
    int m_depth = 0;

    void begin(int event, int entry, int sourcePe)
    {
        m_tasks += m_depth++ == 0;
        if (m_records)
            m_log.begin(nowNs(), static_cast<std::uint16_t>(entry),
                        MessageKey{sourcePe, static_cast<std::uint32_t>(event)});
    }
    void made(envelope *env, int entry)
    {
        if (!m_records) return;
        const int type = env == nullptr ? 0 : env->getMsgtype();
        const bool isArrayBroadcast = type >= firstArrayBroadcast && type <= lastArrayBroadcast;
        const std::uint16_t to = static_cast<std::uint16_t>(entry);
        if (m_hasOtherNumbers) {
            m_log.send(nowNs(), to, isArrayBroadcast,
                       env == nullptr ? static_cast<std::uint32_t>(CtvAccess(curThreadEvent)) : env->getEvent());
            return;
        }
        const std::uint32_t event = m_log.send(nowNs(), to, isArrayBroadcast);
        if (env == nullptr) CtvAccess(curThreadEvent) = static_cast<int>(event);
        else env->setEvent(event);
    }
};

// By rank in the process. Threads of the process write their own place only.
std::vector<std::unique_ptr<ActivityTrace>> traces;

ActivityTrace *traceOfThisPe()
{
    const std::size_t rank = static_cast<std::size_t>(CmiMyRank());
    return rank < traces.size() ? traces[rank].get() : nullptr;
}

}  // namespace

bool canTrace() { return true; }

void beginTrace(bool records, std::size_t mostBytes)
{
    if (CmiMyRank() == 0) traces.resize(static_cast<std::size_t>(CmiMyNodeSize()));
    CmiNodeAllBarrier();
    if (CmiMyRank() >= CmiMyNodeSize()) return;  // a communication thread
    TraceArray *const all = CkpvAccess(_traces);
    const bool hasProjections = _createTraceprojections != nullptr && all->length() > 0 && CkpvAccess(traceOnPe) != 0;
    std::unique_ptr<ActivityTrace> &trace = traces[static_cast<std::size_t>(CmiMyRank())];
    const bool isAlone = all->length() == 0;
    trace.reset(new ActivityTrace(records, hasProjections, mostBytes));
    all->addTrace(trace.get());
    trace->setTraceOnPE(1);
    if (isAlone) traceBegin();  // with another tracer the program says when
}

ActivityLog *activityLog()
{
    ActivityTrace *const trace = traceOfThisPe();
    return trace == nullptr ? nullptr : &trace->m_log;
}

void setRecording(bool isOn)
{
    ActivityTrace *const trace = traceOfThisPe();
    if (trace == nullptr || trace->m_records == isOn) return;
    if (isOn) trace->m_log.forget();
    trace->m_records = isOn;
}

std::uint64_t tasksSoFar()
{
    const ActivityTrace *const trace = traceOfThisPe();
    return trace == nullptr ? 0 : trace->m_tasks;
}

void noteLoneExecutions(std::vector<LoneExecution> *to)
{
    if (ActivityTrace *const trace = traceOfThisPe()) trace->m_lone = to;
}

#else

bool canTrace() { return false; }
void beginTrace(bool, std::size_t) {}
ActivityLog *activityLog() { return nullptr; }
void setRecording(bool) {}
std::uint64_t tasksSoFar() { return 0; }
void noteLoneExecutions(std::vector<LoneExecution> *) {}

#endif

}  // namespace longpole_module
