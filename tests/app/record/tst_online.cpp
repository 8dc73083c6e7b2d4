// SPDX-License-Identifier: GPL-3.0-or-later
// longpole online: samples of a critical path, whole, growing, and damaged.
#include "app/followedrun.h"
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/record/runstate.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

using namespace longpole;
using namespace longpole::test;

class TestOnline : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};

    QString run() const { return m_folder.filePath(QStringLiteral("run.lprec")); }
    void append(const QByteArray& bytes) const
    {
        QFile file(run() + QStringLiteral("/online.jsonl"));
        QVERIFY(file.open(QIODevice::Append) && file.write(bytes) == bytes.size());
    }
    Said online(const QStringList& options = {}) const
    {
        return m_program(QStringList{QStringLiteral("online"), run()} + options);
    }
    // What the process has written so far, once it has so many lines.
    static bool hasLines(QProcess& process, QByteArray& out, qsizetype count)
    {
        for (int i = 0; i < 300 && out.count('\n') < count; ++i) {
            process.waitForReadyRead(100);
            out += process.readAllStandardOutput();
        }
        return out.count('\n') == count;
    }

private Q_SLOTS:
    void init() { QVERIFY(QDir(run()).removeRecursively() && QDir().mkpath(run())); }

    void whole()
    {
        append(sampleAt(1'000'000, 600'000) + lastAt(4'000'000, 3'000'000));
        const Said said = online();
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QStringList lines = said.out.split(QLatin1Char('\n'));
        QCOMPARE(lines[0], QStringLiteral("At 1 ms the path is 600 us long, 60.0 % of the time; 66.7 % of it in "
                                          "solve; 100.0 % on rank 3"));
        QVERIFY(lines[1].startsWith(QStringLiteral("At 4 ms the path is 3 ms long, 75.0 % of the time")));
        // Of "solve": on the path, share, all ranks, without it, gain.
        QVERIFY2(said.out.contains(QRegularExpression(
                     QStringLiteral("2 ms +66\\.7 % +3 ms +100\\.0 % +1\\.500 ms +1\\.500 ms +solve\n"))),
                 qPrintable(said.out));
        QVERIFY(said.out.contains(QRegularExpression(QStringLiteral("1 ms +33\\.3 % +7 ns +< 0\\.1 % +a b\n"))));
        QVERIFY(!said.out.contains(QStringLiteral("not the end")) && !said.out.contains(QStringLiteral("too short")));
        const Said json = online({QStringLiteral("--json")});
        const std::string wrong = longpole::test::violation(json.out.toStdString(), "online");
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(json.out.count(QStringLiteral("\"time_ns\"")), 2);
        // The file itself can be named, too.
        QCOMPARE(m_program({QStringLiteral("online"), run() + QStringLiteral("/online.jsonl")}).out, said.out);
    }

    // The parts of all ranks' time are of what is not listed, too.
    void csvAndPicture()
    {
        QByteArray line = lastAt(4'000'000, 3'000'000);
        append(sampleAt(1'000'000, 600'000) + line.replace("\"rest_ns\":0", "\"rest_ns\":0,\"rest_cpu_ns\":2999993"));
        QCOMPARE(online({QStringLiteral("--csv")}).out,
                 QStringLiteral("name,share_ns,share,cpu_ns,cpu_share,net_ns,gain_ns,net_since_ns,inclusive_ns\n"
                                "solve,2000000,0.6666666666666666,3000000,0.5,1500000,1500000,0,\n"
                                "\"a\nb\",1000000,0.3333333333333333,7,1.1666666666666666e-06,,,,\n"));
        const QString png = m_folder.filePath(QStringLiteral("path.png"));
        for (const char* theme : {"light", "dark"}) {
            QFile::remove(png);
            const Said said = online({QStringLiteral("-o"), png, QStringLiteral("--theme"), QString::fromUtf8(theme)});
            QVERIFY2(said.code == 0, qPrintable(said.error));
            QFile file(png);
            QVERIFY(file.open(QIODevice::ReadOnly) && file.read(8) == "\x89PNG\r\n\x1a\n");
        }
        const QString svg = m_folder.filePath(QStringLiteral("path.svg"));
        QCOMPARE(online({QStringLiteral("-o"), svg}).code, 0);
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray drawn = file.readAll();
        for (const char* said : {"solve", "66.7 %", "50.0 %", "part of all ranks", "a b"})
            QVERIFY2(drawn.contains(said), said);
        for (const char* option : {"--csv", "-o=x.png"}) {
            const Said said = online({QStringLiteral("--follow"), QString::fromUtf8(option)});
            QCOMPARE(said.code, 2);
        }
    }

    void choicesAreSaid()
    {
        QByteArray line = sampleAt(4'000'000, 3'000'000, ",\"factor\":\"1/2\",\"clock\":\"cpu\"");
        append(line.replace("\"cpu_ns\":3000000", "\"inclusive_ns\":2500000,\"cpu_ns\":3000000"));
        const QString out = online().out;
        for (const char* said :
             {"With what it calls", "Path at 1/2", "2.500 ms", "takes 1/2 of its time", "All of it is CPU time."})
            QVERIFY2(out.contains(QString::fromUtf8(said)), qPrintable(out));
        QVERIFY(online({QStringLiteral("--csv")}).out.contains(QStringLiteral(",1500000,1500000,0,2500000\n")));
        QVERIFY(longpole::test::violation(online({QStringLiteral("--json")}).out.toStdString(), "online").empty());
    }

    void doubtsAreSaid()
    {
        QByteArray line = sampleAt(4'000'000, 3'000'000);
        line.replace("\"late\":0", "\"late\":5").replace("\"lost_ns\":0", "\"lost_ns\":2000");
        append(line);
        const QString out = online().out;
        for (const char* said : {"messages whose sender had no note of them: 5", "2 us of the run are not in the path",
                                 "This is not the end"})
            QVERIFY2(out.contains(QString::fromUtf8(said)), qPrintable(out));
    }

    void nothingYet()
    {
        append({});
        const Said said = online();
        QVERIFY(said.code == 0 && said.out.startsWith(QStringLiteral("There is no sample yet")));
        QVERIFY(longpole::test::violation(online({QStringLiteral("--json")}).out.toStdString(), "online").empty());
        const Said picture = online({QStringLiteral("-o"), m_folder.filePath(QStringLiteral("none.png"))});
        QVERIFY(picture.code == 3 && picture.error.contains(QStringLiteral("There is no sample yet")));
    }

    void manySamples()
    {
        for (qint64 i = 1; i <= 25; ++i) append(sampleAt(i * 1'000'000, i * 300'000));
        const QString out = online().out;
        QVERIFY2(out.startsWith(QStringLiteral("5 earlier samples")), qPrintable(out));
        QCOMPARE(out.count(QStringLiteral("\nAt ")), 20);
    }

    // The program has not begun; its samples come in pieces, one in two.
    void follow_data()
    {
        QTest::addColumn<bool>("json");
        QTest::newRow("text") << false;
        QTest::newRow("JSON") << true;
    }
    void follow()
    {
        QFETCH(bool, json);
        QProcess process;
        m_program.start(process, QStringList{QStringLiteral("online"), run(), QStringLiteral("--follow")}
                                     + (json ? QStringList{QStringLiteral("--json")} : QStringList{}));
        QVERIFY(process.waitForStarted());
        QVERIFY(!process.waitForFinished(600));
        QByteArray out;
        append(sampleAt(1'000'000, 600'000));
        QVERIFY(hasLines(process, out, 1));
        const QByteArray second = sampleAt(2'000'000, 900'000);
        append(second.left(50));
        QVERIFY(!process.waitForFinished(600));
        append(second.mid(50));
        QVERIFY(hasLines(process, out, 2));
        QCOMPARE(process.state(), QProcess::Running);
        append(lastAt(4'000'000, 3'000'000));
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 0);
        out += process.readAllStandardOutput();
        if (json) {
            QFile file(run() + QStringLiteral("/online.jsonl"));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(out, file.readAll());
        } else {
            QCOMPARE(out.count("At "), 3);
            QVERIFY(out.contains("The critical path, 3 ms long"));
        }
    }

    void anotherRunBegins()
    {
        append(sampleAt(1'000'000, 600'000));
        QProcess process;
        m_program.start(process, {QStringLiteral("online"), run(), QStringLiteral("--follow")});
        QByteArray out;
        QVERIFY(hasLines(process, out, 1));
        QVERIFY(QFile::resize(run() + QStringLiteral("/online.jsonl"), 0));
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 3);
        QVERIFY(process.readAllStandardError().contains("became shorter"));
    }

    void damaged_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("error");
        const QByteArray good = sampleAt(1'000'000, 600'000);
        const auto changed = [&good](const char* from, const QByteArray& to) {
            return QByteArray(good).replace(from, to);
        };
        const QByteArray unknown = "This is no sample of a critical path that this version reads";
        const QByteArray wrong = "A figure of this sample is missing, or cannot be";
        QTest::newRow("no JSON") << QByteArray("{garbage\n") << unknown;
        QTest::newRow("NUL") << changed("64", QByteArray("6\0", 2)) << unknown;
        QTest::newRow("other version") << changed("\"version\":1", "\"version\":2") << unknown;
        QTest::newRow("negative") << changed("\"own_ns\":1000", "\"own_ns\":-1") << wrong;
        QTest::newRow("too large") << changed("\"own_ns\":1000", "\"own_ns\":99999999999999999999") << wrong;
        QTest::newRow("no factor") << changed("\"own_ns\":1000", "\"factor\":\"1/0\",\"own_ns\":1000") << wrong;
        QTest::newRow("text") << changed("\"meetings\":64", "\"meetings\":\"x\"") << wrong;
        QTest::newRow("missing") << changed("\"lost_ns\"", "\"lost\"") << wrong;
        QTest::newRow("ranks of nothing") << changed("[{\"rank\":3", "[7,{\"rank\":3") << wrong;
        QTest::newRow("brackets that use up the stack")
            << changed("\"late\":0", "\"late\":0,\"x\":" + QByteArray(400'000, '[') + QByteArray(400'000, ']'))
            << unknown;
        QTest::newRow("endless line") << QByteArray("{" + QByteArray(3 << 20, 'x')) << unknown;
    }
    void damaged()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, error);
        append(sampleAt(1'000'000, 600'000) + bytes);
        for (const char* option : {"--json", "--follow"}) {
            const Said said = online({QString::fromUtf8(option)});
            QCOMPARE(said.code, 3);
            QVERIFY2(said.error.contains(QString::fromUtf8(error)), qPrintable(said.error));
            QVERIFY2(said.error.contains(QStringLiteral("online.jsonl, line 2")), qPrintable(said.error));
        }
    }

    void begin(const std::function<void(lp_header&)>& change) { QVERIFY(putFirstRank(run(), change)); }

    void runState()
    {
        const auto stateOf = [this](const std::function<void(lp_header&)>& change) {
            begin(change);
            return followedRun(run()).state;
        };
        QCOMPARE(followedRun(run()).state, RunState::Unknown);  // nothing is there
        QCOMPARE(stateOf([](lp_header&) {}), RunState::Running);
        QCOMPARE(stateOf([](lp_header& header) { header.end_kind = LP_FINALIZED; }), RunState::Ended);
        QCOMPARE(stateOf([](lp_header& header) { header.end_kind = LP_ABORTED; }), RunState::Ended);
        QCOMPARE(stateOf(endsBefore), RunState::Gone);
        // Its number is another program's now.
        QCOMPARE(stateOf([](lp_header& header) { qstrncpy(header.program, "/usr/bin/app", 20); }), RunState::Gone);
        QCOMPARE(stateOf([](lp_header& header) { header.pid = 0; }), RunState::Gone);
        QCOMPARE(stateOf([](lp_header& header) { header.pid = 0xffffffff; }), RunState::Gone);
        QCOMPARE(stateOf([](lp_header& header) { header.boot_id[0] ^= 1; }), RunState::Unknown);
        QCOMPARE(stateOf([](lp_header& header) { header.magic[0] ^= 1; }), RunState::Unknown);
        QCOMPARE(stateOf([](lp_header& header) { header.version = 99; }), RunState::Unknown);
        // A program that was built anew, or moved, since it was started.
        const QString built = QDir(run()).filePath(QStringLiteral("built"));
        QVERIFY(QFile::copy(QStringLiteral("/bin/sleep"), built));
        QProcess asleep;
        asleep.start(built, {QStringLiteral("30")});
        QVERIFY(asleep.waitForStarted() && QFile::remove(built));
        const auto ofIt = [&](lp_header& header) {
            header.pid = static_cast<std::uint32_t>(asleep.processId());
            qstrncpy(header.program, QFile::encodeName(built).constData(), sizeof header.program);
        };
        QCOMPARE(stateOf(ofIt), RunState::Running);
        asleep.kill();
        QVERIFY(asleep.waitForFinished());
        QCOMPARE(stateOf(ofIt), RunState::Gone);
        const auto moved = [](lp_header& header) { qstrncpy(header.program, "/usr/bin/app", 20); };
        QCOMPARE(stateOf(moved), RunState::Gone);
        QFile mapped(QDir(run()).filePath(QStringLiteral("rank-000000.lprank")));
        QVERIFY(mapped.open(QIODevice::ReadOnly));
        uchar* const memory = mapped.map(0, 1);
        QVERIFY(memory != nullptr);
        QCOMPARE(followedRun(run()).state, RunState::Running);
        QVERIFY(mapped.unmap(memory));
        QCOMPARE(followedRun(run()).state, RunState::Gone);
        QVERIFY(followedRun(run()).hasTrace);
        begin([](lp_header& header) { header.flags = LP_WITHOUT_TRACE; });
        QVERIFY(!followedRun(run()).hasTrace);
    }

    void programIsGone()
    {
        begin(endsBefore);
        append(sampleAt(1'000'000, 600'000));
        const Said said = online({QStringLiteral("--follow")});
        QCOMPARE(said.code, 0);
        QVERIFY2(said.error.contains(QStringLiteral("ended without MPI_Finalize")), qPrintable(said.error));
        QVERIFY(said.out.startsWith(QStringLiteral("At 1 ms")) && said.out.contains(QStringLiteral("not the end")));
        // One that runs on is waited for.
        begin([](lp_header&) {});
        QProcess process;
        m_program.start(process, {QStringLiteral("online"), run(), QStringLiteral("--follow")});
        QVERIFY(!process.waitForFinished(900));
        process.terminate();
        QVERIFY(process.waitForFinished(30'000));
    }

    void withoutTrace()
    {
        begin([](lp_header& header) {
            header.flags = LP_WITHOUT_TRACE;
            header.end_kind = LP_FINALIZED;
        });
        const Said said = m_program({QStringLiteral("info"), run()});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QStringLiteral("without recording it (--no-trace)")), qPrintable(said.error));
        QVERIFY(said.error.contains(QStringLiteral("longpole online")));
    }

    void noSamples()
    {
        const auto says = [](const Said& said, const char* error) {
            return said.code == 3 && said.error.contains(QString::fromUtf8(error));
        };
        QVERIFY(says(online(), "The run has no samples of its critical path"));
        QFile rank(run() + QStringLiteral("/rank-000000.lprank"));
        QVERIFY(rank.open(QIODevice::WriteOnly));
        QVERIFY(says(online({QStringLiteral("--follow")}), "Record it with 'longpole record --online'."));
        QVERIFY(says(m_program({QStringLiteral("online"), run() + QStringLiteral("/no")}), "There is no such file"));
        QVERIFY(says(m_program({QStringLiteral("online"), QStringLiteral(LONGPOLE_PROGRAM)}), "This is no file with"));
        // A file of the kernel's may have no end.
        QVERIFY(QFile::link(QStringLiteral("/proc/self/status"), run() + QStringLiteral("/online.jsonl")));
        QVERIFY(says(online(), "The run has no samples of its critical path"));
    }
};

LONGPOLE_TEST(TestOnline)
#include "tst_online.moc"
