// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of some sections only, and the links that lead from their pictures back to the trace.
#include "app/program.h"

#include "analysis/report/analyses.h"
#include "app/report/tasklinks.h"
#include "core/trace/format.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestReportSections : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void onlyThoseThatAreNamed()
    {
        const QString text = report(QStringLiteral("health,utilization"), QStringLiteral("some.md"));
        QStringList headings;
        for (const QString& line : text.split(QLatin1Char('\n')))
            if (line.startsWith(QLatin1String("## "))) headings << line.mid(3);
        // In the order of the report, whatever the order that they were named in.
        QCOMPARE(headings.mid(0, 2),
                 (QStringList{QStringLiteral("How far to trust this"), QStringLiteral("Utilization")}));
        QVERIFY(!text.contains(QStringLiteral("What to do first")));
        QCOMPARE(report(QStringLiteral("utilization,health"), QStringLiteral("turned.md")), text);
    }

    void helpNamesThemAll()
    {
        const QString help = m_program({QStringLiteral("report"), QStringLiteral("--help")}).out.simplified();
        QStringList names;
        for (const Analysis* analysis : analyses()) names << QLatin1String(analysis->id);
        QVERIFY2(help.contains(names.join(QStringLiteral(", "))), qPrintable(names.join(QStringLiteral(", "))));
    }

    void wrongNamesAreUsageErrors()
    {
        const Said said = m_program({QStringLiteral("report"), trace, QStringLiteral("--sections"),
                                     QStringLiteral("advice,helth"), QStringLiteral("-o"), file("none.md")});
        QCOMPARE(said.code, 2);
        QVERIFY2(said.error.contains(QStringLiteral("did you mean health?")), qPrintable(said.error));
        QVERIFY(!QFile::exists(file("none.md")));
        // This run is no MPI program's.
        QCOMPARE(m_program({QStringLiteral("report"), trace, QStringLiteral("--sections"), QStringLiteral("waits"),
                            QStringLiteral("-o"), file("none.md")})
                     .code,
                 3);
    }

    void picturesLeadBack_data()
    {
        QTest::addColumn<QString>("ending");
        for (const char* ending : {"html", "md", "pdf"}) QTest::newRow(ending) << QString::fromLatin1(ending);
    }
    void picturesLeadBack()
    {
        QFETCH(const QString, ending);
        const QString text = report(QStringLiteral("advice"), QStringLiteral("linked.") + ending);
        QVERIFY(text.contains(QStringLiteral("longpole:")));
        QVERIFY(ending != QLatin1String("pdf") || text.contains(QStringLiteral("/URI (longpole:")));
    }

    // Whatever names a task opens the program there: sentences, points and tables.
    void tasksLeadBack()
    {
        const QString text = report(QStringLiteral("critical-path,parallelism,health"), QStringLiteral("tasks.html"));
        const QString link = QStringLiteral("<a class=\"t\" href=\"longpole:%1?task=%2\">%2</a>").arg(trace);
        const QString bare = QString(text).remove(QRegularExpression(QStringLiteral("<a class=\"t\"[^>]*>[^<]*</a>")));
        QVERIFY(text.contains(QStringLiteral("task ") % link.arg(QStringLiteral("0:205"))));
        QVERIFY(text.contains(QStringLiteral("<td>") % link.arg(QStringLiteral("4:153"))));
        const QRegularExpression id(QStringLiteral("(task |<td>)[0-9]+:[0-9]+[^0-9:]"));
        QVERIFY2(!id.match(bare).hasMatch(), qPrintable(id.match(bare).captured()));
    }

    void tasksLeadBackFromMarkdownAndPdf()
    {
        const QString markdown = report(QStringLiteral("critical-path,parallelism,health"), QStringLiteral("tasks.md"));
        const QString link = QStringLiteral("[%2](<longpole:%1?task=%2>)").arg(trace);
        QVERIFY(markdown.contains(QStringLiteral("task ") % link.arg(QStringLiteral("0:205"))));
        QVERIFY(markdown.contains(QStringLiteral("| ") % link.arg(QStringLiteral("4:153")) % QStringLiteral(" |")));
        const QString pdf = report(QStringLiteral("critical-path,parallelism,health"), QStringLiteral("tasks.pdf"));
        for (const char* task : {"0:205", "4:153"})
            QVERIFY(pdf.contains(QStringLiteral("?task=") + QLatin1String(task)));
    }

    void tasksInTexts_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("ids");
        QTest::newRow("a sentence") << QStringLiteral("Look at task 3:1207, and on.")
                                    << QStringList{QStringLiteral("3:1207")};
        QTest::newRow("a list") << QStringLiteral("Tasks 0:5, 1:7 and 2:9 ran 4:5.")
                                << QStringList{QStringLiteral("0:5"), QStringLiteral("1:7"), QStringLiteral("2:9")};
        QTest::newRow("no space for the end of a line")
            << QStringLiteral("task\u00a00:5 of 12:00") << QStringList{QStringLiteral("0:5")};
        QTest::newRow("names") << QStringLiteral("multitask 0:5, task_ 1:2, ::task 1:2, taskless 3:4") << QStringList();
        QTest::newRow("times and places")
            << QStringLiteral("task 10:47:41, task a.f90:12, cg.f90:338, task 1:2:") << QStringList();
        QTest::newRow("too much")
            << QStringLiteral("task 4294967295:1, task 99999999999:1, task 1:99999999999, task :1") << QStringList();
        QTest::newRow("nothing") << QString() << QStringList();
    }
    void tasksInTexts()
    {
        QFETCH(const QString, text);
        QFETCH(const QStringList, ids);
        QStringList found;
        for (const TaskMention& mention : taskMentions(text)) {
            QCOMPARE(toText(mention.task), text.mid(mention.at, mention.length));
            found << toText(mention.task);
        }
        QCOMPARE(found, ids);
    }

private:
    QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString report(const QString& sections, const QString& name) const
    {
        const QString path = m_folder.filePath(name);
        const Said said = m_program({QStringLiteral("report"), trace, QStringLiteral("--sections"), sections,
                                     QStringLiteral("-o"), path});
        if (said.code != 0) qCritical("%s", qPrintable(said.error));
        return QString::fromLatin1(contentOf(path));
    }

    const QString trace = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6");
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestReportSections)
#include "tst_reportsections.moc"
