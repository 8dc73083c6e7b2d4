// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions that a stranger wrote, or that are damaged: what they may name, how long they may take, and what fits.
#include "app/common/tracelink.h"
#include "app/gui/session/rowchoicejson.h"
#include "app/gui/session/savedsession.h"
#include "app/gui/session/sessionwindow.h"
#include "core/base/limits.h"
#include "core/base/mayneverend.h"

#include "support/testmain.h"

#include <QElapsedTimer>

#include <random>

#include <sys/stat.h>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

class ForeignSessionTest : public QObject, private SessionWindow {
    Q_OBJECT
private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    // Nobody writes into the pipe.
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

    // Nor by a folder on the way that is a link to one: //FOLDER would be a machine, which Linux itself finds here.
    void linksToOtherMachinesAreNotFollowed()
    {
        QVERIFY(QDir().mkpath(file("real")) && QDir().mkpath(file("sent")));
        QVERIFY(QFile::copy(file("a/small.longpole"), file("real/run.longpole")));
        const auto link = [](const QString& target, const QString& path) {
            return ::symlink(QFile::encodeName(target).constData(), QFile::encodeName(path).constData()) == 0;
        };
        QVERIFY(link(QLatin1Char('/') + file("real"), file("sent/away")) && link(file("real"), file("sent/here")));
        QVERIFY(link(QStringLiteral("away"), file("sent/hop")));
        for (const auto& [name, isThere] :
             {std::pair("away", false), std::pair("hop", false), std::pair("here", true)}) {
            const QString beside = QLatin1String(name) + QStringLiteral("/run.longpole");
            const QByteArray named = "{\"nearby\": \"" + beside.toUtf8() + "\", \"path\": \"" + file("sent/").toUtf8()
                                     + beside.toUtf8() + "\"}";
            write(file("sent/s.longpole-session"), "{\"longpole_session\": 1, \"trace\": " + named
                                                       + ", \"second\": " + named + ", \"thresholds\": " + named + "}");
            const auto loaded = loadSession(file("sent/s.longpole-session"));
            QVERIFY(loaded.ok());
            for (const QString& path : {loaded->trace, loaded->second, loaded->thresholds})
                QCOMPARE(path, isThere ? file("sent/") + beside : QString());
            QCOMPARE(mayFollow(file("sent/") + beside, QString()), isThere);
        }
        // So does a link of the desktop's.
        m_window->open(QStringLiteral("longpole:") + file("sent/away/run.longpole"));
        QVERIFY(noteText().contains(file("sent/away/run.longpole")));
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
};

LONGPOLE_GUI_TEST(ForeignSessionTest)
#include "tst_gui_foreignsession.moc"
