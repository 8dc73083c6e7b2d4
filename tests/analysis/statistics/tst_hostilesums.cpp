// SPDX-License-Identifier: GPL-3.0-or-later
// Files whose times are all allowed and whose sums no number holds: rows that overlap, messages of more bytes than
// there are. Sums stop at the largest number, and what a graph adds up stays within the run.
#include "analysis/graph/activitygraph.h"
#include "analysis/statistics/messagelatency.h"
#include "analysis/statistics/objectloads.h"
#include "analysis/statistics/profile.h"
#include "analysis/waiting/idlelabels.h"
#include "core/base/timelimits.h"
#include "core/smalltrace.h"
#include "core/store/sumoftimes.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace longpole;

namespace {

constexpr TimeNs runLength = TimeNs{1} << 60;
constexpr std::int64_t rows = 20;  // so many times the run is more than a TimeNs holds
constexpr std::int64_t hugeMessage = std::int64_t{1} << 62;

// Two PEs. Each task of PE 0 lasts the whole run, and so does each time that it idles; each of them sends one of PE 1's
// a message, at once, that came at the run's end.
Result<> writeOverlappingRows(const QString& path, TimeNs length)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    addSmallDefinitions(**writer);
    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.processors = 2;
    info.tasks = 2 * rows;
    info.messages = rows;
    info.end = length;
    (*writer)->setInfo(info);
    const TrackId pe0{10}, pe1{11};
    {
        const auto stream = (*writer)->stream(0);
        for (std::int64_t i = 0; i < rows; ++i) {
            stream->append(ChunkKind::Task, pe0, taskRow(0, length, 1));
            stream->append(ChunkKind::Idle, pe0, Row{0, length});
            Row message = messageRow(0, i, 0, 1, i);
            message[MessageColumn::Bytes] = hugeMessage;
            stream->append(ChunkKind::Message, pe0, message);
        }
    }
    {
        const auto stream = (*writer)->stream(1);
        for (std::int64_t i = 0; i < rows; ++i) {
            Row task = taskRow(length - rows + i, length, 1, 0, 0, 0, i);
            task[TaskColumn::Bytes] = hugeMessage;
            task[TaskColumn::Received] = -i;
            stream->append(ChunkKind::Task, pe1, task);
        }
    }
    auto matched = (*writer)->stream(2);
    for (std::int64_t i = 0; i < rows; ++i) {
        matched->append(ChunkKind::TaskSource, pe0, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
        matched->append(ChunkKind::TaskSource, pe1, Row{std::int64_t(Link::Message), 0, i, 0, length - rows + i, i, 0});
        matched->append(ChunkKind::MessageExecutions, pe0, Row{1});
    }
    matched.reset();
    return (*writer)->finish(Progress());
}

}  // namespace

class TestHostileSums : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;

    std::shared_ptr<const TraceStore> written(TimeNs length)
    {
        const QString path = m_folder.filePath(QStringLiteral("%1.longpole").arg(length));
        if (const Result<> done = writeOverlappingRows(path, length); !done) {
            qCritical("%s", qPrintable(toText(done.error())));
            return nullptr;
        }
        const auto opened = TraceStore::open(path);
        if (!opened) qCritical("%s", qPrintable(toText(opened.error())));
        return opened ? *opened : nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_store = written(runLength);
        QVERIFY(m_store != nullptr);
    }

    // What timelimits.h says of graphs, and of idle time.
    void aPeAddsUpToItsRun()
    {
        const auto graph = loadActivityGraph(*m_store, Progress());
        QVERIFY2(graph.ok(), graph ? "" : qPrintable(graph.error().what));
        std::vector<TimeNs> sums((*graph)->byProcessor.size(), 0);
        for (std::uint32_t task = 0; task < (*graph)->size(); ++task) {
            QVERIFY((*graph)->end(task) <= runLength);
            sums[(*graph)->pe[task]] += (*graph)->duration[task];
            QVERIFY(sums[(*graph)->pe[task]] <= runLength);
        }
        QCOMPARE(sums, (std::vector<TimeNs>{runLength, rows}));
        const auto idle = processorIdle(*m_store, Progress());
        QVERIFY(idle.ok());
        QCOMPARE(idle->front(), (std::vector<TimeRange>{{0, runLength}}));
    }

    // Two PEs of twice the time are more than is added up; one of them says so before anything is read.
    void moreThanAllPesTogetherIsRefused()
    {
        QVERIFY(requireSumOfTimes(*m_store).ok());
        const auto longest = written(farthestTime - 1);
        QVERIFY(longest != nullptr);
        QVERIFY(requireSumOfTimes(*longest).ok());
        const auto store = written(farthestTime);
        QVERIFY(store != nullptr);
        const auto graph = loadActivityGraph(*store, Progress());
        QVERIFY(!graph.ok());
        QVERIFY2(graph.error().what.contains(QStringLiteral("146 years")), qPrintable(graph.error().what));
    }

    void sumsOfOverlappingRowsStop()
    {
        const TimeRange run{0, runLength};
        const auto loads = objectLoads(*m_store, {}, std::span(&run, 1), Progress());
        QVERIFY(loads.ok());
        QVERIFY(!loads->empty());
        QCOMPARE(loads->front().time, maxTime);
        QCOMPARE(loads->front().tasks, rows);
        const auto byObject = profile(*m_store, ProfileBy::Object, Progress());
        QVERIFY(byObject.ok());
        QCOMPARE(byObject->front().exclusive, maxTime);
        QCOMPARE(byObject->front().time, maxTime);
    }

    void sumsOfBytesAndLatenciesStop()
    {
        const auto graph = loadActivityGraph(*m_store, Progress());
        QVERIFY(graph.ok());
        const auto latency = messageLatency(*m_store, **graph, 100, Progress());
        QVERIFY(latency.ok());
        QCOMPARE(latency->all(), rows);
        QCOMPARE(std::ranges::max(latency->bytes), maxTime);
        QCOMPARE(latency->underWay, maxTime);
        QCOMPARE(latency->queued, rows * (rows - 1) / 2);
    }

    // A message may have been sent, and received, as long before its task as a column can say.
    void timesOfMessagesStayNear()
    {
        RawTask task{.id = {ProcessorId{0}, 0}, .begin = farthestTime - 1, .duration = 1};
        for (const TimeNs time : {minTime + 1, -longestTime, longestTime, maxTime}) {
            task.sent = task.received = time;
            const auto graph = makeActivityGraph({task}, {0, farthestTime}, 1);
            QCOMPARE(graph->received(0), std::clamp(time, -farthestTime, farthestTime));
            QVERIFY(isNearZero(graph->sent(0)));
        }
    }
};

LONGPOLE_TEST(TestHostileSums)
#include "tst_hostilesums.moc"
