// SPDX-License-Identifier: GPL-3.0-or-later
// Bookmarks set in a window: that they come back, whatever another window or a damaged file did, and their notes.
#include "app/common/sidefiles.h"
#include "app/gui/window/windowfixture.h"
#include "core/trace/format.h"
#include "views/timeline/axisbar.h"
#include "views/timeline/locationlabels.h"
#include "views/timeline/view.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QTimer>

using namespace longpole;
using namespace longpole::test;

class WindowBookmarksTest : public QObject, protected WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { writeTrace(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void bookmarksComeBack()
    {
        openSmall();
        const TimeRange range{smallZero + 2 * us, smallZero + 5 * us};
        state().setRange(range);
        m_window->setBookmarkHere(3);
        TimelineView& timeline = m_window->workspace()->timeline();
        timeline.setRowOrder({ProcessorId{1}, ProcessorId{0}});
        timeline.rows().togglePin(TrackId{0});
        state().setRange(state().fullRange());
        m_window->goToBookmark(3);
        QCOMPARE(state().range(), range);
        m_window.reset();
        newWindow();
        openSmall();
        QCOMPARE(state().range(), range);  // as it was left
        const RowChoice& rows = m_window->workspace()->timeline().rows().choice();
        QCOMPARE(rows.order, (std::vector{ProcessorId{1}, ProcessorId{0}}));
        QCOMPARE(rows.pinned, std::vector{TrackId{0}});
        QCOMPARE(m_window->workspace()->sideFile().bookmarks.size(), std::size_t(1));
        QCOMPARE(m_window->workspace()->sideFile().bookmarks[0].number, 3);
        m_window->showWholeRun();
        m_window->goToBookmark(3);
        QCOMPARE(state().range(), range);
        m_window->goToBookmark(4);  // there is none
        QCOMPARE(state().range(), range);
        // It stands on the axis, and a click there goes to it.
        m_window->showWholeRun();
        auto* axis = m_window->findChild<AxisBar*>();
        QVERIFY(axis && axis->height() > 32);
        const TimelineView& view = m_window->workspace()->timeline();
        const int left = view.findChild<LocationLabels*>()->width();
        QTest::mouseClick(axis, Qt::LeftButton, {}, {left + (axis->width() - left) * 2 / 5, axis->height() - 4});
        QCOMPARE(state().range(), range);
    }

    // Bookmarks that this Longpole could not read stay as they are until the user sets one.
    void damagedBookmarksStay()
    {
        openSmall();
        m_window->setBookmarkHere(3);
        const QString path = sideFilePath(state().store());
        m_window->closeTrace();
        const auto content = [&path] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray cut = content().chopped(3);
        QVERIFY(cut.contains("bookmarks"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(cut) == cut.size());
        file.close();
        openSmall();
        state().setRange({smallZero + 1 * us, smallZero + 2 * us});
        m_window->closeTrace();
        QCOMPARE(content(), cut);
        openSmall();
        m_window->setBookmarkHere(4);
        state().setRange({smallZero + 1 * us, smallZero + 2 * us});
        m_window->closeTrace();
        openSmall();
        QCOMPARE(state().range(), (TimeRange{smallZero + 1 * us, smallZero + 2 * us}));
        QCOMPARE(m_window->workspace()->sideFile().bookmarks[0].number, 4);
    }

    // Bookmarks of another window on the same run, which was there meanwhile.
    void bookmarksOfOtherWindowsStay()
    {
        openSmall();
        m_window->setBookmarkHere(3);
        const QString path = sideFilePath(state().store());
        Result<SideFile> other = loadSideFile(path);
        QVERIFY(other.ok());
        const TimeRange elsewhere{smallZero + 1 * us, smallZero + 2 * us};
        setBookmark(other->bookmarks, {.number = 7, .note = QStringLiteral("other"), .range = elsewhere});
        QVERIFY(saveSideFile(path, *other).ok());
        m_window->setBookmarkHere(4);
        QCOMPARE(m_window->workspace()->sideFile().bookmarks.size(), std::size_t(3));
        std::erase_if(other->bookmarks, [](const Bookmark& bookmark) { return bookmark.number == 3; });
        QVERIFY(saveSideFile(path, *other).ok());
        m_window->closeTrace();
        other = loadSideFile(path);
        QVERIFY(other.ok());
        QCOMPARE(other->bookmarks.size(), std::size_t(1));
        QCOMPARE(other->bookmarks[0].number, 7);
    }

    // Rows are made anew while a note is typed in one of them.
    void aTypedNoteGoesToItsBookmark()
    {
        openSmall();
        for (const int number : {2, 3, 4}) m_window->setBookmarkHere(number);
        QLineEdit* editor = editorOfBookmark(0);
        QTRY_VERIFY(editor && editor->hasFocus());
        editor->setText(QStringLiteral("typed"));
        m_window->setBookmarkHere(1);
        QCOMPARE(bookmarkNotes(), QStringLiteral("1 2typed 3 4"));
        editor = editorOfBookmark(3);
        QTRY_VERIFY(editor && editor->hasFocus());
        editor->setText(QStringLiteral("last"));
        QVERIFY(saveSideFile(sideFilePath(state().store()), {}).ok());  // another window has removed all
        m_window->setBookmarkHere(5);
        QCOMPARE(bookmarkNotes(), QStringLiteral("4last 5"));
        editor = editorOfBookmark(1);
        QTRY_VERIFY(editor && editor->hasFocus());
        editor->setText(QStringLiteral("until the end"));
        m_window->closeTrace();
        openSmall();
        QCOMPARE(bookmarkNotes(), QStringLiteral("4last 5until the end"));
    }

    // A stranger's session may bring thousands: measuring them took minutes.
    void veryManyBookmarksAreListedInPart()
    {
        Sidebar sidebar;
        std::vector<Bookmark> bookmarks(4096, {.number = 0, .note = QString(4000, QLatin1Char('n')), .range = {1, 2}});
        sidebar.setBookmarks(bookmarks, 0);
        const QList<QPushButton*> rows = sidebar.findChildren<QPushButton*>();
        QCOMPARE(rows.size(), 200);
        for (const QPushButton* row : rows) QVERIFY(row->findChild<QLabel*>()->text().size() <= 200);
        QCOMPARE(sidebar.findChild<QLabel*>(QStringLiteral("muted"))->text(),
                 QString(formatCount(3896) % QStringLiteral(" more")));
        bookmarks.resize(200);
        sidebar.setBookmarks(bookmarks, 0);
        QTRY_VERIFY(!sidebar.findChild<QLabel*>(QStringLiteral("muted")));
    }

private:
    // Numbers and notes.
    QString bookmarkNotes()
    {
        QStringList notes;
        for (const Bookmark& bookmark : m_window->workspace()->sideFile().bookmarks)
            notes << QString::number(bookmark.number) + bookmark.note;
        return notes.join(QLatin1Char(' '));
    }

    // What "Rename" in the menu of a row of the sidebar opens; null if it does not.
    QLineEdit* editorOfBookmark(qsizetype row)
    {
        QList<QPushButton*> rows;
        const auto isShown = [&] {
            rows.clear();
            for (QPushButton* button : m_window->workspace()->sidebar().findChildren<QPushButton*>())
                if (button->contextMenuPolicy() == Qt::CustomContextMenu && button->isVisible()) rows << button;
            return row < rows.size();
        };
        if (!QTest::qWaitFor(isShown)) return nullptr;
        QTimer::singleShot(0, m_window.get(), [] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            QAction* rename = menu->actions().first();
            menu->close();
            rename->trigger();
        });
        Q_EMIT rows[row]->customContextMenuRequested({5, 5});
        m_window->activateWindow();  // offscreen a menu leaves none that is active
        if (!QTest::qWaitForWindowActive(m_window.get())) return nullptr;
        return rows[row]->findChild<QLineEdit*>();
    }
};

LONGPOLE_GUI_TEST(WindowBookmarksTest)
#include "tst_gui_windowbookmarks.moc"
