// SPDX-License-Identifier: GPL-3.0-or-later
// Loads bins and makes stages of them.
#include "analysis/projection/stagetiles.h"

#include "analysis/projection/stageplan.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/wide.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <numeric>
#include <optional>

namespace longpole {

namespace {

bool isTime(StageQuantity q) { return q == StageQuantity::User || q == StageQuantity::Idle; }

// The field of tiles that a quantity is; 0: tiles have none.
std::uint32_t tileField(StageQuantity q)
{
    switch (q) {
    case StageQuantity::User: return TileField::Busy;
    case StageQuantity::Idle: return TileField::Idle;
    case StageQuantity::Tasks: return TileField::Tasks;
    case StageQuantity::Created: return TileField::Messages;
    case StageQuantity::CreatedBytes: return TileField::Bytes;
    case StageQuantity::Pack: return TileField::Pack;
    default: return 0;
    }
}

bool isInTiles(const Measure& measure, const TraceStore& store)
{
    if (measure.subject.kind != Subject::Kind::Program) return false;
    return (store.tileColumns() & tileField(measure.quantity)) != 0;
}

bool isInEntryBins(const Measure& measure, const TraceStore& store)
{
    const bool isOfCode = measure.subject.kind == Subject::Kind::Entry || measure.subject.kind == Subject::Kind::Chare;
    const bool isCounted = measure.quantity == StageQuantity::User || measure.quantity == StageQuantity::Tasks;
    return isOfCode && isCounted && !store.chunks(ChunkKind::EntryBin).empty();
}

std::int64_t valueOfBin(const TileBin& bin, StageQuantity q)
{
    switch (q) {
    case StageQuantity::User: return bin.busy;
    case StageQuantity::Idle: return bin.idle;
    case StageQuantity::Tasks: return bin.tasks;
    case StageQuantity::Created: return bin.messages;
    case StageQuantity::CreatedBytes: return bin.bytes;
    case StageQuantity::Pack: return bin.pack;
    default: return 0;
    }
}

int levelFor(std::span<const int> levels, TimeNs resolution)
{
    int best = levels.front();
    for (const int level : levels)
        if (level < 62 && (TimeNs{1} << level) <= resolution) best = std::max(best, level);
    return best;
}

// A bin that stages' edges cut: its parts, of which the first and last may lie outside all stages.
struct CutBin {
    std::size_t firstStage = 0;
    bool hasBefore = false;
    std::vector<std::int64_t> lengths;
};

// Values per stage of one processor, and which of them are guessed.
struct StageValues {
    std::vector<std::vector<std::int64_t>> sums;  // [quantity][stage]
    std::vector<std::uint8_t> approximate;
};

}  // namespace

void shareByLargestRemainder(std::int64_t value, std::span<std::int64_t> parts)
{
    const Wide whole = std::accumulate(parts.begin(), parts.end(), Wide{0});
    if (whole <= 0) {
        std::fill(parts.begin(), parts.end(), 0);
        if (!parts.empty()) parts.front() = value;
        return;
    }
    std::vector<std::pair<Wide, std::size_t>> remainders;
    std::int64_t left = value;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Wide product = static_cast<Wide>(value) * parts[i];
        parts[i] = static_cast<std::int64_t>(product / whole);
        left -= parts[i];
        remainders.emplace_back(-(product % whole), i);
    }
    std::sort(remainders.begin(), remainders.end());
    for (std::size_t i = 0; left > 0; ++i, --left) ++parts[remainders[i].second];
}

bool isInTiles(const Attribute& attribute, const TraceStore& store)
{
    if (store.chunks(ChunkKind::Tile).empty()) return false;
    const std::vector<Measure> measures = measuresOf(attribute);
    return std::all_of(measures.begin(), measures.end(), [&store](const Measure& measure) {
        return measure.quantity == StageQuantity::Length || isInTiles(measure, store) || isInEntryBins(measure, store);
    });
}

namespace {

// Makes one processor's bins into stages.
class StageRebinner {
public:
    StageRebinner(const Stages& stages, TimeRange run, std::span<const Measure> measures)
        : m_stages(stages), m_run(run), m_measures(measures), m_user(placeOf(StageQuantity::User)),
          m_idle(placeOf(StageQuantity::Idle))
    {
    }

    StageValues rebin(int level, std::int64_t firstBin, std::size_t bins,
                      const std::vector<std::vector<std::int64_t>>& values)
    {
        m_result.sums.assign(m_measures.size(), std::vector<std::int64_t>(m_stages.count(), 0));
        m_result.approximate.assign(m_stages.count(), 0);
        m_values = &values;
        const TimeRange whole = m_stages.whole();
        std::size_t stage = 0;
        for (std::size_t b = 0; b < bins; ++b) {
            const TimeNs begin = (firstBin + static_cast<std::int64_t>(b)) << level;
            const TimeRange bin = intersection({begin, begin + (TimeNs{1} << level)}, m_run);
            if (bin.isEmpty() || bin.end <= whole.begin || bin.begin >= whole.end) continue;
            while (stage + 1 < m_stages.count() && m_stages.edges[stage + 1] <= bin.begin) ++stage;
            if (bin.begin >= m_stages.edges[stage] && bin.end <= m_stages.edges[stage + 1]) addWhole(b, stage);
            else if (!addInTwo(b, bin, stage)) addCut(b, bin, stage);
        }
        return std::move(m_result);
    }

private:
    std::size_t placeOf(StageQuantity wanted) const
    {
        const auto known = std::find(m_measures.begin(), m_measures.end(), Measure{wanted, {}});
        return static_cast<std::size_t>(known - m_measures.begin());
    }

    void addWhole(std::size_t bin, std::size_t stage)
    {
        for (std::size_t q = 0; q < m_measures.size(); ++q) addSaturating(m_result.sums[q][stage], (*m_values)[q][bin]);
    }

    // A bin that one edge cuts, as most that are cut at all: the same as addCut without its lists. False: more edges
    // do.
    bool addInTwo(std::size_t b, TimeRange bin, std::size_t stage)
    {
        const bool hasBefore = bin.begin < m_stages.edges[stage];
        const TimeNs edge = hasBefore ? m_stages.edges[stage] : m_stages.edges[stage + 1];
        const std::size_t second = hasBefore ? stage : stage + 1;
        if (second < m_stages.count() && m_stages.edges[second + 1] < bin.end) return false;
        const TimeNs lengths[2] = {edge - bin.begin, bin.end - edge};
        TimeNs user[2] = {0, 0};
        for (std::size_t q = 0; q < m_measures.size(); ++q) {
            const std::int64_t value = (*m_values)[q][b];
            if (value == 0) continue;
            std::int64_t shares[2] = {shareOfTwo(value, lengths[0], lengths[1]), 0};
            shares[1] = value - shares[0];
            if (q == m_user) std::copy(shares, shares + 2, user);
            if (q == m_idle)
                for (const int i : {0, 1})
                    if (const TimeNs over = user[i] + shares[i] - lengths[i]; over > 0) {
                        shares[i] -= over;
                        shares[1 - i] += over;
                    }
            const bool isCertain = isTime(m_measures[q].quantity) && value == bin.length();
            if (!hasBefore) give(q, stage, shares[0], isCertain);
            if (second < m_stages.count()) give(q, second, shares[1], isCertain);
        }
        return true;
    }

    // The first of two parts' share by largest remainder.
    static std::int64_t shareOfTwo(std::int64_t value, TimeNs first, TimeNs second)
    {
        const TimeNs whole = first + second;
        std::int64_t product = 0;
        if (__builtin_mul_overflow(value, first, &product)) {
            std::int64_t parts[2] = {first, second};
            shareByLargestRemainder(value, parts);
            return parts[0];
        }
        // Bins that the run's ends do not cut are powers of two, and shifting is many times as fast as dividing.
        const auto width = static_cast<std::uint64_t>(whole);
        const bool isPower = std::has_single_bit(width);
        const std::int64_t share = isPower ? product >> std::countr_zero(width) : product / whole;
        const std::int64_t rest = product - share * whole;
        return share + (rest > 0 && rest >= whole - rest ? 1 : 0);
    }

    void give(std::size_t q, std::size_t stage, std::int64_t value, bool isCertain)
    {
        addSaturating(m_result.sums[q][stage], value);
        if (!isCertain) m_result.approximate[stage] = 1;
    }

    void addCut(std::size_t b, TimeRange bin, std::size_t stage)
    {
        CutBin cut{.firstStage = stage, .hasBefore = bin.begin < m_stages.edges[stage], .lengths = {}};
        if (cut.hasBefore) cut.lengths.push_back(m_stages.edges[stage] - bin.begin);
        TimeNs from = std::max(bin.begin, m_stages.edges[stage]);
        while (from < bin.end && stage < m_stages.count()) {
            const TimeNs until = std::min(bin.end, m_stages.edges[stage + 1]);
            cut.lengths.push_back(until - from);
            from = until;
            ++stage;
        }
        const std::size_t stages = cut.lengths.size() - (cut.hasBefore ? 1 : 0);
        if (from < bin.end) cut.lengths.push_back(bin.end - from);

        std::vector<std::vector<std::int64_t>> shares;
        for (std::size_t q = 0; q < m_measures.size(); ++q) {
            shares.push_back(cut.lengths);
            shareByLargestRemainder((*m_values)[q][b], shares.back());
        }
        keepWithinLength(cut.lengths, shares);
        for (std::size_t q = 0; q < m_measures.size(); ++q) {
            const std::int64_t value = (*m_values)[q][b];
            const bool isCertain = value == 0 || (isTime(m_measures[q].quantity) && value == bin.length());
            for (std::size_t i = 0; i < stages; ++i) {
                addSaturating(m_result.sums[q][cut.firstStage + i], shares[q][i + (cut.hasBefore ? 1 : 0)]);
                if (!isCertain) m_result.approximate[cut.firstStage + i] = 1;
            }
        }
    }

    // User and idle time are rounded apart: where both together would be longer than the part, what is too much of
    // idling, a nanosecond, goes to a part that has room for it.
    void keepWithinLength(const std::vector<std::int64_t>& lengths, std::vector<std::vector<std::int64_t>>& shares)
    {
        const std::size_t user = m_user, idle = m_idle;
        if (user == m_measures.size() || idle == m_measures.size()) return;
        const auto roomIn = [&](std::size_t i) {  // less than 0: it has too much
            return saturatingSubtract(lengths[i], saturatingAdd(shares[user][i], shares[idle][i]));
        };
        std::size_t roomy = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i)
            while (roomIn(i) < 0 && shares[idle][i] > 0) {
                while (roomy < lengths.size() && roomIn(roomy) <= 0) ++roomy;
                if (roomy == lengths.size()) return;
                const std::int64_t most = std::min(shares[idle][i], roomIn(roomy));
                const std::int64_t moved = std::min(most, saturatingSubtract(0, roomIn(i)));
                shares[idle][i] -= moved;
                shares[idle][roomy] += moved;
            }
    }

    const Stages& m_stages;
    TimeRange m_run;
    std::span<const Measure> m_measures;  // sorted: user time before idle time
    std::size_t m_user;                   // place among the measures; their number: not among them
    std::size_t m_idle;
    const std::vector<std::vector<std::int64_t>>* m_values = nullptr;
    StageValues m_result;
};

}  // namespace

Result<std::shared_ptr<const StageTiles>> StageTiles::load(const TraceStore& store, std::span<const Measure> measures,
                                                           std::span<const ProcessorId> pes, TimeRange range,
                                                           TimeNs resolution, const Progress& progress)
{
    auto tiles = std::make_shared<StageTiles>();
    for (const Measure& measure : measures) {
        if (isInTiles(measure, store)) tiles->m_inTiles.push_back(measure);
        else if (isInEntryBins(measure, store)) tiles->m_inEntries.push_back(measure);
    }
    std::sort(tiles->m_inTiles.begin(), tiles->m_inTiles.end());
    tiles->m_pes.assign(pes.begin(), pes.end());
    if (pes.empty())
        for (const Processor& processor : store.processors())
            if (processor.kind != TrackKind::CommThread) tiles->m_pes.push_back(processor.pe);
    tiles->m_lost = lostAmong(store, tiles->m_pes);
    tiles->m_run = store.info().range();
    tiles->m_range = intersection(range, tiles->m_run);
    tiles->m_resolution = resolution;
    tiles->m_rows.resize(tiles->m_pes.size());
    const StagePlan plan(store, tiles->m_inEntries);
    std::mutex lock;
    std::optional<Error> error;
    bool isFinest = true;
    parallelFor(tiles->m_pes.size(), [&](std::size_t i) {
        const Processor* processor = store.processor(tiles->m_pes[i]);
        if (progress.isCancelled() || !processor) return;
        bool isRowFinest = true;
        Result<> loaded = tiles->loadTiles(store, processor->track, tiles->m_rows[i].tiles, isRowFinest);
        if (loaded) loaded = tiles->loadEntries(store, processor->track, plan, tiles->m_rows[i].entries);
        const std::lock_guard guard(lock);
        if (!loaded && !error) error = loaded.error();
        isFinest = isFinest && isRowFinest;
    });
    if (error) return *error;
    if (progress.isCancelled()) return cancelledError();
    tiles->m_isFinest = isFinest;
    return std::shared_ptr<const StageTiles>(std::move(tiles));
}

Result<> StageTiles::loadTiles(const TraceStore& store, TrackId track, Bins& bins, bool& isFinest) const
{
    const std::vector<int> levels = store.tileLevels(track);
    if (levels.empty() || m_inTiles.empty()) return Unit{};
    bins.level = levelFor(levels, m_resolution);
    isFinest = bins.level == levels.front();
    std::uint32_t columns = 0;
    for (const Measure& measure : m_inTiles) columns |= tileField(measure.quantity);
    const Result<TileLevel> level = store.tiles(track, bins.level, m_range, columns);
    if (!level) return level.error();
    bins.firstBin = level->firstBin;
    bins.count = level->bins.size();
    for (const Measure& measure : m_inTiles) {
        std::vector<std::int64_t>& values = bins.values.emplace_back();
        values.reserve(bins.count);
        for (const TileBin& bin : level->bins) values.push_back(valueOfBin(bin, measure.quantity));
    }
    return Unit{};
}

Result<> StageTiles::loadEntries(const TraceStore& store, TrackId track, const StagePlan& plan, Bins& bins) const
{
    if (m_inEntries.empty()) return Unit{};
    const Result<EntryBins> rows = store.entryBins(track);
    if (!rows) return rows.error();
    if (rows->rows() == 0) return Unit{};
    bins.level = rows->level;
    bins.firstBin = rows->firstBin;
    bins.count = rows->bin.back() + std::size_t{1};
    bins.values.assign(m_inEntries.size(), std::vector<std::int64_t>(bins.count, 0));
    const auto add = [](std::int64_t& sum, std::int64_t more) { sum = saturatingAdd(sum, more); };
    for (std::size_t r = 0; r < rows->rows(); ++r) {
        for (const std::uint32_t m : plan.of(StageQuantity::User, rows->entry[r]))
            add(bins.values[m][rows->bin[r]], rows->time[r]);
        for (const std::uint32_t m : plan.of(StageQuantity::Tasks, rows->entry[r]))
            add(bins.values[m][rows->bin[r]], rows->tasks[r]);
    }
    return Unit{};
}

bool StageTiles::serves(const Stages& stages, std::span<const ProcessorId> pes) const
{
    if (stages.count() == 0 || !std::equal(pes.begin(), pes.end(), m_pes.begin(), m_pes.end())) return false;
    const TimeRange whole = intersection(stages.whole(), m_run);
    if (whole.begin < m_range.begin || whole.end > m_range.end) return false;
    const TimeNs stage = whole.length() / static_cast<std::int64_t>(stages.count());
    return m_isFinest || m_resolution <= std::max<TimeNs>(stage, 1);
}

std::int64_t StageTiles::bytes() const
{
    std::int64_t sum = 0;
    for (const Row& row : m_rows)
        for (const Bins* bins : {&row.tiles, &row.entries})
            sum += static_cast<std::int64_t>(bins->count * bins->values.size() * sizeof(std::int64_t));
    return sum;
}

Projection StageTiles::project(const Attribute& attribute, const Stages& stages) const
{
    // Cells as stageCells() makes them of chunks, so that projectionOf() makes attributes of both in the same way.
    StageCells cells;
    cells.m_request = requestFor({&attribute, 1}, stages, m_pes);
    cells.m_rows = m_pes.size();
    cells.m_columns = stages.count();
    cells.m_counts.assign(cells.measures(), std::vector<std::int64_t>(cells.m_rows * cells.m_columns, 0));
    cells.m_reals.resize(cells.measures());
    cells.m_there = std::vector<std::atomic<std::uint8_t>>(cells.m_rows);
    cells.m_lost = m_lost;
    std::vector<std::uint8_t> approximate(cells.m_rows * cells.m_columns, 0);
    parallelFor(m_rows.size(), [&](std::size_t row) {
        const auto at = static_cast<std::ptrdiff_t>(row * stages.count());
        const auto place = [&](const Bins& bins, const std::vector<Measure>& measures) {
            if (bins.values.empty()) return;
            const StageValues values = StageRebinner(stages, m_run, measures)
                                           .rebin(bins.level, bins.firstBin, bins.count, bins.values);
            bool isUsed = false;
            for (std::size_t m = 0; m < cells.measures(); ++m) {
                const auto known = std::find(measures.begin(), measures.end(), cells.m_request.measures[m]);
                if (known == measures.end()) continue;
                const auto& sums = values.sums[static_cast<std::size_t>(known - measures.begin())];
                std::copy(sums.begin(), sums.end(), cells.m_counts[m].begin() + at);
                isUsed = true;
            }
            for (std::size_t i = 0; isUsed && i < stages.count(); ++i)
                approximate[row * stages.count() + i] |= values.approximate[i];
        };
        place(m_rows[row].tiles, m_inTiles);
        place(m_rows[row].entries, m_inEntries);
        for (std::size_t m = 0; m < cells.measures(); ++m)
            for (std::size_t i = 0; cells.m_request.measures[m].quantity == StageQuantity::Length && i < stages.count();
                 ++i)
                cells.m_counts[m][row * stages.count() + i] = stages.range(i).length();
        cells.m_there[row].store(1, std::memory_order_release);
    });
    Projection result = projectionOf(attribute, cells);
    result.isApproximate = std::find(approximate.begin(), approximate.end(), 1) != approximate.end();
    if (result.isApproximate) result.approximate = std::move(approximate);
    return result;
}

}  // namespace longpole
