// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of some sections only, and the links that lead from their pictures back to the trace.
#include "app/program.h"

#include "analysis/report/analyses.h"
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
