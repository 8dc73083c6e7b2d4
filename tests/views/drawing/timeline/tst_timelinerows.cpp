// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks become rows: groups, folding, pins, choice and order.
#include "views/drawing/timeline/timelinerows.h"

#include "support/testmain.h"

#include <QTest>

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

    void noTracksNoRows() { QVERIFY(timelineRows({}, {}, {}).empty()); }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestTimelineRows)
#include "tst_timelinerows.moc"
