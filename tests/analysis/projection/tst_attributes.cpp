// SPDX-License-Identifier: GPL-3.0-or-later
// Stages, attributes and formulas as people write them: what they mean, and what is said of those that mean nothing.
#include "analysis/projection/attribute.h"
#include "analysis/projection/formula.h"
#include "analysis/projection/projection.h"
#include "analysis/projection/stages.h"
#include "analysis/realtraces.h"
#include "core/smalltrace.h"

#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace longpole;

class TestAttributes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        QVERIFY(bool(writeSmallTrace(m_folder.filePath(QStringLiteral("small.longpole")))));
        auto opened = TraceStore::open(m_folder.filePath(QStringLiteral("small.longpole")));
        QVERIFY(bool(opened));
        m_store = *opened;
    }
    void stages_data();
    void stages();
    void stageOfATime();
    void stagesOfIterations();
    void stageSets();
    void namesRoundTrip();
    void unknownNames_data();
    void unknownNames();
    void formulas_data();
    void formulas();
    void brokenFormulas_data();
    void brokenFormulas();
    void percentiles();
    void statistics();
    void treeNamesWhatIsThere();
    void treeOfManyRegions();
    void phasesAndEvents();

private:
    Attribute attribute(const char* text) const
    {
        const auto parsed = parseAttribute(QString::fromUtf8(text), *m_store);
        if (!parsed) qFatal("%s", qPrintable(parsed.error().what));
        return *parsed;
    }
    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    RealTraces m_traces;
};

void TestAttributes::stages_data()
{
    using Edges = std::vector<TimeNs>;
    QTest::addColumn<QString>("text");
    QTest::addColumn<Edges>("edges");
    QTest::addColumn<QString>("error");
    const auto good = [](const char* text, Edges edges) {
        QTest::newRow(text) << QString::fromUtf8(text) << edges << QString();
    };
    good("stages=4", {100, 350, 600, 850, 1100});
    good("3", {100, 433, 766, 1100});
    good("2 stages", {100, 600, 1100});
    good("1 stage", {100, 1100});
    good("400ns", {100, 500, 900, 1100});
    good("1us", {100, 1100});
    good(" 0.5us ", {100, 600, 1100});
    const auto bad = [](const char* text, const char* error) {
        QTest::newRow(text) << QString::fromUtf8(text) << Edges{} << QString::fromUtf8(error);
    };
    bad("0ns", "longer than zero");
    bad("2us", "longer than the range");
    bad("stages=0", "at least one");
    bad("0", "at least one");
    bad("-3", "at least one");
    bad("stages=x", "not a number of stages");
    bad("stages=2000000", "more than");
    bad("soon", "neither a timestep nor");
    bad("", "neither a timestep nor");
}

void TestAttributes::stages()
{
    QFETCH(const QString, text);
    QFETCH(const std::vector<TimeNs>, edges);
    QFETCH(const QString, error);
    const auto parsed = parseStages(text, {100, 1100});
    QCOMPARE(parsed.ok(), error.isEmpty());
    if (parsed) QCOMPARE(parsed->edges, edges);
    else QVERIFY2(parsed.error().what.contains(error), qPrintable(parsed.error().what));
}

void TestAttributes::stageOfATime()
{
    const Stages stages{{0, 10, 10, 30}};
    QCOMPARE(stages.at(-5), std::size_t{0});
    QCOMPARE(stages.at(9), std::size_t{0});
    QCOMPARE(stages.at(10), std::size_t{2});  // the empty one holds nothing
    QCOMPARE(stages.at(30), std::size_t{2});
    QCOMPARE(equalStages({0, 3}, 6).edges, (std::vector<TimeNs>{0, 0, 1, 1, 2, 2, 3}));
    const TimeRange long_{0, maxTime};
    QCOMPARE(equalStages(long_, 2).edges[1], maxTime / 2);
}

void TestAttributes::stagesOfIterations()
{
    const std::vector<TimeRange> iterations{{10, 18}, {20, 30}, {30, 38}};
    const Stages all = iterationStages({0, 50}, iterations);
    QCOMPARE(all.edges, (std::vector<TimeNs>{0, 10, 20, 30, 38, 50}));
    QCOMPARE(all.names, (std::vector<QString>{QStringLiteral("before"), QStringLiteral("iteration 1"),
                                              QStringLiteral("iteration 2"), QStringLiteral("iteration 3"),
                                              QStringLiteral("after")}));
    const Stages part = iterationStages({25, 36}, iterations);
    QCOMPARE(part.edges, (std::vector<TimeNs>{25, 30, 36}));
    QCOMPARE(part.names, (std::vector<QString>{QStringLiteral("iteration 2"), QStringLiteral("iteration 3")}));
    QCOMPARE(iterationStages({0, 5}, {}).edges, (std::vector<TimeNs>{0, 5}));
    QCOMPARE(iterationStages({0, 5}, {}).names.size(), std::size_t(1));
    QCOMPARE(iterationStages({5, 5}, iterations).count(), std::size_t(1));
    QCOMPARE(iterationStages({60, 70}, iterations).names, std::vector<QString>{QStringLiteral("after")});
}

void TestAttributes::stageSets()
{
    QCOMPARE(*parseStageSet(QStringLiteral("1,3-9:3,11"), 20), (std::vector<std::size_t>{1, 3, 6, 9, 11}));
    QCOMPARE(parseStageSet(QString(), 3)->size(), std::size_t{3});
    QVERIFY(!parseStageSet(QStringLiteral("3"), 3));
    QVERIFY(!parseStageSet(QStringLiteral("a"), 3));
}

void TestAttributes::namesRoundTrip()
{
    for (const char* text : {"user", "overhead", "user@Main::Main", "tasks@Ring::pass", "grain_mean@Ring",
                             "user / tasks", "[user@Ring::pass] / (user + idle)"}) {
        const Attribute parsed = attribute(text);
        QCOMPARE(attributeName(parsed, *m_store), QString::fromUtf8(text));
        QVERIFY(attribute(attributeName(parsed, *m_store).toUtf8().constData()) == parsed);
        QVERIFY(!attributeTitle(parsed, *m_store).isEmpty());
    }
    QVERIFY(attribute("user@1") == attribute("user@pass"));
    QVERIFY(attribute("user").isAdditive());
    QVERIFY(attribute("overhead").isAdditive());
    QVERIFY(!attribute("utilization").isAdditive());
    QVERIFY(!attribute("grain_max").isAdditive());
    QVERIFY(!attribute("user / 2").isAdditive());
}

void TestAttributes::unknownNames_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    QTest::newRow("near") << "utilisation"
                          << "utilization";
    QTest::newRow("no entry") << "user@Ring::pas"
                              << "Ring::pass";
    QTest::newRow("cannot be split") << "idle@Ring::pass"
                                     << "cannot be split";
    QTest::newRow("needs a name") << "events"
                                  << "one user event";
    QTest::newRow("no such event") << "events@step"
                                   << "step";
    QTest::newRow("empty") << ""
                           << "nothing in it";
}

void TestAttributes::unknownNames()
{
    QFETCH(const QString, text);
    QFETCH(const QString, error);
    const auto parsed = parseAttribute(text, *m_store);
    QVERIFY(!parsed);
    QVERIFY2(parsed.error().what.contains(error), qPrintable(parsed.error().what));
}

void TestAttributes::formulas_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("whole");  // over both PEs and the whole run
    QTest::newRow("ratio") << "bytes_sent / tasks" << 192.0 / 5;
    QTest::newRow("of entries") << "[user@Main::Main] / [user@Ring::pass]" << 3000.0 / 6000;
    QTest::newRow("numbers") << "2 * user + 1e3" << 19000.0;
    QTest::newRow("condition") << "idle > user ? 1 : 0" << 0.0;
    QTest::newRow("functions") << "max(user, idle)" << 9000.0;
    QTest::newRow("the same twice") << "user - user" << 0.0;
    QTest::newRow("of ratios") << "utilization * 100" << 9000.0 / 16000 * 100;
    QTest::newRow("zero by zero") << "pack / flush" << std::nan("");
    QTest::newRow("by zero") << "user / untraced" << std::nan("");
}

void TestAttributes::formulas()
{
    QFETCH(const QString, text);
    QFETCH(const double, whole);
    const auto parsed = parseAttribute(text, *m_store);
    QVERIFY2(bool(parsed), parsed.ok() ? "" : qPrintable(parsed.error().what));
    const auto projection = project(*m_store, *parsed, equalStages(m_store->info().range(), 3), {}, nullptr,
                                    Progress{});
    QVERIFY(bool(projection));
    if (std::isnan(whole)) QVERIFY(std::isnan(projection->total));
    else QCOMPARE(projection->total, whole);
}

void TestAttributes::brokenFormulas_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    QTest::newRow("ends early") << "user /"
                                << "column 7";
    QTest::newRow("parenthesis") << "(user + idle"
                                 << "parenthesis";
    QTest::newRow("two operators") << "user * / idle"
                                   << "column 8";
    QTest::newRow("unknown name") << "user / taks"
                                  << "tasks";
    QTest::newRow("unknown in brackets") << "user / [user@Nobody::x]"
                                         << "Nobody";
    QTest::newRow("bracket") << "[user@Ring::pass / 2"
                             << "bracket";
    QTest::newRow("no attribute") << "1 + 2"
                                  << "names no attribute";
    QTest::newRow("assignment") << "user = 3"
                                << "column 6";
    QTest::newRow("two results") << "user, idle"
                                 << "more than one";
    QTest::newRow("unknown function") << "foo(user)"
                                      << "column";
}

void TestAttributes::brokenFormulas()
{
    QFETCH(const QString, text);
    QFETCH(const QString, error);
    const auto parsed = parseAttribute(text, *m_store);
    QVERIFY(!parsed);
    const QString said = parsed.error().what + parsed.error().where;
    QVERIFY2(said.contains(error), qPrintable(said));
}

void TestAttributes::percentiles()
{
    std::vector<double> values{5, 1, std::nan(""), 3, 2, 4};
    QCOMPARE(percentileOf(values, 50), 3.0);
    QCOMPARE(percentileOf(values, 0), 1.0);
    QCOMPARE(percentileOf(values, 100), 5.0);
    QCOMPARE(percentileOf(values, 81), 5.0);
    QCOMPARE(percentileOf(values, 80), 4.0);
    std::vector<double> none;
    QVERIFY(std::isnan(percentileOf(none, 50)));
}

void TestAttributes::statistics()
{
    const auto projection = project(*m_store, attribute("user"), equalStages(m_store->info().range(), 4), {}, nullptr,
                                    Progress{});
    QVERIFY(bool(projection));
    using Kind = Statistic::Kind;
    QCOMPARE(overProcessors(*projection, {Kind::Together}), (std::vector<double>{2000, 4000, 1000, 2000}));
    QCOMPARE(overProcessors(*projection, {Kind::Mean}), (std::vector<double>{1000, 2000, 500, 1000}));
    QCOMPARE(overProcessors(*projection, {Kind::Largest}), (std::vector<double>{2000, 2000, 1000, 1000}));
    QCOMPARE(overProcessors(*projection, {Kind::Least}), (std::vector<double>{0, 2000, 0, 1000}));
    QCOMPARE(overStages(*projection, {Kind::Together}), (std::vector<double>{5000, 4000}));
    QCOMPARE(overStages(*projection, {Kind::Percentile, 25}), (std::vector<double>{0, 0}));
    const auto grain = project(*m_store, attribute("grain_mean"), equalStages(m_store->info().range(), 4), {}, nullptr,
                               Progress{});
    QVERIFY(std::isnan(grain->at(1, 0)));  // no task began there
    QCOMPARE(grain->perStage[0], 4000.0 / 2);
    QCOMPARE(grain->total, 9000.0 / 5);
}

void TestAttributes::treeNamesWhatIsThere()
{
    const auto store = m_traces.open(QStringLiteral("features_p4"));
    if (!store) QSKIP("the trace is not there");
    std::set<QString> names, missing;
    const std::function<void(const AttributeNode&)> walk = [&](const AttributeNode& node) {
        if (node.attribute) {
            const QString name = attributeName(*node.attribute, **store);
            QVERIFY2(names.insert(name).second, qPrintable(name));
            const auto parsed = parseAttribute(name, **store);
            QVERIFY2(parsed && *parsed == *node.attribute, qPrintable(name));
            if (!node.missing.isEmpty()) missing.insert(name);
        }
        for (const AttributeNode& child : node.children) walk(child);
    };
    for (const AttributeNode& node : attributeTree(**store)) walk(node);
    QVERIFY(names.size() > 200);
    QVERIFY(!missing.contains(QStringLiteral("memory")));
    QCOMPARE(whyMissing(*attribute("memory").spec, *m_store), QStringLiteral("The program recorded no memory use."));
}

// Whether there are statistics at all is asked once, not for each of them among all others.
void TestAttributes::treeOfManyRegions()
{
    QTemporaryDir folder;
    const QDir source(RealTraces::folder(QStringLiteral("features_p4")));
    for (const QString& name : source.entryList(QDir::Files))
        QVERIFY(QFile::copy(source.filePath(name), folder.filePath(name)));
    const QString symbols = folder.filePath(source.entryList({QStringLiteral("*.sts")}).front());
    QFile file(symbols);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray plain = file.readAll();
    file.close();
    const auto timeOf = [&](int count) -> double {
        QByteArray text = plain;
        text.chop(text.size() - text.lastIndexOf("END"));
        text.replace("TOTAL_EVENTS 5", QByteArray("TOTAL_EVENTS " + QByteArray::number(5 + count)));
        text.replace("TOTAL_STATS 2", QByteArray("TOTAL_STATS " + QByteArray::number(2 + count)));
        for (int i = 0; i < count; ++i) text += "EVENT " + QByteArray::number(40'000 + i) + " e\n";
        for (int i = 0; i < count; ++i) text += "STAT " + QByteArray::number(100 + i) + " s\n";
        text += "END\n";
        QFile changed(symbols);
        if (!changed.open(QIODevice::WriteOnly) || changed.write(text) != text.size()) return -1;
        changed.close();
        const QString target = folder.filePath(QStringLiteral("%1.longpole").arg(count));
        if (!importerFor(symbols)->import(symbols, target, {}, {})) return -1;
        const auto store = TraceStore::open(target);
        if (!store || (*store)->regions().size() < 2 * std::size_t(count)) return -1;
        double least = std::numeric_limits<double>::infinity();
        for (int turn = 0; turn < 5; ++turn) {  // another program may have the core meanwhile
            QElapsedTimer timer;
            timer.start();
            const std::vector<AttributeNode> tree = attributeTree(**store);
            least = std::min(least, double(timer.nsecsElapsed()));
            constexpr std::size_t shown = 4096;  // and a line that says how many more there are
            if (tree.back().children.size() != shown + 1) return -1;
        }
        return least;
    };
    // Both have more memory than the heap keeps: fresh pages can take longer than all else.
    const double few = timeOf(24'000), many = timeOf(96'000);
    QVERIFY(few > 0 && many > 0);
    QVERIFY2(many < 9 * few, qPrintable(QStringLiteral("%1 and %2 ns").arg(few).arg(many)));  // 16 if quadratic
}

void TestAttributes::phasesAndEvents()
{
    const auto store = m_traces.open(QStringLiteral("features_p4"));
    if (!store) QSKIP("the trace is not there");
    const TimeRange run = (*store)->info().range();
    const auto phases = phaseStages(**store, run);
    QVERIFY(bool(phases));
    QVERIFY(phases->count() >= 2);
    QCOMPARE(phases->whole(), run);
    QVERIFY(std::is_sorted(phases->edges.begin(), phases->edges.end()));
    QVERIFY(!phaseStages(*m_store, m_store->info().range()));
    int cutting = 0;
    for (const RegionId event : stageEvents(**store)) cutting += eventStages(**store, event, run).ok() ? 1 : 0;
    QVERIFY(cutting > 0);
}

LONGPOLE_TEST(TestAttributes)
#include "tst_attributes.moc"
