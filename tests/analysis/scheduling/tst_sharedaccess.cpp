// SPDX-License-Identifier: GPL-3.0-or-later
// Branch C: names of stats, and each of the paper's six concerns firing and not, on runs small enough to count by
// hand; and the real trace that has such stats.
#include "analysis/scheduling/schedulingquestions.h"
#include "analysis/scheduling/sharedaccessconcerns.h"
#include "analysis/scheduling/sharedaccessstats.h"

#include "analysis/asked.h"
#include "analysis/realtraces.h"
#include "analysis/scheduling/statrun.h"
#include "core/base/limits.h"
#include "support/testmain.h"
#include "support/writtentrace.h"

#include <QRegularExpression>
#include <QTest>

#include <limits>
#include <random>

using namespace longpole;

namespace {

std::int64_t issues(const SharedAccess& access, const char* kind)
{
    std::int64_t count = 0;
    for (const Issue& issue : access.issues)
        if (issue.kind == QLatin1String(kind)) count += issue.count;
    return count;
}

}  // namespace

class TestSharedAccess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void names_data();
    void names();
    void nothingRecorded();
    void whatDoesNotFitIsCounted();
    void manyVariables();
    void keysOfOneProcessor_data();
    void keysOfOneProcessor();
    void evenKeysSeldomLookUneven();
    void unevenUse();
    void entryThatManyAskFor_data();
    void entryThatManyAskFor();
    void variableThatIsHardlyRead_data();
    void variableThatIsHardlyRead();
    void updatesPerSecond_data();
    void updatesPerSecond();
    void entriesFoundOnceElsewhere_data();
    void entriesFoundOnceElsewhere();
    void oneProcessor();
    void realTrace();
    void documentShowsTheExample();

private:
    RealTraces m_traces;
};

void TestSharedAccess::names_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isMeant");
    QTest::addColumn<bool>("fits");
    const auto row = [](const char* name, bool isMeant, bool fits) {
        QTest::newRow(name) << QString::fromUtf8(name) << isMeant << fits;
    };
    row("shared/table/insert/keys", true, true);
    row("shared/table/find/keys", true, true);
    row("shared/table/delete/keys", true, true);
    row("shared/readonly/read/params", true, true);
    row("shared/writeonce/create/mesh", true, true);
    row("shared/writeonce/deref/mesh", true, true);
    row("shared/accumulator/add/count", true, true);
    row("shared/accumulator/collect/count", true, true);
    row("shared/monotonic/update/bound", true, true);
    row("shared/monotonic/read/a bound of/ours", true, true);
    row("shared/table/insert/", true, false);
    row("shared/table/insert/ ", true, false);
    row("shared/table/insert", true, false);
    row("shared/tables/insert/keys", true, false);
    row("shared/table/inserted/keys", true, false);
    row("shared/table/update/keys", true, false);
    row("shared/readonly/create/params", true, false);
    row("shared/writeonce/read/mesh", true, false);
    row("shared/monotonic/add/bound", true, false);
    row("Shared/table/insert/keys", true, false);
    row("shared/Table/insert/keys", true, false);
    row("shared", false, false);
    row("sharedtable/insert/keys", false, false);
    row("energy", false, false);
}

void TestSharedAccess::names()
{
    QFETCH(QString, name);
    QTEST(isSharedStatName(name), "isMeant");
    QTEST(parseSharedStatName(name).has_value(), "fits");
}

void TestSharedAccess::nothingRecorded()
{
    StatRun run(4);
    run.record(0, 5, "energy", 1.5);
    const SharedAccess access = run.analyse();
    QVERIFY(!access.isRecorded);
    QVERIFY(access.variables.empty() && access.speculative.empty() && access.issues.empty());
    QCOMPARE(access.concerns.size(), std::size_t{6});
    const char* ids[] = {"key_distribution", "speculative", "frequent_access",
                         "rare_reads",       "update_rate", "found_once"};
    for (std::size_t i = 0; i < 6; ++i) {
        QCOMPARE(access.concerns[i].id, QLatin1String(ids[i]));
        QVERIFY(!access.concerns[i].fired && !access.concerns[i].isJudged);
        QVERIFY2(access.concerns[i].text().contains(QLatin1String("shared/")), qPrintable(access.concerns[i].text()));
    }
}

void TestSharedAccess::whatDoesNotFitIsCounted()
{
    StatRun run(2);
    run.record(0, 1, "shared/tabel/insert/keys", 1, 0);
    run.record(1, 1, "shared/tabel/insert/keys", 1, 0);
    run.regionOf(QStringLiteral("shared/table/find/"));  // registered, never recorded
    run.record(0, 2, "shared/table/insert/keys", 7, 0);
    run.record(0, 3, "shared/table/insert/keys", 7.5, 0);
    run.record(0, 3, "shared/table/insert/keys", 9007199254740992.0, 0);
    run.record(0, 4, "shared/table/insert/keys", 8, 2);
    run.record(0, 4, "shared/table/insert/keys", 9);
    run.record(0, 5, "shared/monotonic/update/bound", 3, 2);
    run.record(0, 6, "shared/monotonic/update/bound", std::numeric_limits<double>::quiet_NaN(), 1);
    const SharedAccess access = run.analyse();
    QCOMPARE(issues(access, "shared_stat_name"), 3);
    QCOMPARE(issues(access, "shared_stat_key"), 2);
    QCOMPARE(issues(access, "shared_stat_home"), 2);
    QCOMPARE(issues(access, "shared_stat_accepted"), 1);
    QCOMPARE(issues(access, "shared_stat_value"), 1);
    QVERIFY(std::ranges::any_of(access.issues, [](const Issue& issue) {
        return issue.place == QLatin1String("shared/tabel/insert/keys") && issue.count == 2;
    }));
    QCOMPARE(access.variables.size(), std::size_t{2});
    QCOMPARE(access.variables[0].keys, 3);
    QCOMPARE(access.variables[0].homes, (std::vector<std::int64_t>{1, 0}));
    QCOMPARE(access.variables[1].updates, 1);
    QCOMPARE(access.variables[1].accepted, 1);
}

// The work of those with the most updates is looked at; a run of many PEs has few variables.
void TestSharedAccess::manyVariables()
{
    constexpr int count = 70;
    StatRun run(2);
    for (int i = 0; i < count; ++i) {
        const QByteArray name = QByteArray("shared/monotonic/update/v") + QByteArray::number(100 + i);
        for (int update = 0; update <= i; ++update) run.record(0, 1 + update, name.constData(), 1000 - update, 1);
    }
    const SharedAccess access = run.analyse();
    QCOMPARE(access.variables.size(), std::size_t{count});
    QCOMPARE(access.speculative.size(), static_cast<std::size_t>(limits::monotonicVariables.free));
    QCOMPARE(access.speculative.front().variable, QStringLiteral("v106"));
    QCOMPARE(access.speculative.back().variable, QStringLiteral("v169"));
    for (const int processors : {2, 10'000}) {
        const auto most = static_cast<int>(std::min(limits::sharedNames.free,
                                                    limits::sharedVariables.free / processors));
        StatRun large(processors);
        for (int i = 0; i < most + 2; ++i) {
            const QByteArray name = QByteArray("shared/readonly/read/v") + QByteArray::number(i);
            large.record(0, 1 + i, name.constData(), 1);
        }
        const SharedAccess few = large.analyse();
        QCOMPARE(few.variables.size(), static_cast<std::size_t>(most));
        QCOMPARE(issues(few, "shared_stat_left_out"), 2);
    }
}

void TestSharedAccess::keysOfOneProcessor_data()
{
    QTest::addColumn<int>("keys");
    QTest::addColumn<int>("onFirst");  // the others go round
    QTest::addColumn<bool>("fires");
    QTest::newRow("half of them of four PEs") << 400 << 200 << true;
    QTest::newRow("just above 1.5 times the mean") << 4000 << 1501 << true;
    QTest::newRow("at 1.5 times the mean") << 4000 << 1500 << false;
    QTest::newRow("even") << 400 << 100 << false;
    QTest::newRow("three of four may be chance") << 4 << 3 << false;
    QTest::newRow("all of many") << 40 << 40 << true;
}

void TestSharedAccess::keysOfOneProcessor()
{
    QFETCH(int, keys);
    QFETCH(int, onFirst);
    StatRun run(4);
    for (int key = 0; key < keys; ++key)
        run.record(static_cast<std::uint32_t>(key % 4), key, "shared/table/insert/keys", key,
                   key < onFirst ? 0 : 1 + key % 3);
    const SharedConcern found = concern(run.analyse(), "key_distribution");
    QVERIFY(found.isJudged);
    QTEST(found.fired, "fires");
    QCOMPARE(found.value, onFirst * 4.0 / keys);
    QCOMPARE(found.threshold, 1.5);
    if (!found.fired) return;
    QCOMPARE(found.evidence.size(), std::size_t{1});
    QCOMPARE(found.evidence[0].pe, ProcessorId{0});
}

// Keys that fall on any PE alike: at most one table in a hundred may look uneven, however small (the bound: 1/1000).
void TestSharedAccess::evenKeysSeldomLookUneven()
{
    std::mt19937 random(5);
    for (const std::size_t pes : {2u, 6u, 64u, 1000u}) {
        for (const int keys : {1, 3, 10, 100, 3000}) {
            int looks = 0;
            for (int table = 0; table < 300; ++table) {
                std::vector<std::int64_t> counts(pes);
                for (int key = 0; key < keys; ++key) ++counts[random() % pes];
                looks += isBeyondChance(counts) ? 1 : 0;
            }
            QVERIFY2(looks <= 3, qPrintable(QStringLiteral("%1 keys on %2 PEs: %3").arg(keys).arg(pes).arg(looks)));
        }
    }
    QVERIFY(isBeyondChance(std::vector<std::int64_t>{264, 25, 11, 23, 13, 24}));
}

// Keys lie evenly, but one PE answers most finds; or one PE does all the asking.
void TestSharedAccess::unevenUse()
{
    StatRun answers(4), asks(4);
    for (int key = 0; key < 80; ++key) {
        for (StatRun* const run : {&answers, &asks})
            run->record(static_cast<std::uint32_t>(key % 4), key, "shared/table/insert/keys", key, key % 4);
        answers.record(static_cast<std::uint32_t>(key % 4), 100 + key, "shared/table/find/keys", key / 2 * 2 % 4, 2);
        asks.record(3, 100 + key, "shared/table/find/keys", key, key % 4);
    }
    const SharedConcern answered = concern(answers.analyse(), "key_distribution");
    QVERIFY(answered.fired);
    QCOMPARE(answered.value, 4.0);
    QVERIFY2(answered.metric.contains(QLatin1String("answer")), qPrintable(answered.metric));
    const SharedConcern asked = concern(asks.analyse(), "key_distribution");
    QVERIFY(asked.fired);
    QCOMPARE(asked.value, (20.0 + 80) * 4 / 160);
    QCOMPARE(asked.evidence.at(0).pe, ProcessorId{3});
}

void TestSharedAccess::entryThatManyAskFor_data()
{
    QTest::addColumn<int>("finders");
    QTest::addColumn<int>("findsOfEach");
    QTest::addColumn<bool>("fires");
    QTest::newRow("five of eight PEs, 15 times") << 5 << 3 << true;
    QTest::newRow("four of eight PEs") << 4 << 50 << false;
    QTest::newRow("ten times") << 5 << 2 << false;
    QTest::newRow("all PEs") << 8 << 2 << true;
}

void TestSharedAccess::entryThatManyAskFor()
{
    QFETCH(int, finders);
    QFETCH(int, findsOfEach);
    StatRun run(8);
    run.record(0, 1, "shared/table/insert/keys", 42, 7);
    run.record(0, 1, "shared/table/insert/keys", 43, 6);
    for (int i = 0; i < findsOfEach; ++i)
        for (int pe = 0; pe < finders; ++pe)
            run.record(static_cast<std::uint32_t>(pe), 10 + i, "shared/table/find/keys", 42, 7);
    const SharedConcern found = concern(run.analyse(), "frequent_access");
    QVERIFY(found.isJudged);
    QTEST(found.fired, "fires");
    QCOMPARE(found.value, double(finders * findsOfEach));
    QCOMPARE(found.threshold, 10.0);
    if (found.fired) QCOMPARE(found.evidence.at(0).pe, ProcessorId{7});
}

void TestSharedAccess::variableThatIsHardlyRead_data()
{
    QTest::addColumn<QString>("stat");
    QTest::addColumn<int>("reads");
    QTest::addColumn<bool>("fires");
    QTest::newRow("read-only, three on four PEs") << QStringLiteral("shared/readonly/read/params") << 3 << true;
    QTest::newRow("read-only, four on four PEs") << QStringLiteral("shared/readonly/read/params") << 4 << false;
    QTest::newRow("write-once, one") << QStringLiteral("shared/writeonce/deref/mesh") << 1 << true;
    QTest::newRow("write-once, nine") << QStringLiteral("shared/writeonce/deref/mesh") << 9 << false;
}

void TestSharedAccess::variableThatIsHardlyRead()
{
    QFETCH(QString, stat);
    QFETCH(int, reads);
    StatRun run(4);
    for (int i = 0; i < reads; ++i) run.record(static_cast<std::uint32_t>(i % 4), 5 + i, stat.toUtf8().constData(), 0);
    const SharedConcern found = concern(run.analyse(), "rare_reads");
    QVERIFY(found.isJudged);
    QTEST(found.fired, "fires");
    QCOMPARE(found.value, double(reads));
    QCOMPARE(found.threshold, 4.0);
}

void TestSharedAccess::updatesPerSecond_data()
{
    QTest::addColumn<int>("accepted");
    QTest::addColumn<int>("rejected");
    QTest::addColumn<TimeNs>("length");
    QTest::addColumn<QString>("advice");
    QTest::newRow("101 a second") << 101 << 0 << second << QStringLiteral("spanning tree");
    QTest::newRow("100 a second") << 100 << 0 << second << QString();
    QTest::newRow("rejected ones are not spread") << 100 << 900 << second << QString();
    QTest::newRow("one in a second") << 1 << 0 << second << QString();
    QTest::newRow("one in two seconds") << 1 << 5 << 2 * second << QStringLiteral("flooding");
    QTest::newRow("nine in a millisecond are few") << 9 << 0 << second / 1000 << QString();
    QTest::newRow("ten in a millisecond") << 10 << 0 << second / 1000 << QStringLiteral("spanning tree");
}

void TestSharedAccess::updatesPerSecond()
{
    QFETCH(int, accepted);
    QFETCH(int, rejected);
    QFETCH(TimeNs, length);
    QFETCH(QString, advice);
    StatRun run(2, length);
    for (int i = 0; i < accepted; ++i) run.record(0, i, "shared/monotonic/update/bound", 1e6 - i, 1);
    for (int i = 0; i < rejected; ++i) run.record(1, i, "shared/monotonic/update/bound", 1e7, 0);
    const SharedAccess access = run.analyse();
    const SharedConcern found = concern(access, "update_rate");
    QVERIFY(found.isJudged);
    QCOMPARE(found.fired, !advice.isEmpty());
    QVERIFY2(found.text().contains(advice), qPrintable(found.text()));
    QCOMPARE(found.value, accepted * 1e9 / double(length));
    QCOMPARE(access.speculative.at(0).best.size(), std::size_t(accepted));
}

void TestSharedAccess::entriesFoundOnceElsewhere_data()
{
    QTest::addColumn<int>("entries");
    QTest::addColumn<int>("elsewhere");
    QTest::addColumn<bool>("fires");
    QTest::newRow("31 of 100") << 100 << 31 << true;
    QTest::newRow("30 of 100") << 100 << 30 << false;
    QTest::newRow("all of ten") << 10 << 10 << true;
    QTest::newRow("all of nine are too few") << 9 << 9 << false;
    QTest::newRow("none") << 100 << 0 << false;
}

void TestSharedAccess::entriesFoundOnceElsewhere()
{
    QFETCH(int, entries);
    QFETCH(int, elsewhere);
    StatRun run(3);
    for (int key = 0; key < entries; ++key) {
        const bool isElsewhere = key < elsewhere;
        const double home = isElsewhere ? 2 : key % 2;  // else where it is inserted or found, or it is found twice
        run.record(0, key, "shared/table/insert/keys", key, home);
        run.record(1, key + 1000, "shared/table/find/keys", key, home);
    }
    const SharedConcern found = concern(run.analyse(), "found_once");
    QVERIFY(found.isJudged);
    QTEST(found.fired, "fires");
    QCOMPARE(found.value, double(elsewhere) / entries);
    if (!found.fired) return;
    QCOMPARE(found.evidence.size(), std::size_t{5});
    QCOMPARE(found.evidence[0].pe, ProcessorId{2});
    QCOMPARE(found.evidence[0].range, (TimeRange{0, 1001}));
}

void TestSharedAccess::oneProcessor()
{
    StatRun run(1);
    run.run(0, 0, second);
    for (int i = 0; i < 200; ++i) {
        run.record(0, 5 * i, "shared/table/insert/keys", i, 0);
        run.record(0, 5 * i + 1, "shared/table/find/keys", 3, 0);
        run.record(0, 5 * i + 2, "shared/monotonic/update/bound", 1e6 - i, 1);
    }
    run.record(0, 2000, "shared/writeonce/create/mesh", 0);
    const SharedAccess access = run.analyse();
    QCOMPARE(access.concerns.size(), std::size_t{6});
    for (const SharedConcern& one : access.concerns) QVERIFY2(!one.fired, qPrintable(one.id));
    QCOMPARE(access.speculative.at(0).total, 0);
    QCOMPARE(access.speculative.at(0).totalUser, second);
}

// The four concerns that the trace was made for fire, the other two do not.
void TestSharedAccess::realTrace()
{
    const auto store = m_traces.open(QStringLiteral("shared_variables_p6"));
    QVERIFY(store);
    const auto answer = asked(*store, SharedAccessQuestion{});
    QVERIFY(answer);
    const SharedAccess* const access = answer->get();
    QVERIFY(access->isRecorded && access->issues.empty());
    QStringList fired;
    for (const SharedConcern& one : access->concerns) {
        QVERIFY(one.isJudged);
        if (one.fired) fired << one.id;
        if (qEnvironmentVariableIsSet("LONGPOLE_SHOW")) qInfo("%s", qPrintable(one.id % u' ' % one.text()));
    }
    QCOMPARE(fired, QStringList({QStringLiteral("key_distribution"), QStringLiteral("rare_reads"),
                                 QStringLiteral("update_rate"), QStringLiteral("found_once")}));
    QCOMPARE(access->variables.size(), std::size_t{4});
    QCOMPARE(access->variables[0].homes, (std::vector<std::int64_t>{264, 25, 11, 23, 13, 24}));
    QCOMPARE(access->variables[0].accesses, std::vector<std::int64_t>(6, 120));
    QCOMPARE(concern(*access, "key_distribution").value, 4.4);
    QCOMPARE(concern(*access, "rare_reads").value, 2.0);
    QCOMPARE(concern(*access, "found_once").value, 241.0 / 360);
    QCOMPARE(concern(*access, "frequent_access").value, 1.0);
    QVERIFY(concern(*access, "found_once").severity > 0);
    const SpeculativeSeries& series = access->speculative.at(0);
    QCOMPARE(series.updates.size(), std::size_t{360});
    QCOMPARE(series.best.size(), std::size_t{111});
    QCOMPARE(series.totalUser, (*store)->info().busy);
    QCOMPARE(series.carriers.size(), std::size_t{1});
    QVERIFY((*store)->entry(series.carriers[0])->name.startsWith(QLatin1String("new_bound")));
    const double share = double(series.total) / double(series.totalUser);
    QVERIFY2(share > 0.24 && share < 0.26, qPrintable(QString::number(share)));
    for (const SharedConcern& one : access->concerns)
        for (const Evidence& evidence : one.evidence) {
            QVERIFY(!evidence.range.isEmpty() && !evidence.text.isEmpty());
            for (const TaskId& task : evidence.tasks) QVERIFY((*store)->task(task));
        }
}

// What the window lets copy is what docs/tasks/record-charm.md says, and its names fit.
void TestSharedAccess::documentShowsTheExample()
{
    QFile document(QStringLiteral(LONGPOLE_TEST_DATA "/../../docs/tasks/record-charm.md"));
    QVERIFY(document.open(QIODevice::ReadOnly));
    QVERIFY(QString::fromUtf8(document.readAll()).contains(sharedStatExample()));
    QCOMPARE(sharedStatExample().count(u'\n'), 10);
    QRegularExpressionMatchIterator names = QRegularExpression(QStringLiteral("\"(shared/[^\"]*)\""))
                                                .globalMatch(sharedStatExample());
    QVERIFY(names.hasNext());
    while (names.hasNext()) QVERIFY(parseSharedStatName(names.next().captured(1)));
}

LONGPOLE_TEST(TestSharedAccess)
#include "tst_sharedaccess.moc"
