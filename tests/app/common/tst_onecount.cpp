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

using namespace longpole;
using namespace longpole::test;

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
                if (const QString trace = data + sub + name; importerFor(trace) != nullptr)
                    QTest::newRow(qPrintable(sub + name)) << trace;
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
            compare(first({QStringLiteral("histogram"), trace, QStringLiteral("--of"), QString::fromLatin1(of)}));
        for (const char* by : {"pe", "node", "entry"})
            // What follows are parts of the messages.
            compare(first({QStringLiteral("comm-matrix"), trace, QStringLiteral("--by"), QString::fromLatin1(by)})
                        .remove(QRegularExpression(QStringLiteral("\\d[\\d\\s]* of them never executed"))));
        QVERIFY2(compared >= 5, qPrintable(QString::number(compared)));
    }

private:
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
