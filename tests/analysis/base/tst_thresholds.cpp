// SPDX-License-Identifier: GPL-3.0-or-later
// The thresholds' file: its defaults are those of the struct, and what a user may get wrong in a copy.
#include "analysis/base/thresholdkeys.h"
#include "analysis/base/thresholds.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace longpole;

class TestThresholds : public QObject {
    Q_OBJECT

private:
    static QByteArray setting(const ThresholdKey& key, const QByteArray& value)
    {
        return QByteArray("[") + key.section + "]\n" + key.key + " = " + value + "\n";
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void theFileHasEveryKeyAtItsDefaultWithAComment()
    {
        const QByteArray file = defaultThresholdsFile();
        QVERIFY(file.startsWith("# "));
        const Result<Thresholds> read = parseThresholds(file, QStringLiteral("defaults"));
        QVERIFY2(read.ok(), read ? "" : qPrintable(toText(read.error())));
        const Thresholds defaults;
        QByteArray section, above;
        std::size_t seen = 0;
        for (const QByteArray& line : file.split('\n')) {
            if (line.startsWith('[')) section = line.mid(1, line.size() - 2);
            if (const qsizetype equals = line.indexOf(" = "); equals > 0 && !line.startsWith('#')) {
                QVERIFY2(seen < thresholdKeys().size(), line.constData());
                const ThresholdKey& key = thresholdKeys()[seen++];
                QCOMPARE(section, QByteArray(key.section));
                QCOMPARE(line.left(equals), QByteArray(key.key));
                QVERIFY2(above.startsWith("# "), line.constData());
                QCOMPARE(line.mid(equals + 3).toDouble(), key.valueIn(defaults));
                QCOMPARE(key.valueIn(*read), key.valueIn(defaults));
            }
            above = line;
        }
        QCOMPARE(seen, thresholdKeys().size());
        QCOMPARE(seen * sizeof(double), sizeof(Thresholds));  // the list knows every field
    }

    void everyKeyCanBeSetWithinItsBoundsAndNothingElseChanges()
    {
        const Thresholds defaults;
        for (const ThresholdKey& key : thresholdKeys()) {
            const double within = key.isWhole ? key.least + 1 : key.least + (std::min(key.most, 8.0) - key.least) / 4;
            QByteArray text = setting(key, QByteArray::number(within, 'g', 17));
            // The two pairs that are ordered are moved together.
            if (qstrcmp(key.key, "exit") == 0) text += "utilization = 0\n";
            if (qstrcmp(key.key, "updates_frequent") == 0) text += "updates_rare = 0\n";
            const Result<Thresholds> read = parseThresholds(text, QStringLiteral("t"));
            QVERIFY2(read.ok(), read ? "" : qPrintable(toText(read.error())));
            for (const ThresholdKey& other : thresholdKeys()) {
                if (&other == &key) QCOMPARE(other.valueIn(*read), within);
                else if (!text.contains(QByteArray("\n" + QByteArray(other.key) + " = 0")))
                    QCOMPARE(other.valueIn(*read), other.valueIn(defaults));
            }
            for (const double beyond : {key.least - 1, key.most * 2 + 1, double(INFINITY), double(NAN)}) {
                const QByteArray value = std::isnan(beyond)   ? "nan"
                                         : std::isinf(beyond) ? "inf"
                                                              : QByteArray::number(beyond, 'f', 1);
                const Result<Thresholds> refused = parseThresholds(setting(key, value), QStringLiteral("t"));
                QVERIFY2(!refused.ok(), value.constData());
                QCOMPARE(refused.error().where, QStringLiteral("t, line 2"));
                QVERIFY(refused.error().what.contains(QLatin1String(key.key)));
            }
        }
    }

    void whatAUserGetsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("line");
        QTest::newRow("key") << QByteArray("[when]\n\nutilisation = 0.5\n")
                             << QStringLiteral("Unknown key \"utilisation\" in [when]; did you mean utilization?") << 3;
        QTest::newRow("key far off") << QByteArray("[when]\nfoo = 1\n")
                                     << QStringLiteral("Unknown key \"foo\" in [when]") << 2;
        QTest::newRow("section") << QByteArray("# mine\n[grain_size]\noverhead_share = 0.1\n")
                                 << QStringLiteral("Unknown section [grain_size]; did you mean grainsize?") << 2;
        QTest::newRow("no section") << QByteArray("\nidle_share = 0.2\n")
                                    << QStringLiteral("\"idle_share\" stands outside any section") << 2;
        QTest::newRow("section as key") << QByteArray("when = 0.2\n") << QStringLiteral("\"when\" is a section") << 1;
        QTest::newRow("text") << QByteArray("[latency]\nhot_receiver = \"four\"\n")
                              << QStringLiteral("latency.hot_receiver is no number") << 2;
        QTest::newRow("boolean") << QByteArray("[latency]\nhot_receiver = true\n")
                                 << QStringLiteral("latency.hot_receiver is no number") << 2;
        QTest::newRow("range") << QByteArray("[when]\nutilization = 70\n")
                               << QStringLiteral("when.utilization = 70 is out of range") << 2;
        QTest::newRow("whole") << QByteArray("[tree]\nstages = 99.5\n")
                               << QStringLiteral("tree.stages = 99.5 is no whole number") << 2;
        QTest::newRow("order") << QByteArray("[when]\nexit = 0.6\n")
                               << QStringLiteral("when.utilization = 0.7 lies above exit = 0.6") << 2;
        QTest::newRow("order of both") << QByteArray("[when]\nexit = 0.6\nutilization = 0.65\n")
                                       << QStringLiteral("when.utilization = 0.65 lies above exit = 0.6") << 3;
    }
    void whatAUserGetsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, what);
        QFETCH(int, line);
        const Result<Thresholds> read = parseThresholds(text, QStringLiteral("my.toml"));
        QVERIFY(!read.ok());
        QCOMPARE(read.error().what, what);
        QCOMPARE(read.error().where, QStringLiteral("my.toml, line %1").arg(line));
        QVERIFY(!read.error().hint.isEmpty());
    }

    void whatIsNoTomlNamesItsLine()
    {
        const Result<Thresholds> read = parseThresholds("[when]\nutilization = 0.5\nexit 0.7\n", QStringLiteral("x"));
        QVERIFY(!read.ok());
        QVERIFY2(read.error().what.startsWith(QStringLiteral("Not TOML: ")), qPrintable(read.error().what));
        QCOMPARE(read.error().where, QStringLiteral("x, line 3"));
        const Result<Thresholds> twice = parseThresholds("[when]\nexit = 0.8\nexit = 0.9\n", QStringLiteral("x"));
        QVERIFY(!twice.ok());
        QCOMPARE(twice.error().where, QStringLiteral("x, line 3"));
    }

    // Tables in each other, which are destroyed by a function that calls itself: 80 kB of them end a program.
    void namesOfManyParts()
    {
        const QByteArray parts = QByteArray("a.").repeated(40'000) + 'a';
        const auto isRefused = [](const QByteArray& text) {
            const Result<Thresholds> read = parseThresholds(text, QStringLiteral("x"));
            return !read.ok() && read.error().what.contains(QStringLiteral("too many parts"));
        };
        QVERIFY(isRefused(parts + " = 1\n"));
        QVERIFY(isRefused('[' + parts + "]\nb = 1\n"));
        QVERIFY(isRefused("x = {" + parts + " = 1}\n"));
        QVERIFY(isRefused("x = [\"\"\"\n\"\"\", {" + parts + " = 1}]\n"));
        QVERIFY(isRefused("# \"\n" + parts + " = 1\n"));
        QVERIFY(!isRefused("# " + parts + "\n[when] # 1.1.1.1.1.1.1.1.1.1\nexit = 0.7\n"));
        QVERIFY(!isRefused("x = \"" + parts + "\"\n"));
        QVERIFY(!isRefused("x = [1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.1]\n"));
    }

    void anEmptyFileSetsNothingAndIntegersAreNumbers()
    {
        const Result<Thresholds> empty = parseThresholds("", QStringLiteral("x"));
        QVERIFY(empty.ok());
        QCOMPARE(empty->when.utilization, Thresholds{}.when.utilization);
        const Result<Thresholds> whole = parseThresholds("[parallelism]\nper_processor = 3\n", QStringLiteral("x"));
        QVERIFY(whole.ok());
        QCOMPARE(whole->parallelism.perProcessor, 3.0);
    }

    void aFileThatIsNotThereIsAnError()
    {
        const Result<Thresholds> read = readThresholds(QStringLiteral("/nowhere/my.toml"));
        QVERIFY(!read.ok());
        QCOMPARE(read.error().where, QStringLiteral("/nowhere/my.toml"));
    }
};

LONGPOLE_TEST(TestThresholds)
#include "tst_thresholds.moc"
