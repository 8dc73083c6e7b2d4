// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles of blocks of processors are the sums of their processors' at every level, and stand for just these.
#include "core/manyprocessors.h"
#include "core/store/blocktiles.h"
#include "core/store/tracestore.h"
#include "core/trace/processorblocks.h"

#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace longpole;

namespace {

constexpr TimeRange anyTime{minTime, maxTime};

// Bins by number, without what lies in none.
std::map<std::int64_t, TileBin> binsOf(const TraceStore& store, TrackId track, int level)
{
    std::map<std::int64_t, TileBin> bins;
    const Result<TileLevel> tiles = store.tiles(track, level, anyTime);
    if (!tiles) return bins;
    for (std::size_t i = 0; i < tiles->bins.size(); ++i)
        if (tiles->bins[i] != TileBin()) bins.emplace(tiles->firstBin + static_cast<std::int64_t>(i), tiles->bins[i]);
    return bins;
}

// From the finest bins of each, by division of their numbers.
std::map<std::int64_t, TileBin> addedUp(const TraceStore& store, std::span<const TrackId> tracks, int level)
{
    std::map<std::int64_t, TileBin> sums;
    for (const TrackId track : tracks) {
        const std::vector<int> levels = store.tileLevels(track);
        if (levels.empty()) continue;
        for (const auto& [number, bin] : binsOf(store, track, levels.front())) {
            TileBin& sum = sums[number >> (level - levels.front())];
            sum.busy += bin.busy;
            sum.idle += bin.idle;
            sum.tasks += bin.tasks;
            sum.messages += bin.messages;
            sum.bytes += bin.bytes;
            sum.pack += bin.pack;
        }
    }
    return sums;
}

std::vector<TrackId> membersOf(const TraceStore& store, ProcessorBlock block)
{
    std::vector<TrackId> members;
    const std::span<const Processor> all = store.processors();
    for (std::size_t i = block.first(); i < block.end(all.size()); ++i)
        if (all[i].kind != TrackKind::CommThread) members.push_back(all[i].track);
    return members;
}

// The tracks that those found stand for.
std::vector<TrackId> expanded(const TraceStore& store, std::span<const TrackId> found)
{
    std::vector<TrackId> tracks;
    for (const TrackId track : found) {
        const auto block = blockOf(track, store.processors().size());
        const std::vector<TrackId> members = block ? membersOf(store, *block) : std::vector<TrackId>{track};
        tracks.insert(tracks.end(), members.begin(), members.end());
    }
    return tracks;
}

}  // namespace

class TestBlockTiles : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::shared_ptr<const TraceStore> written(std::uint32_t processors, std::uint32_t commThreads, std::uint32_t seed)
    {
        const QString path = m_folder.filePath(QStringLiteral("%1-%2.longpole").arg(processors).arg(seed));
        if (const Result<> done = writeManyProcessors(path, processors, commThreads, seed); !done) {
            qWarning("%s", qPrintable(done.error().what));
            return nullptr;
        }
        const auto store = TraceStore::open(path);
        if (!store) qWarning("%s", qPrintable(store.error().what));
        return store ? *store : nullptr;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void fewProcessorsHaveNone()
    {
        const auto store = written(fewestForBlocks - 1, 0, 1);
        QVERIFY(store);
        QCOMPARE(blockSizes(store->processors().size()), 0);
        for (const ChunkRef& ref : store->chunks(ChunkKind::Tile))
            QVERIFY(index(ref.track) < firstBlockTrack || ref.track == noTrack);
        std::vector<TrackId> tracks;
        for (const Processor& processor : store->processors()) tracks.push_back(processor.track);
        QCOMPARE(tracksWithBlocks(*store, tracks, 62), tracks);
    }

    void blocksAreSums_data()
    {
        QTest::addColumn<std::uint32_t>("processors");
        QTest::addColumn<std::uint32_t>("commThreads");
        QTest::newRow("512") << 512u << 0u;
        QTest::newRow("a part of a block") << 700u << 0u;
        QTest::newRow("communication threads") << 1000u << 9u;
        QTest::newRow("blocks of nothing else") << 530u << 1u;
        QTest::newRow("three sizes") << 4200u << 33u;
    }
    void blocksAreSums()
    {
        QFETCH(std::uint32_t, processors);
        QFETCH(std::uint32_t, commThreads);
        const auto store = written(processors, commThreads, 7);
        QVERIFY(store);
        std::set<TrackId> blocks;
        for (int size = 0; size < blockSizes(processors); ++size) {
            QVERIFY(ProcessorBlock{size}.length() < processors);
            for (ProcessorBlock block{size, 0}; block.first() < processors; ++block.number) {
                QCOMPARE(blockOf(trackOf(block), processors), std::optional(block));
                const std::vector<TrackId> members = membersOf(*store, block);
                const std::vector<int> levels = store->tileLevels(trackOf(block));
                std::size_t most = 0;
                for (const TrackId member : members) {
                    const std::vector<int> own = store->tileLevels(member);
                    if (own.empty()) continue;
                    QVERIFY(!levels.empty() && levels.front() >= own.front());
                    most = std::max(most, store->tiles(member, own.front(), anyTime)->bins.size());
                }
                QCOMPARE(levels.empty(), most == 0);
                for (const int level : levels) {
                    const std::map<std::int64_t, TileBin> stored = binsOf(*store, trackOf(block), level);
                    std::map<std::int64_t, TileBin> sums = addedUp(*store, members, level);
                    QVERIFY(stored.size() <= std::min<std::size_t>(4 * most, chunkRows));
                    QCOMPARE(stored.size(), sums.size());
                    for (const auto& [number, bin] : stored) {
                        TileBin& sum = sums[number];  // which entry has most is not looked at here
                        QVERIFY(bin.entryTime <= bin.busy && (bin.entry == noEntry) == (bin.busy == 0));
                        std::tie(sum.entry, sum.entryTime) = std::pair(bin.entry, bin.entryTime);
                        QVERIFY(bin == sum);
                    }
                }
                if (!levels.empty()) blocks.insert(trackOf(block));
            }
        }
        // And no others are there.
        for (const ChunkRef& ref : store->chunks(ChunkKind::Tile))
            if (ref.track != noTrack && index(ref.track) >= firstBlockTrack) QVERIFY(blocks.contains(ref.track));
    }

    // Any list of tracks: in order, in pieces, sorted otherwise, with some that are no processors'.
    void blocksStandForTheirTracks()
    {
        const auto store = written(1500, 21, 3);
        QVERIFY(store);
        std::vector<TrackId> all;
        for (const Processor& processor : store->processors())
            if (processor.kind != TrackKind::CommThread) all.push_back(processor.track);
        const std::vector<TrackId> found = tracksWithBlocks(*store, all, 62);
        QVERIFY2(found.size() < 24, qPrintable(QString::number(found.size())));  // 5 of 256, and the rest of 220
        QCOMPARE(expanded(*store, found), all);
        std::mt19937 random(5);
        for (int round = 0; round < 300; ++round) {
            std::vector<TrackId> tracks;
            for (int piece = 0; piece < 3; ++piece) {
                const std::size_t from = random() % all.size();
                const std::size_t count = std::min<std::size_t>(all.size() - from, 1 + random() % 600);
                const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
                tracks.insert(tracks.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
                if (random() % 3 == 0) std::reverse(tracks.begin(), tracks.end());
                if (random() % 3 == 0) tracks.push_back(TrackId{0x70000000});
            }
            const int level = 2 * static_cast<int>(random() % 12);
            const std::vector<TrackId> parts = tracksWithBlocks(*store, tracks, level);
            QCOMPARE(expanded(*store, parts), tracks);
            for (const TrackId part : parts)
                if (blockOf(part, store->processors().size())) QVERIFY(store->tileLevels(part).front() <= level);
        }
        std::vector<TrackId> others = all;
        std::shuffle(others.begin(), others.end(), random);
        QCOMPARE(tracksWithBlocks(*store, others, 62), others);
    }

    void numbersThatNoTraceHas()
    {
        QVERIFY(!blockOf(TrackId{firstBlockTrack - 1}, 1000));
        QVERIFY(!blockOf(noTrack, 1u << 28));
        QVERIFY(!blockOf(trackOf({0, 0}), fewestForBlocks - 1));
        QVERIFY(blockOf(trackOf({0, 62}), 1000).has_value());
        QVERIFY(!blockOf(trackOf({0, 63}), 1000));
        QVERIFY(blockOf(trackOf({1, 3}), 1000).has_value());
        QVERIFY(!blockOf(trackOf({1, 4}), 1000));
        QVERIFY(!blockOf(trackOf({2, 0}), 1000));
        QVERIFY(blockOf(trackOf({5, 0}), (1u << 24) + 1).has_value());
    }
};

LONGPOLE_TEST(TestBlockTiles)
#include "tst_blocktiles.moc"
