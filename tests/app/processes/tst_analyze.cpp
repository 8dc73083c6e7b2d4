// SPDX-License-Identifier: GPL-3.0-or-later
// longpole analyze says of a recording, byte for byte, what the other commands say of its import, whatever the number
// of processes, and writes the trace that import writes; and what is wrong with a call or a folder.
#include "app/processes/answerfolder.h"
#include "app/processes/answers.h"
#include "app/program.h"

#include "core/file/codec.h"
#include "importers/madeframes.h"
#include "recorder/format/calls.h"
#include "recorder/format/recording.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

class TestAnalyze : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        QProcess process;
        const Said made = m_program.run(process, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                                        {recording(), QStringLiteral("7"), QStringLiteral("3000")});
        QCOMPARE(made.code, 0);
    }

    void saysWhatCommandsSay_data()
    {
        QTest::addColumn<int>("processes");
        QTest::addColumn<bool>("lacksOne");
        for (const int processes : {1, 2, 3, 4, 9})
            for (const bool lacksOne : {false, true})
                QTest::addRow("%d processes%s", processes, lacksOne ? ", without a rank's file" : "")
                    << processes << lacksOne;
    }
    void saysWhatCommandsSay()
    {
        QFETCH(int, processes);
        QFETCH(bool, lacksOne);
        const QString hidden = m_folder.filePath(QStringLiteral("hidden"));
        const QString rank = recording() + QStringLiteral("/rank-000004.lprank");
        if (lacksOne) QVERIFY(QFile::rename(rank, hidden));
        const QString answers = m_folder.filePath(QStringLiteral("answers"));
        const QString trace = m_folder.filePath(QStringLiteral("together.longpole"));
        const Said said = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--processes"),
                                     QString::number(processes), QStringLiteral("--answers"), answers,
                                     QStringLiteral("-o"), trace});
        // What the commands say is the same for any number of processes.
        const QString imported = m_folder.filePath(lacksOne ? QStringLiteral("lacks.longpole")
                                                            : QStringLiteral("imported.longpole"));
        std::vector<Said>& wanted = m_wanted[lacksOne];
        if (wanted.empty()) {
            QCOMPARE(m_program({QStringLiteral("import"), recording(), QStringLiteral("-o"), imported}).code, 0);
            for (const AnswerFile& answer : answerFiles()) wanted.push_back(m_program(answer.call(recording())));
        }
        QVERIFY(contentOf(trace) == contentOf(imported));
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QCOMPARE(wanted[i].code, 0);
            QFile written(answers + QLatin1Char('/') + answerFiles()[i].name);
            QVERIFY(written.open(QIODevice::ReadOnly));
            QCOMPARE(difference(QString::fromUtf8(written.readAll()), withoutInterruptions(wanted[i].out)), QString());
        }
        if (lacksOne) QVERIFY(QFile::rename(hidden, rank));
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
        QCOMPARE(said.out.contains(QStringLiteral("nothing was skipped")), !lacksOne);
        QCOMPARE(said.out.contains(QStringLiteral("Wait at N x N")), !lacksOne);
    }

    void refuses_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("error");
        const QString processes = QStringLiteral("--processes");
        QTest::newRow("nothing there") << QStringList{m_folder.path(), processes, QStringLiteral("3")} << 3
                                       << QStringLiteral("There is no recording here");
        QTest::newRow("another trace") << QStringList{QStringLiteral(LONGPOLE_TEST_DATA "/stencil3d_summary_p4")} << 3
                                       << QStringLiteral("There is no recording here");
        QTest::newRow("no folder for parts")
            << QStringList{recording(), QStringLiteral("--scratch"), m_folder.filePath(QStringLiteral("none"))} << 2
            << QStringLiteral("--scratch: there is no folder");
        QTest::newRow("answers in a file") << QStringList{recording(), QStringLiteral("--answers"),
                                                          recording() + QStringLiteral("/rank-000000.lprank/x")}
                                           << 3 << QStringLiteral("The folder cannot be made");
        QTest::newRow("a trace of another ending")
            << QStringList{recording(), QStringLiteral("-o"), m_folder.filePath(QStringLiteral("x.csv"))} << 2
            << QStringLiteral("-o takes a file that ends in .longpole");
        QTest::newRow("a trace in no folder")
            << QStringList{recording(), processes, QStringLiteral("2"), QStringLiteral("-o"),
                           m_folder.filePath(QStringLiteral("none/x.longpole"))}
            << 3 << QStringLiteral("x.longpole");
    }
    void refuses()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, error);
        const Said said = m_program(QStringList{QStringLiteral("analyze")} + arguments);
        QVERIFY2(said.error.contains(error), qPrintable(said.error));
        QCOMPARE(said.error.count(QLatin1Char('\n')), 1);
        QCOMPARE(said.code, code);
    }

    // As -o does, they follow no link: a folder of answers may have come with the recording.
    void answersFollowNoLink()
    {
        const QString precious = m_folder.filePath(QStringLiteral("precious"));
        QVERIFY(QFile::copy(recording() + QStringLiteral("/index.lpindex"), precious));
        const qint64 bytes = QFileInfo(precious).size();
        const QString answers = m_folder.filePath(QStringLiteral("linked"));
        QVERIFY(QDir().mkpath(answers));
        QVERIFY(QFile::link(precious, answers + QStringLiteral("/slack.json")));
        const Said said = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--answers"), answers});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("This is a link; it is left as it is")), qPrintable(said.error));
        QCOMPARE(QDir(answers).entryList(QDir::Files | QDir::System), QStringList{QStringLiteral("slack.json")});
        QCOMPARE(QFileInfo(precious).size(), bytes);
        // Nor the folder's own, which a shell completes with a slash.
        const QString real = m_folder.filePath(QStringLiteral("real"));
        const QString link = m_folder.filePath(QStringLiteral("toreal"));
        QVERIFY(QDir().mkpath(real) && QFile::link(real, link));
        for (const char* behind : {"", "/", "//."}) {
            const QString named = link + QLatin1String(behind);
            QCOMPARE(m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--answers"), named}).code, 3);
            QVERIFY(QDir(real).isEmpty());
        }
    }

    // Nothing of an earlier analysis stays beside the answers of this one, and nothing else is touched.
    void answersOfEarlierAnalyses()
    {
        const QTemporaryDir folder;
        const QString answers = folder.filePath(QStringLiteral("answers"));
        const auto analyze = [&](const QString& run) {
            return m_program({QStringLiteral("analyze"), run, QStringLiteral("--answers"), answers});
        };
        const auto names = [&] { return QDir(answers).entryList(QDir::Files); };
        QCOMPARE(analyze(recording()).code, 0);
        QVERIFY(names().contains(QStringLiteral("waits.json")));
        QFile notes(answers + QStringLiteral("/notes.txt"));
        QVERIFY(notes.open(QIODevice::WriteOnly) && notes.write("mine") == 4);
        notes.close();
        const QString logs = QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4");
        const QString info = answers + QStringLiteral("/info.json");
        QVERIFY(QFile::setPermissions(info, QFile::ReadOwner | QFile::WriteOwner));
        {  // another analysis that writes there now
            const int held = ::open(QFile::encodeName(answers).constData(), O_RDONLY | O_DIRECTORY);
            QVERIFY(held >= 0 && ::flock(held, LOCK_EX) == 0);
            const Said refused = analyze(logs);
            ::close(held);
            QCOMPARE(refused.code, 3);
            QVERIFY2(refused.error.contains(QStringLiteral("Another analysis")), qPrintable(refused.error));
        }
        QCOMPARE(analyze(logs).code, 0);
        QCOMPARE(QFile::permissions(info) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QStringList both = names();
        QVERIFY(both.removeOne(QStringLiteral("notes.txt")));
        QVERIFY(!both.contains(QStringLiteral("waits.json")));
        QVERIFY(QDir(answers).removeRecursively());
        QCOMPARE(analyze(logs).code, 0);
        QCOMPARE(both, names());
    }
    // Whenever it ends: answers of one run only are in the folder, and the next one writes all of them.
    void answersThatWereNotFinished_data()
    {
        QTest::addColumn<QString>("fault");
        for (const char* fault : {"rename 1", "rename 11", "rename 12", "crash 7", "crash 13"})
            QTest::newRow(fault) << QString::fromLatin1(fault);
    }
    void answersThatWereNotFinished()
    {
        QFETCH(QString, fault);
        const QTemporaryDir folder;
        const QString answers = folder.filePath(QStringLiteral("answers"));
        const QStringList earlier{QStringLiteral("analyze"), recording(), QStringLiteral("--answers"), answers};
        const QStringList newer{QStringLiteral("analyze"), QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"),
                                QStringLiteral("--answers"), answers};
        const auto contents = [&] {
            std::map<QString, QByteArray> found;
            for (const QString& name : QDir(answers).entryList(QDir::Files | QDir::Hidden)) {
                QFile file(answers + QLatin1Char('/') + name);
                if (name != QLatin1String("answers.json") && file.open(QIODevice::ReadOnly))
                    found[name] = file.readAll();
            }
            return found;
        };
        QCOMPARE(m_program(newer).code, 0);
        const auto ofNewer = contents();
        QCOMPARE(m_program(earlier).code, 0);
        const auto ofEarlier = contents();
        Program faulty(m_folder.filePath(QStringLiteral("cache")));
        faulty.set(QStringLiteral("LD_PRELOAD"), QStringLiteral(LONGPOLE_FAULTS_LIBRARY));
        faulty.set(QStringLiteral("LONGPOLE_FAULT"), fault);
        faulty.set(QStringLiteral("LONGPOLE_FAULT_FOLDER"), answers);
        QVERIFY(faulty(newer).code != 0);
        const auto between = contents();
        const auto areOf = [&](const auto& run) {
            return std::all_of(between.begin(), between.end(), [&](const auto& file) {
                const auto found = run.find(file.first);
                return found != run.end() && found->second == file.second;
            });
        };
        QVERIFY2(areOf(ofNewer) || areOf(ofEarlier), qPrintable(fault));
        const Said again = m_program(newer);
        QVERIFY2(again.code == 0, qPrintable(again.error));
        QVERIFY(contents() == ofNewer);
        QCOMPARE(QDir(answers).entryList(QDir::AllDirs | QDir::Hidden | QDir::NoDotAndDotDot), QStringList());
    }
    // Who may write there, too, lays links while answers are found: nothing is written where they lead.
    void linksThatCome()
    {
        const QTemporaryDir folder, home;
        const QString answers = folder.filePath(QStringLiteral("answers")),
                      other = home.filePath(QStringLiteral("conf"));
        QVERIFY(QDir().mkpath(answers));
        constexpr std::array names{"info.json", "waits.json"};
        for (const QString& link : {QStringLiteral("info.json"), QString::fromLatin1(listOfAnswers)}) {
            {
                auto part = AnswersPart::begin(answers, names);
                QVERIFY(part);
                QFile file(part->fileOf("info.json"));
                QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{}") == 2);
                file.close();
                QVERIFY(QFile::link(other, answers + QLatin1Char('/') + link));
                QVERIFY(!part->publish(std::array{"info.json"}));
            }
            QVERIFY(QFile::remove(answers + QLatin1Char('/') + link));
            QVERIFY(QDir(home.path()).isEmpty() && QDir(answers).isEmpty());
        }
    }
    // Of a folder of that name that is no analysis's nothing is removed; of one that is, files of other names stay.
    void aFolderInTheWay()
    {
        const QTemporaryDir folder;
        const QString part = folder.filePath(QStringLiteral(".answers.part"));
        QVERIFY(QDir().mkpath(part));
        const auto add = [&part](const char* name) {
            QFile file(part + QLatin1Char('/') + QLatin1String(name));
            return file.open(QIODevice::WriteOnly);
        };
        const auto there = [&part] { return QDir(part).entryList(QDir::Files | QDir::Hidden); };
        const QStringList command{QStringLiteral("analyze"), recording(), QStringLiteral("--answers"), folder.path()};
        QVERIFY(add("info.json") && add("info.json-notes.txt"));
        const Said refused = m_program(command);
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.error.contains(QStringLiteral("in the way")), qPrintable(refused.error));
        QCOMPARE(there().size(), 2);
        QVERIFY(add(".longpole-part") && add("waits.json.part-123"));
        // Others may read it, but where they may write what lies there may be theirs.
        constexpr QFile::Permissions own = QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner;
        QVERIFY(QFile::setPermissions(part, own | QFile::WriteOther | QFile::ExeOther));
        QCOMPARE(m_program(command).code, 3);
        QCOMPARE(there().size(), 4);
        QVERIFY(QFile::setPermissions(part, own | QFile::ReadOther | QFile::ExeOther));
        const Said said = m_program(command);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QCOMPARE(there(), (QStringList{QStringLiteral(".longpole-part"), QStringLiteral("info.json-notes.txt")}));
    }

    void filesOfOthersAreNoAnswers_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("a table") << "waits.json" << QByteArray("[1, 2]");
        QTest::newRow("no information") << "info.json" << QByteArray("{\"format\": \"mine\"}");
        QTest::newRow("no JSON") << "info.json" << QByteArray("format, executions_unmatched");
        QTest::newRow("what a command printed")
            << "info.json" << QByteArray("{\"format\": \"mine\", \"executions_unmatched\": 0}");
        QTest::newRow("another list") << "answers.json" << QByteArray("[1]");
        QTest::newRow("answers of something else") << "answers.json" << QByteArray("{\"question 1\": \"42\"}");
    }
    void filesOfOthersAreNoAnswers()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        QFile mine(folder.filePath(name));
        QVERIFY(mine.open(QIODevice::WriteOnly) && mine.write(content) == content.size());
        mine.close();
        const Said said = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--answers"),
                                     folder.path()});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("of no earlier analysis")), qPrintable(said.error));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{name});
        QVERIFY(mine.open(QIODevice::ReadOnly));
        QCOMPARE(mine.readAll(), content);
    }

    // The user's own beside them stays, also where he gave it the name of an answer.
    void changedAnswersStay()
    {
        const QTemporaryDir folder;
        const auto analyze = [&](const QStringList& more) {
            return m_program(QStringList{QStringLiteral("analyze"), recording(), QStringLiteral("--answers"),
                                         folder.path()}
                             + more);
        };
        QCOMPARE(analyze({}).code, 0);
        QFile tree(folder.filePath(QStringLiteral("tree.json")));
        const QByteArray before = contentOf(tree.fileName());
        QVERIFY(tree.open(QIODevice::Append) && tree.write(" ") == 1);
        tree.close();
        const Said said = analyze({QStringLiteral("--no"), QStringLiteral("advice")});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("or was changed since")), qPrintable(said.error));
        QVERIFY(contentOf(tree.fileName()) == before + ' ');
        QVERIFY(tree.open(QIODevice::WriteOnly) && tree.write(before) == before.size());
        tree.close();
        QCOMPARE(analyze({QStringLiteral("--no"), QStringLiteral("advice")}).code, 0);
        QVERIFY(!tree.exists());
    }

    // Records that are all alike: as many as a file of a megabyte may have, each a step of the path.
    void equalRecordsTakeBoundedMemory()
    {
        constexpr std::uint32_t records = 655'360, bytesOfOne = 24, chunks = 3;
        QByteArray columns(records, LP_OWN_RECORD);
        for (int column = 0; column < LP_COLUMNS; ++column) {
            const bool isUsed = column == LP_TIME || column == LP_DURATION;
            columns += isUsed ? '\1' + QByteArray(records, '\2') : QByteArray(1, '\0');
        }
        const std::vector<char> packed = compress(columns, 19);
        lp_call_record init{};
        init.type = LP_CALL_RECORD;
        init.call = LP_Init;
        init.comm = LP_NO_COMM;
        init.peer = -1;
        init.end = 10;
        QByteArray frames = areaOf(bytesOf(init));
        for (std::uint32_t seq = 1; seq <= chunks; ++seq) {
            lp_frame head{};
            head.magic = LP_FRAME_MAGIC;
            head.kind = LP_CHUNK;
            head.length = packed.size();
            head.seq = seq;
            head.coding = LP_CODING_ZSTD;
            head.records = records;
            head.raw_length = std::uint64_t{records} * bytesOfOne;
            head.checksum = lp_checksum(packed.data(), head.length, lp_head_checksum(head));
            frames += paddedTo(bytesOf(head) + QByteArray(packed.data(), static_cast<qsizetype>(packed.size())),
                               LP_ALIGNMENT);
        }
        frames += frameOf(LP_PADDING, QByteArray(qsizetype{records} * bytesOfOne * chunks / 48, '\0'));
        const QString run = m_folder.filePath(QStringLiteral("equal.lprec"));
        QFile file(run + QStringLiteral("/rank-000000.lprank"));
        QVERIFY(QDir().mkpath(run) && file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(rankFile(bombHeader(0, 1), frames)) > 0);
        file.close();
        const Said said = m_program({QStringLiteral("analyze"), run, QStringLiteral("--memory"),
                                     QStringLiteral("430M")});
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
    }

private:
    QString recording() const { return m_folder.filePath(QStringLiteral("run.lprec")); }

    std::map<bool, std::vector<Said>> m_wanted;  // of each answer's command; true: without a rank's file
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestAnalyze)
#include "tst_analyze.moc"
