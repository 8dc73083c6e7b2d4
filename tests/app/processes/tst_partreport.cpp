// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a trace that has parts of the events says, finding by finding, what that of the whole one says, or what
// it cannot say.
#include "app/processes/answers.h"
#include "app/program.h"

#include "analysis/base/json.h"
#include "core/hostilestore.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <string>

using namespace longpole;
using namespace longpole::test;

class TestPartReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        QProcess process;
        const QStringList wanted{recording(), QStringLiteral("7"), QStringLiteral("3000")};
        QCOMPARE(m_program.run(process, QStringLiteral(LONGPOLE_MAKE_RECORDING), wanted).code, 0);
        QCOMPARE(m_program({QStringLiteral("import"), recording(), QStringLiteral("-o"), wholeFile()}).code, 0);
        makeParts({});
    }

    // It says what the report of the whole says, or that it cannot; and what it lacks.
    void reportsAsTheWhole()
    {
        const auto part = findingsOf(partsFile()), whole = findingsOf(wholeFile());
        QVERIFY(part.size() > 8);
        QCOMPARE(part.size(), whole.size());
        for (const auto& [id, finding] : part) {
            if (id == "not-evaluated") {
                QVERIFY(finding["paragraphs"].dump().find("parts of the run") != std::string::npos);
                continue;
            }
            if (!finding["not_evaluated"].is_null()) {
                QCOMPARE(id, std::string("mpi"));
                continue;
            }
            // What only all tasks tell is null.
            JsonValue wanted = whole.at(id)["result"];
            if (id == "health")
                for (const char* key : {"issues", "receive_times", "receive_times_estimated", "processor_time"}) {
                    QVERIFY(finding["result"][key].is_null() && !wanted[key].is_null());
                    wanted[key] = nullptr;
                }
            QCOMPARE(difference(withoutInterruptions(finding["result"]), withoutInterruptions(wanted)), QString());
            const auto& said = whole.at(id)["paragraphs"];
            const std::string all = whole.at(id).dump();  // what is in doubt is said in a table of the whole
            for (const JsonValue& paragraph : finding["paragraphs"]) {
                QVERIFY(paragraph.get<std::string>().size() > 3);
                const bool isOfParts = id == "health" && isAboutParts(paragraph.get<std::string>());
                QVERIFY2(isOfParts || all.find(paragraph.dump()) != std::string::npos, paragraph.dump().c_str());
            }
            const std::size_t lacking = id == "critical-path" || id == "health" ? 1 : 0;
            QVERIFY2(said.size() <= finding["paragraphs"].size() + lacking, id.c_str());
        }
        // A page of it, with its pictures.
        const QString page = m_folder.filePath(QStringLiteral("page.html"));
        const Said written = m_program({QStringLiteral("report"), partsFile(), QStringLiteral("-o"), page});
        QCOMPARE(written.code, 0);
        QVERIFY(contentOf(page).contains("<svg") || contentOf(page).contains("<img"));
    }
    // A stranger's trace may say how long ranks waited, and of no wait where it was.
    void reportsWaitsThatLieNowhere()
    {
        const QString trace = m_folder.filePath(QStringLiteral("nowhere.longpole"));
        QVERIFY(QFile::copy(partsFile(), trace));
        QVERIFY(editStore(trace, "DELETE FROM result_worst_wait").ok());
        const auto part = findingsOf(trace), before = findingsOf(partsFile());
        QVERIFY(!part.empty());
        QVERIFY(part.at("waits")["result"]["total_ns"] == before.at("waits")["result"]["total_ns"]);
    }
    // What was left out lacks, the rest is as it is.
    void reportsWithoutAdvice()
    {
        makeParts({QStringLiteral("--no"), QStringLiteral("causes,zeroing")});
        const auto part = findingsOf(partsFile());
        const auto whole = findingsOf(wholeFile());
        for (const char* id : {"advice", "tree", "what-if"}) QVERIFY2(!part.at(id)["not_evaluated"].is_null(), id);
        // The waits are there without what they go back to, and the error of that says what to do.
        const JsonValue &waits = part.at("waits"), &allWaits = whole.at("waits");
        for (const char* key : {"total_ns", "ranks_time_ns", "states"})
            QVERIFY2(waits["result"][key] == allWaits["result"][key] && !waits["result"][key].is_null(), key);
        for (const char* key : {"unexplained_ns", "causes"})
            QVERIFY2(waits["result"][key].is_null() && !allWaits["result"][key].is_null(), key);
        const std::string said = waits["paragraphs"].back().get<std::string>();
        QVERIFY2(said.find("longpole analyze") != std::string::npos, said.c_str());
        QVERIFY(part.at("critical-path")["result"] == whole.at("critical-path")["result"]);
    }

private:
    // With these options.
    void makeParts(const QStringList& options)
    {
        QCOMPARE(m_program(QStringList{QStringLiteral("analyze"), recording(), QStringLiteral("--processes"),
                                       QStringLiteral("2"), QStringLiteral("-o"), partsFile(), QStringLiteral("--keep"),
                                       QStringLiteral("60K")}
                           + options)
                     .code,
                 0);
    }
    std::map<std::string, JsonValue> findingsOf(const QString& trace)
    {
        const QString report = m_folder.filePath(QStringLiteral("report.json"));
        m_program({QStringLiteral("report"), trace, QStringLiteral("-o"), report});
        std::map<std::string, JsonValue> findings;
        if (const auto json = parseJson(contentOf(report)))
            for (const JsonValue& finding : (*json)["findings"]) findings[finding["id"].get<std::string>()] = finding;
        return findings;
    }
    static QString withoutInterruptions(const JsonValue& json)
    {
        return test::withoutInterruptions(QString::fromStdString(json.dump()));
    }
    static bool isAboutParts(const std::string& paragraph)
    {
        return paragraph == "Of what was judged nothing is in doubt."
               || paragraph == "What else was left out or mended takes all events to tell.";
    }

    QString recording() const { return m_folder.filePath(QStringLiteral("run.lprec")); }
    QString wholeFile() const { return m_folder.filePath(QStringLiteral("whole.longpole")); }
    QString partsFile() const { return m_folder.filePath(QStringLiteral("part.longpole")); }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestPartReport)
#include "tst_partreport.moc"
