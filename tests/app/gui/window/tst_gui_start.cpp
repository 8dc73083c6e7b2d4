// SPDX-License-Identifier: GPL-3.0-or-later
// How longpole-gui starts where there is no display, and what it says of its options.
#include "app/program.h"
#include "importers/common/formats.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestGuiStart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysThatThereIsNoDisplay();
    void helpNeedsNoDisplay();
    void wrongOptionsAreUsageErrors();
    void documentsAreWritten();

private:
    // Without DISPLAY, WAYLAND_DISPLAY and QT_QPA_PLATFORM.
    Said start(const QStringList& arguments)
    {
        QProcess process;
        return m_program.run(process,
                             QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).path() + QStringLiteral("/gui/longpole-gui"),
                             arguments);
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

LONGPOLE_TEST(TestGuiStart)
#include "tst_gui_start.moc"
