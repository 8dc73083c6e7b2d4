// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a change that was tried, beside its prediction, and what of it is written and read back.
#include "analysis/compare/trial.h"
#include "analysis/compare/trialfinding.h"
#include "analysis/findingresult.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole;

namespace {

Trial pairsOf(const std::vector<TimeNs>& without, const std::vector<TimeNs>& with)
{
    Trial trial{.by = MeasuredBy::ProjectionsLogs, .change = QStringLiteral("PACE=fast")};
    for (std::size_t i = 0; i < without.size(); ++i) {
        trial.runs.push_back({i % 2 == 1, i % 2 == 1 ? with[i] : without[i]});  // each pair the other way round
        trial.runs.push_back({i % 2 == 0, i % 2 == 0 ? with[i] : without[i]});
    }
    return trial;
}

const std::vector<TimeNs> fiveSlow{1000, 1000, 1500, 1500, 1000}, fiveFast{900, 800, 1350, 1275, 700};

}  // namespace

class TestTrial : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A file by mail: its texts stand in titles of a report, and each pair of runs is a row of a table.
    void filesOfStrangers()
    {
        Trial trial{.by = MeasuredBy::WallTime, .change = QString(4'000'000, QLatin1Char('x'))};
        for (int i = 0; i < mostTrialPairs; ++i) {
            trial.runs.push_back({false, 100});
            trial.runs.push_back({true, 90});
        }
        trial.missing.emplace_back(100'000, QLatin1Char('y'));
        const std::optional<Trial> read = trialFrom(toJson(trial));
        QVERIFY(read);
        QCOMPARE(read->change.size(), 1024);
        QCOMPARE(read->missing.front().size(), 1024);
        QCOMPARE(read->runs.size(), trial.runs.size());
        trial.runs.push_back({false, 100});
        QVERIFY(!trialFrom(toJson(trial)));
    }

    void verdicts_data()
    {
        QTest::addColumn<std::vector<TimeNs>>("with");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("inside");  // -1: nothing was predicted
        QTest::addColumn<QString>("says");
        const std::vector<TimeNs> slower{1100, 1200, 1800, 1700, 1010}, noise{900, 1100, 1600, 1400, 1000};
        QTest::newRow("nothing predicted") << fiveFast << 0.0 << -1.0 << -1 << "The run becomes shorter.";
        QTest::newRow("inside") << fiveFast << 0.1 << 0.2 << 1 << "The run becomes shorter. The gain is as predicted.";
        QTest::newRow("at the edge") << fiveFast << 0.1503 << 0.2 << 1
                                     << "The run becomes shorter. The gain is as predicted.";
        QTest::newRow("beyond it") << fiveFast << 0.151 << 0.2 << 0
                                   << "The run becomes shorter. The gain is not as predicted.";
        QTest::newRow("a loss") << slower << 0.1 << 0.2 << 0 << "The run becomes longer. The gain is not as predicted.";
        QTest::newRow("noise") << noise << 0.1 << 0.2 << 0
                               << "Not decided: the runs differ among themselves by more than the change makes. Try "
                                  "more runs.";
        QTest::newRow("too wide") << fiveFast << 0.0 << 0.4 << -1 << "The run becomes shorter.";
        QTest::newRow("four pairs") << std::vector<TimeNs>{900, 800, 1350, 1275} << 0.1 << 0.2 << 1
                                    << "Not decided: fewer than 5 pairs of runs may differ by chance.";
    }
    void verdicts()
    {
        QFETCH(std::vector<TimeNs>, with);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(int, inside);
        QFETCH(QString, says);
        Trial trial = pairsOf({fiveSlow.begin(), fiveSlow.begin() + std::ptrdiff_t(with.size())}, with);
        if (high >= low) trial.prediction = Prediction{.gainLow = low, .gainHigh = high};
        QCOMPARE(verdictOf(trial), says);
        QCOMPARE(isAsPredicted(trial).has_value(), inside >= 0);
        if (inside >= 0) QCOMPARE(*isAsPredicted(trial), inside == 1);
    }

    void thereAndBack()
    {
        Trial trial = pairsOf(fiveSlow, fiveFast);
        trial.prediction = Prediction{.gainLow = 0.1, .gainHigh = 0.2};
        trial.missing = {QStringLiteral("Worker::gone(int)")};
        const std::optional<JsonValue> text = parseJson(dump(toJson(trial)));
        QVERIFY(text);
        const std::optional<Trial> read = trialFrom(*text);
        QVERIFY(read);
        QVERIFY(read->runs == trial.runs);
        QCOMPARE(read->by, trial.by);
        QCOMPARE(read->change, trial.change);
        QCOMPARE(read->missing, trial.missing);
        QCOMPARE(read->prediction->gainLow, 0.1);
        QCOMPARE(read->prediction->gainHigh, 0.2);
        QCOMPARE(dump(toJson(*read)), dump(toJson(trial)));
    }

    void strangersJson_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("nothing measured") << QByteArray("{\"change\": \"a\"}");
        QTest::newRow("no clock") << QByteArray("{\"measured\": {\"by\": \"ear\", \"runs\": []}}");
        QTest::newRow("one side") << QByteArray(
            "{\"measured\": {\"by\": \"wall\", \"runs\": [{\"with\": true, "
            "\"duration_ns\": 5}]}}");
        QTest::newRow("no time") << QByteArray(
            "{\"measured\": {\"by\": \"wall\", \"runs\": [{\"with\": true, "
            "\"duration_ns\": 5}, {\"with\": false, \"duration_ns\": 0}]}}");
        QTest::newRow("no side") << QByteArray(
            "{\"measured\": {\"by\": \"wall\", \"runs\": [{\"with\": 1, "
            "\"duration_ns\": 5}, {\"with\": false, \"duration_ns\": 5}]}}");
    }
    void strangersJson()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!trialFrom(*parseJson(text)));
    }

    // A section with an item for each trial, its pairs in the appendix, and what the command writes for programs.
    void asASection()
    {
        Trial first = pairsOf(fiveSlow, fiveFast);
        first.prediction = Prediction{.gainLow = 0.1, .gainHigh = 0.2};
        const Trial second = pairsOf({100, 100}, {90, 95});
        std::vector<Finding> findings(2);
        findings[0].id = QStringLiteral("advice");
        findings[1].id = QStringLiteral("run");
        addTrials(findings, std::vector<Trial>{first, second});
        QCOMPARE(findings.size(), std::size_t(3));
        const Finding& finding = findings[1];
        QCOMPARE(finding.id, QStringLiteral("trial"));
        QCOMPARE(finding.items.size(), std::size_t(2));
        QCOMPARE(finding.items[0].facts[0].value, QStringLiteral("10.0 % to 20.0 %"));
        QCOMPARE(finding.items[0].paragraphs[0], verdictOf(first));
        QCOMPARE(finding.items[1].facts[0].name, QStringLiteral("Measured gain"));  // nothing was predicted
        QCOMPARE(finding.appendix.tables.size(), std::size_t(2));
        const TableData& pairs = finding.appendix.tables[0];
        QCOMPARE(pairs.rows.size(), std::size_t(5));
        QCOMPARE(rawValue(pairs.rows[1][1]).toLongLong(), 1000);
        QCOMPARE(rawValue(pairs.rows[1][2]).toLongLong(), 800);
        QCOMPARE(dump(resultOf(finding)[0]), dump(toJson(first)));
        std::vector<Finding> none;
        addTrials(none, {});
        QVERIFY(none.empty());
    }
};

LONGPOLE_TEST(TestTrial)
#include "tst_trial.moc"
