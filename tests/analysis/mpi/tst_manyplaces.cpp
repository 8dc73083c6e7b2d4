// SPDX-License-Identifier: GPL-3.0-or-later
// A small file whose calls all have places of their own: as many are told apart as limits say, and the sums hold; and
// calls from places, or of regions, that the file does not define are refused.
#include "analysis/base/callpaths.h"
#include "analysis/mpi/calls.h"
#include "analysis/phases/callrounds.h"
#include "core/base/limits.h"
#include "core/hostilestore.h"
#include "core/smalltrace.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

// A rank whose calls go through all pairs of a place and a region.
void writeTrace(const QString& path, std::uint32_t places, std::uint32_t regions)
{
    auto writer = TraceWriter::create(path);
    if (!writer) qFatal("%s", qPrintable(toText(writer.error())));
    for (std::uint32_t i = 0; i < regions; ++i)
        (*writer)->add(Region{.id = RegionId{i}, .kind = RegionKind::MpiCall, .name = QStringLiteral("MPI_Send")});
    (*writer)->add(CallPath{.id = 1, .function = QStringLiteral("main"), .file = {}, .module = {}});
    for (std::uint32_t i = 0; i < places; ++i)
        (*writer)->add(CallPath{.id = i + 2,
                                .parent = 1,
                                .isPlace = true,
                                .function = QStringLiteral("main"),
                                .file = QStringLiteral("/a.c"),
                                .line = static_cast<int>(i) + 1,
                                .module = {}});
    TraceInfo info;
    info.format = QStringLiteral("mpi-recording");
    info.vocabulary = ProgramKind::Mpi;
    info.processors = 1;
    const std::int64_t calls = std::int64_t{places} * regions;
    info.end = calls;
    (*writer)->add(Track{.id = TrackId{10}, .kind = TrackKind::Rank, .name = {}, .pe = ProcessorId{0}});
    auto stream = (*writer)->stream(0);
    for (std::int64_t i = 0; i < calls; ++i)
        stream->append(ChunkKind::MpiCall, TrackId{10},
                       Row{i, 1, i % regions, i, -1, -1, -1, 8, 0, 1, 0, 0, 0, -1, -1, -1, -1, 0, 2 + i / regions, 0});
    stream->close();
    (*writer)->add(Processor{.pe = ProcessorId{0}, .track = TrackId{10}, .kind = TrackKind::Rank, .name = {}});
    (*writer)->setInfo(info);
    if (const auto finished = (*writer)->finish(Progress{}); !finished)
        qFatal("%s", qPrintable(toText(finished.error())));
}

}  // namespace

class TestManyPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void noMoreAreToldApart()
    {
        constexpr std::uint32_t places = 620, regions = 600;
        const QString path = m_folder.filePath(QStringLiteral("many.longpole"));
        writeTrace(path, places, regions);
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const auto most = static_cast<std::size_t>(CallPlaceBudget(**store).most());
        QVERIFY(most >= std::size_t(limits::callPlaces.free) && most < std::size_t{places} * regions);
        const auto sites = mpiSites(**store, Progress{});
        QVERIFY(sites.ok());
        QVERIFY(sites->size() > most && sites->size() <= most + regions);
        std::int64_t calls = 0, bytes = 0;
        TimeNs time = 0;
        for (const MpiSiteSums& site : *sites) {
            calls += site.sums.calls;
            bytes += site.sums.bytes;
            time += site.sums.time;
            if (site.path != noCallPath) QCOMPARE(site.sums.calls, 1);
        }
        QCOMPARE(calls, std::int64_t{places} * regions);
        QCOMPARE(bytes, 8 * calls);
        QCOMPARE(time, calls);
        const auto rounds = callPlaces(**store, {}, Progress{});
        QVERIFY(rounds.ok());
        QVERIFY(rounds->size() >= most && rounds->size() <= 2 * most);
    }

    // Where few are, all are told apart.
    void fewAreAll()
    {
        const QString path = m_folder.filePath(QStringLiteral("few.longpole"));
        writeTrace(path, 30, 20);
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        const auto sites = mpiSites(**store, Progress{});
        QVERIFY(sites.ok());
        QCOMPARE(sites->size(), std::size_t(600));
        for (const MpiSiteSums& site : *sites) QVERIFY(site.path >= 2 && site.sums.calls == 1);
    }

    void refusesWhatIsNotDefined_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<qint64>("value");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("a region") << int{MpiCallColumn::Region} << qint64(20) << true;
        QTest::newRow("no region") << int{MpiCallColumn::Region} << qint64(0xffffffff) << false;
        QTest::newRow("the last region") << int{MpiCallColumn::Region} << qint64(19) << false;
        QTest::newRow("a path") << int{MpiCallColumn::Path} << qint64(32) << true;
        QTest::newRow("no path") << int{MpiCallColumn::Path} << qint64(noCallPath) << false;
        QTest::newRow("the last path") << int{MpiCallColumn::Path} << qint64(31) << false;
    }
    void refusesWhatIsNotDefined()
    {
        QFETCH(int, column);
        QFETCH(qint64, value);
        QFETCH(bool, isRefused);
        const QString path = m_folder.filePath(QStringLiteral("changed.longpole"));
        QFile::remove(path);
        writeTrace(path, 30, 20);
        QVERIFY(editChunk(path, ChunkKind::MpiCall, TrackId{10}, [&](auto& columns) {
                    columns[static_cast<std::size_t>(column)][77] = value;
                }).ok());
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        QCOMPARE(mpiSites(**store, Progress{}).ok(), !isRefused);
    }

private:
    QTemporaryDir m_folder;
};

LONGPOLE_TEST(TestManyPlaces)
#include "tst_manyplaces.moc"
