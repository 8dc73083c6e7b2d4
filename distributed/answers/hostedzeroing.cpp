// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedzeroing.h"

#include "analysis/base/naming.h"
#include "analysis/whatif/questioncheck.h"
#include "core/base/limits.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "distributed/answers/workwalk.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// What an entry method has of the path of a lane.
struct LaneSum {
    std::uint32_t lane = 0;
    std::uint32_t entry = 0;
    std::int64_t count = 0;
    TimeNs time = 0;  // as it was
};

std::vector<LaneSum> ownSums(const WorkPass& pass)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, LaneSum> sums;
    std::vector<NestedShares> nested(pass.lanes());
    const auto add = [&sums](std::uint32_t lane, const EntrySum& part) {
        LaneSum& sum = sums[{lane, part.entry}];
        sum.lane = lane;
        sum.entry = part.entry;
        sum.count += part.count;
        sum.time = saturatingAdd(sum.time, part.time);
    };
    LeavingRanks leaving;
    const auto visit = [&](const WalkedTask& walked) {
        const WorkPass::Rank& rank = pass.ranks()[walked.rank - pass.firstRank()];
        const std::uint32_t entry = rank.tasks.entry[walked.task];
        add(walked.lane, {entry, 1, walked.length});
        nested[walked.lane].add(rank.tasks.nested.get(), walked.task, entry,
                                pass.partOf(rank, walked.task, walked.length));
    };
    if (!walkBack(pass, leaving, visit)) {
        sums.clear();
        nested.assign(pass.lanes(), {});
        walkBack(pass, leaving, visit);
    }
    for (std::uint32_t lane = 0; lane < nested.size(); ++lane)
        for (const EntrySum& share : nested[lane].sums()) add(lane, share);
    std::vector<LaneSum> all;
    all.reserve(sums.size());
    for (const auto& [which, sum] : sums) all.push_back(sum);
    return all;
}

// The profile of each lane's path, times after the change and times the denominator, most first.
std::vector<std::vector<PathProfileRow>> laneProfiles(const WorkPass& pass, const LaneFactors& factors)
{
    Transport& transport = pass.transport();
    Packer packer;
    packer.putTable(ownSums(pass), &LaneSum::lane, &LaneSum::entry, &LaneSum::count, &LaneSum::time);
    std::map<std::pair<std::uint32_t, std::uint32_t>, PathProfileRow> rows;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        const auto sums = unpacker.table<LaneSum>(&LaneSum::lane, &LaneSum::entry, &LaneSum::count, &LaneSum::time);
        for (const LaneSum& sum : sums) {
            PathProfileRow& row = rows[{sum.lane, sum.entry}];
            row.entry = EntryId{sum.entry};
            addSaturating(row.count, sum.count);
            if (sum.lane < pass.lanes())
                addSaturating(row.time, saturatingMultiply(sum.time, factors.of(sum.entry)[sum.lane]));
        }
        if (!unpacker.isWhole())
            transport.fail({tr("The path did not arrive whole from another process."), QString(), QString()});
    }
    std::vector<std::vector<PathProfileRow>> profiles(pass.lanes());
    for (const auto& [which, row] : rows)
        if (which.first < profiles.size()) profiles[which.first].push_back(row);
    for (std::vector<PathProfileRow>& profile : profiles) {
        TimeNs total = 0;
        for (const PathProfileRow& row : profile) addSaturating(total, row.time);
        for (PathProfileRow& row : profile) row.share = ratio(row.time, total);
        std::sort(profile.begin(), profile.end(), [](const PathProfileRow& a, const PathProfileRow& b) {
            return std::tie(b.time, a.entry) < std::tie(a.time, b.entry);
        });
    }
    return profiles;
}

WhatIfAnswer laneAnswer(const WhatIf& question, TimeNs share, TimeNs length, TimeNs exact,
                        std::vector<PathProfileRow> profile)
{
    WhatIfAnswer answer{.question = question, .share = share, .exactNet = exact, .profile = std::move(profile)};
    answer.net = roundedQuotient(exact, question.factor.denominator);
    answer.gain = length - answer.net;
    const auto next = std::find_if(answer.profile.begin(), answer.profile.end(), [&](const PathProfileRow& row) {
        return row.time > 0 && row.entry != question.entries.front();
    });
    if (next != answer.profile.end()) answer.nextCritical = next->entry;
    return answer;
}

}  // namespace

Result<std::vector<WhatIfAnswer>> hostedZeroing(WorkPass& pass, const CriticalPath& path, Rational factor,
                                                const Progress& progress, std::int64_t most)
{
    Transport& transport = pass.transport();
    if (transport.isRoot())
        if (const auto problem = problemWith(WhatIfModel{}, factor, path.duration)) transport.fail(*problem);
    std::int64_t tasks = 0;
    for (const WorkPass::Rank& rank : pass.ranks()) {
        tasks += std::ssize(rank.tasks.begin);
        if (rank.tasks.nested) tasks += rank.tasks.nested->pieces();
    }
    tasks = reduceOne(transport, tasks,
                      [](std::int64_t& into, const std::int64_t& from) { into = saturatingAdd(into, from); });
    most = std::min(most, mostZeroed(tasks, path));
    std::vector<LaneSum> asked;
    for (const PathProfileRow& row : path.profile) {
        if (std::ssize(asked) == most) break;
        asked.push_back({0, index(row.entry), row.count, row.time});
    }
    const Payload told = transport.broadcast(transport.isRoot() ? toBytes(asked) : Payload());
    asked = recordsOf<LaneSum>(transport, told);
    const std::size_t mostRows = profileRowsKept(asked.size());
    std::vector<WhatIfAnswer> answers;
    for (std::size_t first = 0; first < asked.size() && !transport.failed(); first += mostLanes) {
        const std::size_t lanes = std::min(mostLanes, asked.size() - first);
        std::vector<WhatIf> questions;
        for (std::size_t k = 0; k < lanes; ++k) questions.push_back({{EntryId{asked[first + k].entry}}, factor});
        const LaneFactors factors(questions);
        if (const Result<> ran = pass.run(factors, lanes, true); !ran) return ran.error();
        std::vector<std::vector<PathProfileRow>> profiles = laneProfiles(pass, factors);
        for (std::size_t k = 0; k < lanes && transport.isRoot(); ++k) {
            if (profiles[k].size() > mostRows) profiles[k].resize(mostRows);
            profiles[k].shrink_to_fit();
            answers.push_back(laneAnswer(questions[k], asked[first + k].time, path.length, pass.length(k),
                                         std::move(profiles[k])));
        }
    }
    failIfCancelled(transport, progress);
    if (transport.failed()) return transport.failure();
    std::stable_sort(answers.begin(), answers.end(), gainsMore);
    return answers;
}

}  // namespace longpole
