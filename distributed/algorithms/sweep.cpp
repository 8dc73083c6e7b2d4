// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of one part of the time, and the rules for those that reach into the next part.
#include "distributed/algorithms/sweep.h"

#include "core/base/timerange.h"

#include "distributed/algorithms/passes.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <map>
#include <optional>

namespace longpole {

namespace {

// The groups of a part, when all before it reaches to `carried`.
struct PartGroups {
    std::optional<CodeInterval> head;  // the longest of those that belong to a group of an earlier part
    std::size_t headIntervals = 0;
    std::vector<CodeInterval> longest;  // of each group that begins in the part
    TimeNs reach = minTime;             // the latest end of the part and all before
};

PartGroups groupsOf(const std::vector<CodeInterval>& sorted, TimeNs carried)
{
    PartGroups groups{.head = {}, .headIntervals = 0, .longest = {}, .reach = carried};
    for (const CodeInterval& one : sorted) {
        if (one.begin >= groups.reach) {
            groups.longest.push_back(one);
        } else if (groups.longest.empty()) {
            groups.head = groups.head ? longerOf(*groups.head, one) : one;
            ++groups.headIntervals;
        } else {
            groups.longest.back() = longerOf(groups.longest.back(), one);
        }
        groups.reach = std::max(groups.reach, one.end());
    }
    return groups;
}

TimeNs reachOf(const std::vector<CodeInterval>& sorted)
{
    TimeNs reach = minTime;
    for (const CodeInterval& one : sorted) reach = std::max(reach, one.end());
    return reach;
}

// Everybody's record, on all processes.
template <typename Record>
std::vector<Record> allOf(Transport& transport, const Record& own)
{
    Payload mine;
    appendRecord(mine, own);
    Payload all;
    for (const Payload& bytes : transport.gather(std::move(mine))) all.insert(all.end(), bytes.begin(), bytes.end());
    std::vector<Record> records = recordsOf<Record>(transport, transport.broadcast(std::move(all)));
    if (!transport.failed() && records.size() != static_cast<std::size_t>(transport.processes()))
        transport.fail({.what = tr("A message between processes is damaged."), .where = {}, .hint = {}});
    records.resize(static_cast<std::size_t>(transport.processes()), own);
    return records;
}

// What process 0 has to know of a part to put groups together.
struct PartEnds {
    CodeInterval head, last;
    std::uint32_t hasHead = 0, hasGroups = 0;
};

// What this part decides alone goes out, the rest back: all groups but the last one, which may go on in later parts.
void takeClosed(PartGroups& groups, std::vector<CodeInterval>& closed)
{
    if (groups.longest.empty()) return;
    closed.insert(closed.end(), groups.longest.begin(), groups.longest.end() - 1);
    groups.longest.erase(groups.longest.begin(), groups.longest.end() - 1);
}

// All chosen intervals at process 0, in order.
SweepResult gathered(Transport& transport, const std::vector<CodeInterval>& chosen)
{
    SweepResult result;
    for (const Payload& bytes : transport.gather(toBytes(chosen)))
        for (const CodeInterval& one : recordsOf<CodeInterval>(transport, bytes)) result.longest.push_back(one);
    std::sort(result.longest.begin(), result.longest.end(), isBefore);
    for (const CodeInterval& one : result.longest) addSaturating(result.length, one.length);
    return result;
}

// Each part learns how far those before it reach.
TimeNs carriedTo(int process, const std::vector<TimeNs>& reaches)
{
    TimeNs carried = minTime;
    for (int i = 0; i < process; ++i) carried = std::max(carried, reaches[static_cast<std::size_t>(i)]);
    return carried;
}

SweepResult stitchedSweep(Transport& transport, const std::vector<CodeInterval>& part)
{
    PartGroups groups = groupsOf(part, carriedTo(transport.process(), allOf(transport, reachOf(part))));
    std::vector<CodeInterval> chosen;
    takeClosed(groups, chosen);
    PartEnds ends;
    if (groups.head) ends.head = *groups.head;
    if (!groups.longest.empty()) ends.last = groups.longest.front();
    ends.hasHead = groups.head ? 1 : 0;
    ends.hasGroups = groups.longest.empty() ? 0 : 1;
    Payload own;
    appendRecord(own, ends);
    std::optional<CodeInterval> open;
    for (const Payload& bytes : transport.gather(std::move(own)))
        for (const PartEnds& of : recordsOf<PartEnds>(transport, bytes)) {
            if (of.hasHead != 0) open = open ? longerOf(*open, of.head) : of.head;
            if (of.hasGroups == 0) continue;
            if (open) chosen.push_back(*open);
            open = of.last;
        }
    if (open) chosen.push_back(*open);
    return gathered(transport, chosen);
}

// Process 0 numbers the groups that several parts may share, by the part where they begin.
struct MasterAnswer {
    TimeNs carried = minTime;
    std::uint64_t group = 0;  // that the part continues
};
struct SharedGroup {
    std::uint64_t group;
    CodeInterval longest;
};

SweepResult masterSweep(Transport& transport, const std::vector<CodeInterval>& part)
{
    struct Told {
        TimeNs reach;        // of the part
        TimeNs latestBegin;  // where its last group begins, seen alone
    };
    TimeNs latest = minTime;
    TimeNs reach = minTime;
    for (const CodeInterval& one : part) {
        if (one.begin >= reach) latest = one.begin;
        reach = std::max(reach, one.end());
    }
    Payload own;
    appendRecord(own, Told{reach, latest});
    std::vector<MasterAnswer> answers;
    MasterAnswer next;
    for (const Payload& bytes : transport.gather(std::move(own)))
        for (const Told& told : recordsOf<Told>(transport, bytes)) {
            answers.push_back(next);
            // The part begins a group of its own if one of its groups begins behind all that came before.
            if (told.latestBegin >= next.carried && told.latestBegin != minTime) next.group = answers.size();
            next.carried = std::max(next.carried, told.reach);
        }
    answers = recordsOf<MasterAnswer>(transport, transport.broadcast(toBytes(answers)));
    if (answers.size() != static_cast<std::size_t>(transport.processes())) return {};
    const MasterAnswer mine = answers[static_cast<std::size_t>(transport.process())];
    PartGroups groups = groupsOf(part, mine.carried);
    std::vector<CodeInterval> chosen;
    takeClosed(groups, chosen);
    std::vector<SharedGroup> shared;
    if (groups.head) shared.push_back({mine.group, *groups.head});
    if (!groups.longest.empty())
        shared.push_back({static_cast<std::uint64_t>(transport.process()) + 1, groups.longest.front()});
    std::map<std::uint64_t, CodeInterval> longest;
    for (const Payload& bytes : transport.gather(toBytes(shared)))
        for (const SharedGroup& one : recordsOf<SharedGroup>(transport, bytes)) {
            const auto [at, isNew] = longest.emplace(one.group, one.longest);
            if (!isNew) at->second = longerOf(at->second, one.longest);
        }
    for (const auto& [group, one] : longest) chosen.push_back(one);
    return gathered(transport, chosen);
}

// The part where a group begins gets all intervals of it.
SweepResult overlapSweep(Transport& transport, const std::vector<CodeInterval>& part)
{
    PartGroups groups = groupsOf(part, carriedTo(transport.process(), allOf(transport, reachOf(part))));
    const std::vector<std::uint64_t> begins = allOf<std::uint64_t>(transport, groups.longest.empty() ? 0 : 1);
    if (groups.headIntervals > 0) {
        int owner = transport.process() - 1;
        while (owner > 0 && begins[static_cast<std::size_t>(owner)] == 0) --owner;
        const auto last = part.begin() + static_cast<std::ptrdiff_t>(groups.headIntervals);
        transport.send(owner, pass::groups, toBytes(std::vector(part.begin(), last)));
    }
    transport.quiet(pass::groups, [&](int, const Payload& bytes) {
        for (const CodeInterval& one : recordsOf<CodeInterval>(transport, bytes))
            if (!groups.longest.empty()) groups.longest.back() = longerOf(groups.longest.back(), one);
    });
    return gathered(transport, groups.longest);
}

}  // namespace

SweepResult sweepIntervals(const std::vector<CodeInterval>& sorted)
{
    SweepResult result{.length = 0, .longest = groupsOf(sorted, minTime).longest};
    for (const CodeInterval& one : result.longest) addSaturating(result.length, one.length);
    return result;
}

SweepResult sequentialSweep(Transport& transport, const LossGraph& graph, TimeNs threshold)
{
    std::vector<std::vector<CodeInterval>> lists;
    for (const Payload& bytes : transport.gather(toBytes(intervalsOf(graph, threshold))))
        lists.push_back(recordsOf<CodeInterval>(transport, bytes));
    return transport.failed() ? SweepResult{} : sweepIntervals(mergeIntervals(lists));
}

SweepResult parallelSweep(Transport& transport, const std::vector<CodeInterval>& part, Boundary boundary)
{
    switch (boundary) {
    case Boundary::Simple: break;
    case Boundary::Overlap: return overlapSweep(transport, part);
    case Boundary::Master: return masterSweep(transport, part);
    case Boundary::Stitched: return stitchedSweep(transport, part);
    }
    return gathered(transport, groupsOf(part, minTime).longest);
}

}  // namespace longpole
