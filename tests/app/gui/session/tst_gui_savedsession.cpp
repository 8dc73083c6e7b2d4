// SPDX-License-Identifier: GPL-3.0-or-later
// A session in a file: a run comes back as it was looked at, another one as far as it fits.
#include "app/common/tracelink.h"
#include "app/gui/frame/reportsheet.h"
#include "app/gui/session/savedsession.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/session/sessionwindow.h"
#include "app/gui/session/viewedrun.h"
#include "app/gui/window/panels.h"
#include "core/trace/format.h"
#include "views/timeline/view.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <QTimer>

#include <sys/stat.h>

using namespace longpole;
using namespace longpole::test;

class SavedSessionTest : public QObject, private SessionWindow {
    Q_OBJECT
private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void comesBackAsItWas()
    {
        open(file("a/small.longpole"));
        m_window->compareWith(file("a/second.longpole"));
        QTRY_VERIFY(m_window->hasSecond());
        const TimeRange range{smallZero + 2 * us, smallZero + 5 * us};
        state().setRange(range);
        state().setMarked({smallZero + 1 * us, smallZero + 7 * us});
        state().setArrows(ArrowMode::Chain);
        m_window->setBookmarkHere(4);
        m_window->workspace()->timeline().setRowOrder({ProcessorId{1}, ProcessorId{0}});
        m_window->session().setModel(PathMode::Work, EdgeLevel::Messages);
        m_window->showTab(QLatin1String(panels::sql.id));
        m_window->saveSession(file("a/work"));  // the ending is added
        QVERIFY(QFile::exists(file("a/work.longpole-session")));
        // The dialog asked about the name without it.
        const QDateTime saved = QFileInfo(file("a/work.longpole-session")).lastModified();
        bool hasAsked = false;
        QTimer::singleShot(0, m_window.get(), [&hasAsked] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            hasAsked = box != nullptr;
            if (box) box->button(QMessageBox::No)->click();
        });
        m_window->saveSession(file("a/work"));
        QVERIFY(hasAsked);
        QCOMPARE(QFileInfo(file("a/work.longpole-session")).lastModified(), saved);

        // Somewhere else, in a window that looks otherwise, without what this user keeps beside the trace.
        m_window.reset();
        QVERIFY(QDir().rename(file("a"), file("b")));
        QVERIFY(QDir(file("cache")).removeRecursively());
        QVERIFY(QFile::remove(file("settings.ini")));
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        newWindow();
        m_window->open(file("b/work.longpole-session"));
        QTRY_VERIFY(m_window->workspace());
        QCOMPARE(QFileInfo(m_window->session().path()).canonicalFilePath(),
                 QFileInfo(file("b/small.longpole")).canonicalFilePath());
        QCOMPARE(state().range(), range);
        QCOMPARE(state().marked(), (TimeRange{smallZero + 1 * us, smallZero + 7 * us}));
        QCOMPARE(state().arrows(), ArrowMode::Chain);
        QCOMPARE(m_window->session().question().mode, PathMode::Work);
        QCOMPARE(m_window->session().question().edges, EdgeLevel::Messages);
        QCOMPARE(m_window->workspace()->timeline().rows().choice().order,
                 (std::vector{ProcessorId{1}, ProcessorId{0}}));
        QCOMPARE(m_window->workspace()->sideFile().bookmarks.size(), std::size_t(1));
        QCOMPARE(m_window->workspace()->sideFile().bookmarks[0].number, 4);
        QVERIFY(!m_window->workspace()->area().find(QLatin1String(panels::sql.id))->isHidden());
        QTRY_VERIFY(m_window->hasSecond());
        QVERIFY(m_window->workspace()->second().path().endsWith(QStringLiteral("b/second.longpole")));
    }

    // What fits another run is taken; the user's own bookmarks stay.
    void fitsAnotherRun()
    {
        SavedSession other;
        other.trace = file("a/small.longpole");
        other.stamp = QStringLiteral("another");
        other.begin = 0;
        other.question.to = TaskId{ProcessorId{7}, 99};
        other.side.range = TimeRange{2 * us, 50 * us};
        setBookmark(other.side.bookmarks, {.number = 1, .note = QStringLiteral("in it"), .range = {1 * us, 2 * us}});
        setBookmark(other.side.bookmarks, {.number = 2, .note = {}, .range = {900 * us, 901 * us}});
        QVERIFY(saveSession(file("other.longpole-session"), other).ok());
        open(file("a/small.longpole"));
        m_window->setBookmarkHere(1);
        m_window->useSession(file("other.longpole-session"));
        QCOMPARE(state().range(), (TimeRange{smallZero + 2 * us, state().fullRange().end}));
        const std::vector<Bookmark>& bookmarks = m_window->workspace()->sideFile().bookmarks;
        QCOMPARE(bookmarks.size(), std::size_t(2));
        QCOMPARE(bookmarks[1].number, 2);
        QCOMPARE(bookmarks[1].note, QStringLiteral("in it"));
        QCOMPARE(bookmarks[1].range.begin, smallZero + 1 * us);
        QVERIFY(!m_window->session().question().to);
        QVERIFY(noteText().contains(QStringLiteral("left out: 1")));
        m_window->useSession(file("other.longpole-session"));  // once more: nothing is there twice
        QCOMPARE(bookmarks.size(), std::size_t(2));
    }

    // The report says what was looked at, behind the advice, and leaves out what was not wanted.
    void theReportSaysWhatWasLookedAt()
    {
        open(file("a/small.longpole"));
        m_window->actions().find(QStringLiteral("file.report"))->trigger();
        auto* sheet = m_window->findChild<ReportSheet*>();
        QVERIFY(sheet && sheet->isVisible());
        QVERIFY(sheet->boxes().size() > 6);
        for (QCheckBox* box : sheet->boxes()) {
            QCOMPARE(box->isChecked(), box != sheet->boxes().front());  // nothing is looked at: no tick without effect
            QVERIFY(!box->text().isEmpty());
            box->setChecked(false);
        }
        QVERIFY(!seen<QPushButton>(*sheet, "Choose the file …").isEnabled());
        QVERIFY(!sheet->boxes().front()->isEnabled());  // the whole run shows
        sheet->close();
        state().setMarked({smallZero + 1 * us, smallZero + 2 * us});
        m_window->actions().find(QStringLiteral("file.report"))->trigger();
        QVERIFY(sheet->boxes().front()->isEnabled() && sheet->boxes().front()->isChecked());
        sheet->close();
        state().setMarked({});

        const QString path = file("report.md");
        state().setRange({smallZero + 2 * us, smallZero + 5 * us});
        m_window->setBookmarkHere(4);
        m_window->exportReport(path);
        QTRY_VERIFY(noteText().contains(path));
        QString text = QString::fromUtf8(read(path));
        const qsizetype advice = text.indexOf(QStringLiteral("\n## ")),
                        view = text.indexOf(QStringLiteral("\n## What was looked at"));
        QVERIFY(advice >= 0 && view > advice);
        QVERIFY(text.indexOf(QStringLiteral("\n## "), advice + 1) == view);
        QVERIFY(text.contains(formatShare(0.3) % QStringLiteral(" of the run")));
        QVERIFY(text.contains(QStringLiteral("Bookmark 4: ")));
        QVERIFY(text.contains(QStringLiteral("\n### The decision tree")));

        m_settings->setFlag(QStringLiteral("reportWithView"), false);
        m_settings->setText(QStringLiteral("reportWithout"), QStringLiteral("tree,health"));
        QVERIFY(QFile::remove(path));
        m_window->exportReport(path);
        QTRY_VERIFY(QFile::exists(path));
        text = QString::fromUtf8(read(path));
        QVERIFY(!text.contains(QStringLiteral("What was looked at")));
        QVERIFY(!text.contains(QStringLiteral("\n### The decision tree")));
    }

    // Its pictures mark the path that the window shows, which need not be the one that the other sections speak of.
    void theReportsPicturesMarkTheShownPath()
    {
        open(file("a/small.longpole"));
        const TimeRange range{smallZero + 2 * us, smallZero + 5 * us};
        ViewedRun run{.visible = range, .marked = {}, .processors = {}, .path = {}, .question = {}, .bookmarks = {}};
        run.bookmarks.push_back({.number = 1, .note = {}, .range = range});
        const auto path = std::make_shared<const CriticalPath>();
        run.path = std::make_shared<const CountedPath>(CountedPath{.path = path});
        const Finding found = viewedFinding(state().store(), run);
        QCOMPARE(found.figures.size(), std::size_t(2));
        for (const FindingFigure& figure : found.figures) {
            QVERIFY(figure.withPath);
            QCOMPARE(figure.path, path);
        }
    }

    void aLinkOpensTheTraceAtItsRange()
    {
        const TraceLink link{file("a/small.longpole"), {2 * us, 5 * us}};
        m_window->open(toText(link));
        QTRY_VERIFY(m_window->workspace());
        const TimeRange range{smallZero + 2 * us, smallZero + 5 * us};
        QCOMPARE(state().range(), range);
        m_window->showWholeRun();
        const MainWindow* same = m_window.get();
        m_window->open(toText(link));  // it is open already
        QCOMPARE(state().range(), range);
        QVERIFY(!same->session().isOpening());
        m_window->open(QStringLiteral("longpole://host/a.sts"));
        QVERIFY(noteText().contains(QStringLiteral("This is no link to a trace")));
        for (const char* elsewhere :
             {"longpole:/proc/kmsg", "longpole:/net/example.invalid/run/a.sts", "longpole:/afs/example.invalid/a.sts",
              "longpole:/home/../net/example.invalid/a"}) {
            m_window->open(QLatin1String(elsewhere));
            QVERIFY2(
                noteText().contains(QStringLiteral("This link leads to another machine, or to files of the system")),
                elsewhere);
            QVERIFY(!same->session().isOpening());
        }
    }

    void aLinkOpensTheTraceAtItsTask()
    {
        const TaskId task{ProcessorId{1}, 0};
        m_window->open(toText(TraceLink{file("a/small.longpole"), {}, task}));
        QTRY_VERIFY(m_window->workspace());
        QCOMPARE(state().selection().task, task);
        QTRY_VERIFY(state().revealedPlace());
        QCOMPARE(state().revealedPlace()->pe, task.pe);
        const TaskId none{ProcessorId{1}, 77};
        m_window->open(toText(TraceLink{file("a/small.longpole"), {2 * us, 5 * us}, none}));  // it is open already
        QTRY_VERIFY(noteText().contains(QStringLiteral("This run has no task 1:77.")));
        QCOMPARE(state().range(), (TimeRange{smallZero + 2 * us, smallZero + 5 * us}));
    }

    // What the settings hold is what the user has chosen: for all later runs.
    void theSettingsStayTheUsers()
    {
        write(file("mine.toml"), "[when]\nutilization = 0.5\n");
        write(file("a/evil.toml"), "[when]\nutilization = 0.1\n");
        open(file("a/small.longpole"));
        QVERIFY(state().setThresholdsFile(file("mine.toml")).ok());
        m_window->showTab(QLatin1String(panels::sql.id));
        SavedSession session = m_window->workspace()->savedSession();
        m_window->closeTrace();
        const QByteArray docks = m_settings->layout(QStringLiteral("docks"));
        const QByteArray columns = m_settings->layout(QStringLiteral("columns"));
        session.thresholds = file("a/evil.toml");
        session.views = session.onTop = QStringList{QLatin1String(panels::tree.id)};
        session.columns = {100, 300, 880};
        QVERIFY(saveSession(file("s.longpole-session"), session).ok());
        m_window->open(file("s.longpole-session"));
        QTRY_VERIFY(m_window->workspace() && state().path());
        QCOMPARE(state().thresholdsFile(), file("a/evil.toml"));
        Thresholds::Without without;
        without.interrupted = 1;
        state().setWithout(without);
        QVERIFY(dock(panels::sql.id).isHidden() && !dock(panels::tree.id).isHidden());
        QCOMPARE(m_settings->text(QStringLiteral("thresholds")), file("mine.toml"));
        m_window->closeTrace();
        QCOMPARE(m_settings->layout(QStringLiteral("docks")), docks);
        QCOMPARE(m_settings->layout(QStringLiteral("columns")), columns);
        // For a run that is open: the views of until then are kept.
        open(file("a/small.longpole"));
        QCOMPARE(state().thresholdsFile(), file("mine.toml"));
        QVERIFY(!dock(panels::sql.id).isHidden());
        m_window->showTab(QLatin1String(panels::entries.id));
        m_window->useSession(file("s.longpole-session"));
        QVERIFY(dock(panels::entries.id).isHidden());
        m_window->closeTrace();
        open(file("a/small.longpole"));
        QVERIFY(!dock(panels::entries.id).isHidden() && !dock(panels::sql.id).isHidden());
        // What the hand chooses then is the user's.
        m_window->useSession(file("s.longpole-session"));
        QVERIFY(state().setThresholdsFile({}).ok());
        QCOMPARE(m_settings->text(QStringLiteral("thresholds")), QString());
        m_window->actions().find(QStringLiteral("window.reset"))->trigger();
        m_window->closeTrace();
        open(file("a/small.longpole"));
        QVERIFY(dock(panels::entries.id).isHidden());
    }

    // Nobody writes into the pipe.
    void thresholdsThatBecameAPipe()
    {
        QCOMPARE(::mkfifo(QFile::encodeName(file("pipe")).constData(), 0600), 0);
        m_settings->setText(QStringLiteral("thresholds"), file("pipe"));
        open(file("a/small.longpole"));
        QTRY_VERIFY(noteText().contains(file("pipe")));
        QVERIFY(state().thresholdsFile().isEmpty());
    }

    void aRunThatIsGoneIsSaid()
    {
        SavedSession session;
        session.trace = file("nowhere/run.longpole");
        QVERIFY(saveSession(file("gone.longpole-session"), session).ok());
        m_window->open(file("gone.longpole-session"));
        QVERIFY(noteText().contains(QStringLiteral("The run of this session is not there")));
        QVERIFY(!m_window->workspace());
    }
};

LONGPOLE_GUI_TEST(SavedSessionTest)
#include "tst_gui_savedsession.moc"
