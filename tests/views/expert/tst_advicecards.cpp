// SPDX-License-Identifier: GPL-3.0-or-later
// The cards of advice as a hand meets them: ranked, opened, followed and copied, and what is said where there is none.
#include "views/expert/advicepanel.h"
#include "views/expert/expertwindow.h"
#include "views/state/viewstate.h"
#include "views/widgets/linklabel.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

namespace longpole {

using namespace test;

class TestAdviceCards : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The offscreen platform says this of every window with a smallest size.
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    // One long name made a card wider than the panel, so that all of its lines were cut off.
    void longNamesBreak()
    {
        const QString name = QStringLiteral("Wave::redn_wrapper_iterationCompleted");
        LinkLabel label(QStringLiteral("muted"));
        for (const bool isLinked : {false, true}) {
            if (isLinked) label.setLink(QStringLiteral("PE 1"), name);
            else label.setWords(name);
            QVERIFY(label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance(name) * 2 / 3);
        }
        label.setWords(name);
        QCOMPARE(label.plainText(), name);
    }

    // What the trace contradicts comes before any advice.
    void failedChecksAreSaidFirst()
    {
        ExpertWindow window;
        auto doubted = std::make_shared<Expert>(*window.answer);
        const QString says = QStringLiteral("This run had fewer cores than PEs.");
        doubted->health.checks = {{.id = CheckId::ProcessorTime, .level = CheckLevel::Failed, .says = says}};
        window.answer = doubted;
        window.show();
        QVERIFY2(window.advice.toText().startsWith(says), qPrintable(window.advice.toText()));
        QStringList labels;
        for (const LinkLabel* label : window.advice.findChildren<LinkLabel*>()) labels << label->plainText();
        QCOMPARE(labels.value(0), says);
    }

    void adviceOfRanksSaysWhyNoSavingIsPredicted()
    {
        const auto wordsOf = [](const AdviceCard& card) {
            QStringList texts;
            for (const LinkLabel* label : card.findChildren<LinkLabel*>()) texts << label->plainText();
            return texts.join(QLatin1Char('\n'));
        };
        Advice advice;
        advice.effect = QStringLiteral("Much is lost.");
        const QString reason = QStringLiteral(
            "Much is lost. No saving is predicted: only runs of Charm++ are replayed.");
        QVERIFY(wordsOf(AdviceCard(advice, 1, {.words = Vocabulary(ProgramKind::Mpi)})).contains(reason));
        QVERIFY(!wordsOf(AdviceCard(advice, 1, {})).contains(QStringLiteral("No saving")));
    }

    void adviceIsRanked()
    {
        ExpertWindow window;
        QSignalSpy counted(&window.advice, &AdvicePanel::countChanged);
        window.show();
        QCOMPARE(window.advice.countText(), QStringLiteral("2"));
        QVERIFY(counted.count() > 0);
        QCOMPARE(window.advice.cards().size(), 2u);
        AdviceCard& first = *window.advice.cards().front();
        QVERIFY(!first.isOpen());  // the ranking at a glance
        QVERIFY(
            first.toText().startsWith(QStringLiteral("1. Give Drawn::B a higher priority −34 … −38 %\n8 critical")));
        QVERIFY(first.toText().contains(QStringLiteral("\nconfidence 90 %\n")));  // a replay says what it would save
        QVERIFY(
            window.advice.cards().back()->toText().contains(QStringLiteral("8 us of PE-time lost, 5.0 % of the run")));
        QVERIFY(first.toText().contains(QStringLiteral("Doubt: 10 % of the receive times are estimates.")));
        QVERIFY(window.advice.toText().contains(QStringLiteral("2. Start more tasks at once at most −4.0 %")));
        // What could not be judged is no advice; the tree has it.
        QVERIFY(!window.advice.toText().contains(QStringLiteral("Can't tell")));
        QVERIFY(!window.advice.toText().contains(QStringLiteral("Priorities: ")));
    }

    void cardsOpenByClickAndKey()
    {
        ExpertWindow window;
        window.show();
        AdviceCard& second = *window.advice.cards().back();
        QTest::mouseClick(&second, Qt::LeftButton, {}, QPoint(40, 12));
        QVERIFY(second.isOpen());
        QTest::keyClick(&second, Qt::Key_Space);
        QVERIFY(!second.isOpen());
        QVERIFY(second.accessibleName().startsWith(QStringLiteral("Advice 2: Start more tasks at once")));
    }

    void buttonsOfACard()
    {
        ExpertWindow window;
        window.show();
        AdviceCard& first = *window.advice.cards().front();
        QVERIFY(!buttonOf(first, "Replay"));                       // nobody listens
        QVERIFY(!buttonOf(*window.advice.cards().back(), "SQL"));  // it has none
        QSignalSpy sql(&window.advice, &AdvicePanel::sqlRequested);
        buttonOf(first, "SQL")->click();
        QCOMPARE(sql.value(0).value(0).toString(), window.answer->advice[0].sql);
        buttonOf(first, "Copy")->click();
        QCOMPARE(QApplication::clipboard()->text(), first.toText());
        QSignalSpy timeline(&window.advice, &AdvicePanel::timelineRequested);
        buttonOf(first, "Show")->click();
        QCOMPARE(timeline.count(), 1);
        QCOMPARE(window.state.marked(), window.answer->advice[0].range);
        QCOMPARE(window.state.selection().task, (TaskId{ProcessorId{0}, 0}));
    }

    void replayIsOfferedWhereSomebodyListens()
    {
        ExpertWindow window;
        QSignalSpy replayed(&window.advice, &AdvicePanel::replayRequested);
        QString asked;
        connect(&window.advice, &AdvicePanel::replayRequested, this,
                [&asked](const Advice& advice) { asked = advice.id; });
        window.show();
        buttonOf(*window.advice.cards().front(), "Replay")->click();
        QCOMPARE(asked, QStringLiteral("prioritize:E1"));
        QVERIFY(!buttonOf(*window.advice.cards().back(), "Replay"));  // no prediction
    }

    void nothingToAdvise()
    {
        ExpertWindow window;
        auto calm = std::make_shared<Expert>(*window.answer);
        calm->advice.clear();
        calm->tree.nodes[0].verdict = Verdict::NotFired;
        calm->tree.nodes[0].why = QStringLiteral("Processors computed 96 % of the time.");
        window.answer = calm;
        window.show();
        QVERIFY(window.advice.cards().empty());
        QCOMPARE(window.advice.countText(), QString());
        QVERIFY(window.advice.toText().startsWith(
            QStringLiteral("Nothing to advise. Processors computed 96 % of the time.\n")));
    }

    void aReplayIsNotCalledAMeasurement()
    {
        ExpertWindow window;
        window.show();
        const auto said = [&window] {
            QStringList texts;
            for (const AdviceCard* card : window.advice.cards())
                for (const LinkLabel* label : card->findChildren<LinkLabel*>()) texts << label->plainText();
            return texts.join(QLatin1Char('\n'));
        };
        const QString id = window.answer->advice.front().id;
        window.advice.setMeasured({{id, {.run = QStringLiteral("run 2"), .text = QStringLiteral("B took less")}}});
        QVERIFY2(said().contains(QStringLiteral("Measured, B is run 2")), qPrintable(said()));
        window.advice.setMeasured(
            {{id, {.run = QStringLiteral("replay"), .text = QStringLiteral("B took less"), .isReplayed = true}}});
        QVERIFY2(said().contains(QStringLiteral("Replayed, not measured: B is replay")), qPrintable(said()));
        QVERIFY(!said().contains(QStringLiteral("Measured")));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestAdviceCards)
#include "tst_advicecards.moc"
