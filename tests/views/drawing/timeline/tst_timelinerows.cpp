// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks become rows: groups, folding, pins, choice and order; and bands of several processors.
#include "views/drawing/timeline/rowbands.h"
#include "views/drawing/timeline/timelinerows.h"

#include "support/testmain.h"

#include <QTest>

#include <cmath>

namespace longpole {

namespace {

// 2 nodes with 2 PEs each, a comm thread on node 0, a user-event track below PE 1.
struct Machine {
    std::vector<Track> tracks;
    std::vector<Processor> processors;

    explicit Machine(int nodes = 2)
    {
        add(1, noTrack, TrackKind::Root, "run");
        for (int node = 0; node < nodes; ++node) {
            const std::uint32_t id = 10u + static_cast<std::uint32_t>(node);
            add(id, TrackId{1}, TrackKind::Node, node == 0 ? "node 0" : "node 1");
            for (std::uint32_t i = 0; i < 2; ++i) addPe(static_cast<std::uint32_t>(node) * 2 + i, TrackId{id});
        }
        add(50, TrackId{10}, TrackKind::CommThread, "comm 0", ProcessorId{4});
        processors.push_back({.pe = ProcessorId{4}, .track = TrackId{50}, .kind = TrackKind::CommThread, .name = {}});
        add(60, TrackId{101}, TrackKind::UserEvents, "events", ProcessorId{1});
    }
    void add(std::uint32_t id, TrackId parent, TrackKind kind, const char* name, std::optional<ProcessorId> pe = {})
    {
        tracks.push_back(
            {.id = TrackId{id}, .parent = parent, .kind = kind, .name = QString::fromLatin1(name), .pe = pe});
    }
    void addPe(std::uint32_t pe, TrackId parent)
    {
        tracks.push_back({.id = TrackId{100 + pe},
                          .parent = parent,
                          .kind = TrackKind::Pe,
                          .name = QStringLiteral("PE %1").arg(pe),
                          .pe = ProcessorId{pe}});
        processors.push_back({.pe = ProcessorId{pe}, .track = TrackId{100 + pe}, .name = {}});
    }

    QString rows(const RowChoice& choice = {}) const
    {
        QStringList labels;
        for (const TimelineRow& row : timelineRows(tracks, processors, choice))
            labels << QString(row.depth, QLatin1Char('>')) + row.label + (row.pinned ? QStringLiteral("*") : QString());
        return labels.join(QStringLiteral(", "));
    }
};

}  // namespace

class TestTimelineRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void severalNodesAreGroups()
    {
        QCOMPARE(Machine().rows(), QStringLiteral("node 0, >PE 0, >PE 1, >>events, >comm 0, node 1, >PE 2, >PE 3"));
    }
    void oneNodeIsNone() { QCOMPARE(Machine(1).rows(), QStringLiteral("PE 0, PE 1, >events, comm 0")); }

    void foldingHidesWhatIsBelow()
    {
        RowChoice choice;
        choice.folded = {TrackId{10}};
        QCOMPARE(Machine().rows(choice), QStringLiteral("node 0, node 1, >PE 2, >PE 3"));
        choice.folded = {TrackId{101}};
        QCOMPARE(Machine().rows(choice), QStringLiteral("node 0, >PE 0, >PE 1, >comm 0, node 1, >PE 2, >PE 3"));
    }

    void aGroupKnowsItsProcessorsWithoutCommThreads()
    {
        const Machine machine;
        const auto rows = timelineRows(machine.tracks, machine.processors, {});
        QCOMPARE(rows[0].kind, RowKind::Group);
        QCOMPARE(rows[0].members, (std::vector<TrackId>{TrackId{100}, TrackId{101}}));
    }

    void pinsComeFirstInTheirOrder()
    {
        RowChoice choice;
        choice.pinned = {TrackId{103}, TrackId{100}};
        QCOMPARE(Machine().rows(choice),
                 QStringLiteral(">PE 3*, >PE 0*, node 0, >PE 1, >>events, >comm 0, node 1, >PE 2"));
    }

    // All of many, from the last to the first.
    void manyPins()
    {
        constexpr std::uint32_t many = 100'000;
        Machine machine(0);
        RowChoice choice;
        for (std::uint32_t pe = 0; pe < many; ++pe) {
            machine.addPe(pe, TrackId{1});
            choice.pinned.push_back(TrackId{100 + many - 1 - pe});
        }
        choice.pinned.push_back(TrackId{100});
        const std::vector<TimelineRow> rows = timelineRows(machine.tracks, machine.processors, choice);
        QVERIFY(rows.size() >= many);
        for (std::uint32_t i = 0; i < many; ++i) QVERIFY(rows[i].pinned && rows[i].pe == ProcessorId{many - 1 - i});
    }

    void onlySomeProcessors()
    {
        RowChoice choice;
        choice.only = {ProcessorId{2}};
        QCOMPARE(Machine().rows(choice), QStringLiteral("node 1, >PE 2"));
    }

    void anOrderTakesTheGroupsAway()
    {
        RowChoice choice;
        choice.order = {ProcessorId{3}, ProcessorId{1}};
        QCOMPARE(Machine(2).rows(choice), QStringLiteral(">PE 3, >PE 1, >>events, >PE 0, >comm 0, >PE 2"));
    }

    void aTrackThatIsItsOwnParentIsShownOnce()
    {
        const std::vector<Track> tracks{{.id = TrackId{1},
                                         .parent = TrackId{1},
                                         .kind = TrackKind::Pe,
                                         .name = QStringLiteral("PE 0"),
                                         .pe = ProcessorId{0}}};
        QCOMPARE(timelineRows(tracks, {}, {}).size(), 1u);
    }

    // Each edge on a pixel; larger and smaller lead through the same heights.
    void heightsBelowThreePixelsAreThoseOfBands()
    {
        QCOMPARE(bandExponent(3), 0);
        QCOMPARE(bandExponent(2.4), 1);
        QCOMPARE(bandExponent(0.5), 3);
        double height = 12;
        for (int i = 0; i < 60; ++i) {
            const double smaller = nextHeight(height, false);
            QVERIFY(smaller < height);
            QCOMPARE(nextHeight(smaller, true), height);
            QCOMPARE(usableHeight(smaller), smaller);
            const double pixels = std::ldexp(smaller, bandExponent(smaller));
            QCOMPARE(pixels, std::round(pixels));
            QVERIFY(pixels >= leastRow);
            QVERIFY(bandExponent(smaller) == 0 || pixels < 2 * leastRow);
            height = smaller;
        }
        QCOMPARE(usableHeight(2.9), 3.0);
        QCOMPARE(usableHeight(2.2), 2.0);
    }

    // Of any width they hold each processor once, in order, beside what cannot be in one.
    void bandsHoldEachProcessorOnce()
    {
        Machine machine;
        for (std::uint32_t pe = 5; pe < 40; ++pe) machine.addPe(pe, TrackId{11});
        RowChoice choice;
        choice.pinned = {TrackId{107}};
        const std::vector<TimelineRow> rows = timelineRows(machine.tracks, machine.processors, choice);
        std::vector<TrackId> single;
        for (const TimelineRow& row : rows)
            if (row.kind == RowKind::Processor && !row.pinned) single.push_back(row.track);
        QCOMPARE(single.size(), std::size_t{38});
        for (int exponent = 1; exponent < 8; ++exponent) {
            const std::vector<TimelineRow> banded = bandedRows(rows, exponent);
            QCOMPARE(banded.size(), 1 + (single.size() + (1u << exponent) - 1) / (1u << exponent));
            QVERIFY(banded[0].pinned);
            std::vector<TrackId> members;
            for (std::size_t i = 1; i < banded.size(); ++i) {
                QCOMPARE(banded[i].kind, RowKind::Band);
                QCOMPARE(banded[i].place, members.size());
                QCOMPARE(banded[i].track, banded[i].members.front());
                QVERIFY(banded[i].hasLog);
                members.insert(members.end(), banded[i].members.begin(), banded[i].members.end());
            }
            QCOMPARE(members, single);
        }
        QCOMPARE(bandedRows(rows, 2)[1].label, QStringLiteral("PE 0 … PE 3"));
        QCOMPARE(bandedRows(rows, 0).size(), rows.size());
    }

    void foldedGroupsStandBetweenBands()
    {
        RowChoice choice;
        choice.folded = {TrackId{11}};
        const Machine machine;
        const auto banded = bandedRows(timelineRows(machine.tracks, machine.processors, choice), 3);
        QCOMPARE(banded.size(), std::size_t{2});
        QCOMPARE(banded[0].members, (std::vector<TrackId>{TrackId{100}, TrackId{101}}));
        QCOMPARE(banded[1].label, QStringLiteral("node 1"));
    }

    void noTracksNoRows() { QVERIFY(timelineRows({}, {}, {}).empty()); }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestTimelineRows)
#include "tst_timelinerows.moc"
