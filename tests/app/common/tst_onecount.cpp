// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks, messages, deliveries and records have one number each in a run, whichever command says it: what the first
// lines of commands and reports count is what SQL counts.
#include "app/program.h"

#include "importers/common/importer.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <nlohmann/json.hpp>

using namespace longpole;
using namespace longpole::test;
using nlohmann::json;

namespace {

// "62 911" with whatever blank: -1 if there is none.
qint64 countIn(const QString& text)
{
    QString digits;
    for (const QChar c : text)
        if (c.isDigit()) digits += c;
    return digits.isEmpty() ? -1 : digits.toLongLong();
}

// What comes before the word in a line of parts, "62 911 messages, 32.1 MB"; -1 if it is not there.
qint64 before(const QString& word, const QString& line)
{
    const QRegularExpression pattern(QStringLiteral("(\\d[\\d\\s]*)\\s%1\\b").arg(word),
                                     QRegularExpression::UseUnicodePropertiesOption);
    const auto found = pattern.match(line);
    return found.hasMatch() ? countIn(found.captured(1)) : -1;
}

}  // namespace

class TestOneCount : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void wordsHaveOneNumber_data()
    {
        QTest::addColumn<QString>("trace");
        const QString data = QStringLiteral(LONGPOLE_TEST_DATA "/");
        for (const QString& sub : {QString(), QStringLiteral("otf2/")})
            for (const QString& name : QDir(data + sub).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                if (const QString trace = data + sub + name;
                    importerFor(trace) != nullptr && QDir(trace).entryList({QStringLiteral("*.sum")}).isEmpty())
                    QTest::newRow(qPrintable(sub + name)) << trace;  // summaries have sums and no rows
    }
    void wordsHaveOneNumber()
    {
        QFETCH(const QString, trace);
        QMap<QString, qint64> counts;  // by word, as SQL has it
        counts[QStringLiteral("tasks")] = selected(trace, QStringLiteral("SELECT count(*) FROM task"));
        counts[QStringLiteral("messages")] = selected(trace, QStringLiteral("SELECT count(*) FROM message"));
        counts[QStringLiteral("deliveries")] = selected(
            trace, QStringLiteral("SELECT coalesce(sum(executions), 0) FROM message"));

        // Each row of info begins with its word.
        for (const QString& line : said({QStringLiteral("info"), trace}).split(QLatin1Char('\n')))
            for (const char* word : {"tasks", "messages", "records"}) {
                const QString name = QString::fromLatin1(word);
                if (!line.startsWith(name, Qt::CaseInsensitive)) continue;
                const qint64 count = countIn(line.section(QLatin1Char(','), 0, 0));
                QCOMPARE(count, counts.value(name, count));
                counts[name] = count;
            }
        QVERIFY(counts.value(QStringLiteral("records")) > 0);

        int compared = 0;
        const auto compare = [&](const QString& line) {
            for (auto word = counts.cbegin(); word != counts.cend(); ++word)
                if (const qint64 count = before(word.key(), line); count >= 0) {
                    QVERIFY2(count == word.value(), qPrintable(line));
                    ++compared;
                }
        };
        const QString report = m_folder.filePath(QStringLiteral("report.md"));
        said({QStringLiteral("report"), trace, QStringLiteral("-o"), report});
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        compare(QString::fromUtf8(file.readAll()).section(QLatin1Char('\n'), 2, 2));
        for (const char* of : {"task-duration", "message-size", "latency", "queue-wait"})
            if (qstrcmp(of, "queue-wait") != 0 || !trace.contains(QLatin1String("/otf2/")))  // ranks have no queues
                compare(first({QStringLiteral("histogram"), trace, QStringLiteral("--of"), QString::fromLatin1(of)}));
        for (const char* by : {"pe", "node", "entry"})
            // What follows are parts of the messages.
            compare(first({QStringLiteral("comm-matrix"), trace, QStringLiteral("--by"), QString::fromLatin1(by)})
                        .remove(QRegularExpression(QStringLiteral("\\d[\\d\\s]* of them never executed"))));
        QVERIFY2(compared >= 5, qPrintable(QString::number(compared)));
        tablesAddUp(trace, counts.value(QStringLiteral("messages")));
    }

    // A limit at the count is kept, one below it is crossed: check counts the same messages and bytes.
    void limitsAreOfTheseCounts_data() { wordsHaveOneNumber_data(); }
    void limitsAreOfTheseCounts()
    {
        QFETCH(const QString, trace);
        const qint64 messages = selected(trace, QStringLiteral("SELECT count(*) FROM message"));
        const qint64 bytes = selected(trace, QStringLiteral("SELECT coalesce(sum(bytes), 0) FROM message"));
        const bool isMpi = selected(trace, QStringLiteral("SELECT count(*) FROM mpi_call")) > 0;
        const auto codeAt = [&](const char* option, qint64 limit) {
            return m_program({QStringLiteral("check"), trace, QLatin1String(option), QString::number(limit)}).code;
        };
        // A trace that is cut proves nothing when it keeps a limit, and has no code 0.
        const int kept = codeAt("--max-messages", messages);
        QVERIFY2(kept == 0 || kept == 3, qPrintable(QString::number(kept)));
        if (messages > 0) QCOMPARE(codeAt("--max-messages", messages - 1), 1);
        if (isMpi) return;  // whose bytes are those of collective calls too
        QCOMPARE(codeAt("--max-bytes", bytes), kept);
        if (bytes > 0) QCOMPARE(codeAt("--max-bytes", bytes - 1), 1);
    }

private:
    // Rows of profiles add up to the messages and the busy time of the run, however they are cut, and those of usage to
    // its busy time. MPI calls and OpenMP's barriers are no busy time; a row of many regions can have both.
    void tablesAddUp(const QString& trace, qint64 messages) const
    {
        const json info = json::parse(said({QStringLiteral("info"), trace, QStringLiteral("--json")}).toStdString());
        const auto busy = info.at("busy_ns").get<std::int64_t>();
        for (const char* by : {"entry", "chare", "pe"}) {
            const json rows = json::parse(said({QStringLiteral("profile"), trace, QStringLiteral("--by"),
                                                QString::fromLatin1(by), QStringLiteral("--json")})
                                              .toStdString());
            qint64 sent = 0;
            std::int64_t time = 0;
            double share = 0;
            for (const json& row : rows) {
                const double part = row.at("share").is_null() ? 0 : row.at("share").get<double>();
                share += part;
                sent += row.at("messages").get<qint64>();
                if (part > 0) time += row.at("exclusive_ns").get<std::int64_t>();
            }
            QVERIFY2(sent == messages, by);
            QVERIFY2(time == busy || (qstrcmp(by, "chare") == 0 && time > busy), by);
            QVERIFY2(busy == 0 || std::abs(share - 1) < 1e-9, by);
        }
        const json usage = json::parse(said({QStringLiteral("usage"), trace, QStringLiteral("--json")}).toStdString());
        std::int64_t used = 0;
        for (const json& row : usage)
            if (row.at("pe").is_number()) used += row.at("user_ns").get<std::int64_t>();
        QCOMPARE(used, busy);
    }

    QString said(const QStringList& arguments) const
    {
        const Said answer = m_program(arguments);
        if (answer.code != 0) qCritical("%s", qPrintable(answer.error));
        return answer.out;
    }
    QString first(const QStringList& arguments) const { return said(arguments).section(QLatin1Char('\n'), 0, 0); }
    qint64 selected(const QString& trace, const QString& query) const
    {
        return countIn(
            said({QStringLiteral("sql"), trace, query, QStringLiteral("--csv")}).section(QLatin1Char('\n'), 1, 1));
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestOneCount)
#include "tst_onecount.moc"
