// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a Charm++ program's messages the priorities of a file where they enter the scheduler's queue, which is the one
// place that all of them pass (linked with --wrap=CqsEnqueueGeneral); the program's sources stay as they are.
#include "module.h"
#include "prioritytable.h"

#include "charm++.h"
#include "ck.h"
#include "queueing.h"
#include "register.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <locale>
#include <memory>
#include <sstream>

#include <sys/stat.h>

extern int _charmHandlerIdx;
extern "C" void __real_CqsEnqueueGeneral(Queue, void *, int, int, unsigned int *);

namespace longpole_module {

namespace {

const double secondsBetweenLooks = 5;
const std::size_t mostNamed = 8;  // entry methods that a line names
const int asRuntime = -5;         // what Charm++'s own prioritization gives what is on the path

// What messages of each entry method get. Tables that were in use stay: another thread may still read them.
struct Table {
    std::vector<char> isListed;
    std::vector<int> priority;
};

// How many messages of each entry method one thread has seen. Written by this thread only.
struct Counts {
    explicit Counts(std::size_t entries) : changed(entries), kept(entries), broadcast(entries) {}
    std::vector<std::atomic<unsigned long>> changed, kept, broadcast;  // broadcast: of those that were changed
    static void add(std::atomic<unsigned long> &count)
    {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
};
typedef std::vector<std::atomic<unsigned long>> Counts::*Which;

// Of this process. Written before the first message and, but for the table, never again.
struct Module {
    std::string file;
    bool overrides = false;         // takes messages that have a priority of the program's, too
    bool isAsRuntime = false;       // what is listed before all else, whatever the program says
    std::vector<char> isBroadcast;  // entry methods that carry another one's broadcast to an array's elements
    std::vector<std::unique_ptr<Counts>> counts;  // by rank in the process; the last one is the communication thread's
    std::vector<std::unique_ptr<Table>> tables;
    std::string stamp;  // of the file that was read last
};
Module module;
std::atomic<const Table *> table(nullptr);

// Changes whenever the file does. Empty if there is none.
std::string stampOf(const std::string &file)
{
    struct stat found;
    if (stat(file.c_str(), &found) != 0) return std::string();
    std::ostringstream text;
    text << found.st_dev << ' ' << found.st_ino << ' ' << found.st_size << ' ' << found.st_mtim.tv_sec << ' '
         << found.st_mtim.tv_nsec;
    return text.str();
}

// By name without blanks: numbers change with every build, and only choose among equal names. -1: none.
int findEntry(const std::vector<std::string> &names, const ListedPriority &row)
{
    const std::string name = withoutBlanks(row.name);
    if (row.number >= 0 && row.number < static_cast<long long>(names.size())
        && names[static_cast<std::size_t>(row.number)] == name)
        return static_cast<int>(row.number);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    return -1;
}

void install(std::unique_ptr<Table> made)
{
    table.store(made.get(), std::memory_order_release);
    module.tables.push_back(std::move(made));
}

void use(const std::vector<ListedPriority> &rows)
{
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(entryCount()); ++i) names.push_back(withoutBlanks(entryName(i)));
    std::unique_ptr<Table> made(new Table);
    made->isListed.assign(names.size(), 0);
    made->priority.assign(names.size(), 0);
    std::size_t found = 0, missing = 0;
    std::string missed;
    for (const ListedPriority &row : rows) {
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
    if (module.isAsRuntime) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            made->priority[i] = made->isListed[i] ? asRuntime : 0;
            made->isListed[i] = made->isListed[i] || isUserEntry(static_cast<int>(i));
        }
    }
    install(std::move(made));
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
                                                : readPriorityTable(text.str(), rows);
    if (wrong.empty()) {
        use(rows);
        return;
    }
    say(std::string(table.load() != nullptr ? "the priorities of before stay" : "no priorities are used") + ": "
        + module.file + ": " + quoted(wrong));
}

void lookAgain();
// Charm++ hands its timers one argument, or two in older versions.
void onTimer(void *) { lookAgain(); }
void onTimer(void *, double) { lookAgain(); }

void lookAgain()
{
    const std::string stamp = stampOf(module.file);
    if (!stamp.empty() && stamp != module.stamp) readFile();
    CcdCallFnAfter(static_cast<CcdVoidFn>(onTimer), nullptr, secondsBetweenLooks * 1000);
}

unsigned long sumOf(Which which, std::size_t entry)
{
    unsigned long sum = 0;
    for (const std::unique_ptr<Counts> &counts : module.counts)
        sum += ((*counts).*which)[entry].load(std::memory_order_relaxed);
    return sum;
}

// What all processes' messages of an entry method got.
struct Done {
    unsigned long changed, kept, broadcast;
};
// On PE 0, at the end.
std::vector<Done> done;
int processesToAnswer = 0;
void (*afterwards)() = nullptr;

void sayWhatWasDone()
{
    const Table *const used = table.load(std::memory_order_acquire);
    for (std::size_t i = 0; used != nullptr && i < used->isListed.size(); ++i) {
        const Done &of = done[i];
        if (!used->isListed[i]) continue;
        // Of those that only lost their own priority nothing is said.
        if (used->priority[i] == 0 && (module.isAsRuntime || module.file.empty())) continue;
        std::ostringstream text;
        text.imbue(std::locale::classic());
        text << entryName(static_cast<int>(i)) << ": ";
        if (of.changed > 0)
            text << of.changed << (of.changed == 1 ? " message" : " messages") << " had priority " << used->priority[i];
        else if (of.kept == 0) text << "no message passed the queue (expedited, immediate and inline ones never do)";
        if (of.broadcast > 0)
            text << ", " << (of.broadcast == of.changed ? "all" : std::to_string(of.broadcast))
                 << " of broadcasts to arrays, which pass the queue once a process and not once an element";
        if (of.kept > 0)
            text << (of.changed > 0 ? ", " : "") << of.kept
                 << " kept the program's own (+longpole-override changes that)";
        say(text.str());
    }
}

enum class Move : std::int32_t { Set, Ask, Tell };

void setHere(const std::vector<PriorityOf> &priorities)
{
    std::unique_ptr<Table> made(new Table);
    made->isListed.assign(entryCount(), 0);
    made->priority.assign(entryCount(), 0);
    for (const PriorityOf &one : priorities) {
        if (one.entry < 0 || static_cast<std::size_t>(one.entry) >= entryCount()) continue;
        made->isListed[static_cast<std::size_t>(one.entry)] = 1;
        made->priority[static_cast<std::size_t>(one.entry)] = one.priority;
    }
    // Where the program's own priorities count for nothing, others of its messages are as if they had none.
    for (std::size_t i = 0; module.overrides && !priorities.empty() && i < made->isListed.size(); ++i)
        made->isListed[i] = made->isListed[i] || isUserEntry(static_cast<int>(i));
    install(std::move(made));
}

void receivePriorities(int from, Reader &reader)
{
    Move move = Move::Set;
    reader >> move;
    if (move == Move::Set) {
        std::vector<PriorityOf> priorities;
        reader >> priorities;
        setHere(priorities);
        return;
    }
    if (move == Move::Ask) {
        std::vector<Done> counts;
        for (std::size_t i = 0; i < entryCount(); ++i)
            counts.push_back(Done{sumOf(&Counts::changed, i), sumOf(&Counts::kept, i), sumOf(&Counts::broadcast, i)});
        Writer writer;
        writer << Move::Tell << counts;
        sendLetter(from, Letter::Priorities, writer);
        return;
    }
    std::vector<Done> counts;
    reader >> counts;
    for (std::size_t i = 0; i < counts.size() && i < done.size(); ++i) {
        done[i].changed += counts[i].changed;
        done[i].kept += counts[i].kept;
        done[i].broadcast += counts[i].broadcast;
    }
    if (--processesToAnswer > 0) return;
    sayWhatWasDone();
    afterwards();
}

void toEveryProcess(const Writer &writer)
{
    for (int process = 0; process < CmiNumNodes(); ++process)
        sendLetter(CmiNodeFirst(process), Letter::Priorities, writer);
}

bool isQueuedFirstInFirstOut(int strategy) { return strategy == CQS_QUEUEING_FIFO; }

}  // namespace

bool canPrioritize()
{
#if CMK_FIFO_QUEUE_ONLY
    return false;
#else
    return true;
#endif
}

bool hasPriorityFile() { return !module.file.empty(); }

void beginPriorities(char **arguments)
{
    char *file = nullptr;
    const bool isGiven = CmiGetArgStringDesc(arguments, "+longpole-priorities", &file,
                                             "file of priorities, of longpole advise --priorities")
                         != 0;
    const bool overrides = CmiGetArgFlagDesc(arguments, "+longpole-override",
                                             "change messages that have a priority of their own, too")
                           != 0;
    const bool isAsRuntime = CmiGetArgFlagDesc(arguments, "+longpole-as-runtime",
                                               "what the file lists before all else, as Charm++'s own way does")
                             != 0;
    if (CmiMyRank() != 0) return;
    if (!isGiven) file = secure_getenv("LONGPOLE_PRIORITIES");
    module.overrides = overrides || isAsRuntime || secure_getenv("LONGPOLE_OVERRIDE") != nullptr;
    module.isAsRuntime = isAsRuntime;
    for (int i = 0; i < static_cast<int>(entryCount()); ++i) {
        const std::string name = entryName(i);
        module.isBroadcast.push_back(name.compare(0, 13, "CkArray::recv") == 0
                                     && name.find("Broadcast") != std::string::npos);
    }
    for (int rank = 0; rank <= CmiMyNodeSize(); ++rank) module.counts.emplace_back(new Counts(entryCount()));
    setReceiver(Letter::Priorities, receivePriorities);
    if (file == nullptr || *file == '\0') return;
    if (!canPrioritize()) {
        if (CmiMyNode() == 0) say("no priorities are used: this Charm++ is built for first in, first out only");
        return;
    }
    module.file = file;
    readFile();
    CcdCallFnAfter(static_cast<CcdVoidFn>(onTimer), nullptr, secondsBetweenLooks * 1000);
}

void setPriorities(const std::vector<PriorityOf> &priorities)
{
    Writer writer;
    writer << Move::Set << priorities;
    toEveryProcess(writer);
}

void sayWhatHadPriority(void (*then)())
{
    if (table.load(std::memory_order_acquire) == nullptr) {
        then();
        return;
    }
    afterwards = then;
    done.assign(entryCount(), Done{0, 0, 0});
    processesToAnswer = CmiNumNodes();
    Writer writer;
    writer << Move::Ask;
    toEveryProcess(writer);
}

}  // namespace longpole_module

extern "C" void __wrap_CqsEnqueueGeneral(Queue queue, void *message, int strategy, int bits, unsigned int *priority)
{
    using namespace longpole_module;
    const Table *const used = table.load(std::memory_order_acquire);
    if (used != nullptr && CmiGetHandler(message) == _charmHandlerIdx) {
        envelope *const env = static_cast<envelope *>(message);
        std::size_t entry = env->getEpIdx();
        const bool isBroadcast = entry < module.isBroadcast.size() && module.isBroadcast[entry];
        if (isBroadcast) entry = env->getsetArrayBcastEp();
        const std::size_t rank = static_cast<std::size_t>(CmiMyRank());
        if (entry < used->isListed.size() && used->isListed[entry] && rank < module.counts.size()) {
            Counts &counts = *module.counts[rank];
            if (isQueuedFirstInFirstOut(strategy) || module.overrides) {
                Counts::add(counts.changed[entry]);
                if (isBroadcast) Counts::add(counts.broadcast[entry]);
                unsigned int value = static_cast<unsigned int>(used->priority[entry]);
                __real_CqsEnqueueGeneral(queue, message, CQS_QUEUEING_IFIFO, 8 * sizeof value, &value);
                return;
            }
            Counts::add(counts.kept[entry]);
        }
    }
    __real_CqsEnqueueGeneral(queue, message, strategy, bits, priority);
}
