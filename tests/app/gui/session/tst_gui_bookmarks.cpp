// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept beside a trace comes back as it was, and damage is said, not guessed around.
#include "app/common/sidefiles.h"
#include "app/gui/frame/settings.h"
#include "app/gui/session/bookmarks.h"
#include "core/base/limits.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace longpole;

class BookmarksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void roundTrip()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("deep/below/stamp.json"));
        SideFile side;
        setBookmark(side.bookmarks, {.number = 2, .note = QStringLiteral("quotes \" and ü"), .range = {5, 9}});
        // More than a JSON number holds.
        setBookmark(side.bookmarks, {.number = 1, .note = {}, .range = {maxTime - 3, maxTime - 1}});
        setBookmark(side.bookmarks, {.number = 0, .note = QStringLiteral("unnumbered"), .range = {-7, 0}});
        side.range = TimeRange{minTime + 1, 12};
        side.view = {{"rows", 3}};
        QVERIFY(saveSideFile(path, side).ok());
        const Result<SideFile> again = loadSideFile(path);
        QVERIFY(again.ok());
        QVERIFY(*again == side);
        QCOMPARE(again->bookmarks[0].number, 1);
        QCOMPARE(again->bookmarks[2].note, QStringLiteral("unnumbered"));
    }

    void sameNumberReplaces()
    {
        std::vector<Bookmark> list;
        for (int number = 1; number <= 9; ++number) {
            QCOMPARE(freeNumber(list), number);
            setBookmark(list, {.number = number, .note = {}, .range = {number, number + 1}});
        }
        QCOMPARE(freeNumber(list), 0);
        setBookmark(list, {.number = 4, .note = QStringLiteral("new"), .range = {40, 41}});
        QCOMPARE(list.size(), std::size_t(9));
        QCOMPARE(list[3].note, QStringLiteral("new"));
        setBookmark(list, {.number = 0, .note = {}, .range = {2, 3}});
        setBookmark(list, {.number = 0, .note = {}, .range = {1, 3}});
        QCOMPARE(list.size(), std::size_t(11));
        QCOMPARE(list[9].range.begin, TimeNs(1));
    }

    void missingIsEmpty()
    {
        const Result<SideFile> none = loadSideFile(QStringLiteral("/nowhere/at/all.json"));
        QVERIFY(none.ok());
        QVERIFY(*none == SideFile{});
    }

    // Both windows had 1, 2 and 3.
    void twoWindows()
    {
        const auto bookmark = [](int number, const char* note) {
            return Bookmark{.number = number, .note = QLatin1String(note), .range = {number, number + 1}};
        };
        const std::vector<Bookmark> once{bookmark(1, "a"), bookmark(2, "b"), bookmark(3, "c")};
        const std::vector<Bookmark> own{bookmark(1, "a"), bookmark(3, "mine"), bookmark(4, "new here")};
        const std::vector<Bookmark> others{bookmark(2, "b"), bookmark(3, "c"), bookmark(4, "new there")};
        QCOMPARE(merged(once, once, others), others);
        QCOMPARE(merged(once, own, once), own);
        const std::vector<Bookmark> both = merged(once, own, others);
        QCOMPARE(both.size(), std::size_t(3));
        QCOMPARE(both[0].note, QStringLiteral("new there"));
        QCOMPARE(both[0].number, 1);
        QCOMPARE(both[1], own[1]);
        QCOMPARE(both[2], own[2]);
    }

    void othersAreCut()
    {
        const auto bookmark = [](const char* note, TimeRange range) {
            return Bookmark{.number = 1, .note = QLatin1String(note), .range = range};
        };
        const TimeRange limits{0, 100};
        const std::vector<Bookmark> own{bookmark("own", {-5, 200})};
        const std::vector<Bookmark> more{bookmark("own", {-5, 200}), bookmark("all", {minTime, maxTime}),
                                         bookmark("before", {-9, 0}), bookmark("in it", {10, 20})};
        const JoinedBookmarks once = joined(own, more, limits);
        QCOMPARE(once.outside, 1);
        QCOMPARE(once.bookmarks.size(), std::size_t(3));
        QCOMPARE(once.bookmarks[0], own[0]);
        QCOMPARE(once.bookmarks[1], (Bookmark{.number = 2, .note = QStringLiteral("all"), .range = limits}));
        QCOMPARE(once.bookmarks[2].range, (TimeRange{10, 20}));
        QCOMPARE(joined(once.bookmarks, more, limits).bookmarks, once.bookmarks);
    }

    // A session fills the list up to its limit, but what the user adds after that stays.
    void aFullSessionLeavesRoom()
    {
        std::vector<Bookmark> more;
        for (int i = 0; i < 2 * limits::bookmarks.free; ++i)
            more.push_back({.number = 0, .note = {}, .range = {i, i + 1}});
        const std::vector<Bookmark> full = joined({}, more).bookmarks;
        QCOMPARE(full.size(), std::size_t{limits::bookmarks.free});
        std::vector<Bookmark> own = full;
        for (int i = 0; i < 12; ++i)
            setBookmark(own, {.number = 0, .note = QStringLiteral("own"), .range = {1'000'000 + i, 2'000'000}});
        QTemporaryDir folder;
        qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
        qputenv("XDG_DATA_HOME", folder.path().toUtf8() + "/data");
        const QString path = folder.filePath(QStringLiteral("full.json"));
        SideFile side;
        side.bookmarks = own;
        QVERIFY(saveSideFile(path, side));
        const Result<SideFile> kept = loadSideFile(path);
        QVERIFY(kept);
        QCOMPARE(kept->bookmarks, own);
        QCOMPARE(merged(full, own, full), own);
    }

    // Each was compared with each, and they differ where they end only.
    void longNotesThatBeginAlike()
    {
        const QString begin(3990, QLatin1Char('a'));
        const auto many = [&begin](char end) {
            std::vector<Bookmark> bookmarks;
            bookmarks.reserve(std::size_t{limits::bookmarks.free});
            for (int i = 0; i < limits::bookmarks.free; ++i)
                bookmarks.push_back({.number = 0,
                                     .note = begin % QString::number(100'000 + i) % QLatin1Char(end),
                                     .range = {1, 2}});
            return bookmarks;
        };
        const std::vector<Bookmark> once = many('a'), others = many('b');
        QElapsedTimer time;
        time.start();
        QCOMPARE(joined({}, once).bookmarks, once);
        QCOMPARE(merged(once, once, others), others);
        QVERIFY2(time.elapsed() < 3000, qPrintable(QString::number(time.elapsed())));
    }

    void damageIsAnError_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"version\": 1, \"bookm");
        QTest::newRow("no object") << QByteArray("[1]");
        QTest::newRow("newer") << QByteArray("{\"version\": 99}");
    }
    void damageIsAnError()
    {
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("side.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const Result<SideFile> side = loadSideFile(file.fileName());
        QVERIFY(!side.ok());
        QCOMPARE(side.error().where, file.fileName());
        QVERIFY(!side.error().hint.isEmpty());
        // What a newer version has written it must find again.
        const bool isNewer = content.contains("99");
        QCOMPARE(saveSideFile(file.fileName(), {}).ok(), !isNewer);
        QCOMPARE(loadSideFile(file.fileName()).ok(), !isNewer);
    }

    // Whoever may write in a folder above may have laid them: nothing goes where a link or another's folder leads.
    void linksAndFoldersOfOthers()
    {
        const QTemporaryDir folder;
        const QString kept = folder.filePath(QStringLiteral("side/run.json")),
                      mine = folder.filePath(QStringLiteral("notes.json"));
        QVERIFY(saveSideFile(mine, {}).ok() && QDir(folder.path()).mkpath(QStringLiteral("side")));
        const QByteArray before = contentOf(mine);
        QVERIFY(QFile::link(mine, kept));
        SideFile side;
        side.bookmarks.push_back({.number = 1, .note = QStringLiteral("here"), .range = {1, 2}});
        QVERIFY(!loadSideFile(kept).ok() && !saveSideFile(kept, side).ok());
        QVERIFY(QFile::remove(kept) && QDir(folder.path()).rmdir(QStringLiteral("side")));
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("elsewhere")));
        QVERIFY(QFile::link(folder.filePath(QStringLiteral("elsewhere")), folder.filePath(QStringLiteral("side"))));
        QVERIFY(!saveSideFile(kept, side).ok());
        QVERIFY(QDir(folder.filePath(QStringLiteral("elsewhere"))).isEmpty());
        QVERIFY(contentOf(mine) == before);
        if (::geteuid() != 0) return;
        QVERIFY(QFile::remove(folder.filePath(QStringLiteral("side"))));
        QVERIFY(saveSideFile(kept, side).ok());
        QCOMPARE(::chown(QFile::encodeName(QFileInfo(kept).path()).constData(), 65534, 65534), 0);
        QVERIFY(!loadSideFile(kept).ok() && !saveSideFile(kept, side).ok());
    }

    void unwritableFolderIsAnError()
    {
        const Result<> saved = saveSideFile(QStringLiteral("/proc/longpole/side.json"), {});
        QVERIFY(!saved.ok());
        QCOMPARE(saved.error().where, QStringLiteral("/proc/longpole/side.json"));
    }

    // They hold commands and names of private runs.
    void settingsAreTheUsersOwn()
    {
        const QTemporaryDir folder;
        const QString name = folder.filePath(QStringLiteral("settings.ini"));
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
        for (const bool isThere : {false, true}) {
            if (isThere) QVERIFY(QFile::setPermissions(name, QFile::permissions(name) | QFile::ReadOther));
            Settings(name).setText(QStringLiteral("a"), QStringLiteral("b"));
            QVERIFY((QFile::permissions(name) & others) == QFile::Permissions());
            QCOMPARE(Settings(name).text(QStringLiteral("a")), QStringLiteral("b"));
        }
    }

    // What somebody else has set, such as an editor's command, is not used, and what the user sets is not lost there.
    void settingsOfOthersAreNotUsed()
    {
        const QTemporaryDir folder;
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder.path()));
        const QString name = folder.filePath(QStringLiteral("longpole/longpole-gui.conf"));
        {
            Settings own;
            QVERIFY(!own.trouble());
            own.setEditor(QStringLiteral("own %f"));
        }
        QCOMPARE(Settings().editor(), QStringLiteral("own %f"));
        if (::geteuid() == 0) {
            constexpr uid_t other = 65534;
            QCOMPARE(::chown(QFile::encodeName(name).constData(), other, other), 0);
            const QByteArray content = contentOf(name);
            {
                Settings others;
                QVERIFY(others.trouble() && others.trouble()->where == name);
                QCOMPARE(others.editor(), QString());
                others.setEditor(QStringLiteral("mine %f"));
                QCOMPARE(others.editor(), QStringLiteral("mine %f"));
            }
            QCOMPARE(contentOf(name), content);
            // Nor through a link that somebody else has laid, to a file of the user's; the user's own is one.
            QVERIFY(QFile::remove(name));
            const QString elsewhere = folder.filePath(QStringLiteral("elsewhere"));
            Settings(elsewhere).setEditor(QStringLiteral("linked %f"));
            QVERIFY(QFile::link(elsewhere, name));
            QCOMPARE(Settings().editor(), QStringLiteral("linked %f"));
            QCOMPARE(::lchown(QFile::encodeName(name).constData(), other, other), 0);
            const QByteArray linked = contentOf(elsewhere);
            {
                Settings others;
                QVERIFY(others.trouble() && others.trouble()->where == name);
                others.setEditor(QStringLiteral("mine %f"));
            }
            QCOMPARE(contentOf(elsewhere), linked);
        }
        QVERIFY(QFile::remove(name) && QDir(folder.path()).rmdir(QStringLiteral("longpole")));
        QVERIFY(QFile(folder.filePath(QStringLiteral("longpole"))).open(QIODevice::WriteOnly));
        {
            Settings none;
            QVERIFY(none.trouble().has_value());
            none.setEditor(QStringLiteral("mine %f"));
        }
        QCOMPARE(Settings().editor(), QString());
        qputenv("XDG_CONFIG_HOME", before);
    }

    void recentTracesAreFewAndNewestFirst()
    {
        const QTemporaryDir folder;
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        for (int i = 0; i < recentLimit + 3; ++i) settings.addRecent(QStringLiteral("/traces/%1.sts").arg(i));
        settings.addRecent(QStringLiteral("/traces/6.sts"));
        const QStringList recent = settings.recent();
        QCOMPARE(recent.size(), recentLimit);
        QCOMPARE(recent[0], QStringLiteral("/traces/6.sts"));
        QCOMPARE(recent.count(QStringLiteral("/traces/6.sts")), 1);
        settings.setTheme(ThemeChoice::Light);
        settings.setFlag(QStringLiteral("right"), false);
        settings.setSourceFolders({QStringLiteral("/src/a, b"), QStringLiteral("/src/c")});
        settings.setEditor(QStringLiteral("code -g \"%f:%l\""));
        Settings same(folder.filePath(QStringLiteral("settings.ini")));
        same.clearRecent();
        QVERIFY(same.recent().isEmpty());
        QCOMPARE(same.theme(), ThemeChoice::Light);
        QVERIFY(!same.flag(QStringLiteral("right"), true));
        QVERIFY(same.flag(QStringLiteral("bottom"), true));
        QCOMPARE(same.sourceFolders(), (QStringList{QStringLiteral("/src/a, b"), QStringLiteral("/src/c")}));
        QCOMPARE(same.editor(), QStringLiteral("code -g \"%f:%l\""));
    }
};

LONGPOLE_GUI_TEST(BookmarksTest)
#include "tst_gui_bookmarks.moc"
