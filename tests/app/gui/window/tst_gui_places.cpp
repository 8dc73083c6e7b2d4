// SPDX-License-Identifier: GPL-3.0-or-later
// The five places of the window: every view is found by its question, and what a trace cannot have is not offered.
#include "app/gui/frame/overlay.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/places.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/windowfixture.h"
#include "app/smalltrace.h"

#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class PlacesTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        shareCache();
        writeTrace();
        QFile sum(m_folder.filePath(QStringLiteral("s.0.sum")));
        QVERIFY(sum.open(QIODevice::WriteOnly));
        sum.write(
            "ver:7.1 0/1 count:4 ep:2 interval:1.000000e-03 phases:0\n  50 100   0  25\nEPExeTime: 0 1750 \n"
            "EPCallTime: 0 3 \nMaxEPTime: 0 1000 \nNumMarks: 0 \nIdlePercent:   50   0 100   0\n");
        m_summary = sum.fileName();
    }
    void init() { begin({1440, 900}); }
    void cleanup() { end(); }

    // A click on the place, a click on the question.
    void everyViewIsTwoClicksAway()
    {
        open(m_small);
        int views = 0;
        for (const PanelSpec* spec : panelSpecs()) {
            if (!requireNeeds(spec->needs, store())) continue;
            QTest::mouseClick(entry(placeOf(spec->group).id), Qt::LeftButton);
            QPushButton* button = entry(spec->id);
            QVERIFY2(button && button->isVisible(), spec->id);
            QCOMPARE(button->accessibleName(), QString::fromUtf8(spec->question.objects));
            QTest::mouseClick(button, Qt::LeftButton);
            QTRY_VERIFY2(dock(spec->id).isOnScreen(), spec->id);
            ++views;
        }
        QVERIFY2(views >= 20, qPrintable(QString::number(views)));
    }

    void onePlaceIsLit()
    {
        open(m_small);
        QPushButton* compare = entry(placeOf(PanelGroup::Compare).id);
        QTest::mouseClick(compare, Qt::LeftButton);
        QVERIFY(compare->isChecked() && !compare->hasFocus());
        m_window->showPlace(PanelGroup::WhySlow);
        QVERIFY(!compare->isChecked());
        QVERIFY(entry(placeOf(PanelGroup::WhySlow).id)->isChecked());
    }

    void questionsAreWholeAndNoTwoAreAlike()
    {
        open(m_small);
        QSet<QString> questions;
        for (const PlaceSpec& place : places()) {
            QTest::mouseClick(entry(place.id), Qt::LeftButton);
            QTest::qWait(20);
            int shown = 0;
            for (const QPushButton* button : m_window->workspace()->sidebar().findChildren<QPushButton*>()) {
                const auto* label = button->findChild<QLabel*>();
                if (!label || !button->isVisible()) continue;
                ++shown;
                QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
            }
            QVERIFY2(shown > 5 && shown <= 16, place.id);
        }
        for (const PanelSpec* spec : panelSpecs()) {
            const QString question = QString::fromUtf8(spec->question.objects);
            QVERIFY2(question.endsWith(QLatin1Char('?')) && question.size() <= 23, qPrintable(question));
            QVERIFY2(!questions.contains(question), qPrintable(question));
            questions.insert(question);
        }
    }

    // Its views are the tabs, instead of those of other places; what was on top there is so again.
    void aPlaceShowsItsViews()
    {
        open(m_small);
        m_window->showPlace(PanelGroup::Data);
        QTRY_VERIFY(dock(panels::entries.id).isOnScreen());
        for (const PanelSpec* spec : panelSpecs())
            QVERIFY2(dock(spec->id).isHidden() == (spec->group != PanelGroup::Data), spec->id);
        QVERIFY(dock(panels::timelines).isOnScreen());
        QVERIFY(!dock(panels::sql.id).isMade());  // behind other tabs nothing is computed
        m_window->showTab(QLatin1String(panels::log.id));
        QTRY_VERIFY(dock(panels::log.id).isOnScreen());
        m_window->showPlace(PanelGroup::WhySlow);
        QTRY_VERIFY(dock(panels::path.id).isOnScreen());
        QVERIFY(dock(panels::log.id).isHidden());
        m_window->showPlace(PanelGroup::Data);
        QTRY_VERIFY(dock(panels::log.id).isOnScreen());
        // A view of another place that is asked for comes beside what shows, and the sidebar follows.
        m_window->showTab(QLatin1String(panels::path.id));
        QTRY_VERIFY(dock(panels::path.id).isOnScreen());
        QCOMPARE(openedPlace(), QStringLiteral("place.whySlow"));
    }

    void keysGoToThePlacesInTheOrderOfTheMenu()
    {
        open(m_small);
        QMenu* window = nullptr;
        for (QAction* action : m_window->findChild<QMenuBar*>()->actions())
            if (action->text() == QStringLiteral("&Window")) window = action->menu();
        QVERIFY(window);
        int number = 0;
        for (const QAction* action : window->actions()) {
            if (!action->menu()) continue;
            const PlaceSpec& place = places()[static_cast<std::size_t>(number++)];
            QCOMPARE(action->text(), QString::fromUtf8(place.title.objects));
            const QAction* first = action->menu()->actions().front();
            QCOMPARE(first->shortcut(), QKeySequence(Qt::ALT | (Qt::Key_0 + number)));
            QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_0 + number), Qt::AltModifier);
            QCOMPARE(openedPlace(), QLatin1String(place.id));
        }
        QCOMPARE(number, 5);
    }

    void whatTheTraceCannotHaveIsGreyedAndSaysWhy()
    {
        open(m_small);
        const QAction* waits = action(panels::waitStates.id);
        QVERIFY(!waits->isEnabled());
        QVERIFY2(waits->text().contains(QStringLiteral("(needs the trace of an MPI program)")),
                 qPrintable(waits->text()));
        QVERIFY(!entry(panels::waitStates.id));
        QVERIFY(action(panels::priorities.id)->isEnabled());
        m_window->open(m_summary);
        QTRY_VERIFY(m_window->workspace() && !store().hasEvents());
        QVERIFY(!action(panels::path.id)->isEnabled());
        QVERIFY(action(panels::path.id)->text().contains(QStringLiteral("this trace is a summary")));
        QVERIFY(action(panels::overview.id)->isEnabled());
        QVERIFY(!action("replay.ideal")->isEnabled());
        m_window->open(m_small);
        QTRY_VERIFY(m_window->workspace() && store().hasEvents());
        QVERIFY(!action(panels::path.id)->text().contains(QStringLiteral("summary")));
        QVERIFY(action("replay.ideal")->isEnabled());
    }

    // The views that were open stay for the next trace, also in the next window, but for what it cannot have.
    void whatTheNextTraceCannotHaveGoes()
    {
        const QString path = ranks();
        m_window->open(path);
        QTRY_VERIFY(m_window->workspace() && store().info().hasRanks());
        action(panels::waitStates.id)->trigger();
        const auto isThere = [this](const char* id) { return !dock(id).isHidden(); };
        QVERIFY(isThere(panels::waitStates.id));
        for (const bool withWindow : {false, true}) {
            if (withWindow) {
                m_window->close();
                m_window = std::make_unique<MainWindow>(*m_settings);
                m_window->resize(1440, 900);
                m_window->show();
                QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
            }
            m_window->open(m_small);
            QTRY_VERIFY(m_window->workspace() && !store().info().hasRanks());
            QVERIFY(!isThere(panels::waitStates.id) && !isThere(panels::mpiCalls.id));
            QTRY_VERIFY(dock(panels::timelines).isOnScreen());  // not what stood beside the one that went
            m_window->open(path);
            QTRY_VERIFY(m_window->workspace() && store().info().hasRanks());
            action(panels::waitStates.id)->trigger();
            QVERIFY(isThere(panels::waitStates.id));
        }
    }

    void runsOfRanksAreNotReplayed()
    {
        const QString path = ranks();
        m_window->open(path);
        QTRY_VERIFY(m_window->workspace() && store().info().hasRanks());
        for (const char* id : {"replay.ideal", "replay.zeroLatency", "replay.balance", "replay.advised"}) {
            QVERIFY2(!action(id)->isEnabled(), id);
            QVERIFY2(action(id)->text().contains(QStringLiteral("(needs event logs of a Charm++ program)")), id);
        }
    }

    // By the words of its question and by its name.
    void thePaletteFindsEveryView()
    {
        open(m_small);
        m_window->openPalette();
        auto* palette = m_window->findChild<CommandPalette*>();
        for (const PanelSpec* spec : panelSpecs()) {
            if (!requireNeeds(spec->needs, store())) continue;
            QString name = QString::fromUtf8(spec->command.objects);
            name.remove(QLatin1Char('&'));
            for (const QString& text : {QString::fromUtf8(spec->question.objects), name}) {
                palette->field().setText(text);
                int found = 0;
                for (int i = 0; i < palette->list().count(); ++i)
                    found += palette->list().item(i)->text() == panelQuestion({}, *spec).remove(QLatin1Char('&'));
                QVERIFY2(found == 1, qPrintable(text));
                QCOMPARE(palette->list().item(0)->text(), panelQuestion({}, *spec).remove(QLatin1Char('&')));
            }
        }
    }

    // By its question's other words, by what another tool calls it, and with words that every question has.
    void paletteFindsByWhatPeopleAsk_data()
    {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("first");
        const char* const rows[][2] = {{"Who talks to whom?", "Who sends to whom?"},
                                       {"function summary", "Which code takes time?"},
                                       {"POP", "Is the machine busy?"},
                                       {"diff", "What changed?"},
                                       {"iterations slow", "What repeats?"},
                                       {"zeroing", "If code were faster?"},
                                       {"what if", "If code were faster?"},
                                       {"Trust this trace?", "Health"},
                                       {"what is", ""}};
        for (const auto& [asked, first] : rows)
            QTest::newRow(asked) << QString::fromUtf8(asked) << QString::fromUtf8(first);
    }
    void paletteFindsByWhatPeopleAsk()
    {
        QFETCH(QString, asked);
        QFETCH(QString, first);
        open(m_small);
        m_window->openPalette();
        auto* palette = m_window->findChild<CommandPalette*>();
        palette->field().setText(asked);
        const QString said = palette->list().item(0)->text();
        QVERIFY2(said.contains(first), qPrintable(said));
        QVERIFY(palette->list().item(0)->flags().testFlag(Qt::ItemIsEnabled));
        if (first.isEmpty()) return;
        palette->field().setText(asked + QStringLiteral(" xyzzy"));
        QVERIFY(!palette->list().item(0)->flags().testFlag(Qt::ItemIsEnabled));
        QVERIFY(palette->list().currentItem()->flags().testFlag(Qt::ItemIsEnabled));
        palette->field().setText(QStringLiteral("xyzzy"));
        QCOMPARE(palette->list().count(), 1);
    }

    void everyViewSaysWhatItAnswers()
    {
        open(m_small);
        m_window->showTab(QLatin1String(panels::entries.id));
        QTRY_VERIFY(dock(panels::entries.id).isOnScreen());
        const auto* question = dock(panels::entries.id).findChild<QLabel*>(QStringLiteral("viewQuestion"));
        QVERIFY(question && question->isVisible());
        QCOMPARE(question->text(), QString::fromUtf8(panels::entries.question.objects));
    }

private:
    // A trace of two ranks that meet.
    QString ranks() const
    {
        WaitProgram program(2, {"work"});
        program.compute(0, 10'000);
        program.compute(1, 4'000);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 1'000});
        const QString path = m_folder.filePath(QStringLiteral("ranks.longpole"));
        return longpole::store(program.rows(), path) ? path : QString();
    }
    const TraceStore& store() { return m_window->workspace()->state().store(); }
    QAction* action(const char* id) { return m_window->actions().find(QLatin1String(id)); }
    // In the sidebar.
    QString openedPlace()
    {
        for (const QPushButton* button :
             m_window->workspace()->sidebar().findChildren<QPushButton*>(QStringLiteral("sidePlace")))
            if (button->isChecked()) return button->property("place").toString();
        return {};
    }
    QPushButton* entry(const char* id)
    {
        for (QPushButton* button : m_window->workspace()->sidebar().findChildren<QPushButton*>())
            if (button->property("entry").toString() == QLatin1String(id)) return button;
        return nullptr;
    }

    QString m_summary;
};

LONGPOLE_GUI_TEST(PlacesTest)
#include "tst_gui_places.moc"
