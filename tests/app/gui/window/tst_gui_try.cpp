// SPDX-License-Identifier: GPL-3.0-or-later
// Advice that is tried from its card: what is asked first, the runs as they come in, what is said of them, and how they
// are cancelled, fail, are remembered and come into the report.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/reportsheet.h"
#include "app/gui/frame/trialsheet.h"
#include "app/gui/session/trials.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/windowfixture.h"
#include "views/expert/advicepanel.h"
#include "views/widgets/linklabel.h"

#include "support/testmain.h"
#include "support/texts.h"
#include "views/seen.h"

#include <QCheckBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <csignal>
#include <vector>

using namespace longpole;
using namespace longpole::test;

namespace {

// For how many milliseconds this thread could have run so far and had no core; 0 where the kernel does not say.
qint64 waitedForCore()
{
    constexpr qint64 nsOfMs = 1'000'000;
    QFile file(QStringLiteral("/proc/thread-self/schedstat"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QList<QByteArray> words = file.readAll().split(' ');
    return words.size() > 1 ? words[1].toLongLong() / nsOfMs : 0;
}

}  // namespace

class GuiTryTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        shareCache();
        qputenv("PATH", QFile::encodeName(QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).path()) + ':' + qgetenv("PATH"));
        // Faster where the advised entry method has its priority. Both leave what they saw.
        script("app", "if test -n \"$LONGPOLE_PRIORITIES\"; then cat \"$LONGPOLE_PRIORITIES\" > "
                          + path("seen").toUtf8() + "; echo with >> " + path("log").toUtf8()
                          + "; sleep 0.02; else echo without >> " + path("log").toUtf8() + "; sleep 0.4; fi\n");
        script("failing", "echo no mesh\nexit 7\n");
        script("long", "sleep 60 & echo $! > " + path("child").toUtf8() + "\nwait\n");
    }
    void init()
    {
        for (const char* left : {"log", "seen", "child"}) QFile::remove(path(left));
        begin({1440, 900});
        m_window->open(QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6/prio.sts"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace(), 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(advice().isThere() && !advice().cards().empty(), 30'000);
        card().setOpen(true);
    }
    void cleanup()
    {
        end();
        // Nothing stays of what runs needed.
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral(".longpole-try*")}, QDir::Dirs | QDir::Hidden),
                 QStringList());
        QCOMPARE(QDir(m_folder.filePath(QStringLiteral("longpole"))).entryList({QStringLiteral("trial-*")}, QDir::Dirs),
                 QStringList());
    }

    // Before anything runs the sheet says how often what will; where it cannot, why.
    void saysFirstWhatWillRun()
    {
        TrialSheet& sheet = ask();
        QVERIFY(sheet.priorities().isVisible() && sheet.priorities().isChecked());
        QCOMPARE(sheet.pairs().value(), 5);
        QVERIFY(sheet.copied().isChecked());  // the trace's logs lie in the folder
        sheet.copied().setChecked(false);
        QVERIFY(!seen<QPushButton>(sheet, "Run").isEnabled());
        QVERIFY(sheet.sentence().text().contains(QStringLiteral("Write the command")));
        sheet.command().setText(path("app") + QStringLiteral(" \"two words\""));
        sheet.folder().setText(path("nowhere"));
        QVERIFY(!seen<QPushButton>(sheet, "Run").isEnabled());
        QVERIFY(sheet.sentence().text().contains(QStringLiteral("no such folder")));
        sheet.folder().setText(m_folder.path());
        QVERIFY(seen<QPushButton>(sheet, "Run").isEnabled());
        QCOMPARE(sheet.sentence().text(),
                 QStringLiteral("Runs 10 times in %1: 5 without and 5 with the advised priorities, in turn.")
                     .arg(m_folder.path()));
        sheet.priorities().setChecked(false);
        QVERIFY(!seen<QPushButton>(sheet, "Run").isEnabled());
        QVERIFY(sheet.sentence().text().contains(QStringLiteral("Say what changes")));
        sheet.variables().setText(QStringLiteral("A"));
        QVERIFY(sheet.sentence().text().contains(QStringLiteral("NAME=VALUE")));
        sheet.variables().setText(QStringLiteral("A=1 B=2"));
        sheet.pairs().setValue(7);
        QVERIFY(sheet.sentence().text().contains(QStringLiteral("7 without and 7 with A=1, B=2, in turn")));
        QTest::keyClick(&sheet.command(), Qt::Key_Escape);
        QVERIFY(!sheet.isVisible());
        QVERIFY(!QFile::exists(path("log")));
        QVERIFY(!trials().isRunning());
    }

    // Predicted and measured on one card, the verdict as the command gives it, and the window lives meanwhile.
    void predictedBesideMeasured()
    {
        QElapsedTimer clock;
        qint64 longest = 0, withoutCore = 0;  // ms
        QTimer beat;
        connect(&beat, &QTimer::timeout, this, [&] {
            const qint64 without = waitedForCore();  // what else the machine does is not the window's doing
            if (clock.isValid()) longest = std::max(longest, clock.elapsed() - (without - withoutCore));
            withoutCore = without;
            clock.start();
        });
        QSignalSpy changes(&trials(), &Trials::changed);
        QString during;  // looked at when it changes: on a busy machine a run may be over before the window is idle
        const auto look = [&] {
            const QString words = onCard(true);
            if (words.contains(QStringLiteral("Run 4 of 10"))) during = words;
        };
        const auto looking = connect(&trials(), &Trials::changed, this, look);
        const auto stops = qScopeGuard([&looking] { disconnect(looking); });
        start("app", 5);
        beat.start(5);
        QTRY_VERIFY_WITH_TIMEOUT(!during.isEmpty(), 60'000);
        QVERIFY2(during.contains(QStringLiteral("Cancel")) && during.contains(QStringLiteral("Predicted")),
                 qPrintable(during));
        AdviceCard* const before = &card();
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 60'000);
        QCOMPARE(changes.size(), 12);  // its begin, ten runs, its end
        QCOMPARE(&card(), before);     // who reads the card keeps it
        QVERIFY2(longest < 250, qPrintable(QString::number(longest)));
        QCOMPARE(read("log").count('\n'), 10);
        QCOMPARE(read("log").count("with\nwith\n"), 2);  // in turn, each pair the other way round
        QCOMPARE(read("seen"), advice().prioritiesOf(card().advice()));
        QVERIFY(read("seen").contains("chain_hop"));

        const std::vector<Trial> all = m_window->workspace()->trials();
        QCOMPARE(all.size(), std::size_t(1));
        const Trial& trial = all.front();
        QCOMPARE(trial.runs.size(), std::size_t(10));
        QCOMPARE(trial.prediction->gainLow, card().advice().prediction->gainLow);
        const TrialGain gain = trialGain(trial.runs);
        QVERIFY(gain.isDecided() && gain.low > 0.3);  // of 400 ms 380
        QCOMPARE(isAsPredicted(trial), std::optional(gain.median <= trial.prediction->gainHigh + 0.0005));
        QVERIFY(said().contains(verdictOf(trial)));
        for (const QString& figures : {measuredText(gain), predictedGainText(trial), mediansText(gain)})
            QVERIFY2(said().contains(plain(figures)), qPrintable(plain(figures) + QStringLiteral(" in ") + said()));
        QVERIFY(!said().contains(QStringLiteral("Cancel")));
        QVERIFY(card().toText().contains(verdictOf(trial)));
    }

    void otherChangesAndFewRuns()
    {
        TrialSheet& sheet = fill("app", 2);
        sheet.priorities().setChecked(false);
        sheet.variables().setText(QStringLiteral("LONGPOLE_PRIORITIES=%1").arg(path("app")));
        seen<QPushButton>(sheet, "Run").click();
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 60'000);
        QVERIFY(said().contains(QStringLiteral("Not decided: fewer than 5 pairs")));
        QVERIFY(said().contains(QStringLiteral("LONGPOLE_PRIORITIES=")));
        QCOMPARE(read("log").count('\n'), 4);
    }

    // Its program goes with all that it started; what was measured until then is no verdict.
    void cancel()
    {
        start("long", 5);
        QTRY_VERIFY_WITH_TIMEOUT(read("child").endsWith('\n'), 30'000);
        const pid_t child = read("child").trimmed().toInt();
        LinkLabel* link = nullptr;
        for (LinkLabel* label : card().trial()->findChildren<LinkLabel*>())
            if (label->plainText().contains(QStringLiteral("Cancel"))) link = label;
        QVERIFY(link);
        link->follow();
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 10'000);
        QTRY_VERIFY(kill(child, 0) != 0);
        QVERIFY(said().contains(QStringLiteral("Cancelled")));
        QVERIFY(m_window->workspace()->trials().empty());
    }

    void closingEndsIt()
    {
        start("long", 5);
        QTRY_VERIFY_WITH_TIMEOUT(read("child").endsWith('\n'), 30'000);
        const pid_t child = read("child").trimmed().toInt();
        m_window->closeTrace();
        QTRY_VERIFY(kill(child, 0) != 0);
    }

    void aRunThatFails()
    {
        start("failing", 5);
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 30'000);
        QVERIFY2(said().contains(QStringLiteral("exit code 7")) && said().contains(QStringLiteral("no mesh")),
                 qPrintable(said()));
        QVERIFY(m_window->workspace()->trials().empty());
    }

    void oneAtATime()
    {
        start("long", 5);
        QTRY_VERIFY_WITH_TIMEOUT(read("child").endsWith('\n'), 30'000);
        buttonOf(card(), "Try it")->click();
        QTRY_VERIFY(m_window->banner().isVisible());
        QVERIFY(!m_window->findChild<TrialSheet*>()->isVisible());
        trials().cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 10'000);
    }

    // The command is chosen once for a program.
    void isRemembered()
    {
        TrialSheet& sheet = fill("failing", 3);
        sheet.folder().setText(QDir::current().relativeFilePath(m_folder.path()));  // kept as it is meant now
        sheet.versus().setText(QStringLiteral("true"));
        seen<QPushButton>(sheet, "Run").click();
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 30'000);
        m_window->closeTrace();
        m_window->open(QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6/prio.sts"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace() && advice().isThere() && !advice().cards().empty(), 30'000);
        TrialSheet& again = ask();
        QCOMPARE(again.command().text(), path("failing"));
        QCOMPARE(again.folder().text(), m_folder.path());
        QCOMPARE(again.versus().text(), QStringLiteral("true"));
        QCOMPARE(again.pairs().value(), 3);
        again.close();
    }

    // The report has it, unless it is not wanted.
    void inTheReport()
    {
        start("app", 2);
        QTRY_VERIFY_WITH_TIMEOUT(!trials().isRunning(), 60'000);
        m_window->chooseReport();
        auto* sheet = m_window->findChild<ReportSheet*>();
        const auto hasBox = [sheet] {
            const std::vector<QCheckBox*> boxes = sheet->boxes();
            return std::any_of(boxes.begin(), boxes.end(),
                               [](const QCheckBox* box) { return box->text() == QStringLiteral("What was tried"); });
        };
        QVERIFY(hasBox());
        sheet->close();
        const QString file = path("report.md");
        // Until it is said to be written no other export begins.
        const auto isWritten = [&] { return QFile::exists(file) && m_window->banner().text().contains(file); };
        m_window->exportReport(file);
        QTRY_VERIFY_WITH_TIMEOUT(isWritten(), 60'000);
        const QByteArray text = read("report.md");
        QVERIFY(text.contains("\n## What was tried\n"));
        QVERIFY(text.contains("Not decided: fewer than 5 pairs"));
        QVERIFY(text.indexOf("## What was tried") > text.indexOf("\n## "));
        QVERIFY(QFile::remove(file));
        m_settings->setText(QStringLiteral("reportWithout"), QStringLiteral("trial"));
        m_window->exportReport(file);
        QTRY_VERIFY_WITH_TIMEOUT(isWritten(), 60'000);
        QVERIFY(!read("report.md").contains("What was tried"));
    }

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    QByteArray read(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void script(const char* name, const QByteArray& text) const { QVERIFY(writeScript(path(name), text)); }
    AdvicePanel& advice() { return *m_window->workspace()->advicePanel(); }
    AdviceCard& card() { return *advice().cards().front(); }
    Trials& trials() { return *m_window->workspace()->findChild<Trials*>(); }
    // With the blanks that may break a line.
    static QString plain(QString text) { return text.replace(QChar(QChar::Nbsp), QLatin1Char(' ')); }
    // All that the open card says.
    QString said()
    {
        QCoreApplication::processEvents();  // what was added shows
        return onCard();
    }
    // `later`: what was added and shows when the window has time, too.
    QString onCard(bool later = false)
    {
        QStringList words;
        for (const LinkLabel* label : card().findChildren<LinkLabel*>())
            if (later || !label->isHidden()) words << label->plainText();
        return plain(words.join(QLatin1Char('\n')));
    }
    TrialSheet& ask()
    {
        card().setOpen(true);
        buttonOf(card(), "Try it")->click();
        return *m_window->findChild<TrialSheet*>();
    }
    TrialSheet& fill(const char* command, int pairs)
    {
        TrialSheet& sheet = ask();
        sheet.command().setText(path(command));
        sheet.folder().setText(m_folder.path());
        sheet.copied().setChecked(false);
        sheet.pairs().setValue(pairs);
        return sheet;
    }
    void start(const char* command, int pairs)
    {
        seen<QPushButton>(fill(command, pairs), "Run").click();
        QVERIFY(trials().isRunning());
    }
};

LONGPOLE_GUI_TEST(GuiTryTest)
#include "tst_gui_try.moc"
