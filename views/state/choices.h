// SPDX-License-Identifier: GPL-3.0-or-later
// What can be chosen in a view: what is selected, which arrows show, what colours mean, and which path is compared with
// the critical one.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/base/ids.h"
#include "views/drawing/timeline/rowfilter.h"
#include "views/drawing/timeline/rowslack.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

enum class ArrowMode : std::uint8_t { None, OneStep, Chain, Critical };
enum class ColourMode : std::uint8_t { EntryMethod, Chare, Slack };

// An MPI call: its number on its rank.
struct MpiCallId {
    std::uint32_t rank = 0;
    std::int64_t seq = -1;
    bool isValid() const { return seq >= 0; }
    friend bool operator==(const MpiCallId&, const MpiCallId&) = default;
};

// What is selected; at most one of these is valid.
struct Selection {
    TaskId task{};
    MessageId message{};
    MpiCallId call{};
    bool isValid() const { return task.isValid() || message.isValid() || call.isValid(); }
    friend bool operator==(const Selection&, const Selection&) = default;
};

// The slack that the timeline colours and dims by; tasks with more than `most` are dimmed.
struct SlackView {
    SlackLayer layer{};
    std::optional<TimeNs> most{};
};

// A path to compare with the critical one; null: none.
struct SecondPath {
    std::shared_ptr<const CriticalPath> path{};
    QString name{};  // what it is, in a few words
    friend bool operator==(const SecondPath&, const SecondPath&) = default;
};

// The iterations into which a phase cuts the run, by ascending begins; empty: none.
struct PhaseBands {
    QString name{};  // of one of them, such as "iteration"
    std::vector<TimeRange> ranges{};
    friend bool operator==(const PhaseBands&, const PhaseBands&) = default;
};

}  // namespace longpole
