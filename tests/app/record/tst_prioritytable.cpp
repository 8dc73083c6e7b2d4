// SPDX-License-Identifier: GPL-3.0-or-later
// What a program linked with the module reads of a file of priorities is what this program reads of it, whole or
// damaged.
#include "recorder/charm/prioritytable.h"

#include "analysis/scheduling/prioritylist.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <random>

using namespace longpole;

namespace {

const QByteArray asJson =
    "{\"format\":\"charm-autoprio\",\"version\":1,\"source\":\"16e2\",\"window\":[0,9],\"high\":-5,\"low\":0,"
    "\"entries\":[\n"
    "  {\"ep\":155,\"name\":\"Worker::chain_hop(int it, int hop)\",\"prio\":-5,\"count\":120,\"class\":\"GOOD\"},\n"
    "  "
    "{\"ep\":7,\"name\":\"A<\\u00e4\\ud83d\\ude00>::b(\\\"c\\\\\\/"
    "\\b\\f\\n\\r\\t)\",\"prio\":2147483647,\"count\":1,\"class\":\"ONCE\"},\n"
    "  {\"name\":\"Grün::x()\",\"prio\":-2147483648,\"more\":[true,false,null,{\"a\":-1.5e+3}]}\n"
    "],\"default\":0}\n";
const QByteArray asCsv =
    "ep,name,prio,count,class\r\n155,\"Worker::chain_hop(int it, int hop)\",-5,120,GOOD\n"
    "x,\"A::b(\"\"c\"\")\", +7 ,1,ONCE\n4294967296,Grün::x(),-2147483648,1,GOOD\n";

// Whether both read the same, or both read nothing; in words otherwise.
QString difference(const QByteArray& text)
{
    std::vector<longpole_module::ListedPriority> rows;
    const std::string wrong = longpole_module::readPriorityTable(text.toStdString(), rows);
    const auto ours = readPriorities(text, QStringLiteral("x"));
    if (wrong.empty() != ours.ok())
        return ours ? QString::fromStdString(wrong) : QStringLiteral("only the module reads it");
    if (!ours) return rows.empty() ? QString() : QStringLiteral("rows of a broken file");
    if (rows.size() != ours->size()) return QStringLiteral("other rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const NamedPriority& own = (*ours)[i];
        const bool isKnown = rows[i].number >= 0 && rows[i].number < static_cast<long long>(mostIds);
        if (QString::fromUtf8(rows[i].name.data(), qsizetype(rows[i].name.size())) != own.name
            || rows[i].priority != own.priority || (isKnown ? rows[i].number : mostIds) != own.number)
            return QStringLiteral("row %1 differs").arg(i);
    }
    return {};
}

}  // namespace

class TestPriorityTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void whole()
    {
        std::vector<longpole_module::ListedPriority> rows;
        QCOMPARE(longpole_module::readPriorityTable(asJson.toStdString(), rows), std::string());
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(rows[0].number, 155LL);
        QCOMPARE(rows[0].name, std::string("Worker::chain_hop(int it, int hop)"));
        QCOMPARE(rows[0].priority, -5);
        QCOMPARE(rows[1].name, QStringLiteral("A<ä😀>::b(\"c\\/\b\f\n\r\t)").toStdString());
        QCOMPARE(rows[2].number, -1LL);
        QCOMPARE(rows[2].priority, std::numeric_limits<int>::min());
        QCOMPARE(difference(asJson), QString());
        QCOMPARE(longpole_module::readPriorityTable(asCsv.toStdString(), rows), std::string());
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(rows[1].name, std::string("A::b(\"c\")"));
        QCOMPARE(rows[1].priority, 7);
        QCOMPARE(difference(asCsv), QString());
        const QByteArray marked = "\xef\xbb\xbf" + asCsv;  // as spreadsheets write it
        QCOMPARE(longpole_module::readPriorityTable(marked.toStdString(), rows), std::string());
        QCOMPARE(difference(marked), QString());
        const QByteArray huge = QByteArray(asJson).replace("-1.5e+3", "1e999");
        QByteArray many = asJson;
        for (int i = 0; i < 1024; ++i) many.replace("\"default\":0", "\"more\":1,\"default\":0");
        for (const QByteArray& text : {huge, many}) {
            QCOMPARE(longpole_module::readPriorityTable(text.toStdString(), rows),
                     std::string("it is no JSON, or cut"));
            QCOMPARE(difference(text), QString());
        }
    }

    void wrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const QByteArray& text, const char* says) {
            QTest::newRow(name) << text << QString::fromLatin1(says);
        };
        const char* const holdsNone = "it holds no priorities";
        const char* const isCut = "it is no JSON, or cut";
        row("empty", "", holdsNone);
        row("another's JSON", "{\"a\":1}", holdsNone);
        row("a list", "[]", holdsNone);
        row("another's table", "a,b\n1,2\n", holdsNone);
        row("a picture", QByteArray("\x89PNG\r\n\x1a\n\0\0", 10), holdsNone);
        row("cut", asJson.left(200), isCut);
        row("more behind", asJson + "x", isCut);
        row("deep", "{\"a\":" + QByteArray(100'000, '[') + QByteArray(100'000, ']') + '}', isCut);
        row("later", QByteArray(asJson).replace("\"version\":1", "\"version\":2"),
            "it is of a version that this module does not know");
        row("no entries", QByteArray(asJson).replace("entries", "others"), holdsNone);
        row("no name", QByteArray(asJson).replace("\"name\":\"W", "\"nam\":\"W"), "a row names no entry method");
        row("no number", QByteArray(asJson).replace("\"prio\":-5", "\"prio\":\"-5\""),
            "the priority of Worker::chain_hop(int it, int hop) is no number of 32 bits");
        row("a fraction", QByteArray(asJson).replace("\"prio\":-5", "\"prio\":-5.0"),
            "the priority of Worker::chain_hop(int it, int hop) is no number of 32 bits");
        for (const char* large : {"2147483648", "-2147483649", "18446744073709551615", "99999999999999999999"})
            row(large, QByteArray(asJson).replace("\"prio\":-5", QByteArray("\"prio\":").append(large)),
                "the priority of Worker::chain_hop(int it, int hop) is no number of 32 bits");
        row("table without its end", asCsv.chopped(1), "it is cut: its last line has no end");
        row("table's head alone", "ep,name,prio,count,class", "it is cut: its last line has no end");
        row("empty line", "ep,name,prio,count,class\n\n", "a row names no entry method");
        row("no number in a table", "ep,name,prio,count,class\n1,a,b\n", "the priority of a is no number of 32 bits");
    }
    void wrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        std::vector<longpole_module::ListedPriority> rows(1);
        QCOMPARE(QString::fromStdString(longpole_module::readPriorityTable(text.toStdString(), rows)), says);
        QVERIFY(rows.empty());
        if (qstrcmp(QTest::currentDataTag(), "deep") != 0) QCOMPARE(difference(text), QString());
    }

    void damaged()
    {
        std::mt19937 random(19);
        int read = 0;
        const QByteArray pieces[] = {"\"",
                                     "\\",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     "\n",
                                     "0",
                                     "-",
                                     ".",
                                     "e",
                                     "\\ud83d",
                                     "\xc3",
                                     "\xed\xa0\x80",
                                     "null",
                                     "\"prio\":18446744073709551615",
                                     QByteArray(1, '\0')};
        for (int i = 0; i < 40'000; ++i) {
            QByteArray text = i % 2 == 0 ? asJson : asCsv;
            for (unsigned damage = 1 + random() % 3; damage > 0; --damage) {
                const auto at = qsizetype(random() % unsigned(text.size()));
                const QByteArray& piece = pieces[random() % std::size(pieces)];
                switch (random() % 5) {
                case 0: text.truncate(std::max<qsizetype>(at, 1)); break;
                case 1: text[at] = char(random() % 256); break;
                case 2: text.insert(at, piece); break;
                case 3: text.remove(at, 1 + qsizetype(random() % 4)); break;
                default: text.replace(at, 1, piece);
                }
                if (text.isEmpty()) text = " ";
            }
            const QString differs = difference(text);
            QVERIFY2(differs.isEmpty(), qPrintable(differs + QString::fromUtf8(text)));
            std::vector<longpole_module::ListedPriority> rows;
            read += longpole_module::readPriorityTable(text.toStdString(), rows).empty();
        }
        QVERIFY2(read > 2'000, qPrintable(QString::number(read)));
    }

    void namesWithoutBlanks()
    {
        QCOMPARE(longpole_module::withoutBlanks(" A::b( int  c )"), std::string("A::b(intc)"));
    }
};

LONGPOLE_TEST(TestPriorityTable)
#include "tst_prioritytable.moc"
