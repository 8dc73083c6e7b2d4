// SPDX-License-Identifier: GPL-3.0-or-later
// The path as a program's user asks for it by options, and its programmer by calls (longpole.h).
#include "activitytrace.h"
#include "longpole.h"
#include "module.h"
#include "path.h"

#include "trace-common.h"

#include <cstdlib>
#include <vector>

CkpvExtern(char *, traceRoot);
CkpvExtern(int, traceOnPe);
#if CMK_TRACE_ENABLED
extern void disableTraceLogOutput() __attribute__((weak));  // of Projections, if it is in the program
#endif

namespace longpole_module {

bool isPathUsed = false;

namespace {

const std::size_t mebibyte = 1u << 20;
const int usualMemory = 64;  // MiB a PE

// Of this process; written before the first task and, but for what PE 0 does at the end, never again.
struct Wishes {
    bool saysPath = false;
    std::string file;
    PathLevel level = MergesLevel;
    bool keepsCritical = false;  // of PE 0
    bool hasTrace = false;
};
Wishes wishes;
int pesToAnswer = 0;  // on PE 0, at the end
void (*afterwards)() = nullptr;

#if CMK_TRACE_ENABLED
bool hasProjections() { return disableTraceLogOutput != nullptr && CkpvAccess(traceOnPe) != 0; }
#else
bool hasProjections() { return false; }
#endif

std::string mergesFile() { return std::string(CkpvAccess(traceRoot)) + ".merges"; }

enum class KeepMove : std::int32_t { Want, Discard, Discarded };

void receiveKeep(int, Reader &reader)
{
    KeepMove move = KeepMove::Want;
    reader >> move;
    if (move == KeepMove::Want) wishes.keepsCritical = true;
    if (move == KeepMove::Discard) {
#if CMK_TRACE_ENABLED
        if (hasProjections()) disableTraceLogOutput();
#endif
        Writer writer;
        writer << KeepMove::Discarded;
        sendLetter(0, Letter::Keep, writer);
    }
    if (move == KeepMove::Discarded && --pesToAnswer == 0) afterwards();
}

void discardOthers(const FoundPath &path)
{
    if (!hasProjections()) {
        say("no logs are discarded: the program is not linked with -tracemode projections, or PE 0 has no log");
        afterwards();
        return;
    }
    std::vector<int> others;
    for (std::size_t pe = 0; pe < path.isOnPath.size(); ++pe)
        if (!path.isOnPath[pe]) others.push_back(static_cast<int>(pe));
    say("of " + counted(path.isOnPath.size(), "PE", "PEs") + " " + std::to_string(path.isOnPath.size() - others.size())
        + " are on the path; the others leave no logs");
    pesToAnswer = static_cast<int>(others.size());
    Writer writer;
    writer << KeepMove::Discard;
    for (const int pe : others) sendLetter(pe, Letter::Keep, writer);
    if (others.empty()) afterwards();
}

void sayFound(const FoundPath &path)
{
    if (wishes.saysPath) sayPath(path);
    if (!wishes.file.empty()) {
        const std::string wrong = writePath(path, wishes.file);
        if (!wrong.empty()) say("the path cannot be written to " + wishes.file + ": " + wrong);
    }
    if (!path.merges.empty() && hasProjections()) {
        const std::string file = mergesFile();
        const std::string wrong = writeMerges(path, file);
        if (!wrong.empty()) say("the merges cannot be written to " + file + ": " + wrong);
    }
    if (wishes.keepsCritical && path.length >= 0) discardOthers(path);
    else afterwards();
}

void deliver(const CkCallback &callback, const FoundPath &path)
{
    const std::vector<std::uint32_t> entries = byTimeOnPath(path);
    LongpolePath *const message = new (static_cast<int>(path.steps.size()), static_cast<int>(entries.size()))
        LongpolePath;
    message->length = path.length;
    message->duration = path.tasks > 0 ? path.cut - path.begin : 0;
    message->stepCount = static_cast<std::int32_t>(path.steps.size());
    message->shareCount = static_cast<std::int32_t>(entries.size());
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
        const FoundPath::Step &step = path.steps[i];
        message->steps[i] = LongpoleStep{step.pe, static_cast<std::int32_t>(step.entry), step.begin, step.weight};
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const PathReplay::Sums &sums = path.sums[entries[i]];
        message->shares[i] = LongpoleShare{static_cast<std::int32_t>(entries[i]),
                                           static_cast<std::int32_t>(sums.steps),
                                           sums.onPath,
                                           sums.waited,
                                           sums.busy,
                                           static_cast<std::int64_t>(sums.tasks)};
    }
    callback.send(message);
}

void find(const CkCallback &callback)
{
    if (!wishes.hasTrace) deliver(callback, FoundPath());
    else findPath(wishes.level, true, [callback](const FoundPath &path) { deliver(callback, path); });
}

void receiveRequest(int, Reader &reader)
{
    std::vector<char> packed;
    reader >> packed;
    CkCallback callback;
    PUP::fromMemBuf(callback, packed.data(), packed.size());
    find(callback);
}

}  // namespace

void beginPath(char **arguments)
{
    const bool saysPath = CmiGetArgFlagDesc(arguments, "+longpole-path", "print the critical path at the end") != 0;
    char *file = nullptr;
    CmiGetArgStringDesc(arguments, "+longpole-path-file", &file, "write the critical path at the end, as JSON");
    char *level = nullptr;
    CmiGetArgStringDesc(arguments, "+longpole-edges", &level,
                        "what leads to a task: messages, merges (default), order");
    const bool keeps = CmiGetArgFlagDesc(arguments, "+longpole-keep-critical",
                                         "Projections logs only of PEs on the critical path")
                       != 0;
    int memory = usualMemory;
    CmiGetArgIntDesc(arguments, "+longpole-memory", &memory, "MiB a PE for the path");
    if (memory < 1) memory = 1;
    const bool isWanted = saysPath || file != nullptr || keeps || isPathUsed;
    if (CmiMyRank() == 0) {
        wishes.saysPath = saysPath;
        wishes.file = file == nullptr ? "" : file;
        wishes.keepsCritical = keeps;
        const std::string asked = level == nullptr ? nameOf(wishes.level) : level;
        for (const PathLevel one : {MessagesLevel, MergesLevel, OrderLevel})
            if (asked == nameOf(one)) wishes.level = one;
        if (asked != nameOf(wishes.level) && CmiMyNode() == 0)
            say("+longpole-edges takes messages, merges or order, not " + quoted(asked) + "; it is merges");
        setReceiver(Letter::Keep, receiveKeep);
        setReceiver(Letter::Request, receiveRequest);
        if (isWanted && !canTrace() && CmiMyNode() == 0)
            say("no critical path: this Charm++ is built without tracing (./build ... --enable-tracing)");
        wishes.hasTrace = canTrace() && (isWanted || isAutoOn());
    }
    // Projections has emptied the .sts of the run before, whose merges they are.
    if (CmiMyPe() == 0 && hasProjections()) removeMerges(mergesFile());
    if (!canTrace() || !(isWanted || isAutoOn())) return;
    beginTrace(isWanted, static_cast<std::size_t>(memory) * mebibyte);
    beginPathSearch();
}

void endPath(void (*then)())
{
    afterwards = then;
    const bool isWanted = wishes.saysPath || !wishes.file.empty() || wishes.keepsCritical;
    if (!isWanted || !wishes.hasTrace) then();
    else findPath(wishes.level, true, sayFound);
}

void PathMerge::arrive()
{
    ActivityLog *const log = activityLog();
    if (log == nullptr) return;
    const ActivityLog::Merge merge = log->merge(ActivityLog::Merge{m_log, m_row, m_task});
    m_log = merge.log;
    m_row = merge.row;
    m_task = merge.task;
}

}  // namespace longpole_module

void longpolePath(const CkCallback &callback)
{
    using namespace longpole_module;
    CkCallback packable = callback;
    std::vector<char> packed(PUP::size(packable));
    PUP::toMemBuf(packable, packed.data(), packed.size());
    Writer writer;
    writer << packed;
    sendLetter(0, Letter::Request, writer);
}

void longpolePathReset()
{
    if (longpole_module::wishes.hasTrace) longpole_module::setRecordingEverywhere(longpole_module::Recording::Forget);
}

void longpoleKeepCritical()
{
    longpole_module::Writer writer;
    writer << longpole_module::KeepMove::Want;
    longpole_module::sendLetter(0, longpole_module::Letter::Keep, writer);
}
