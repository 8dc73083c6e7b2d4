// SPDX-License-Identifier: GPL-3.0-or-later
// The export of priorities: exactly the format, in three endings; the header is C and C++.
#include "analysis/base/json.h"
#include "analysis/scheduling/prioritylist.h"

#include "support/testmain.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

PriorityList list()
{
    return {.source = QStringLiteral("ab12"),
            .window = {100, 2'000'000'000'000},
            .rows = {{.entry = EntryId{12}, .name = QStringLiteral("A::recv(msg*)"), .count = 37},
                     {.entry = EntryId{13},
                      .name = QStringLiteral("B<\"x\\\", ?\?/ ä>::go(int a, int b)"),
                      .count = 1,
                      .entryClass = EntryClass::Mixed}}};
}

}  // namespace

class TestPriorityList : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void json()
    {
        const QByteArray written = toJson(list());
        QVERIFY2(written.startsWith("{\"format\":\"charm-autoprio\",\"version\":1,\"source\":\"ab12\",\"window\":[100,"
                                    "2000000000000],\"high\":-5,\"low\":0,\"entries\":[\n  {\"ep\":12,\"name\":"
                                    "\"A::recv(msg*)\",\"prio\":-5,\"count\":37,\"class\":\"GOOD\"},"),
                 written.constData());
        QVERIFY(written.endsWith("\n],\"default\":0}\n"));
        const auto read = parseJson(toJson(list()));
        QVERIFY(read);
        QStringList keys;
        for (const auto& [key, value] : read->items()) keys << QString::fromStdString(key);
        QCOMPARE(keys, (QStringList{QStringLiteral("format"), QStringLiteral("version"), QStringLiteral("source"),
                                    QStringLiteral("window"), QStringLiteral("high"), QStringLiteral("low"),
                                    QStringLiteral("entries"), QStringLiteral("default")}));
        const JsonValue& entries = listOf(*read, "entries");
        QCOMPARE(entries.size(), std::size_t(2));
        QVERIFY(entries[0]
                == JsonValue({{"ep", 12}, {"name", "A::recv(msg*)"}, {"prio", -5}, {"count", 37}, {"class", "GOOD"}}));
        QCOMPARE(textOf(entries[1], "name"), list().rows[1].name);
        PriorityList none = list();
        none.rows.clear();
        const auto empty = parseJson(toJson(none));
        QVERIFY(empty && memberOf(*empty, "entries").is_array() && listOf(*empty, "entries").empty());
    }

    void csv()
    {
        QCOMPARE(QString::fromUtf8(toCsv(list())),
                 QStringLiteral("ep,name,prio,count,class\n12,A::recv(msg*),-5,37,GOOD\n"
                                "13,\"B<\"\"x\\\"\", ?\?/ ä>::go(int a, int b)\",-5,1,MIXED\n"));
    }

    void readAgain()
    {
        const std::vector<NamedPriority> expected{{12, QStringLiteral("A::recv(msg*)"), -5},
                                                  {13, list().rows[1].name, -5}};
        const auto json = readPriorities(toJson(list()), QStringLiteral("p.json"));
        QVERIFY(json.ok());
        QCOMPARE(*json, expected);
        const auto csv = readPriorities(toCsv(list()), QStringLiteral("p.csv"));
        QVERIFY(csv.ok());
        QCOMPARE(*csv, expected);
        const auto windows = readPriorities(toCsv(list()).replace("\n", "\r\n"), QStringLiteral("p.csv"));
        QVERIFY(windows.ok());
        QCOMPARE(*windows, expected);
    }

    void brokenLists_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const QByteArray json = toJson(list());
        const QByteArray csv = toCsv(list());
        const QString none = QStringLiteral("holds no priorities");
        QTest::newRow("empty") << QByteArray() << none;
        QTest::newRow("text") << QByteArray("hello\n") << none;
        QTest::newRow("other JSON") << QByteArray("{\"entries\": []}") << none;
        QTest::newRow("JSON's list") << QByteArray("[1, 2]") << none;
        QTest::newRow("no list") << QByteArray(json).replace("\"entries\"", "\"others\"") << none;
        QTest::newRow("half JSON") << json.first(json.size() / 2) << QStringLiteral("no JSON, or cut");
        QTest::newRow("later") << QByteArray(json).replace("\"version\":1", "\"version\":2")
                               << QStringLiteral("of a version");
        QTest::newRow("no name") << QByteArray(json).replace("A::recv(msg*)", "") << QStringLiteral("names no entry");
        QTest::newRow("large") << QByteArray(json).replace("\"prio\":-5", "\"prio\":-5000000000")
                               << QStringLiteral("no number of 32 bits");
        QTest::newRow("half") << QByteArray(json).replace("\"prio\":-5", "\"prio\":0.5")
                              << QStringLiteral("no number of 32 bits");
        QTest::newRow("half a line") << csv.first(csv.size() - 10) << QStringLiteral("its last line has no end");
        QTest::newRow("a word") << QByteArray(csv).replace(",-5,37", ",low,37")
                                << QStringLiteral("no number of 32 bits");
        QTest::newRow("few cells") << QByteArray("ep,name,prio,count,class\n12\n") << QStringLiteral("names no entry");
    }
    void brokenLists()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const auto read = readPriorities(text, QStringLiteral("p.json"));
        QVERIFY(!read.ok());
        QVERIFY2(read.error().what.contains(says), qPrintable(read.error().what));
    }

    void headerCompiles_data()
    {
        QTest::addColumn<QString>("compiler");
        QTest::addColumn<QString>("ending");
        QTest::newRow("C") << QStringLiteral("cc") << QStringLiteral("c");
        QTest::newRow("C++") << QStringLiteral("c++") << QStringLiteral("cpp");
    }
    void headerCompiles()
    {
        QFETCH(const QString, compiler);
        QFETCH(const QString, ending);
        if (QStandardPaths::findExecutable(compiler).isEmpty()) QSKIP("no compiler here");
        QTemporaryDir folder;
        for (const bool isEmpty : {false, true}) {
            PriorityList priorities = list();
            if (isEmpty) priorities.rows.clear();
            QFile header(folder.filePath(QStringLiteral("prio.h")));
            QVERIFY(header.open(QIODevice::WriteOnly) && header.write(toHeader(priorities)) > 0);
            header.close();
            QFile source(folder.filePath(QStringLiteral("main.") + ending));
            QVERIFY(source.open(QIODevice::WriteOnly));
            source.write(
                isEmpty ? "#include \"prio.h\"\nint main(void) { return charm_autoprio(12) == 0 ? 0 : 1; }\n"
                        : "#include \"prio.h\"\n#include <string.h>\nint main(void) { return charm_autoprio(12) == -5 "
                          "&& charm_autoprio(13) == -5 && charm_autoprio(14) == 0 && CHARM_AUTOPRIO_WINDOW_END == "
                          "2000000000000LL && strcmp(charm_autoprio_entries[1].name, \"B<\\\"x\\\\\\\", ?\" \"?/ "
                          "\\303\\244>::go(int a, int b)\") == 0 ? 0 : 1; }\n");
            source.close();
            QProcess process;
            const QString program = folder.filePath(QStringLiteral("program"));
            process.start(compiler, {QStringLiteral("-Wall"), QStringLiteral("-Wextra"), QStringLiteral("-Werror"),
                                     QStringLiteral("-o"), program, source.fileName()});
            QVERIFY(process.waitForFinished(60'000));
            QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
            QCOMPARE(QProcess::execute(program, {}), 0);
        }
    }

    void endings()
    {
        QCOMPARE(*priorityFile(list(), QStringLiteral("/x/a.json")), toJson(list()));
        QCOMPARE(*priorityFile(list(), QStringLiteral("a.H")), toHeader(list()));
        QCOMPARE(*priorityFile(list(), QStringLiteral("a.b.csv")), toCsv(list()));
        QVERIFY(!priorityFile(list(), QStringLiteral("priorities")).ok());
        QVERIFY(!priorityFile(list(), QStringLiteral("a.txt")).ok());
    }
};

LONGPOLE_TEST(TestPriorityList)
#include "tst_prioritylist.moc"
