// SPDX-License-Identifier: GPL-3.0-or-later
// Lets a program try priorities for the entry methods on its own critical path while it runs, and keep what helps. PE 0
// measures intervals: by iterations that the program marks, else by the executions of a chare on PE 0 that come evenly,
// else by how many tasks all PEs do in a time.
#include "activitytrace.h"
#include "autodecision.h"
#include "longpole.h"
#include "module.h"
#include "path.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <locale>
#include <memory>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole_module {

namespace {

const int asRuntime = -5;  // what Charm++'s own prioritization gives (section 7.1)
const int ticksPerInterval = 20;
const int mostLengths = 4;  // an interval with too few samples goes on for so many times its length
const double leastInterval = 0.01;

// Of PE 0 but for the first two, which all processes know.
struct Auto {
    double interval = 0;  // seconds; 0: off
    std::string log = "longpole-auto.jsonl";
    int out = -1;
    struct stat outIs = {};  // the program may close all descriptors, and its next files get their numbers
    AutoDecisions decisions;
    double began = 0;                // of the interval
    bool isWaiting = false;          // for the path
    std::vector<double> iterations;  // marked by the program, of this interval
    std::vector<LoneExecution> lone;
    bool isMarked = false;  // the program marks its iterations
    bool isMeasureKnown = false, usesIterations = false;
    int loneEntry = -1;       // whose executions are the iterations
    std::uint32_t asked = 0;  // ticks
    int answers = 0;
    std::uint64_t tasks = 0;  // of the tick that is under way
    double askedAt = 0, countedAt = 0;
    std::uint64_t counted = 0;
    std::vector<double> paces;  // seconds a task
    std::size_t tried = 0;
    double time = 1;  // of what is kept, for 1 without
    std::string kept;
};
Auto state;

enum class TasksMove : std::int32_t { Ask, Tell };

void toEveryPe(Letter kind, const Writer &writer)
{
    for (int pe = 0; pe < CmiNumPes(); ++pe) sendLetter(pe, kind, writer);
}

bool parseTime(const std::string &text, double &seconds)
{
    const std::size_t digits = text.find_first_not_of("0123456789.");
    const std::string unit = digits == std::string::npos ? std::string() : text.substr(digits);
    std::istringstream number(text.substr(0, digits));
    number.imbue(std::locale::classic());
    if (!(number >> seconds) || !number.eof()) return false;
    if (unit == "ms") seconds /= 1000;
    else if (unit == "min") seconds *= 60;
    else if (!unit.empty() && unit != "s") return false;
    return seconds >= leastInterval && seconds <= 86400;
}

std::vector<double> timesOf(int entry)
{
    std::vector<double> times;
    for (const LoneExecution &execution : state.lone)
        if (execution.entry == entry) times.push_back(static_cast<double>(execution.begin) * 1e-9);
    return times;
}

// By the first interval: the entry method that ran least often, but often enough, and evenly.
void chooseMeasure()
{
    state.isMeasureKnown = true;
    state.usesIterations = state.isMarked;
    if (state.usesIterations) return;
    std::vector<std::size_t> counts(entryCount());
    for (const LoneExecution &execution : state.lone)
        if (execution.entry < counts.size()) ++counts[execution.entry];
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const int entry = static_cast<int>(i);
        if (counts[i] <= leastSamples || !isUserEntry(entry) || !isRegular(timesOf(entry))) continue;
        if (state.loneEntry < 0 || counts[i] < counts[static_cast<std::size_t>(state.loneEntry)])
            state.loneEntry = entry;
    }
}

std::string measureName()
{
    if (state.usesIterations) return "iterations";
    return state.loneEntry >= 0 ? entryName(state.loneEntry) : "tasks";
}

std::vector<double> samplesNow()
{
    if (state.usesIterations) return differencesOf(state.iterations);
    return state.loneEntry >= 0 ? differencesOf(timesOf(state.loneEntry)) : state.paces;
}

void writeSpread(std::ostream &out, const char *key, const Spread &spread)
{
    out << ",\"" << key << "\":{\"median_s\":" << spread.median << ",\"low_s\":" << spread.low
        << ",\"high_s\":" << spread.high << ",\"count\":" << spread.count << "}";
}

std::string namesOf(const std::vector<int> &entries)
{
    std::string names;
    for (const int entry : entries) names += (names.empty() ? "" : ", ") + entryName(entry);
    return names;
}

// Through no link, and nothing but such a log: the folder may be one in which others write, too.
int openLog(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    struct stat found;
    const bool isFile = fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 1;
    if (!isFile || !beginsWith(file, "{\"format\":\"longpole-auto\"") || ftruncate(file, 0) != 0) {
        close(file);
        return -1;
    }
    state.outIs = found;
    const int high = fcntl(file, F_DUPFD_CLOEXEC, 500);  // out of the program's way
    if (high < 0) return file;
    close(file);
    return high;
}

// What finds no room is left out, and all when the program has closed the log.
void writeLine(const std::string &line)
{
    struct stat found;
    if (fstat(state.out, &found) != 0) return;
    if (found.st_dev != state.outIs.st_dev || found.st_ino != state.outIs.st_ino) return;
    for (std::size_t written = 0; written < line.size();) {
        const ssize_t count = write(state.out, line.data() + written, line.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        written += static_cast<std::size_t>(count);
    }
}

void writeEntries(std::ostream &out, const char *key, const std::vector<int> &entries)
{
    out << ",\"" << key << "\":[";
    const char *between = "";
    for (const int entry : entries) {
        out << between << "{\"ep\":" << entry << ",\"name\":" << inJson(entryName(entry)) << ",\"prio\":" << asRuntime
            << "}";
        between = ",";
    }
    out << "]";
}

void writeDecision(const Decision &decision)
{
    if (state.out < 0) return;
    std::ostringstream out;
    out.imbue(std::locale::classic());  // the program's own may write a comma into numbers
    out.precision(9);
    out << "{\"format\":\"longpole-auto\",\"version\":1,\"time_s\":" << CmiWallTimer() << ",\"decision\":\""
        << nameOf(decision.kind) << "\",\"trial\":" << decision.trial << ",\"measure\":" << inJson(measureName());
    if (decision.trial > 0) {
        out << ",\"scheme\":\"" << decision.scheme.name << "\"";
        writeEntries(out, "entries", decision.scheme.entries);
    }
    if (!decision.base.entries.empty()) writeEntries(out, "base", decision.base.entries);
    if (decision.comparison.off.count > 0 || decision.comparison.on.count > 0) {
        out << ",\"gain\":" << decision.comparison.gain;
        writeSpread(out, decision.kind == Decision::Drifted ? "before" : "off", decision.comparison.off);
        writeSpread(out, decision.kind == Decision::Drifted ? "after" : "on", decision.comparison.on);
    }
    out << "}\n";
    writeLine(out.str());
}

void tell(const std::vector<Decision> &decisions)
{
    for (const Decision &decision : decisions) {
        writeDecision(decision);
        state.tried += decision.trial > 0;
        if (decision.kind != Decision::Kept) continue;
        state.time = decision.scheme.entries.empty() ? 1 : state.time * (1 - decision.comparison.gain);
        state.kept = namesOf(decision.scheme.entries);
    }
}

void beginInterval()
{
    std::vector<PriorityOf> priorities;
    for (const int entry : state.decisions.priorities()) priorities.push_back(PriorityOf{entry, asRuntime});
    setPriorities(priorities);
    if (state.decisions.recordsPath()) {
        setRecordingEverywhere(Recording::On);
        state.isMeasureKnown = false;
        state.loneEntry = -1;
    }
    state.began = CmiWallTimer();
    state.iterations.clear();
    state.lone.clear();
    state.paces.clear();
    state.countedAt = 0;
}

void endInterval(const std::vector<Scheme> &schemes)
{
    state.decisions.ended(samplesNow(), schemes);
    tell(state.decisions.takeDecisions());
    beginInterval();
}

void onPath(const FoundPath &path)
{
    state.isWaiting = false;
    if (!isPathUsed) setRecordingEverywhere(Recording::Off);
    std::vector<EntryOnPath> entries;
    for (const std::uint32_t entry : byTimeOnPath(path)) {
        const PathReplay::Sums &sums = path.sums[entry];
        const double length = static_cast<double>(path.length);
        if (isUserEntry(static_cast<int>(entry)) && sums.tasks > 0)
            entries.push_back(EntryOnPath{static_cast<int>(entry), static_cast<double>(sums.onPath) / length,
                                          static_cast<double>(sums.steps) / static_cast<double>(sums.tasks),
                                          static_cast<double>(sums.waited),
                                          static_cast<double>(sums.busy - sums.onPath) / CkNumPes() / length});
    }
    endInterval(schemesOf(entries, AutoDecisions::mostTrials));
}

void askTasks()
{
    state.answers = 0;
    state.tasks = 0;
    state.askedAt = CmiWallTimer();
    Writer writer;
    writer << TasksMove::Ask << ++state.asked << std::uint64_t(0);
    toEveryPe(Letter::Tasks, writer);
}

void receiveTasks(int, Reader &reader)
{
    TasksMove move = TasksMove::Ask;
    std::uint32_t tick = 0;
    std::uint64_t tasks = 0;
    reader >> move >> tick >> tasks;
    if (move == TasksMove::Ask) {
        Writer writer;
        writer << TasksMove::Tell << tick << tasksSoFar();
        sendLetter(0, Letter::Tasks, writer);
        return;
    }
    if (tick != state.asked) return;  // of a tick that took too long
    state.tasks += tasks;
    if (++state.answers < CmiNumPes()) return;
    if (state.countedAt > 0 && state.tasks > state.counted)
        state.paces.push_back((state.askedAt - state.countedAt) / static_cast<double>(state.tasks - state.counted));
    state.counted = state.tasks;
    state.countedAt = state.askedAt;
}

void receiveIteration(int, Reader &reader)
{
    double time = 0;
    reader >> time;
    state.isMarked = true;
    state.iterations.push_back(time);
}

void tick();
void onTick(void *) { tick(); }
void onTick(void *, double) { tick(); }

// Charm++ hands its timers one argument, or two in older versions.
void tickLater() { CcdCallFnAfter(static_cast<CcdVoidFn>(onTick), nullptr, state.interval * 1000 / ticksPerInterval); }

void tick()
{
    if (state.interval <= 0) return;
    if (state.began <= 0) {
        noteLoneExecutions(&state.lone);
        beginInterval();
    }
    askTasks();
    const double length = CmiWallTimer() - state.began;
    if (!state.isWaiting && length >= state.interval) {
        if (!state.isMeasureKnown) chooseMeasure();
        const bool hasEnough = samplesNow().size() >= leastSamples || length >= mostLengths * state.interval;
        if (hasEnough && state.decisions.recordsPath()) {
            state.isWaiting = true;
            findPath(MergesLevel, false, onPath);
        } else if (hasEnough) {
            endInterval(std::vector<Scheme>());
        } else if (state.decisions.recordsPath()) {
            state.isMeasureKnown = false;  // more may show in the time that is left
            state.loneEntry = -1;
        }
    }
    tickLater();
}

}  // namespace

bool isAutoOn() { return state.interval > 0; }

void beginAuto(char **arguments)
{
    char *interval = nullptr;
    char *log = nullptr;
    CmiGetArgStringDesc(arguments, "+longpole-auto", &interval,
                        "try priorities for what is on the critical path, in intervals of this time (10s)");
    CmiGetArgStringDesc(arguments, "+longpole-auto-log", &log, "where to note what was decided");
    if (CmiMyRank() != 0) {
        CmiNodeAllBarrier();
        return;
    }
    if (interval == nullptr) interval = secure_getenv("LONGPOLE_AUTO");
    if (log != nullptr) state.log = log;
    std::string wrong;
    if (interval != nullptr && *interval != '\0') {
        if (!parseTime(interval, state.interval))
            wrong = quoted(interval) + " is no time from 10 ms to a day, like 10s";
        else if (!canTrace()) wrong = "this Charm++ is built without tracing (./build ... --enable-tracing)";
        else if (!canPrioritize()) wrong = "this Charm++ is built for first in, first out only";
        else if (hasPriorityFile()) wrong = "there is a file of priorities";
    }
    if (!wrong.empty()) {
        state.interval = 0;
        if (CmiMyNode() == 0) say("no automatic priorities: " + wrong);
    }
    CmiNodeAllBarrier();
    if (state.interval <= 0) return;
    setReceiver(Letter::Tasks, receiveTasks);
    setReceiver(Letter::Iteration, receiveIteration);
    if (CmiMyPe() != 0) return;
    state.out = openLog(state.log.c_str());
    if (state.out < 0) say("decisions cannot be noted in " + quoted(state.log));
    tickLater();
}

void endAuto()
{
    if (state.interval <= 0) return;
    state.interval = 0;
    noteLoneExecutions(nullptr);
    say("automatic priorities, " + counted(state.tried, "trial", "trials") + ": "
        + (state.kept.empty()
               ? std::string("none is kept")
               : "kept for " + state.kept + ": " + shareText(1 - state.time) + " less time by " + measureName()));
}

void markIteration()
{
    if (state.interval <= 0) return;
    Writer writer;
    writer << CmiWallTimer();
    sendLetter(0, Letter::Iteration, writer);
}

}  // namespace longpole_module

void longpoleIteration() { longpole_module::markIteration(); }
