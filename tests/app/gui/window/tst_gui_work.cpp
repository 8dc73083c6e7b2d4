// SPDX-License-Identifier: GPL-3.0-or-later
// What the window has under way beside what it shows: runs that open, files that are written, what of it is said, and
// what Cancel ends.
#include "app/common/tracelink.h"
#include "app/gui/frame/banner.h"
#include "app/gui/live/livepage.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/windowfixture.h"
#include "views/expert/healthpanel.h"
#include "views/projection/animationpanel.h"

#include "app/followedrun.h"
#include "support/synthetic.h"
#include "support/texts.h"
#include "support/units.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QFrame>
#include <QPointer>
#include <QPushButton>
#include <QStatusBar>

using namespace longpole;
using namespace longpole::test;

class WorkTest : public QObject, protected WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        writeTrace();
        const QString folder = m_folder.filePath(QStringLiteral("slow"));
        QVERIFY(QDir().mkpath(folder));
        m_slow = writeSynthetic(folder, {.records = 4'000'000});
        QVERIFY(!m_slow.isEmpty());
    }
    void init() { begin(); }
    void cleanup() { end(); }

    void aSecondFileWaits()
    {
        openSmall();
        const QString first = file("first.md"), second = file("second.md");
        m_window->exportReport(first);
        m_window->exportReport(second);
        QVERIFY2(said(QStringLiteral("first.md is being written")), qPrintable(m_window->banner().text()));
        QTRY_VERIFY(said(first) && QFileInfo::exists(first));
        QVERIFY(!QFileInfo::exists(second));
        m_window->exportReport(second);
        QTRY_VERIFY(said(second) && QFileInfo::exists(second));
    }

    // What panels have written in the background is written as the window's own files are.
    void animationsAreWritten()
    {
        openSmall();
        m_window->workspace()->showTab(QStringLiteral("panel.animation"));
        auto* panel = m_window->findChild<AnimationPanel*>();
        QVERIFY(panel);
        QTRY_COMPARE(panel->stateText(), QStringLiteral("exact"));
        const QString animation = file("animation.png"), lost = file("nowhere/animation.png");
        panel->exportTo(animation, false);
        panel->exportTo(lost, false);
        QVERIFY2(said(QStringLiteral("animation.png is being written")), qPrintable(m_window->banner().text()));
        QTRY_VERIFY2(said(animation), qPrintable(m_window->banner().text()));
        QVERIFY(contentOf(animation).contains("fcTL"));
        panel->exportTo(lost, false);
        QTRY_VERIFY2(said(lost), qPrintable(m_window->banner().text()));
    }

    void errorsOutlastProgress()
    {
        openSmall();
        m_window->open(m_slow);
        QTRY_VERIFY(m_window->banner().isProgress());
        const QString lost = file("lost.longpole-session");
        m_window->useSession(lost);
        QVERIFY(said(lost));
        QTest::qWait(250);  // progress is shown ten times a second
        QVERIFY2(said(lost), qPrintable(m_window->banner().text()));
        m_window->open(m_small);  // instead
        QTRY_VERIFY(!m_window->session().isOpening());
    }

    // Only what it stands beside.
    void cancelEndsWhatIsShown()
    {
        openSmall();
        const QString report = file("kept.md");
        m_window->exportReport(report);
        m_window->compareWith(m_slow);
        Q_EMIT m_window->banner().cancelled();
        QVERIFY(!m_window->workspace()->second().isOpening());
        QTRY_VERIFY(said(report) && QFileInfo::exists(report));
    }

    // The range of a link is that of its run, not of the one that happens to open next.
    void whatWasCancelledIsForgotten()
    {
        openSmall();
        m_window->open(toText(TraceLink{m_slow, {2 * us, 5 * us}}));
        QVERIFY(m_window->session().isOpening());
        Q_EMIT m_window->banner().cancelled();
        QVERIFY(!m_window->session().isOpening());
        refresh();
        QCOMPARE(state().range(), state().wholeRange());
        const QString lost = file("lost.longpole");
        m_window->open(toText(TraceLink{lost, {2 * us, 5 * us}}));
        QTRY_VERIFY(said(lost));
        refresh();
        QCOMPARE(state().range(), state().wholeRange());
    }

    void theNewestOpeningWins()
    {
        const QString run = file("run.lprec");
        QVERIFY(QDir().mkpath(run));
        QVERIFY(putFirstRank(run, [](lp_header&) {}));
        QFile samples(run + QStringLiteral("/online.jsonl"));
        QVERIFY(samples.open(QIODevice::WriteOnly) && samples.write(sampleAt(1'000'000, 600'000)) > 0);
        samples.close();
        m_window->open(m_slow);
        QVERIFY(m_window->session().isOpening());
        m_window->open(run);
        QVERIFY(m_window->live() && m_window->live()->isVisible());
        QVERIFY(!m_window->session().isOpening());
    }

    // A stranger's file has as many kinds as it may (limits::storeIssues).
    void manyIssues()
    {
        constexpr int many = 4'000;
        const QString path = file("issues.longpole");
        QVERIFY(writeHostileTrace(path, ProgramKind::MessageDriven, many).ok());
        QElapsedTimer clock;
        clock.start();
        m_window->open(path);
        QTRY_VERIFY(m_window->workspace());
        const HealthPanel& health = m_window->workspace()->healthPanel();
        QTRY_VERIFY(health.health() != nullptr);
        QVERIFY2(clock.elapsed() < 10'000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(health.notes(), many + 1);
        QVERIFY(health.findChildren<QFrame*>(QStringLiteral("card")).size() < 150);
        QVERIFY(health.toText().contains(QStringLiteral("more: The command longpole info lists them.")));
        for (const QPushButton* button : m_window->statusBar()->findChildren<QPushButton*>())
            QVERIFY(button->toolTip().size() < 20'000);
    }

private:
    QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    bool said(const QString& text) const { return m_window->banner().text().contains(text); }
    void refresh()
    {
        const QPointer<Workspace> before(m_window->workspace());
        m_window->actions().find(QStringLiteral("file.refresh"))->trigger();
        QTRY_VERIFY(m_window->workspace() && !before);
    }

    QString m_slow;
};

LONGPOLE_GUI_TEST(WorkTest)
#include "tst_gui_work.moc"
