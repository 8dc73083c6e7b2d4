// SPDX-License-Identifier: GPL-3.0-or-later
// Commands on real traces and on bad ones: figures that must not change, errors that say what, where and what to do.
#include "app/jsonschema.h"
#include "app/program.h"
#include "importers/recording/growingprogram.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/stat.h>
#include <unistd.h>

using namespace longpole::test;

class TestImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void everyCommandAnswers_data();
    void everyCommandAnswers();
    void figuresOfARealTrace();
    void sumsOfARealPath_data();
    void sumsOfARealPath();
    void importToAFile();
    void longRecordingIsReadInParts();
    void badInput_data();
    void badInput();
    void damagedByteIsAnErrorOrTheSameAnswer();
    void unreadableIsExplained();
    void pipesAndDevicesAreRefused();
    void namesCannotCommandTheTerminal();
    void unfinishedImportIsRefused();
    void interruptedLeavesNothing_data();
    void interruptedLeavesNothing();

private:
    QString file(const QString& name) const { return m_folder.filePath(name); }
    static QString data(const char* name) { return QStringLiteral(LONGPOLE_TEST_DATA "/") + QString::fromUtf8(name); }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

namespace {

void writeInput(const QString& name, const QByteArray& bytes)
{
    QFile out(name);
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(bytes), bytes.size());
}

}  // namespace

void TestImport::everyCommandAnswers_data()
{
    QTest::addColumn<QString>("trace");
    for (const char* name : {"nqueen_p4", "nqueen_p4/nqueen.sts", "features_p4", "features_notes_p4", "fib_binary_p2",
                             "fib_subdirs_nogz_p4", "cpath_p4", "gauss_seidel_p8"})
        QTest::newRow(name) << data(name);
}

void TestImport::everyCommandAnswers()
{
    QFETCH(QString, trace);
    const QStringList calls[] = {
        {QStringLiteral("info")},
        {QStringLiteral("profile"), QStringLiteral("--by"), QStringLiteral("object")},
        {QStringLiteral("critical-path")},
        {QStringLiteral("critical-path"), QStringLiteral("--mode"), QStringLiteral("elapsed")},
        {QStringLiteral("sql"), QStringLiteral("SELECT count(*) FROM task")},
        {QStringLiteral("render"), QStringLiteral("--path"), QStringLiteral("-o"), file(QStringLiteral("a.png"))},
        {QStringLiteral("report"), QStringLiteral("-o"), file(QStringLiteral("a.html"))},
        {QStringLiteral("report"), QStringLiteral("-o"), file(QStringLiteral("a.pdf"))},
    };
    for (QStringList call : calls) {
        call.insert(1, trace);
        const Said said = m_program(call);
        QVERIFY2(said.code == 0, qPrintable(call.join(QLatin1Char(' ')) + QStringLiteral(": ") + said.error));
        QCOMPARE(said.error, QString());
    }
}

// From the trace's description: the duration and records of the example of Sinha and Kale.
void TestImport::figuresOfARealTrace()
{
    const Said said = m_program({QStringLiteral("info"), data("gauss_seidel_p8"), QStringLiteral("--json")});
    const json info = json::parse(said.out.toStdString());
    COMPARE_JSON(info.at("program"), "gs");
    COMPARE_JSON(info.at("processors"), 8);
    COMPARE_JSON(info.at("records"), 19'357);
    const std::int64_t duration = info.at("end_ns").get<std::int64_t>() - info.at("begin_ns").get<std::int64_t>();
    QCOMPARE(duration * 8, info.at("busy_ns").get<std::int64_t>() + info.at("idle_ns").get<std::int64_t>()
                               + info.at("overhead_ns").get<std::int64_t>());

    const Said counted = m_program({QStringLiteral("sql"), data("gauss_seidel_p8"),
                                    QStringLiteral("SELECT count(*) AS n, sum(exclusive_ns) AS busy FROM task"),
                                    QStringLiteral("--json")});
    const json row = json::parse(counted.out.toStdString()).at(0);
    COMPARE_JSON(row.at("n"), info.at("tasks"));
    COMPARE_JSON(row.at("busy"), info.at("busy_ns"));

    const Said profiled = m_program({QStringLiteral("profile"), data("gauss_seidel_p8"), QStringLiteral("--json")});
    std::int64_t exclusive = 0;
    for (const json& entry : json::parse(profiled.out.toStdString()))
        exclusive += entry.at("exclusive_ns").get<std::int64_t>();
    COMPARE_JSON(exclusive, info.at("busy_ns"));
}

void TestImport::sumsOfARealPath_data()
{
    QTest::addColumn<QStringList>("options");
    const auto row = [](const char* options) {
        QTest::newRow(options) << QString::fromUtf8(options).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    };
    row("--mode work");
    row("--mode work --edges messages");
    row("--mode elapsed");
    row("--mode sweep");
}

void TestImport::sumsOfARealPath()
{
    QFETCH(QStringList, options);
    for (const char* name : {"gauss_seidel_p8", "features_p4", "jacobi2d_sdag_p4"}) {
        const Said said = m_program(QStringList{QStringLiteral("critical-path"), data(name), QStringLiteral("--json")}
                                    + options);
        QCOMPARE(QString::fromStdString(violation(said.out.toStdString(), "critical-path")), QString());
        const json path = json::parse(said.out.toStdString());
        std::int64_t steps = 0, profile = 0, parts = 0;
        for (const json& step : path.at("steps")) steps += step.at("weight_ns").get<std::int64_t>();
        for (const json& line : path.at("profile")) profile += line.at("time_ns").get<std::int64_t>();
        for (const json& part : path.at("parts")) parts += part.get<std::int64_t>();
        COMPARE_JSON(steps, path.at("length_ns"));
        if (path.at("mode") == "elapsed") {
            COMPARE_JSON(path.at("length_ns"), path.at("duration_ns"));
            COMPARE_JSON(parts, path.at("length_ns"));
            COMPARE_JSON(profile, path.at("parts").at("compute"));
        } else {
            COMPARE_JSON(profile, path.at("length_ns"));
        }
    }
}

void TestImport::importToAFile()
{
    const QString target = file(QStringLiteral("queens.longpole"));
    const QStringList call{QStringLiteral("import"), data("nqueen_p4"), QStringLiteral("-o"), target,
                           QStringLiteral("--json")};
    const Said said = m_program(call);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QCOMPARE(QString::fromStdString(violation(said.out.toStdString(), "import")), QString());
    const json report = json::parse(said.out.toStdString());
    COMPARE_JSON(report.at("file"), target.toStdString());
    QVERIFY(QFile::exists(target));
    const Said info = m_program({QStringLiteral("info"), target, QStringLiteral("--json")});
    COMPARE_JSON(json::parse(info.out.toStdString()).at("records"), report.at("records"));

    QFile first(target);
    QVERIFY(first.open(QIODevice::ReadOnly));
    const QByteArray bytes = first.readAll();
    QCOMPARE(m_program(call).code, 0);  // the same source gives the same file
    QFile second(target);
    QVERIFY(second.open(QIODevice::ReadOnly));
    QVERIFY(second.readAll() == bytes);

    const Said nowhere = m_program({QStringLiteral("import"), data("nqueen_p4"), QStringLiteral("-o"),
                                    file(QStringLiteral("missing/queens.longpole"))});
    QCOMPARE(nowhere.code, 3);
}

void TestImport::longRecordingIsReadInParts()
{
    const GrowingProgram program(1, 8, 22000, {});
    const QString recording = file(QStringLiteral("long.lprec"));
    program.write(recording, std::vector<std::int64_t>(std::size_t(program.ranks()), program.end() + 1), 1 << 16);
    const QString target = file(QStringLiteral("long.longpole"));
    const QStringList call{QStringLiteral("import"), recording, QStringLiteral("-o"), target};
    const Said said = m_program(call);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QRegularExpressionMatch parts =
        QRegularExpression(QStringLiteral(R"(records in .+, read in (\d+) parts\n\z)")).match(said.error);
    QVERIFY2(parts.hasMatch(), qPrintable(said.error));
    const json report = json::parse(m_program(call + QStringList{QStringLiteral("--json")}).out.toStdString());
    COMPARE_JSON(report.at("parts"), parts.captured(1).toLongLong());

    const Said atOnce = m_program({QStringLiteral("import"), data("nqueen_p4"), QStringLiteral("-o"), target});
    QVERIFY2(!atOnce.error.contains(QLatin1String("parts")), qPrintable(atOnce.error));
}

void TestImport::badInput_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty .longpole") << QStringLiteral("empty.longpole") << QByteArray();
    QTest::newRow("text as .longpole") << QStringLiteral("text.longpole") << QByteArray("no database");
    QTest::newRow("head of a database") << QStringLiteral("head.longpole") << QByteArray("SQLite format 3\0", 16);
    QTest::newRow("text") << QStringLiteral("notes.txt") << QByteArray("nothing of use\n");
    QTest::newRow("empty .sts") << QStringLiteral("alone.sts") << QByteArray();
    QTest::newRow("zeros") << QStringLiteral("zeros.sts") << QByteArray(4096, '\0');
    QTest::newRow("no logs") << QStringLiteral(
        "nologs.sts") << QByteArray("PROJECTIONS_ID\nVERSION 11.0\nPROCESSORS 4\nTOTAL_CHARES 0\nTOTAL_EPS 0\nEND\n");
}

void TestImport::badInput()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QTemporaryDir folder;
    const QString path = folder.filePath(name);
    writeInput(path, content);
    for (const char* command : {"info", "critical-path"}) {
        const Said said = m_program({QString::fromUtf8(command), path});
        QVERIFY2(said.code == 3, qPrintable(QStringLiteral("%1 %2").arg(said.code).arg(said.out)));
        QCOMPARE(said.out, QString());
        QVERIFY2(said.error.startsWith(QStringLiteral("longpole: ")), qPrintable(said.error));
        QVERIFY2(said.error.contains(name.section(QLatin1Char('.'), 0, 0)), qPrintable(said.error));
    }
}

// A few bytes all over the file; the store's own tests try every one.
void TestImport::damagedByteIsAnErrorOrTheSameAnswer()
{
    const QString target = file(QStringLiteral("whole.longpole"));
    QCOMPARE(m_program({QStringLiteral("import"), data("nqueen_p4"), QStringLiteral("-o"), target}).code, 0);
    const QStringList call{QStringLiteral("critical-path"), QString(), QStringLiteral("--json")};
    QStringList whole = call;
    whole[1] = target;
    const Said right = m_program(whole);
    QFile in(target);
    QVERIFY(in.open(QIODevice::ReadOnly));
    const QByteArray bytes = in.readAll();
    QStringList damaged = call;
    damaged[1] = file(QStringLiteral("damaged.longpole"));
    for (int i = 0; i < 24; ++i) {
        QByteArray changed = bytes;
        const qsizetype at = changed.size() * i / 24 + i;
        changed[at] = char(changed[at] ^ 0x40);
        writeInput(damaged[1], changed);
        const Said said = m_program(damaged);
        QVERIFY2(said.code == 0 || said.code == 3, qPrintable(QString::number(said.code)));
        if (said.code == 0) QCOMPARE(said.out, right.out);
    }
}

void TestImport::unreadableIsExplained()
{
    if (::geteuid() == 0) QSKIP("root may read anything");
    const QString folder = file(QStringLiteral("locked"));
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(QFile::setPermissions(folder, QFile::Permissions()));
    const Said said = m_program({QStringLiteral("info"), folder});
    QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QCOMPARE(said.code, 3);
    QVERIFY2(said.error.contains(folder), qPrintable(said.error));
}

// Reading a pipe or /dev/zero would never end, and saving would replace a device by a file.
void TestImport::pipesAndDevicesAreRefused()
{
    const QString pipe = file(QStringLiteral("pipe"));
    QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    const QString zero = QStringLiteral("/dev/zero");
    const QString trace = data("nqueen_p4");
    const auto link = [&](const char* name) {
        if (!QFile::link(pipe, file(QString::fromUtf8(name)))) qFatal("no link");
        return file(QString::fromUtf8(name));
    };
    const QString o = QStringLiteral("-o");
    const QStringList calls[] = {
        {QStringLiteral("info"), pipe},
        {QStringLiteral("info"), zero},
        {QStringLiteral("info"), trace, QStringLiteral("--symbols"), pipe},
        {QStringLiteral("info"), trace, QStringLiteral("--symbols"), zero},
        {QStringLiteral("tree"), trace, QStringLiteral("--thresholds"), zero},
        {QStringLiteral("report"), trace, o, file(QStringLiteral("r.md")), QStringLiteral("--tried"), zero},
        {QStringLiteral("phases"), QStringLiteral("--text"), zero},
        {QStringLiteral("report"), trace, o, link("pipe.html")},
        {QStringLiteral("render"), trace, o, link("pipe.png")},
        {QStringLiteral("import"), trace, o, link("pipe.longpole")},
    };
    for (const QStringList& call : calls) {
        const Said said = m_program(call);
        QVERIFY2(said.code == 3, qPrintable(call.join(QLatin1Char(' ')) + QString::number(said.code)));
        QVERIFY2(said.error.contains(call.last()), qPrintable(said.error));
    }
    struct stat about {};
    QCOMPARE(::stat(QFile::encodeName(pipe).constData(), &about), 0);
    QVERIFY(S_ISFIFO(about.st_mode));
}

void TestImport::namesCannotCommandTheTerminal()
{
    const QString folder = file(QStringLiteral("line\nfeed"));
    QVERIFY(QDir().mkpath(folder));
    writeInput(folder + QStringLiteral("/a\nb.sts"),
               "PROJECTIONS_ID\nVERSION 11.0\nPROCESSORS 1\nCOMMANDLINE \"./p \x1b[31m\"\nCHARE 0 \"A\x1b[31m\" -1\n"
               "ENTRY CHARE 0 \"f\x1b[31m\" 0 0\nEND\n");
    writeInput(folder + QStringLiteral("/a\nb.0.log"),
               "PROJECTIONS-RECORD 4\n6 1\n2 4 0 10 -1 0 8 0 0 0 0 0 0\n3 0 0 20 -1 0 0 0\n7 30\n");
    for (const char* command : {"info", "profile", "critical-path"}) {
        const Said said = m_program({QString::fromUtf8(command), folder});
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QVERIFY2(!said.out.contains(QLatin1Char('\x1b')), qPrintable(said.out));
    }
    // Checks that a trace fails are told with its name, where there are several.
    const QString cut = file(QStringLiteral("k\x1b]0;x\a\nrun.longpole")), same = file(QStringLiteral("b.longpole"));
    QCOMPARE(m_program({QStringLiteral("import"), data("wave2d_killed_p3"), QStringLiteral("-o"), cut}).code, 0);
    QVERIFY(QFile::copy(cut, same));
    const Said compared = m_program({QStringLiteral("compare"), cut, same});
    QVERIFY2(compared.error.contains(QStringLiteral("longpole: k ]0;x  run.longpole: Logs of 3 PEs are cut")),
             qPrintable(compared.error));
    QVERIFY2(!compared.error.contains(QLatin1Char('\x1b')), qPrintable(compared.error));
    const Said missing = m_program({QStringLiteral("info"), QStringLiteral("/no\x1b[31m\nfile.sts")});
    QCOMPARE(missing.error, QStringLiteral("longpole: There is no such file or folder (/no [31m file.sts).\n"));
}

// A file may be complete when the program dies just before it gets its name.
void TestImport::unfinishedImportIsRefused()
{
    const QString target = file(QStringLiteral("done.longpole"));
    QCOMPARE(m_program({QStringLiteral("import"), data("nqueen_p4"), QStringLiteral("-o"), target}).code, 0);
    QVERIFY(QFile::rename(target, target + QStringLiteral(".part-4711")));
    const Said said = m_program({QStringLiteral("info"), target + QStringLiteral(".part-4711")});
    QCOMPARE(said.code, 3);
    QVERIFY2(said.error.contains(QStringLiteral("not finished")), qPrintable(said.error));
}

void TestImport::interruptedLeavesNothing_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C") << SIGINT;
    QTest::newRow("batch system") << SIGTERM;
    QTest::newRow("closed terminal") << SIGHUP;
}

void TestImport::interruptedLeavesNothing()
{
    QFETCH(int, signal);
    QTemporaryDir folder;
    QByteArray log("PROJECTIONS-RECORD 1\n6 0\n");
    for (int i = 0; i < 2'000'000; ++i) {
        const QByteArray time = QByteArray::number(2 * i);
        log += "14 " + time + " 0\n15 " + time + " 0\n";
    }
    writeInput(folder.filePath(QStringLiteral("big.0.log")), log);
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("out")));
    const QDir out(folder.filePath(QStringLiteral("out")));

    QProcess process;
    m_program.start(process, {QStringLiteral("import"), folder.path(), QStringLiteral("-o"),
                              out.filePath(QStringLiteral("big.longpole"))});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(!out.isEmpty(), 30'000);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);  // a shell says 128 + signal
    QCOMPARE(process.exitCode(), signal);
    QVERIFY(process.readAllStandardError().contains("interrupted"));
    QCOMPARE(out.entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot), QStringList());
}

LONGPOLE_TEST(TestImport)
#include "tst_import.moc"
