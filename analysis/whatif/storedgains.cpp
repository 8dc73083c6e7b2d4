// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/storedgains.h"

#include "analysis/base/naming.h"
#include "analysis/results/storedresults.h"
#include "core/base/checked.h"

#include <array>
#include <map>
#include <numeric>

namespace longpole {

void storeGains(StoredAnswers& answers, const std::vector<WhatIfAnswer>& gains)
{
    for (const WhatIfAnswer& gain : gains) {
        if (gain.question.entries.size() != 1) continue;
        const std::int64_t zeroed = index(gain.question.entries.front());
        answers.add(AnswerTable::Zeroing,
                    std::array<std::int64_t, ZeroingColumn::Count>{zeroed, gain.share, gain.net, gain.gain,
                                                                   index(gain.nextCritical)});
        for (const PathProfileRow& row : gain.profile)
            answers.add(AnswerTable::ZeroingProfile,
                        std::array<std::int64_t, ZeroingProfileColumn::Count>{zeroed, index(row.entry), row.count,
                                                                              row.time});
    }
}

Result<std::shared_ptr<const EntryGains>> storedGains(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::Zeroing}); !there) return there.error();
    const auto figures = storedFigures(store);
    if (!figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    EntryGains gains{.length = (*figures)[RunColumn::PathLength]};
    std::map<EntryId, std::size_t> places;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::Zeroing); ++i) {
        const auto row = answers.row(AnswerTable::Zeroing, i);
        const auto entry = checked<std::uint32_t>(row[ZeroingColumn::Entry]);
        const auto next = checked<std::uint32_t>(row[ZeroingColumn::Next]);
        const bool isSound = entry && next && row[ZeroingColumn::Net] >= 0 && row[ZeroingColumn::Net] <= gains.length
                             && row[ZeroingColumn::Gain] == gains.length - row[ZeroingColumn::Net];
        if (!isSound) return damagedAnswers(store);
        WhatIfAnswer answer;
        answer.question = {{EntryId{*entry}}, {0, 1}};
        answer.share = row[ZeroingColumn::Share];
        answer.net = row[ZeroingColumn::Net];
        answer.exactNet = answer.net;
        answer.gain = row[ZeroingColumn::Gain];
        answer.nextCritical = EntryId{*next};
        places.emplace(EntryId{*entry}, gains.answers.size());
        gains.answers.push_back(std::move(answer));
    }
    for (std::size_t i = 0; i < answers.rows(AnswerTable::ZeroingProfile); ++i) {
        const auto row = answers.row(AnswerTable::ZeroingProfile, i);
        const auto zeroed = checked<std::uint32_t>(row[ZeroingProfileColumn::Zeroed]);
        const auto entry = checked<std::uint32_t>(row[ZeroingProfileColumn::Entry]);
        const auto place = zeroed ? places.find(EntryId{*zeroed}) : places.end();
        if (place == places.end() || !entry) return damagedAnswers(store);
        gains.answers[place->second].profile.push_back({.entry = EntryId{*entry},
                                                        .count = row[ZeroingProfileColumn::Tasks],
                                                        .time = row[ZeroingProfileColumn::Time]});
    }
    return std::make_shared<const EntryGains>(std::move(gains));
}

}  // namespace longpole
