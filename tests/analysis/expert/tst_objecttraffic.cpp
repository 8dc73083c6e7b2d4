// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes between objects are added up in linear time, whichever objects talk and however nodes are numbered.
#include "analysis/expert/objecttraffic.h"

#include "core/smalltrace.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

constexpr std::int64_t buckets = 85229;  // that the standard library has for so many pairs
constexpr std::int64_t pairs = 60'000;
constexpr std::int64_t objects = 2 * buckets;

// The other object of a pair whose first is `a`, after it: all numbers a << 32 | b are multiples of that of the
// buckets.
std::int64_t partnerOf(std::int64_t a) { return 2 * buckets - 1 - ((a << 32) - 1 + buckets) % buckets; }

// PE 0 runs each object once, in order; then PE 1 runs their partners, started by them.
Result<> writePairs(const QString& path, std::uint32_t secondNode)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    const std::array<TrackId, 2> tracks{TrackId{10}, TrackId{11}};
    (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    for (std::uint32_t pe = 0; pe < 2; ++pe) {
        const QString name = QString::number(pe);
        (*writer)->add(Track{.id = tracks[pe], .parent = TrackId{1}, .name = name, .pe = ProcessorId{pe}});
        (*writer)->add(Processor{.pe = ProcessorId{pe},
                                 .track = tracks[pe],
                                 .node = pe == 0 ? 0 : secondNode,
                                 .name = name,
                                 .tasks = pe == 0 ? objects : pairs,
                                 .messages = pe == 0 ? objects : 0});
    }
    (*writer)->add(Chare{.id = ChareId{0}, .name = QStringLiteral("Ring"), .dimensions = 1});
    (*writer)->add(Entry{
        .id = EntryId{0}, .name = QStringLiteral("pass"), .chare = QStringLiteral("Ring"), .chareId = ChareId{0}});
    {
        auto stream = (*writer)->stream(0);
        const Row none{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0};
        for (std::int64_t i = 0; i < objects; ++i) {
            stream->append(ChunkKind::Task, tracks[0], taskRow(10 * i, 10 * i + 9, 0, 0, 0, 0, i));
            stream->append(ChunkKind::TaskSource, tracks[0], none);
            stream->append(ChunkKind::Message, tracks[0], messageRow(10 * i + 5, i, 5, 0, i));
            stream->append(ChunkKind::MessageExecutions, tracks[0], Row{i < pairs ? 1 : 0});
        }
        for (std::int64_t i = 0; i < pairs; ++i) {
            const TimeNs begin = 10 * (objects + i);
            stream->append(ChunkKind::Task, tracks[1], taskRow(begin, begin + 9, 0, 0, 0, 0, partnerOf(i)));
            stream->append(ChunkKind::TaskSource, tracks[1],
                           Row{std::int64_t(Link::Message), 0, i, 5, begin - 10 * i - 5, i, 0});
        }
    }
    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.processors = 2;
    info.tasks = objects + pairs;
    info.messages = objects;
    info.end = 10 * (objects + pairs);
    (*writer)->setInfo(info);
    return (*writer)->finish(Progress());
}

}  // namespace

class TestObjectTraffic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void chosenPairs_data()
    {
        QTest::addColumn<unsigned>("secondNode");
        QTest::addColumn<bool>("isMoved");  // the load of all nodes that there might be has no room for it
        QTest::newRow("two nodes") << 1u << true;
        QTest::newRow("numbered far apart") << 4'000'000'000u << false;
    }
    void chosenPairs()
    {
        QFETCH(unsigned, secondNode);
        QFETCH(bool, isMoved);
        QVERIFY(partnerOf(0) > 0 && ((std::int64_t{7} << 32) + partnerOf(7)) % buckets == 0);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("pairs.longpole"));
        const Result<> written = writePairs(path, secondNode);
        QVERIFY2(written.ok(), written ? "" : qPrintable(toText(written.error())));
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const auto graph = loadActivityGraph(**store, Progress{});
        QVERIFY(graph.ok());
        QElapsedTimer timer;
        timer.start();
        const auto traffic = objectTraffic(**store, **graph, Progress{});
        QVERIFY2(timer.elapsed() < 8000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(traffic.ok());
        QCOMPARE(traffic->bytes, 64 * pairs);
        QCOMPARE(traffic->remoteBytes, 64 * pairs);
        QCOMPARE(traffic->remoteAfter < traffic->remoteBytes, isMoved);
        QCOMPARE(traffic->moves > 0, isMoved);
    }
};

LONGPOLE_TEST(TestObjectTraffic)
#include "tst_objecttraffic.moc"
