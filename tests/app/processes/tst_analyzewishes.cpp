// SPDX-License-Identifier: GPL-3.0-or-later
// What longpole analyze leaves out on request or for want of time, and how many what-if questions it asks: all else is
// as without, nothing of an earlier analysis stays, and a trace of parts says what it lacks.
#include "app/processes/answers.h"
#include "app/program.h"

#include "analysis/base/json.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace longpole;
using namespace longpole::test;

class TestAnalyzeWishes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        QProcess process;
        const QStringList wanted{recording(), QStringLiteral("5"), QStringLiteral("1500")};
        QCOMPARE(m_program.run(process, QStringLiteral(LONGPOLE_MAKE_RECORDING), wanted).code, 0);
        for (const bool ofFolder : {false, true}) {
            QCOMPARE(analyze(ofFolder, {}).code, 0);
            m_all[ofFolder] = documents();
            QCOMPARE(m_all[ofFolder].size(), std::size_t(ofFolder ? 11 : 13));
        }
    }

    void leavesOut_data()
    {
        QTest::addColumn<bool>("ofFolder");
        QTest::addColumn<QString>("parts");
        QTest::addColumn<QStringList>("lacking");   // documents
        QTest::addColumn<QStringList>("commands");  // that the trace of parts cannot answer
        const auto row = [](bool ofFolder, const char* parts, const char* lacking, const char* commands) {
            QTest::addRow("%s%s", parts, ofFolder ? ", logs" : "")
                << ofFolder << QString::fromLatin1(parts) << QString::fromLatin1(lacking).split(QLatin1Char(' '))
                << QString::fromLatin1(commands).split(QLatin1Char(';'));
        };
        row(false, "causes", "wait-causes advise tree", "waits --causes;advise;tree");
        row(false, "advice", "advise tree", "advise;tree");
        for (const bool ofFolder : {false, true}) {
            row(ofFolder, "slack", "slack", "slack --limit 100");
            row(ofFolder, "near-critical", "near-critical", "near-critical");
            row(ofFolder, "zeroing", "zeroing", "zeroing");
            row(ofFolder, "phases", "phases", "phases");
            row(ofFolder, "slack, near-critical", "slack near-critical", "slack --limit 100;near-critical");
        }
        row(true, "advice", "advise tree", "advise;tree");
        row(true, "phases,advice", "phases advise tree", "phases;advise");
    }
    void leavesOut()
    {
        QFETCH(bool, ofFolder);
        QFETCH(QString, parts);
        QFETCH(QStringList, lacking);
        QFETCH(QStringList, commands);
        for (const int processes : {1, 3}) {
            const Said said = analyze(ofFolder, {QStringLiteral("--no"), parts, QStringLiteral("--processes"),
                                                 QString::number(processes), QStringLiteral("-o"), trace(),
                                                 QStringLiteral("--keep"), QStringLiteral("900")});
            QCOMPARE(said.error, QString());
            QCOMPARE(said.code, 0);
            QVERIFY2(said.out.contains(QRegularExpression(QStringLiteral("\nLeft out +\\S"))), qPrintable(said.out));
            compareButFor(lacking, ofFolder);
            for (const QString& command : commands) {
                QStringList call = command.split(QLatin1Char(' '));
                call.insert(1, trace());
                const Said asked = m_program(call);
                QCOMPARE(asked.code, 3);
                QCOMPARE(asked.out, QString());
                const bool isSaid = asked.error.contains(QStringLiteral("not among the answers"))
                                    || asked.error.contains(QStringLiteral("parts of the run only"));
                QVERIFY2(isSaid, qPrintable(asked.error));
            }
            const Said path = m_program({QStringLiteral("critical-path"), trace(), QStringLiteral("--json")});
            QVERIFY(path.out.toUtf8() == m_all[ofFolder][QStringLiteral("critical-path")]);
        }
    }

    // Whatever the time allows, the rest is whole; none is found where there is none, and all where there is plenty.
    void deadlines_data()
    {
        QTest::addColumn<QString>("deadline");
        for (const char* deadline : {"1ns", "20ms", "80ms", "200ms", "500ms", "10000s"})
            QTest::newRow(deadline) << QString::fromLatin1(deadline);
    }
    void deadlines()
    {
        QFETCH(QString, deadline);
        const std::map<QString, QStringList> documentsOf{
            {QStringLiteral("near-critical"), {QStringLiteral("near-critical")}},
            {QStringLiteral("causes"), {QStringLiteral("wait-causes")}},
            {QStringLiteral("advice"), {QStringLiteral("advise"), QStringLiteral("tree")}},
            {QStringLiteral("slack"), {QStringLiteral("slack")}},
            {QStringLiteral("zeroing"), {QStringLiteral("zeroing")}},
            {QStringLiteral("phases"), {QStringLiteral("phases")}},
        };
        for (const bool ofFolder : {false, true}) {
            const Said said = analyze(ofFolder, {QStringLiteral("--deadline"), deadline, QStringLiteral("--processes"),
                                                 QStringLiteral("3")});
            QCOMPARE(said.error, QString());
            QCOMPARE(said.code, 0);
            const auto late = QRegularExpression(QStringLiteral("\nLeft out +for want of time: (.*)\n"))
                                  .match(said.out);
            QStringList lacking;
            for (const QString& part : late.captured(1).split(QStringLiteral(", "), Qt::SkipEmptyParts)) {
                if (ofFolder && part == QLatin1String("causes")) continue;  // it has none
                lacking += documentsOf.at(part);
            }
            compareButFor(lacking, ofFolder);
            if (deadline == QLatin1String("1ns")) QCOMPARE(lacking.size(), ofFolder ? qsizetype(6) : qsizetype(7));
            if (deadline == QLatin1String("10000s")) QCOMPARE(lacking, QStringList());
        }
    }

    void asksForSomeAtAFactor()
    {
        const Said said = analyze(false, {QStringLiteral("--zeroing"), QStringLiteral("2"), QStringLiteral("--factor"),
                                          QStringLiteral("1/2"), QStringLiteral("-o"), trace(),
                                          QStringLiteral("--keep"), QStringLiteral("900")});
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
        QVERIFY(said.out.contains(QStringLiteral("takes 1/2 times as long")));
        const Said wanted = m_program({QStringLiteral("zeroing"), recording(), QStringLiteral("--factor"),
                                       QStringLiteral("1/2"), QStringLiteral("--json")});
        const auto all = parseJson(wanted.out.toUtf8());
        const auto some = parseJson(documents()[QStringLiteral("zeroing")]);
        QVERIFY(all && some && all->size() > 2);
        QCOMPARE(some->size(), std::size_t(2));
        // Those with most of the path, of which each says what it says among all.
        std::vector<std::int64_t> shares;
        for (const JsonValue& row : *all) shares.push_back(row["share_ns"].get<std::int64_t>());
        std::sort(shares.rbegin(), shares.rend());
        for (const JsonValue& row : *some) {
            QVERIFY(row["share_ns"].get<std::int64_t>() >= shares[1]);
            QVERIFY(std::find(all->begin(), all->end(), row) != all->end());
        }
        // What a trace of parts is asked is what regions gain that cost nothing.
        QCOMPARE(m_program({QStringLiteral("zeroing"), trace()}).code, 3);
    }

    void refuses_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* option, const char* value, const char* error) {
            QTest::addRow("%s %s", option, value)
                << QStringList{QString::fromLatin1(option), QString::fromLatin1(value)} << QString::fromLatin1(error);
        };
        row("--no", "waits", "--no takes some of near-critical,causes,");
        row("--no", "slack,", "--no takes some of");
        row("--no", "", "--no needs a value");
        row("--deadline", "soon", "--deadline:");
        row("--zeroing", "0", "--zeroing");
        row("--zeroing", "1025", "--zeroing takes at most");
        row("--factor", "-1", "--factor:");
        row("--factor", "half", "--factor:");
    }
    void refuses()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, error);
        const Said said = m_program(QStringList{QStringLiteral("analyze"), recording()} + options);
        QVERIFY2(said.error.contains(error), qPrintable(said.error));
        QCOMPARE(said.error.count(QLatin1Char('\n')), 1);
        QCOMPARE(said.code, 2);
    }

private:
    Said analyze(bool ofFolder, const QStringList& options)
    {
        return m_program(QStringList{QStringLiteral("analyze"), ofFolder ? logs() : recording(),
                                     QStringLiteral("--answers"), answers()}
                         + options);
    }
    // By name without its ending.
    std::map<QString, QByteArray> documents() const
    {
        std::map<QString, QByteArray> all;
        for (const QFileInfo& file : QDir(answers()).entryInfoList(QDir::Files))
            all[file.completeBaseName()] = contentOf(file.filePath());
        all.erase(QStringLiteral("answers"));  // which lists them
        return all;
    }
    void compareButFor(const QStringList& lacking, bool ofFolder)
    {
        std::map<QString, QByteArray> wanted = m_all[ofFolder];
        for (const QString& name : lacking) QCOMPARE(wanted.erase(name), std::size_t(1));
        const auto found = documents();
        for (const auto& [name, content] : wanted) {
            QVERIFY2(found.count(name) == 1, qPrintable(name));
            QCOMPARE(difference(QString::fromUtf8(found.at(name)), QString::fromUtf8(content)), QString());
        }
        QCOMPARE(found.size(), wanted.size());
    }

    QString recording() const { return m_folder.filePath(QStringLiteral("run.lprec")); }
    static QString logs() { return QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4"); }
    QString answers() const { return m_folder.filePath(QStringLiteral("answers")); }
    QString trace() const { return m_folder.filePath(QStringLiteral("parts.longpole")); }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
    std::map<bool, std::map<QString, QByteArray>> m_all;  // documents, by whether they are of logs
};

LONGPOLE_TEST(TestAnalyzeWishes)
#include "tst_analyzewishes.moc"
