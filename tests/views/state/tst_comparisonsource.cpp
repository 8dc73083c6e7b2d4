// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of two traces that are loaded while it is computed: advice that comes later is added, and what was
// compared before a trace grew is dropped.
#include "views/state/comparisonsource.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/graph/graphquestions.h"
#include "views/drawnstore.h"
#include "views/state/viewstate.h"

#include "support/testmain.h"

#include <QTest>

namespace longpole {

namespace {

void loadTasks(ViewState& state)
{
    const auto graph = state.results()->ask(GraphQuestion{}, Progress{});
    QVERIFY(graph.ok());
    state.setGraph(*graph);
}

const QStringList unevenRows{QStringLiteral("AAAAAAAAAAAAAAAAAAAA"), QStringLiteral("AAAA................")};
const QStringList evenRows{QStringLiteral("AAAAAAAAAAAA"), QStringLiteral("AAAAAAAAAAAA")};

}  // namespace

class TestComparisonSource : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void waitsForTheTasksOfBoth()
    {
        const DrawnStore a(unevenRows), b(evenRows);
        ViewState first(a.shared()), second(b.shared());
        ComparisonSource source(first);
        QVERIFY(!source.want());
        source.setSecond(&second);
        loadTasks(first);
        QVERIFY(!source.want());
        loadTasks(second);
        QVERIFY(source.want());
        QTRY_VERIFY(source.comparison());
        QTRY_COMPARE(first.results()->computed<ExpertQuestion>(), 1);
        QVERIFY(!source.error());
    }

    // The tasks are gone when the comparison comes, and are there again only afterwards.
    void adviceThatComesLaterIsAdded()
    {
        const DrawnStore a(unevenRows), b(evenRows);
        ViewState first(a.shared()), second(b.shared());
        ComparisonSource source(first);
        source.setSecond(&second);
        loadTasks(first);
        loadTasks(second);
        QVERIFY(source.want());
        first.setGraph(nullptr);
        QTRY_VERIFY(source.comparison());
        const std::shared_ptr<const Comparison> withoutAdvice = source.comparison();
        QCOMPARE(first.results()->computed<ExpertQuestion>(), 0);
        loadTasks(first);
        QTRY_VERIFY(source.comparison() != withoutAdvice);
        QCOMPARE(first.results()->computed<ExpertQuestion>(), 1);
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestComparisonSource)
#include "tst_comparisonsource.moc"
