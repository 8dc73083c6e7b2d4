// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a Charm++ program's messages the priorities of a file where they enter the scheduler's queue, which is the one
// place that all of them pass (linked with --wrap=CqsEnqueueGeneral); the program's sources stay as they are.
#include "prioritytable.h"

#include "charm++.h"
#include "ck.h"
#include "queueing.h"
#include "register.h"

#include "longpole.decl.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>

extern int _charmHandlerIdx;
extern "C" void __real_CqsEnqueueGeneral(Queue, void*, int, int, unsigned int*);

namespace {

using longpole_module::ListedPriority;

const double secondsBetweenLooks = 5;
const std::size_t mostNamed = 8;  // entry methods that a line names

// What messages of each entry method get. Tables that were in use stay: another thread may still read them.
struct Table {
    std::vector<char> isListed;
    std::vector<int> priority;
};

// How many messages of each entry method one thread has seen. Written by this thread only.
struct Counts {
    explicit Counts(std::size_t entries) : changed(entries), kept(entries) {}
    std::vector<std::atomic<unsigned long>> changed, kept;
    static void add(std::atomic<unsigned long>& count)
    {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
};

// Of this process. Written before the first message and, but for the table, never again.
struct Module {
    std::string file;
    bool overrides = false;           // takes messages that have a priority of the program's, too
    std::vector<char> isBroadcast;    // entry methods that carry another one's broadcast to an array's elements
    std::vector<std::unique_ptr<Counts>> counts;  // by rank in the process; the last one is the communication thread's
    std::vector<std::unique_ptr<Table>> tables;
    std::string stamp;  // of the file that was read last
};
Module module;
std::atomic<const Table*> table(nullptr);

void say(const std::string& text)
{
    if (CmiNumNodes() == 1) CmiPrintf("Longpole: %s\n", text.c_str());
    else CmiPrintf("Longpole, process %d: %s\n", CmiMyNode(), text.c_str());
}

std::string counted(std::size_t count, const char* one, const char* many)
{
    std::ostringstream text;
    text << count << ' ' << (count == 1 ? one : many);
    return text.str();
}

// What entry method it is, on one line, whatever a file calls it.
std::string quoted(std::string name)
{
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return name;
}

std::string entryName(int entry)
{
    const EntryInfo& info = *_entryTable[entry];
    return std::string(_chareTable[info.chareIdx]->name) + "::" + info.name;
}

// Changes whenever the file does. Empty if there is none.
std::string stampOf(const std::string& file)
{
    struct stat found;
    if (stat(file.c_str(), &found) != 0) return std::string();
    std::ostringstream text;
    text << found.st_dev << ' ' << found.st_ino << ' ' << found.st_size << ' ' << found.st_mtim.tv_sec << ' '
         << found.st_mtim.tv_nsec;
    return text.str();
}

// By name without blanks: numbers change with every build, and only choose among equal names. -1: none.
int findEntry(const std::vector<std::string>& names, const ListedPriority& row)
{
    const std::string name = longpole_module::withoutBlanks(row.name);
    if (row.number >= 0 && row.number < static_cast<long long>(names.size())
        && names[static_cast<std::size_t>(row.number)] == name)
        return static_cast<int>(row.number);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    return -1;
}

void use(const std::vector<ListedPriority>& rows)
{
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(_entryTable.size()); ++i)
        names.push_back(longpole_module::withoutBlanks(entryName(i)));
    std::unique_ptr<Table> made(new Table);
    made->isListed.assign(names.size(), 0);
    made->priority.assign(names.size(), 0);
    std::size_t found = 0, missing = 0;
    std::string missed;
    for (const ListedPriority& row : rows) {
        const int entry = findEntry(names, row);
        if (entry < 0) {
            if (++missing <= mostNamed) missed += (missing > 1 ? ", " : "") + quoted(row.name);
            continue;
        }
        const std::size_t at = static_cast<std::size_t>(entry);
        found += made->isListed[at] == 0;
        made->isListed[at] = 1;
        made->priority[at] = row.priority;
    }
    if (CmiMyNode() == 0) {
        say("priorities of " + counted(found, "entry method", "entry methods") + " from " + module.file);
        if (missing > 0)
            say(counted(missing, "row names", "rows name") + " no entry method of this program: " + missed
                + (missing > mostNamed ? ", ..." : ""));
    }
    table.store(made.get(), std::memory_order_release);
    module.tables.push_back(std::move(made));
}

void readFile()
{
    module.stamp = stampOf(module.file);
    std::ifstream in(module.file.c_str(), std::ios::binary);
    std::stringstream text;
    if (in) text << in.rdbuf();
    const int reason = errno;
    std::vector<ListedPriority> rows;
    const std::string wrong = !in || text.bad() ? std::string("it cannot be read: ") + std::strerror(reason)
                                                : longpole_module::readPriorityTable(text.str(), rows);
    if (wrong.empty()) {
        use(rows);
        return;
    }
    say(std::string(table.load() != nullptr ? "the priorities of before stay" : "no priorities are used") + ": "
        + module.file + ": " + quoted(wrong));
}

void lookAgain();
// Charm++ hands its timers one argument, or two in older versions.
void onTimer(void*) { lookAgain(); }
void onTimer(void*, double) { lookAgain(); }

void lookAgain()
{
    const std::string stamp = stampOf(module.file);
    if (!stamp.empty() && stamp != module.stamp) readFile();
    CcdCallFnAfter(static_cast<CcdVoidFn>(onTimer), nullptr, secondsBetweenLooks * 1000);
}

unsigned long sumOf(std::vector<std::atomic<unsigned long>> Counts::*which, std::size_t entry)
{
    unsigned long sum = 0;
    for (const std::unique_ptr<Counts>& counts : module.counts)
        sum += ((*counts).*which)[entry].load(std::memory_order_relaxed);
    return sum;
}

void sayWhatWasDone()
{
    const Table* const used = table.load(std::memory_order_acquire);
    for (std::size_t i = 0; used != nullptr && i < used->isListed.size(); ++i) {
        if (!used->isListed[i]) continue;
        const std::string name = entryName(static_cast<int>(i));
        const unsigned long changed = sumOf(&Counts::changed, i), kept = sumOf(&Counts::kept, i);
        std::ostringstream text;
        text << name << ": ";
        if (changed > 0) text << changed << (changed == 1 ? " message" : " messages") << " had priority "
                              << used->priority[i];
        else if (kept == 0) text << "no message passed the queue (expedited, immediate and inline ones never do)";
        if (kept > 0)
            text << (changed > 0 ? ", " : "") << kept << " kept the program's own (+longpole-override changes that)";
        say(text.str());
    }
    CkContinueExit();
}

bool isQueuedFirstInFirstOut(int strategy) { return strategy == CQS_QUEUEING_FIFO; }

}  // namespace

// At the start of every PE, when all entry methods are known and none has run.
void longpoleBegin()
{
    char** const arguments = CkGetArgv();
    char* file = nullptr;
    const bool isGiven = CmiGetArgStringDesc(arguments, "+longpole-priorities", &file,
                                             "file of priorities, of longpole advise --priorities") != 0;
    const bool overrides = CmiGetArgFlagDesc(arguments, "+longpole-override",
                                             "change messages that have a priority of their own, too") != 0;
    if (CmiMyRank() != 0) return;
    if (!isGiven) file = getenv("LONGPOLE_PRIORITIES");
    if (file == nullptr || *file == '\0') return;
    module.file = file;
    module.overrides = overrides || getenv("LONGPOLE_OVERRIDE") != nullptr;
#if CMK_FIFO_QUEUE_ONLY
    if (CmiMyNode() == 0) say("no priorities are used: this Charm++ is built for first in, first out only");
#else
    const std::size_t entries = static_cast<std::size_t>(_entryTable.size());
    for (int i = 0; i < static_cast<int>(entries); ++i)
        module.isBroadcast.push_back(entryName(i).compare(0, 13, "CkArray::recv") == 0
                                     && entryName(i).find("Broadcast") != std::string::npos);
    for (int rank = 0; rank <= CmiMyNodeSize(); ++rank) module.counts.emplace_back(new Counts(entries));
    if (CmiMyNode() == 0) registerExitFn(sayWhatWasDone);
    readFile();
    CcdCallFnAfter(static_cast<CcdVoidFn>(onTimer), nullptr, secondsBetweenLooks * 1000);
#endif
}

extern "C" void __wrap_CqsEnqueueGeneral(Queue queue, void* message, int strategy, int bits, unsigned int* priority)
{
    const Table* const used = table.load(std::memory_order_acquire);
    if (used != nullptr && CmiGetHandler(message) == _charmHandlerIdx) {
        envelope* const env = static_cast<envelope*>(message);
        std::size_t entry = env->getEpIdx();
        if (entry < module.isBroadcast.size() && module.isBroadcast[entry]) entry = env->getsetArrayBcastEp();
        const std::size_t rank = static_cast<std::size_t>(CmiMyRank());
        if (entry < used->isListed.size() && used->isListed[entry] && rank < module.counts.size()) {
            Counts& counts = *module.counts[rank];
            if (isQueuedFirstInFirstOut(strategy) || module.overrides) {
                Counts::add(counts.changed[entry]);
                unsigned int value = static_cast<unsigned int>(used->priority[entry]);
                __real_CqsEnqueueGeneral(queue, message, CQS_QUEUEING_IFIFO, 8 * sizeof value, &value);
                return;
            }
            Counts::add(counts.kept[entry]);
        }
    }
    __real_CqsEnqueueGeneral(queue, message, strategy, bits, priority);
}

#include "longpole.def.h"
