// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does for who is new: buttons of the start page, the tour, and the first sentence on a trace.
#include "app/gui/frame/banner.h"
#include "app/gui/frame/documents.h"
#include "app/gui/frame/startpage.h"
#include "app/gui/frame/tour.h"
#include "app/gui/window/mainwindow.h"
#include "views/expert/advicepanel.h"
#include "views/timeline/canvas.h"
#include "views/timeline/view.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class GuideTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise))")));
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_folder->path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_folder->path().toLocal8Bit());
        m_settings = std::make_unique<Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
        applyTheme(darkTheme());
        makeWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
    }

    void startPageOffersWhatCanBeDone()
    {
        auto& page = seen<StartPage>(*m_window);
        QVERIFY(page.findChildren<QLabel*>().size() >= 3);
        QPushButton* example = buttonOf(page, "Open the example");
        QVERIFY(example);
        page.setExample({});
        QVERIFY(!example->isVisible());
        page.setExample(chain);
        QVERIFY(example->isVisible());
        buttonOf(page, "Record an MPI program …")->click();
        const auto documents = m_window->findChild<DocumentView*>();
        QVERIFY(documents);
        QCOMPARE(documents->page(), QStringLiteral("docs/tasks/record-mpi.md"));
        QVERIFY(documents->toPlainText().contains(QStringLiteral("longpole record")));
        documents->window()->close();
        example->click();
        QTRY_VERIFY(m_window->workspace());
    }

    // Four notes, each beside what it is about, and never a second time by itself.
    void theTourComesOnce()
    {
        m_window->setGuiding(true);
        open(chain);
        QTRY_VERIFY(m_window->tour() && m_window->tour()->isVisible());
        Tour& tour = *m_window->tour();
        QStringList notes;
        while (tour.isVisible() && notes.size() < 10) {
            notes << shownText(tour);
            QVERIFY(m_window->rect().contains(tour.geometry()));
            tour.next();
        }
        QCOMPARE(notes.size(), 4);
        QVERIFY(notes[0].startsWith(QStringLiteral("\nEach row is a PE")));
        QVERIFY(notes[1].contains(QStringLiteral("critical path")));
        QVERIFY(notes[3].contains(QStringLiteral("change first")));
        open(sick);
        QTest::qWait(50);
        QVERIFY(!tour.isVisible());
        // Help brings it back, Esc and the end of the trace end it.
        m_window->startTour();
        QVERIFY(tour.isVisible());
        m_window->clearSelection();
        QVERIFY(!tour.isVisible());
        m_window->startTour();
        m_window->closeTrace();
        QVERIFY(!tour.isVisible());
    }

    void theTourFollowsTheWindow()
    {
        open(chain);
        m_window->startTour();
        Tour& tour = *m_window->tour();
        for (const QSize size : {QSize(1280, 720), QSize(1920, 1080), QSize(900, 560)}) {
            m_window->resize(size);
            QTRY_VERIFY(m_window->rect().contains(tour.geometry()));
        }
        tour.end();
    }

    // What a report begins with, with the way there; of a trace that was looked at before, nothing.
    void aNewTraceSaysWhereToStart()
    {
        m_window->setGuiding(true);
        m_settings->setFlag(QStringLiteral("tourOffered"), true);
        open(sick);
        Banner& banner = m_window->banner();
        QTRY_VERIFY(banner.offer()->isVisible());
        QVERIFY2(banner.text().contains(QStringLiteral("Take work off PE 5")), qPrintable(banner.text()));
        QCOMPARE(banner.text().trimmed(), m_window->workspace()->advicePanel()->lead());
        m_window->setPanelShown(Panel::Right, false);
        m_window->resize(1280, 560);  // lower than the card
        banner.offer()->click();
        QVERIFY(!banner.isVisible());
        QVERIFY(m_window->workspace()->isRightShown(RightPage::Advice));
        const AdviceCard& card = *m_window->workspace()->advicePanel()->cards().front();
        QVERIFY(card.isOpen());
        QTRY_COMPARE(card.mapTo(card.parentWidget()->parentWidget(), QPoint()).y(), 0);  // its title is on top
        QVERIFY(m_window->workspace()->state().range() != m_window->workspace()->state().fullRange());
        m_window->closeTrace();
        open(sick);
        QTRY_VERIFY(!m_window->workspace()->advicePanel()->lead().isEmpty());
        QTest::qWait(20);
        QVERIFY(!banner.isVisible());
    }

    // Who had time to read the offer and works on does not want it; a click on itself leaves it.
    void theOfferGoesWithWork()
    {
        m_window->setGuiding(true);
        m_settings->setFlag(QStringLiteral("tourOffered"), true);
        Banner& banner = m_window->banner();
        open(sick);
        QTRY_VERIFY(banner.offer()->isVisible());
        QWidget& rows = m_window->workspace()->timeline().canvas();
        QTest::mouseClick(&rows, Qt::LeftButton, {}, QPoint(20, 20));
        QVERIFY(banner.isVisible());
        banner.setNoteTime(2);
        QTest::qWait(5);
        QTest::mouseClick(&banner, Qt::LeftButton, {}, QPoint(2, 2));
        QVERIFY(banner.isVisible());
        QTest::mouseClick(&rows, Qt::LeftButton, {}, QPoint(20, 20));
        QVERIFY(!banner.isVisible());
    }

    // The offer waits until the tour has ended, and does not come with a trace that is closed meanwhile.
    void oneThingAtATime()
    {
        m_window->setGuiding(true);
        open(sick);
        QTRY_VERIFY(m_window->tour() && m_window->tour()->isVisible());
        QTRY_VERIFY(!m_window->workspace()->advicePanel()->lead().isEmpty());
        QTest::qWait(20);
        QVERIFY(!m_window->banner().isVisible());
        m_window->tour()->end();
        QTRY_VERIFY(m_window->banner().offer()->isVisible());
        m_window->closeTrace();
        QVERIFY(!m_window->banner().isVisible());
        m_settings->setFlag(QStringLiteral("tourOffered"), false);
        open(chain);
        QTRY_VERIFY(m_window->tour()->isVisible());
        m_window->closeTrace();
        QTest::qWait(20);
        QVERIFY(!m_window->banner().isVisible());
    }

    void nobodyIsGuidedWhoDoesNotWantIt()
    {
        m_window->setGuiding(false);
        open(sick);
        QTRY_VERIFY(!m_window->workspace()->advicePanel()->lead().isEmpty());
        QTest::qWait(20);
        QVERIFY(!m_window->tour() && !m_window->banner().isVisible());
    }

private:
    void makeWindow()
    {
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1440, 900);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void open(const QString& trace)
    {
        m_window->open(trace);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace() && m_window->session().path() == trace, 20'000);
    }

    const QString chain = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6");
    const QString sick = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8");
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LONGPOLE_GUI_TEST(GuideTest)
#include "tst_gui_guide.moc"
