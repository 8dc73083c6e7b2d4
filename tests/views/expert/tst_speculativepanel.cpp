// SPDX-License-Identifier: GPL-3.0-or-later
// Speculative work as a hand meets it: layers with the variable's course over them, concerns that lead to their places,
// and what is shown where nothing is recorded.
#include "views/drawing/basics/theme.h"
#include "views/expert/speculativepanel.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include "importers/common/importer.h"
#include "support/machines/plantedruns.h"
#include "support/testmain.h"
#include "views/expert/sharedexample.h"
#include "views/seen.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <numeric>

using namespace longpole;
using namespace longpole::test;

namespace {

// A planted run, imported once.
std::shared_ptr<const TraceStore> planted(const char* name)
{
    static QTemporaryDir folder;
    static std::map<QByteArray, std::shared_ptr<const TraceStore>> known;
    std::shared_ptr<const TraceStore>& store = known[name];
    if (store) return store;
    for (const PlantedRun& run : plantedRuns()) {
        if (QByteArray(run.name) != name) continue;
        const QString place = folder.path() % u'/' % QString::number(known.size());
        QDir().mkpath(place);
        const QString source = run.write(place, {.pes = 8, .seed = 5});
        const QString target = place % QStringLiteral("/run.longpole");
        if (importerFor(source)->import(source, target, ImportOptions{}, Progress{})) store = *TraceStore::open(target);
    }
    return store;
}

struct SpeculativeWindow {
    ViewState state;
    QWidget dock;
    SpeculativePanel& panel;

    explicit SpeculativeWindow(const char* run) : state(planted(run)), panel(*new SpeculativePanel(state, &dock))
    {
        dock.resize(1100, 260);
        panel.resize(dock.size());
        dock.show();
    }
    void load() { state.setGraph(*loadActivityGraph(state.store(), Progress{})); }
    QString text(int row, int column) { return panel.table().table().index(row, column).data().toString(); }
};

}  // namespace

class TestSpeculativePanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void layersAreTheWork()
    {
        SpeculativeWindow window("speculation");
        QCOMPARE(window.panel.headline(), QStringLiteral("Loading tasks …"));
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        const SpeculativeSeries* const series = window.panel.series();
        QVERIFY(series);
        const PlotStack::Content& content = window.panel.plot().content();
        QCOMPARE(content.layers.size(), std::size_t{3});
        QCOMPARE(content.edges.size(), std::size_t{101});
        double sum = 0;
        for (const StackLayer& layer : content.layers)
            for (std::size_t i = 0; i < 100; ++i)
                sum += layer.values[i] * (content.edges[i + 1] - content.edges[i]) * 8;
        QVERIFY(std::abs(sum - double(window.state.store().info().busy)) < 1000);
        const auto& course = window.panel.plot().course();
        QVERIFY(course);
        QCOMPARE(course->markX.size() + course->faintX.size(), series->updates.size());
        QCOMPARE(course->x.size(), series->best.size() + 1);
        QVERIFY(std::is_sorted(course->y.rbegin(), course->y.rend()));
        QVERIFY2(window.panel.headline().contains(QLatin1String("before a better bound came")),
                 qPrintable(window.panel.headline()));
    }

    void concernsLeadToTheirPlaces()
    {
        SpeculativeWindow window("speculation");
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        QCOMPARE(window.panel.table().table().rowCount(), 6);
        QCOMPARE(window.text(0, 2), QStringLiteral("not recorded"));
        QCOMPARE(window.text(1, 2), QStringLiteral("found"));
        QVERIFY(window.panel.evidence());  // of the first that fires
        const std::vector<LinkLabel*> links = window.panel.evidence()->links();
        QVERIFY(!links.empty());
        links.front()->follow();
        const Evidence& place = window.panel.series()->evidence.front();
        QCOMPARE(window.state.marked(), place.range);
        QCOMPARE(window.state.selection().task, place.tasks.front());
        Q_EMIT window.panel.table().rowChosen(0, 0);
        QVERIFY(!window.panel.evidence());
    }

    void theHandMarksAPart()
    {
        SpeculativeWindow window("speculation");
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        const TimeNs middle = window.panel.series()->edges[50], zero = window.state.store().info().begin;
        const QString before = shownText(window.panel);
        Q_EMIT window.panel.plot().hovered(double(middle - zero) + 1, 0.5);
        QVERIFY(shownText(window.panel) != before);
        QVERIFY2(shownText(window.panel).contains(QLatin1String("bound 8")), qPrintable(shownText(window.panel)));
        Q_EMIT window.panel.plot().left();
        QCOMPARE(shownText(window.panel), before);
        Q_EMIT window.panel.plot().clicked(double(middle - zero) + 1, 0.5);
        QCOMPARE(window.state.marked(), (TimeRange{middle, window.panel.series()->edges[51]}));
        Q_EMIT window.panel.plot().doubleClicked(double(middle - zero) + 1, 0.5);
        QCOMPARE(window.state.range(), (TimeRange{middle, window.panel.series()->edges[51]}));
    }

    void anotherThemeKeepsWhatIsChosen()
    {
        SpeculativeWindow window("speculation");
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        Q_EMIT window.panel.table().rowChosen(4, 0);
        const EvidenceList* const chosen = window.panel.evidence();
        QVERIFY(chosen);
        for (const Theme& theme : {lightTheme(), darkTheme()}) window.dock.setPalette(widgetPalette(theme));
        QCOMPARE(window.panel.evidence(), chosen);
        QCOMPARE(window.panel.table().currentIndex().row(), 4);
    }

    void otherThresholdsJudgeAnew()
    {
        SpeculativeWindow window("speculation");
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        QTemporaryDir folder;
        const QString mild = folder.filePath(QStringLiteral("mild.toml"));
        QFile file(mild);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("[speculative]\nshare = 0.99\n") > 0);
        file.close();
        QVERIFY(window.state.setThresholdsFile(mild).ok());
        QVERIFY(!window.panel.isThere());
        QTRY_VERIFY(window.panel.isThere());
        QCOMPARE(window.text(1, 2), QStringLiteral("fine"));
    }

    void tablesWithoutMonotonicVariables()
    {
        SpeculativeWindow window("shared variables");
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(!window.panel.series());
        QVERIFY(window.panel.plot().content().layers.empty() && !window.panel.plot().course());
        QCOMPARE(window.panel.headline(), QStringLiteral("One concern about shared variables"));
        QCOMPARE(window.text(5, 2), QStringLiteral("found"));
        QCOMPARE(window.text(5, 1), QStringLiteral("results"));
    }

    void whereNothingIsRecorded()
    {
        SpeculativeWindow window("balanced");
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(seen<SharedExample>(window.panel).isVisible());
        QVERIFY(!window.panel.table().isVisible());
        QCOMPARE(window.panel.headline(), QStringLiteral("This trace says nothing about shared variables."));
        const auto* example = seen<SharedExample>(window.panel).findChild<QPlainTextEdit*>();
        QCOMPARE(example->toPlainText(), sharedStatExample());
        QVERIFY(sharedStatExample().trimmed().count(u'\n') <= 9);  // ten lines
        QTest::mouseClick(seen<SharedExample>(window.panel).findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), sharedStatExample());
    }
};

LONGPOLE_GUI_TEST(TestSpeculativePanel)
#include "tst_speculativepanel.moc"
