// SPDX-License-Identifier: GPL-3.0-or-later
// A session in a file: a run comes back as it was looked at, another one as far as it fits, and damage is said.
#include "app/common/tracelink.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/reportsheet.h"
#include "app/gui/frame/settings.h"
#include "app/gui/frame/style.h"
#include "app/gui/session/rowchoicejson.h"
#include "app/gui/session/savedsession.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/session/viewedrun.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/smalltrace.h"
#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/trace/format.h"
#include "views/timeline/view.h"

#include "support/testmain.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <random>

#include <sys/stat.h>

using namespace longpole;
using namespace longpole::test;

class SavedSessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise))")));
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid() && QDir(m_folder->path()).mkpath(QStringLiteral("a")));
        qputenv("XDG_CACHE_HOME", file("cache").toLocal8Bit());
        QVERIFY(writeHostileTrace(file("a/small.longpole")).ok());
        QVERIFY(writeHostileTrace(file("a/second.longpole")).ok());
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        applyTheme(darkTheme());
        newWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
    }

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
        QVERIFY(!sheet->accepting().isEnabled());
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

    // A session may come from a stranger: nobody writes into the pipe.
    void thresholdsAreAFile()
    {
        open(file("a/small.longpole"));
        QCOMPARE(::mkfifo(QFile::encodeName(file("pipe")).constData(), 0600), 0);
        SavedSession session = m_window->workspace()->savedSession();
        for (const char* name : {"pipe", "nowhere"}) {
            session.thresholds = file(name);
            QVERIFY(saveSession(file("s.longpole-session"), session).ok());
            m_window->useSession(file("s.longpole-session"));
            QVERIFY(noteText().contains(file(name)));
            QVERIFY(state().thresholdsFile().isEmpty());
        }
        // Files of the kernel's may have no end.
        session.thresholds = QStringLiteral("/proc/self/status");
        QVERIFY(saveSession(file("s.longpole-session"), session).ok());
        const auto loaded = loadSession(file("s.longpole-session"));
        QVERIFY(loaded && loaded->thresholds.isEmpty());
    }

    // To ask whether a file of another machine is there would reach that machine.
    void pathsOfOtherMachinesAreNotAskedFor()
    {
        SavedSession session;
        for (const char* elsewhere : {"/net/example.invalid/run/a.sts", "/afs/example.invalid/a.sts",
                                      "/home/../net/example.invalid/a.sts", "/proc/self/root/etc/passwd"}) {
            session.trace = session.second = session.thresholds = QLatin1String(elsewhere);
            QVERIFY(saveSession(file("s.longpole-session"), session).ok());
            const auto loaded = loadSession(file("s.longpole-session"));
            QVERIFY(loaded && loaded->trace.isEmpty() && loaded->second.isEmpty() && loaded->thresholds.isEmpty());
        }
        const QString host = QStringLiteral("/net/example.invalid");
        QCOMPARE(otherHostOf(host + QStringLiteral("/run/a.sts")), host);
        QCOMPARE(otherHostOf(QStringLiteral("//host/share/a.sts")), QStringLiteral("//host"));
        QVERIFY(otherHostOf(file("net/host/a.sts")).isEmpty());
        // What lies beside a session there may be named by it.
        QVERIFY(mayFollow(host + QStringLiteral("/a.sts"), host + QStringLiteral("/s.longpole-session")));
        QVERIFY(!mayFollow(host + QStringLiteral("/a.sts"), QStringLiteral("/net/other.invalid/s.longpole-session")));
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

    void damageIsAnError_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"longpole_session\": 1, \"trace");
        QTest::newRow("a list") << QByteArray("[1, 2]");
        QTest::newRow("a side file") << QByteArray("{\"version\": 1}");
        QTest::newRow("newer") << QByteArray("{\"longpole_session\": 2}");
        QTest::newRow("large") << QByteArray((16 << 20) + 1, ' ');
    }
    void damageIsAnError()
    {
        QFETCH(QByteArray, content);
        write(file("bad.longpole-session"), content);
        const Result<SavedSession> session = loadSession(file("bad.longpole-session"));
        QVERIFY(!session.ok());
        QCOMPARE(session.error().where, file("bad.longpole-session"));
        QVERIFY(!session.error().hint.isEmpty());
        QVERIFY(!loadSession(m_folder->path()).ok());
        QVERIFY(!loadSession(QStringLiteral("/dev/zero")).ok());
        QVERIFY(!saveSession(QStringLiteral("/proc/longpole.longpole-session"), {}).ok());
    }

    // A session of a few megabytes made the window sort, place and show for minutes, or use up its stack.
    void whatWouldTakeForEver()
    {
        open(file("a/small.longpole"));
        QElapsedTimer time;
        time.start();
        QByteArray bookmarks, names, numbers;
        for (int i = 0; i < 100'000; ++i) {
            bookmarks += "{\"begin_ns\":\"" + QByteArray::number(qlonglong(smallZero) + i % 9000) + "\",\"end_ns\":\""
                         + QByteArray::number(qlonglong(smallZero) + 9000 + i) + "\"},";
            names += "\"panel.sql\",";
            numbers += "0,4294967296,";
        }
        for (QByteArray* list : {&bookmarks, &names, &numbers}) list->chop(1);
        const QByteArray head = "{\"longpole_session\": 1, \"trace\": {\"path\": \"" + file("a/small.longpole").toUtf8()
                                + "\"}, \"stamp\": \"" + state().store().stamp().toUtf8() + "\"";
        write(file("many.longpole-session"), head + ", \"views\": [" + names + "], \"on_top\": [" + names
                                                 + "], \"kept\": {\"bookmarks\": [" + bookmarks
                                                 + "], \"view\": {\"rows\": {\"only\": [" + numbers + "], \"order\": ["
                                                 + numbers + "]}}}}");
        const auto many = loadSession(file("many.longpole-session"));
        QVERIFY(many.ok());
        QCOMPARE(many->views.size(), 1);
        QVERIFY(many->side.bookmarks.size() <= std::size_t{limits::bookmarks.free});
        const RowChoice rows = rowChoiceFrom(memberOf(many->side.view, "rows"), state().store());
        QCOMPARE(rows.only, std::vector{ProcessorId{0}});
        QCOMPARE(rows.order, std::vector{ProcessorId{0}});
        write(file("deep.longpole-session"),
              head + ", \"kept\": {\"view\": " + QByteArray(2'000'000, '[') + QByteArray(2'000'000, ']') + "}}");
        QVERIFY(!loadSession(file("deep.longpole-session")).ok());
        QVERIFY2(time.elapsed() < 20'000, qPrintable(QString::number(time.elapsed())));
    }

    // Ranges that end before they begin, or are longer than times can be.
    void rangesThatAreNone()
    {
        open(file("a/small.longpole"));
        SavedSession session = m_window->workspace()->savedSession();
        for (const TimeRange range : {TimeRange{9, 3}, TimeRange{minTime, maxTime}, TimeRange{maxTime, minTime}}) {
            session.marked = range;
            session.question.range = range;
            session.side.range = range;
            session.side.bookmarks = {{.number = 0, .note = {}, .range = range}};
            QVERIFY(saveSession(file("s.longpole-session"), session).ok());
            m_window->useSession(file("s.longpole-session"));
            QCoreApplication::processEvents();
            QVERIFY(state().marked().begin <= state().marked().end);
            QVERIFY(intersection(state().marked(), state().limits()) == state().marked());
        }
    }

    // Who sends a session with its trace knows the trace's stamp.
    void bookmarksOfTheSameRunAreCutToIt()
    {
        open(file("a/small.longpole"));
        SavedSession session = m_window->workspace()->savedSession();
        session.side.bookmarks = {{.number = 0, .note = QStringLiteral("far"), .range = {minTime, maxTime}},
                                  {.number = 0, .note = QStringLiteral("away"), .range = {maxTime - 9, maxTime}}};
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(m_window->workspace()->apply(session), 1);
            QCOMPARE(m_window->workspace()->sideFile().bookmarks.size(), std::size_t(1));
            QCOMPARE(m_window->workspace()->sideFile().bookmarks[0].range, state().limits());
        }
    }

    // Whatever stands in it, the window goes on.
    void anythingMayStandInIt()
    {
        open(file("a/small.longpole"));
        m_window->saveSession(file("s.longpole-session"));
        const QByteArray sound = read(file("s.longpole-session"));
        std::mt19937 random(7);
        const auto upTo = [&random](qsizetype most) {
            return std::uniform_int_distribution<qsizetype>(0, most - 1)(random);
        };
        for (int i = 0; i < 120; ++i) {
            QByteArray changed = sound;
            for (int k = 0; k < 3; ++k) changed[upTo(changed.size())] = "0123456789-{}[]\",:eAz"[upTo(21)];
            write(file("s.longpole-session"), changed);
            if (const auto session = loadSession(file("s.longpole-session")); session.ok())
                m_window->workspace()->apply(*session);
            QCoreApplication::processEvents();
        }
        QVERIFY(m_window->isVisible() && m_window->workspace());
    }

private:
    QString file(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    static void write(const QString& path, const QByteArray& content)
    {
        QFile out(path);
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(content) == content.size());
    }
    static QByteArray read(const QString& path)
    {
        QFile in(path);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }
    void newWindow()
    {
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 720);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void open(const QString& path)
    {
        m_window->open(path);
        QTRY_VERIFY(m_window->workspace() && state().path());
    }
    ViewState& state() { return m_window->workspace()->state(); }
    PanelDock& dock(const char* id) { return *m_window->workspace()->area().find(QLatin1String(id)); }
    QString noteText() const
    {
        QStringList texts;
        for (const QLabel* label : m_window->banner().findChildren<QLabel*>()) texts << label->text();
        return texts.join(QLatin1Char(' '));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LONGPOLE_GUI_TEST(SavedSessionTest)
#include "tst_gui_savedsession.moc"
