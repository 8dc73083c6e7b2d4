// SPDX-License-Identifier: GPL-3.0-or-later
// A piece of advice: what to change, how much it may gain, how sure that is, and where to see why.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/replay/replay.h"
#include "analysis/waiting/pathentries.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

struct Advice {
    QString id{};     // stable: "prioritize:E12", "grainsize:E7"
    QString kind{};   // "prioritize", "prioritize_objects", "split", ... or the id of the tree node it comes from
    QString node{};   // id of the tree node it comes from
    QString title{};  // imperative, without figures: "Give chain_hop a higher priority"
    QString text{};   // what was seen and what to do, with figures
    EntryId entry = noEntry;
    std::optional<EntryClass> entryClass{};
    TimeNs severity = 0;               // PE-time lost, sum over PEs
    TimeNs over = 0;                   // queue wait behind tasks that are not critical
    TimeNs residual = 0;               // queue wait for the rest of a task that ran already
    TimeNs idle = 0;                   // idle time before its critical tasks
    std::optional<TimeNs> bound{};     // of the gain in duration; never exceeded
    std::optional<TimeNs> estimate{};  // of the gain in duration
    std::optional<Prediction> prediction{};
    std::shared_ptr<const ReplayQuestion> replay{};  // what gave the prediction, so that it can be looked at; or null
    double confidence = 1;                           // 0..1, lowered by what the health page doubts
    QStringList doubts{};                            // why it is not 1
    std::vector<Evidence> evidence{};
    TimeRange range{};  // where it matters
    QString sql{};      // shows it again in the SQL panel
};

// Severity x confidence, larger first; then id.
bool ranksBefore(const Advice& a, const Advice& b);

}  // namespace longpole
