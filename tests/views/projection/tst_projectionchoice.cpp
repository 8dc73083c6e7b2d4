// SPDX-License-Identifier: GPL-3.0-or-later
// Choosing attributes, stages and processors: the tree, the fields, and what is said when something is typed wrongly.
#include "views/drawnstore.h"
#include "views/projection/attributemodel.h"
#include "views/projection/attributepicker.h"
#include "views/projection/stagebar.h"
#include "views/state/viewstate.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/projection/stagefields.h"
#include "views/seen.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

namespace longpole {

using namespace test;

namespace {

const QStringList choiceRows{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC"), QStringLiteral(".........A")};

void type(QLineEdit& field, const QString& text)
{
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
    if (text.isEmpty()) field.clear();
    QTest::keyClick(&field, Qt::Key_Return);
}

QModelIndex find(const QAbstractItemModel& model, const QString& text, const QModelIndex& parent = {})
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (index.data().toString().startsWith(text)) return index;
        if (const QModelIndex below = find(model, text, index); below.isValid()) return below;
    }
    return {};
}

struct Bar {
    DrawnStore store;
    ViewState state;
    StageBar bar;
    explicit Bar(bool events = false)
        : store(choiceRows, DrawnStore::Options{.userEvents = events}), state(store.shared()), bar(state)
    {
        bar.show();
    }
};

}  // namespace

class TestProjectionChoice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    // Those that a panel has chosen, or found when there are none yet.
    void stagesByIteration()
    {
        Bar bar;
        QComboBox& cut = seen<QComboBox>(bar.bar, "What cuts stages");
        const int place = cut.findText(QStringLiteral("by iteration"));
        QVERIFY(place > 0);
        cut.setCurrentIndex(place);
        bar.state.setPhaseBands({QStringLiteral("iteration"), {{2 * us, 4 * us}, {5 * us, 7 * us}}});
        QTRY_COMPARE(bar.bar.stages().edges, (std::vector<TimeNs>{0, 2 * us, 5 * us, 7 * us, 10 * us}));
        QCOMPARE(bar.bar.stages().names[1], QStringLiteral("iteration 1"));
        bar.state.setPhaseBands({QStringLiteral("iteration"), {{2 * us, 4 * us}}});
        QTRY_COMPARE(bar.bar.stages().count(), std::size_t(3));
        const auto graph = loadActivityGraph(bar.state.store(), Progress{});
        bar.state.setGraph(*graph);
        bar.state.setPhaseBands({});
        QTRY_VERIFY(shownError(bar.bar).contains(QStringLiteral("Nothing repeats")));
    }

    void theTreeIsAModel()
    {
        const DrawnStore store(choiceRows);
        AttributeModel model(*store, true);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(find(model, QStringLiteral("Utilization")).isValid());
        model.addFormula(*parseAttribute(QStringLiteral("user / tasks"), *store));
        model.addFormula(*parseAttribute(QStringLiteral("idle / user"), *store));
        model.addFormula(*parseAttribute(QStringLiteral("user / tasks"), *store));  // moves up
        const QModelIndex formulas = model.index(0, 0);
        QCOMPARE(model.rowCount(formulas), 2);
        QCOMPARE(model.index(0, 0, formulas).data().toString(), QStringLiteral("user / tasks"));
    }

    void severalOrOne()
    {
        const DrawnStore store(choiceRows);
        for (const bool several : {true, false}) {
            AttributeModel model(*store, several);
            QSignalSpy chosen(&model, &AttributeModel::chosenChanged);
            model.toggle(find(model, QStringLiteral("Idle time")));
            model.toggle(find(model, QStringLiteral("Overhead")));
            QCOMPARE(model.chosen().size(), several ? std::size_t(2) : std::size_t(1));
            QCOMPARE(find(model, QStringLiteral("Overhead")).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
            model.toggle(find(model, QStringLiteral("Overhead")));
            QCOMPARE(model.chosen().size(), std::size_t(1));
            QCOMPARE(chosen.count(), several ? 3 : 2);
        }
    }

    void whatTheTraceLacksSaysWhy()
    {
        const DrawnStore store(choiceRows);
        AttributeModel model(*store, true);
        const QModelIndex memory = find(model, QStringLiteral("Memory ·"));
        QVERIFY(memory.data().toString().contains(QStringLiteral("recorded no memory")));
        QVERIFY(!(memory.flags() & Qt::ItemIsEnabled));
        model.toggle(memory);
        QVERIFY(model.chosen().empty());
    }

    void searchShowsWhatMatches()
    {
        const DrawnStore store(choiceRows);
        AttributePicker picker(std::make_shared<Projector>(std::make_shared<Results>(store.shared())), true);
        picker.show();
        seen<QLineEdit>(picker, "Search attributes").setText(QStringLiteral("grain"));
        QVERIFY(find(*picker.tree().model(), QStringLiteral("Mean grain size")).isValid());
        QVERIFY(!find(*picker.tree().model(), QStringLiteral("Idle time")).isValid());
        seen<QLineEdit>(picker, "Search attributes").clear();
        const QModelIndex idle = find(*picker.tree().model(), QStringLiteral("Idle time"));
        picker.tree().scrollTo(idle);
        QTest::mouseClick(picker.tree().viewport(), Qt::LeftButton, {}, picker.tree().visualRect(idle).center());
        QCOMPARE(picker.chosen().size(), std::size_t(1));
    }

    void formulas_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        QTest::newRow("fine") << QStringLiteral("user / tasks") << QString();
        QTest::newRow("a plain name") << QStringLiteral("bytes_sent") << QString();
        QTest::newRow("unfinished") << QStringLiteral("user / ") << QStringLiteral("column");
        QTest::newRow("unknown") << QStringLiteral("usr / tasks") << QStringLiteral("usr");
        QTest::newRow("parenthesis") << QStringLiteral("(user") << QStringLiteral("parenthesis");
        QTest::newRow("lacking") << QStringLiteral("memory") << QStringLiteral("no memory");
    }

    void formulas()
    {
        QFETCH(QString, text);
        QFETCH(QString, error);
        const DrawnStore store(choiceRows);
        const auto projector = std::make_shared<Projector>(std::make_shared<Results>(store.shared()));
        AttributePicker picker(projector, false);
        picker.show();
        picker.setChosen({*parseAttribute(QStringLiteral("idle"), *store)});
        type(seen<QLineEdit>(picker, "Formula over attributes"), text);
        QCOMPARE(shownError(picker).isEmpty(), error.isEmpty());
        QVERIFY2(shownError(picker).contains(error), qPrintable(shownError(picker)));
        QCOMPARE(seen<QLineEdit>(picker, "Formula over attributes").text(), text);  // nothing is lost
        const QString chosen = attributeName(picker.chosen().front(), *store);
        QCOMPARE(chosen, error.isEmpty() ? text : QStringLiteral("idle"));
        AttributePicker other(projector, true);  // formulas are the session's
        QCOMPARE(other.model().rowCount(other.model().index(0, 0)), picker.chosen().front().formula ? 1 : 0);
    }

    void sliderAndField()
    {
        Bar b;
        QCOMPARE(b.bar.stages().count(), std::size_t(100));
        QSignalSpy changed(&b.bar, &StageBar::changed);
        seen<QSlider>(b.bar).setValue(seen<QSlider>(b.bar).maximum());
        QCOMPARE(b.bar.stages().count(), std::size_t(StageBar::mostOfSlider));
        seen<QSlider>(b.bar).setValue(0);
        QCOMPARE(b.bar.stages().count(), std::size_t(1));
        QVERIFY(changed.count() >= 2);
        type(stagesField(b.bar), QStringLiteral("2us"));
        QCOMPARE(b.bar.stages().count(), std::size_t(5));
        type(stagesField(b.bar), QStringLiteral("stages=20"));
        QCOMPARE(b.bar.stages().count(), std::size_t(20));
        QVERIFY(shownError(b.bar).isEmpty());
    }

    void wrongStages_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        QTest::newRow("zero") << QStringLiteral("0us") << QStringLiteral("longer than zero");
        QTest::newRow("no stages") << QStringLiteral("stages=0") << QStringLiteral("at least one");
        QTest::newRow("longer than the run") << QStringLiteral("11us") << QStringLiteral("longer than the range of 10");
        QTest::newRow("words") << QStringLiteral("often") << QStringLiteral("neither");
    }

    void wrongStages()
    {
        QFETCH(QString, text);
        QFETCH(QString, error);
        Bar b;
        type(stagesField(b.bar), QStringLiteral("stages=4"));
        QSignalSpy changed(&b.bar, &StageBar::changed);
        type(stagesField(b.bar), text);
        QVERIFY2(shownError(b.bar).contains(error), qPrintable(shownError(b.bar)));
        QCOMPARE(b.bar.stages().count(), std::size_t(4));
        QCOMPARE(changed.count(), 0);
        QCOMPARE(stagesField(b.bar).text(), text);
        type(stagesField(b.bar), QStringLiteral("stages=5"));
        QVERIFY(shownError(b.bar).isEmpty());
    }

    void setsOfStagesAndProcessors()
    {
        Bar b;
        seen<QToolButton>(b.bar, "Choose …").setChecked(true);
        type(stagesField(b.bar), QStringLiteral("stages=5"));
        type(stageSetField(b.bar), QStringLiteral("0,2-4:2"));
        QCOMPARE(b.bar.kept(), (std::vector<bool>{true, false, true, false, true}));
        type(processorField(b.bar), QStringLiteral("1-2"));
        QCOMPARE(b.bar.pes(), (std::vector<ProcessorId>{ProcessorId{1}, ProcessorId{2}}));
        QCOMPARE(b.bar.choiceText(), QStringLiteral("3 of 5 stages · 2 of 3 PEs"));
        type(processorField(b.bar), QStringLiteral("7"));
        QVERIFY(!shownError(b.bar).isEmpty());
        QCOMPARE(b.bar.pes().size(), std::size_t(2));
        type(processorField(b.bar), QString());
        QCOMPARE(b.bar.pes().size(), std::size_t(3));
        type(stageSetField(b.bar), QStringLiteral("5"));
        QVERIFY(shownError(b.bar).contains(QStringLiteral("not a set of stages from 0 to 4")));
        QCOMPARE(b.bar.kept().size(), std::size_t(5));
        type(stageSetField(b.bar), QString());
        QVERIFY(b.bar.kept().empty() && shownError(b.bar).isEmpty());
    }

    void conditionsChoose()
    {
        Bar b;
        seen<QToolButton>(b.bar, "Choose …").setChecked(true);
        type(stagesField(b.bar), QStringLiteral("stages=5"));
        type(conditionField(b.bar), QStringLiteral("utilization < 70 %"));  // 80, 60, 10 %
        QTRY_COMPARE(b.bar.pes(), (std::vector<ProcessorId>{ProcessorId{1}, ProcessorId{2}}));
        type(conditionField(b.bar), QStringLiteral("idle > 5us"));
        QTRY_COMPARE(b.bar.pes(), std::vector<ProcessorId>{ProcessorId{2}});
        type(conditionField(b.bar), QStringLiteral("utilization > 200 %"));
        QTRY_VERIFY(shownError(b.bar).contains(QStringLiteral("No PE meets")));
        QCOMPARE(b.bar.pes().size(), std::size_t(3));
        type(conditionField(b.bar), QStringLiteral("utilization <"));
        QVERIFY(shownError(b.bar).contains(QStringLiteral("column")));
        type(conditionField(b.bar), QStringLiteral("idle >= 4us"));  // of all PEs together
        choose(seen<QComboBox>(b.bar, "What the condition chooses"), QStringLiteral("stages"));
        QTRY_COMPARE(b.bar.kept(), (std::vector<bool>{false, true, false, true, false}));
        QCOMPARE(b.bar.pes().size(), std::size_t(3));
        type(conditionField(b.bar), QString());
        QVERIFY(b.bar.kept().empty());
    }

    void conditionsAreFormulas()
    {
        QCOMPARE(conditionFormula(QStringLiteral("utilization < 60 %")), QStringLiteral("utilization < (60/100)"));
        QCOMPARE(conditionFormula(QStringLiteral("idle > 1.5ms")), QStringLiteral("idle > (1.5*1000000)"));
        QCOMPARE(conditionFormula(QStringLiteral("user@12s > 3")), QStringLiteral("user@12s > 3"));
    }

    void rangesFollowTheOtherViews()
    {
        Bar b;
        type(stagesField(b.bar), QStringLiteral("stages=4"));
        choose(seen<QComboBox>(b.bar, "Range that is cut into stages"), QStringLiteral("visible part"));
        b.state.setRange({2 * us, 6 * us});
        QCOMPARE(b.bar.stages().whole(), (TimeRange{2 * us, 6 * us}));
        b.state.setProcessors({ProcessorId{1}});
        QCOMPARE(b.bar.pes(), std::vector<ProcessorId>{ProcessorId{1}});
        choose(seen<QComboBox>(b.bar, "Range that is cut into stages"), QStringLiteral("marked part"));
        QCOMPARE(b.bar.stages().whole(), (TimeRange{0, 10 * us}));  // nothing is marked
        QCOMPARE(b.bar.pes().size(), std::size_t(3));
        b.state.setMarked({us, 3 * us});
        QCOMPARE(b.bar.stages().whole(), (TimeRange{us, 3 * us}));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestProjectionChoice)
#include "tst_projectionchoice.moc"
