// SPDX-License-Identifier: GPL-3.0-or-later
// What every command says as text of a Charm++ run, an OTF2 archive and a run of ranks: no word that the glossary bans,
// and none of the other kind of program.
#include "app/commands/commands.h"
#include "app/program.h"

#include "importers/common/importer.h"
#include "support/glossary.h"
#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <iterator>

using namespace longpole;
using namespace longpole::test;

namespace {

// They answer with a file, start a program, or say what they are asked for.
constexpr const char* silent[] = {"cache",  "charm",  "fold",   "graph",    "import",   "online", "open", "record",
                                  "reduce", "render", "report", "selftest", "simulate", "sql",    "try"};

// A call of each other command, and more where it has several answers; T is the trace.
QStringList callsOf(const QString& command)
{
    const auto with = [&command](std::initializer_list<const char*> options) {
        QStringList calls;
        for (const char* option : options) calls << command + QStringLiteral(" T ") + QLatin1String(option);
        return calls;
    };
    if (command == QLatin1String("activity-table")) return with({"--pe 0"});
    if (command == QLatin1String("check")) return with({"--baseline T --max-duration +3%"});
    if (command == QLatin1String("compare")) return with({"T"});
    if (command == QLatin1String("critical-path")) return with({"", "--mode elapsed", "--mode sweep", "--streaming"});
    if (command == QLatin1String("profile")) return with({"", "--by pe", "--by chare", "--by object"});
    if (command == QLatin1String("project")) return with({"--attribute idle"});
    if (command == QLatin1String("replay")) return with({"--network ideal", "--balance perfect"});
    if (command == QLatin1String("waits")) return with({"", "--causes", "--imbalance"});
    return with({""});
}

}  // namespace

class TestSpokenWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void initTestCase()
    {
        WaitProgram ring(2, {"step"});
        ring.compute(0, 9'000);
        ring.send(0, 1, 1'000);
        ring.compute(1, 1'000);
        ring.receive(1, 0, 1'000);
        ring.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 1'000});
        QVERIFY(store(ring.rows(), m_folder.filePath(QStringLiteral("ring.longpole"))));
    }

    void everyCommand_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<bool>("ofRanks");
        const QString data = QStringLiteral(LONGPOLE_TEST_DATA "/");
        QTest::newRow("Charm++") << data + QStringLiteral("jacobi2d_sdag_p4") << false;
        QTest::newRow("ranks") << m_folder.filePath(QStringLiteral("ring.longpole")) << true;
        if (const QString archive = data + QStringLiteral("otf2/casita_4_mpi_ls_barr"); importerFor(archive) != nullptr)
            QTest::newRow("OTF2") << archive << true;
    }
    void everyCommand()
    {
        QFETCH(const QString, trace);
        QFETCH(const bool, ofRanks);
        static const QRegularExpression objects(QStringLiteral("\\b(PEs?|entry methods?|chares?)\\b"));
        static const QRegularExpression ranks(QStringLiteral("\\branks?\\b"),
                                              QRegularExpression::CaseInsensitiveOption);
        int said = 0;
        for (const Command* command : commands()) {
            const QString name = QString::fromUtf8(command->name);
            if (std::any_of(std::begin(silent), std::end(silent),
                            [&name](const char* one) { return name == QLatin1String(one); }))
                continue;
            for (const QString& call : callsOf(name)) {
                QStringList words = call.split(QLatin1Char(' '), Qt::SkipEmptyParts);
                words.replaceInStrings(QRegularExpression(QStringLiteral("^T$")), trace);
                const Said answer = m_program(words);
                if (answer.code == 3) continue;  // a command of the other kind of program
                QVERIFY2(answer.code <= 1, qPrintable(call + answer.error));
                ++said;
                for (QString line : answer.out.split(QLatin1Char('\n'))) {
                    // Of MPI calls, the part in which all that they need are there; lines break between its parts.
                    if (ofRanks) line.remove(QRegularExpression(QStringLiteral("\\b[Ee]xecution\\b")));
                    QVERIFY2(bannedIn(line).isEmpty(), qPrintable(call + u": " + bannedIn(line) + u": " + line));
                    QVERIFY2(!line.contains(ofRanks ? objects : ranks), qPrintable(call + u": " + line));
                }
            }
        }
        QVERIFY(said > 20);
    }

private:
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestSpokenWords)
#include "tst_spokenwords.moc"
