// SPDX-License-Identifier: GPL-3.0-or-later
// The log as a list: order, selection, positions, filters and search against a plain sort of all rows.
#include "analysis/realtraces.h"
#include "analysis/statistics/recordfields.h"
#include "analysis/statistics/recordlist.h"
#include "analysis/statistics/recordsearch.h"
#include "core/smalltrace.h"
#include "core/sql/tracetables.h"
#include "core/store/tracewriter.h"

#include "core/trace/columns.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace longpole;

namespace {

using Store = std::shared_ptr<const TraceStore>;

// Everything, by reading everything.
std::vector<RecordRef> allRecords(const TraceStore& store, const RecordChoice& choice)
{
    const TrackKeys keys(store);
    std::vector<RecordRef> all;
    for (const ChunkKind kind : recordKinds) {
        const bool wanted = choice.kinds.empty()
                            || std::find(choice.kinds.begin(), choice.kinds.end(), kind) != choice.kinds.end();
        const int entryColumn = kind == ChunkKind::Task      ? int(TaskColumn::Entry)
                                : kind == ChunkKind::Message ? int(MessageColumn::Entry)
                                                             : -1;
        if (!wanted || (choice.entries && entryColumn < 0)) continue;
        for (const ChunkRef& ref : store.chunks(kind)) {
            const std::int64_t pe = keys.pe(ref.track).value_or(-1);
            if (!choice.pes.empty()
                && std::find(choice.pes.begin(), choice.pes.end(), static_cast<ProcessorId>(pe)) == choice.pes.end())
                continue;
            const Result<std::shared_ptr<const Chunk>> chunk = store.read(ref);
            for (std::uint32_t row = 0; row < ref.rows; ++row) {
                const TimeNs time = (*chunk)->at(static_cast<std::size_t>(chunkSpec(kind).timeColumn), row);
                if (choice.range && !choice.range->contains(time)) continue;
                if (choice.entries) {
                    const auto entry = static_cast<std::size_t>((*chunk)->at(static_cast<std::size_t>(entryColumn),
                                                                             row));
                    if (entry >= choice.entries->size() || !(*choice.entries)[entry]) continue;
                }
                all.push_back({time, ref.track, kind, ref.firstRow + row});
            }
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

// Thirty thousand rows a PE on a small grid of time, so that many begin at once; messages in no order at all.
Store writeRandom(const QString& path, unsigned seed, std::uint32_t pes, int rows)
{
    std::mt19937 random(seed);
    auto writer = TraceWriter::create(path);
    auto stream = (*writer)->stream(0);
    TraceInfo info;
    info.processors = pes;
    info.end = 1 + rows * 2;
    for (std::uint32_t pe = 0; pe < pes; ++pe) {
        const TrackId track{100 - pe};  // tracks in another order than PEs
        TimeNs time = 0;
        for (int i = 0; i < rows; ++i) {
            time += random() % 3;
            switch (random() % 8) {
            case 0: stream->append(ChunkKind::Idle, track, Row{time, 1}); break;
            case 1:
                stream->append(ChunkKind::Mark, track,
                               Row{time, 0, 1, std::int64_t(random() % 50), random() % 20 ? -1 : 7});
                break;
            case 2:
                stream->append(ChunkKind::Interval, track, Row{time, 2, 0, 0, 1, std::int64_t(random() % 50)});
                break;
            case 3:
            case 4:
                stream->append(ChunkKind::Message, track,
                               messageRow(std::int64_t(random()) % (rows * 2), -1, 0, random() % 4, i));
                break;
            default: stream->append(ChunkKind::Task, track, taskRow(time, time + 1, random() % 4));
            }
        }
        (*writer)->add(Track{.id = track, .name = {}, .pe = ProcessorId{pe}});
        (*writer)->add(Processor{.pe = ProcessorId{pe}, .track = track, .name = {}});
    }
    stream->close();
    for (std::uint32_t entry = 0; entry < 4; ++entry)
        (*writer)->add(Entry{.id = EntryId{entry},
                             .name = QStringLiteral("work%1(int)").arg(entry),
                             .chare = QStringLiteral("Chare")});
    (*writer)->add(Region{.id = RegionId{1}, .number = 1, .name = QStringLiteral("solve")});
    (*writer)->addText(7, QStringLiteral("a note"));
    (*writer)->setInfo(info);
    if (!(*writer)->finish(Progress{}).ok()) return nullptr;
    return *TraceStore::open(path);
}

}  // namespace

class TestRecordList : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        m_random = writeRandom(m_folder.filePath(QStringLiteral("r.longpole")), 5, 4, 30'000);
        QVERIFY(m_random);
    }

    void smallTraceByHand()
    {
        const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        const Store store = *TraceStore::open(path);
        const auto list = *RecordList::make(store, {}, Progress{});
        // 5 tasks, 3 messages, 2 idle, a mark, an overhead.
        QCOMPARE(list->count(), 12);
        const std::vector<RecordRef> refs = *list->records(0, 100, Progress{});
        const std::vector<Record> records = *RecordReader(store).read(refs);
        QCOMPARE(records.size(), std::size_t(12));
        std::vector<TimeNs> times;
        for (const RecordRef& ref : refs) times.push_back(ref.time);
        QCOMPARE(times, (std::vector<TimeNs>{1000, 1000, 1500, 2000, 2000, 2500, 3000, 5100, 5100, 5500, 7000, 8000}));
        QCOMPARE(records[0].ref.kind, ChunkKind::Task);
        QCOMPARE(records[0].task, (TaskId{ProcessorId{0}, 0}));
        QCOMPARE(records[0].duration, 4000);
        QVERIFY(!records[0].source.isValid());
        QCOMPARE(records[1].ref.kind, ChunkKind::Idle);
        QCOMPARE(records[1].pe, std::optional(ProcessorId{1}));
        QCOMPARE(records[2].ref.kind, ChunkKind::Message);
        QCOMPARE(records[2].message, (MessageId{ProcessorId{0}, 0}));
        QCOMPARE(records[2].task, (TaskId{ProcessorId{0}, 0}));
        QCOMPARE(records[2].executions, 1);
        QCOMPARE(records[2].duration, 10);
        QCOMPARE(records[2].event, std::optional<std::int64_t>(100));
        QCOMPARE(records[4].ref.kind, ChunkKind::Mark);
        QCOMPARE(store->text(records[4].text), QStringLiteral("note \u00e4"));
        QCOMPARE(records[6].task, (TaskId{ProcessorId{1}, 0}));
        QCOMPARE(records[6].source, (TaskId{ProcessorId{0}, 0}));
        QCOMPARE(records[6].from, std::optional(ProcessorId{0}));
        QCOMPARE(records[6].message, (MessageId{ProcessorId{0}, 0}));
        QCOMPARE(records[6].objectIndex[0], 5);
        QCOMPARE(records[8].detail, std::int64_t(OverheadKind::Pack));
        QVERIFY(!RecordReader(store).read(std::vector{RecordRef{0, TrackId{10}, ChunkKind::Task, 3}}).ok());
    }

    void everyRowOnceAndInOrder_data() { choices(); }
    void everyRowOnceAndInOrder()
    {
        QFETCH(RecordChoice, choice);
        check(m_random, choice);
    }

    void realTraces_data() { RealTraces::addRows(); }
    void realTraces()
    {
        QFETCH(QString, name);
        if (name == QLatin1String("large")) QSKIP("measured, not checked");
        const Result<Store> store = m_traces.open(name);
        QVERIFY2(store.ok(), qPrintable(name));
        check(*store, {});
        const TimeRange run = (*store)->info().range();
        check(*store, {.range = TimeRange{run.begin + run.length() / 3, run.begin + run.length() / 2}});
        const auto list = *RecordList::make(*store, {}, Progress{});
        const std::vector<RecordRef> some = *list->records(list->count() / 2, 500, Progress{});
        const Result<std::vector<Record>> records = RecordReader(*store).read(some);
        QVERIFY(records.ok());
        RecordReader kept(*store);  // page by page, and single ones
        for (std::size_t i = 0; i < some.size(); i += 50) {
            const std::vector<Record> part = *kept.read(std::span(some).subspan(i, std::min<std::size_t>(50, some.size()
                                                                                                                 - i)));
            for (std::size_t j = 0; j < part.size(); ++j) QCOMPARE(part[j].ref, some[i + j]);
        }
        for (std::size_t i = 0; i < some.size(); ++i) {
            QCOMPARE((*records)[i].ref, some[i]);
            QCOMPARE(kept.read(std::span(some).subspan(i, 1))->front().duration, (*records)[i].duration);
            if (some[i].kind != ChunkKind::Task) continue;
            const Result<TaskDetail> task = (*store)->task((*records)[i].task);
            QVERIFY(task.ok());
            QCOMPARE(task->range.begin, some[i].time);
            QCOMPARE(task->range.length(), (*records)[i].duration);
            QCOMPARE(task->source, (*records)[i].source);
            QCOMPARE(task->message, (*records)[i].message);
            QCOMPARE(task->exclusive, (*records)[i].exclusive);
            QCOMPARE(task->bytes, (*records)[i].bytes);
        }
    }

    void searchFindsTheNextOne_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"work1", "WORK", "/work[03]\\b/", "chare::", "solve", "a note", "17", "29999", "0:17", "zebra", "9:0"})
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void searchFindsTheNextOne()
    {
        QFETCH(QString, text);
        for (const RecordChoice& choice : {RecordChoice{}, RecordChoice{.pes = {ProcessorId{0}, ProcessorId{2}}},
                                           RecordChoice{.range = TimeRange{7'000, 30'000}}}) {
            const auto list = *RecordList::make(m_random, choice, Progress{});
            const Result<RecordQuestion> question = parseRecordQuestion(text, *m_random, Progress{});
            QVERIFY(question.ok());
            const std::vector<RecordRef> all = allRecords(*m_random, choice);
            std::vector<RecordRef> fitting;
            const std::vector<Record> records = *RecordReader(m_random).read(all);
            for (std::size_t i = 0; i < all.size(); ++i)
                if (fitsByHand(text, records[i])) fitting.push_back(all[i]);
            for (const bool forward : {true, false}) {
                const auto first = *findRecord(*list, *question, {}, forward, Progress{});
                QCOMPARE(first.has_value(), !fitting.empty());
                if (first) QCOMPARE(*first, forward ? fitting.front() : fitting.back());
            }
            for (std::size_t i = 0; i < all.size(); i += all.size() / 7) {
                const auto after = std::upper_bound(fitting.begin(), fitting.end(), all[i]);
                const auto next = *findRecord(*list, *question, all[i], true, Progress{});
                QCOMPARE(next, after == fitting.end() ? std::optional<RecordRef>() : std::optional(*after));
                const auto at = std::lower_bound(fitting.begin(), fitting.end(), all[i]);
                const auto before = *findRecord(*list, *question, all[i], false, Progress{});
                QCOMPARE(before, at == fitting.begin() ? std::optional<RecordRef>() : std::optional(*(at - 1)));
            }
        }
    }

    void badQuestionsAndCancelledWork()
    {
        QVERIFY(!parseRecordQuestion(QStringLiteral("/(/"), *m_random, Progress{}).ok());
        Progress stopped;
        stopped.cancel();
        const auto list = *RecordList::make(m_random, {}, Progress{});
        QVERIFY(wasCancelled(list->records(0, 10, stopped).error()));
        const RecordQuestion question = *parseRecordQuestion(QStringLiteral("solve"), *m_random, Progress{});
        QVERIFY(wasCancelled(findRecord(*list, question, {}, true, stopped).error()));
        QVERIFY(!RecordList::make(m_random, {.entries = std::vector{true}}, stopped).ok());
    }

    void emptyLists()
    {
        for (const RecordChoice& choice :
             {RecordChoice{.kinds = {ChunkKind::MpiCall}}, RecordChoice{.pes = {ProcessorId{77}}},
              RecordChoice{.range = TimeRange{-5, 0}}, RecordChoice{.entries = std::vector<bool>{}}}) {
            const auto list = *RecordList::make(m_random, choice, Progress{});
            QCOMPARE(list->count(), 0);
            QVERIFY(list->records(0, 10, Progress{})->empty());
            QVERIFY(!*findRecord(*list, *parseRecordQuestion(QStringLiteral("work"), *m_random, Progress{}), {}, true,
                                 Progress{}));
        }
    }

private:
    static void choices()
    {
        QTest::addColumn<RecordChoice>("choice");
        QTest::newRow("all") << RecordChoice{};
        QTest::newRow("one PE") << RecordChoice{.pes = {ProcessorId{2}}};
        QTest::newRow("two kinds") << RecordChoice{.kinds = {ChunkKind::Mark, ChunkKind::Message}};
        QTest::newRow("a range") << RecordChoice{.range = TimeRange{9'000, 20'001}};
        QTest::newRow("an instant") << RecordChoice{.range = TimeRange{9'000, 9'001}};
        QTest::newRow("two entries") << RecordChoice{.entries = std::vector<bool>{true, false, true}};
        QTest::newRow("everything at once") << RecordChoice{.kinds = {ChunkKind::Task, ChunkKind::Idle},
                                                            .pes = {ProcessorId{3}, ProcessorId{0}},
                                                            .range = TimeRange{500, 25'000},
                                                            .entries = std::vector<bool>{false, true}};
    }

    static bool fitsByHand(const QString& text, const Record& record)
    {
        if (text == QLatin1String("9:0")) return false;
        if (text == QLatin1String("0:17"))
            return record.ref.kind == ChunkKind::Task && record.task == TaskId{ProcessorId{0}, 17};
        const bool isEntry = record.entry != noEntry;
        if (text == QLatin1String("work1")) return isEntry && record.entry == EntryId{1};
        if (text == QLatin1String("WORK") || text == QLatin1String("chare::")) return isEntry;
        if (text.startsWith(QLatin1Char('/')))
            return isEntry && (record.entry == EntryId{0} || record.entry == EntryId{3});
        if (text == QLatin1String("solve")) return record.region == RegionId{1};
        if (text == QLatin1String("a note")) return record.text == 7;
        bool isNumber = false;
        const std::int64_t number = text.toLongLong(&isNumber);
        return isNumber && (record.value == number || record.event == number);
    }

    void check(const Store& store, const RecordChoice& choice)
    {
        const auto made = RecordList::make(store, choice, Progress{});
        QVERIFY(made.ok());
        const RecordList& list = **made;
        const std::vector<RecordRef> all = allRecords(*store, choice);
        QCOMPARE(list.count(), static_cast<std::int64_t>(all.size()));
        std::mt19937 random(7);
        for (int i = 0; i < 25; ++i) {
            const auto first = static_cast<std::int64_t>(random() % (all.size() + 2));
            const auto count = static_cast<std::int64_t>(i == 0 ? all.size() : random() % 300);
            const std::vector<RecordRef> part = *list.records(first, count, Progress{});
            const auto from = all.begin() + std::min<std::int64_t>(first, list.count());
            const auto to = all.begin() + std::min<std::int64_t>(first + count, list.count());
            QVERIFY(part == std::vector<RecordRef>(from, to));
        }
        QVERIFY(*list.records(0, list.count(), Progress{}) == all);
        for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, all.size() / 9)) {
            QCOMPARE(*list.position(all[i], Progress{}), static_cast<std::int64_t>(i));
            QCOMPARE(*list.find(all[i].kind, all[i].track, all[i].row), std::optional(all[i]));
        }
        QCOMPARE(*list.position({maxTime, {}, {}, 0}, Progress{}), list.count());
        QVERIFY(!*list.find(ChunkKind::Task, TrackId{4711}, 0));
    }

    QTemporaryDir m_folder;
    RealTraces m_traces;
    Store m_random;
};

LONGPOLE_TEST(TestRecordList)
#include "tst_recordlist.moc"
