// SPDX-License-Identifier: GPL-3.0-or-later
// How longpole-gui starts where there is no display, and what it says of its options.
#include "app/program.h"
#include "app/smalltrace.h"
#include "importers/common/formats.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace longpole;
using namespace longpole::test;

class TestGuiStart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysThatThereIsNoDisplay();
    void helpNeedsNoDisplay();
    void wrongOptionsAreUsageErrors();
    void documentsAreWritten();
    void aSignalClosesTheWindow_data();
    void aSignalClosesTheWindow();

private:
    // Without DISPLAY, WAYLAND_DISPLAY and QT_QPA_PLATFORM.
    Said start(const QStringList& arguments)
    {
        QProcess process;
        return m_program.run(process, guiProgram(), arguments);
    }
    static QString guiProgram()
    {
        return QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).path() + QStringLiteral("/gui/longpole-gui");
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

void TestGuiStart::saysThatThereIsNoDisplay()
{
    for (const QStringList& arguments : {QStringList(), QStringList{QStringLiteral("run.sts")}}) {
        const Said said = start(arguments);
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.startsWith(QStringLiteral("longpole-gui: There is no display")), qPrintable(said.error));
        QVERIFY2(said.error.contains(QStringLiteral("longpole report TRACE -o FILE.html")), qPrintable(said.error));
        QCOMPARE(said.error.count(QLatin1Char('\n')), 1);
    }
}

void TestGuiStart::helpNeedsNoDisplay()
{
    const Said said = start({QStringLiteral("--help")});
    QCOMPARE(said.code, 0);
    QVERIFY2(said.out.simplified().contains(QString::fromUtf8(openedFormats)), qPrintable(said.out));
}

void TestGuiStart::wrongOptionsAreUsageErrors()
{
    const Said said = start({QStringLiteral("-platform"), QStringLiteral("offscreen"), QStringLiteral("--frobnicate")});
    QCOMPARE(said.code, 2);
    QVERIFY2(said.error.contains(QStringLiteral("frobnicate")), qPrintable(said.error));
    for (const char* size : {"63M", "much", "-1G"}) {
        const Said memory = start({QStringLiteral("-platform"), QStringLiteral("offscreen"),
                                   QStringLiteral("--memory=") + QLatin1String(size)});
        QCOMPARE(memory.code, 2);
        QVERIFY2(memory.error.contains(QStringLiteral("64M")), qPrintable(memory.error));
    }
}

void TestGuiStart::documentsAreWritten()
{
    const auto written = [this](const char* what) {
        return start({QStringLiteral("--generate"), QLatin1String(what)});
    };
    const QString manual = written("man").out;
    QVERIFY(manual.simplified().contains(QString::fromUtf8(openedFormats)));
    for (const char* section : {".SH OPTIONS", ".SH KEYS", ".SH EXAMPLES", ".SH FILES"})
        QVERIFY2(manual.contains(QLatin1String(section)), section);
    QVERIFY2(written("views").out.toUtf8() == contentOf(QStringLiteral(LONGPOLE_DOCS "/views.md")),
             "docs/views.md is not what script/generate writes");
    QCOMPARE(written("nothing").code, 2);
}

void TestGuiStart::aSignalClosesTheWindow_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("kill") << SIGTERM;
    QTest::newRow("logout") << SIGHUP;
    QTest::newRow("Ctrl+C") << SIGINT;
}

// What the window has put into temporary files goes with it.
void TestGuiStart::aSignalClosesTheWindow()
{
    QFETCH(int, signal);
    const QTemporaryDir folder;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}) {
        QVERIFY(QDir(folder.path()).mkdir(QLatin1String(name)));
        environment.insert(QLatin1String(name), folder.filePath(QLatin1String(name)));
    }
    const QString trace = folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(writeHostileTrace(trace).ok());
    const auto kept = [&] {
        return QDir(folder.filePath(QStringLiteral("TMPDIR"))).entryList({QStringLiteral("longpole*")});
    };
    QProcess window;
    window.setProcessEnvironment(environment);
    window.setChildProcessModifier([signal] { std::signal(signal, SIG_DFL); });  // the test may run in the background
    window.start(guiProgram(), {QStringLiteral("-platform"), QStringLiteral("offscreen"), trace});
    QVERIFY(window.waitForStarted());
    QVERIFY(QTest::qWaitFor([&] { return !kept().isEmpty(); }, 30'000));
    QCOMPARE(::kill(static_cast<pid_t>(window.processId()), signal), 0);
    QVERIFY(window.waitForFinished());
    QCOMPARE(window.exitStatus(), QProcess::NormalExit);
    QCOMPARE(window.exitCode(), 128 + signal);
    QCOMPARE(kept(), QStringList());
}

LONGPOLE_TEST(TestGuiStart)
#include "tst_gui_start.moc"
