// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about stages and their processors beyond one attribute: where the program cuts itself into stages, what
// fills them, which processors are alike or talk to each other, what each did with its time.
#pragma once

#include "analysis/projection/entrystacks.h"
#include "analysis/projection/rowsimilarity.h"
#include "analysis/projection/usageprofile.h"
#include "analysis/results/results.h"

#include <optional>
#include <vector>

namespace longpole {

// Where the program cuts: at its phases, or at a user event.
struct StageCutQuestion {
    using Answer = Stages;
    static constexpr const char* id = "stages";

    std::optional<RegionId> event{};  // empty: phases
    TimeRange range{};

    Result<std::shared_ptr<const Stages>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Stages& stages);
    friend bool operator==(const StageCutQuestion&, const StageCutQuestion&) = default;
};

struct EntryStacksQuestion {
    using Answer = EntryStacks;
    static constexpr const char* id = "entry methods by stage";

    EntryStacksRequest request{};

    Result<std::shared_ptr<const EntryStacks>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const EntryStacks& stacks);
    friend bool operator==(const EntryStacksQuestion&, const EntryStacksQuestion&) = default;
};

struct RowGroups {
    RowVectors vectors{};
    RowClusters clusters{};
    std::vector<RowOutlier> outliers{};
};

// Which processors of projections are alike: by the stages of one, or by the totals of several.
struct RowGroupsQuestion {
    using Answer = RowGroups;
    static constexpr const char* id = "clusters of processors";

    std::vector<ProjectionPtr> projections{};  // of the same processors
    bool byStages = true;                      // of the first one
    std::optional<std::size_t> k{};            // empty: by silhouette

    Result<std::shared_ptr<const RowGroups>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const RowGroups& groups);
    friend bool operator==(const RowGroupsQuestion&, const RowGroupsQuestion&) = default;
};

// Processors that exchange much next to each other: positions in `pes`.
struct AffinityQuestion {
    using Answer = std::vector<std::size_t>;
    static constexpr const char* id = "order by affinity";

    std::vector<ProcessorId> pes{};
    TimeRange range{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& order);
    friend bool operator==(const AffinityQuestion&, const AffinityQuestion&) = default;
};

struct UsageQuestion {
    using Answer = UsageProfile;
    static constexpr const char* id = "usage of processors";

    TimeRange range{};               // empty: the whole run
    std::vector<ProcessorId> pes{};  // empty: all

    Result<std::shared_ptr<const UsageProfile>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const UsageProfile& usage);
    friend bool operator==(const UsageQuestion&, const UsageQuestion&) = default;
};

}  // namespace longpole
