// SPDX-License-Identifier: GPL-3.0-or-later
// Of a trace that has the events of parts of the run the window shows what was computed of the whole run, figure for
// figure as of the whole trace, and says of what else it would take.
#include "analysis/report/tracetables.h"
#include "analysis/results/results.h"
#include "app/gui/frame/banner.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/pathstrip.h"
#include "app/gui/window/places.h"
#include "app/gui/window/windowfixture.h"
#include "app/program.h"
#include "app/unpacked.h"
#include "core/trace/storedanswers.h"
#include "views/expert/advicepanel.h"
#include "views/expert/efficiencypanel.h"
#include "views/expert/healthpanel.h"
#include "views/expert/keptparts.h"
#include "views/expert/treepanel.h"
#include "views/expert/waitstatespanel.h"
#include "views/path/criticalpathpanel.h"
#include "views/path/nearcriticalpanel.h"
#include "views/path/phasepanel.h"
#include "views/path/whatifpanel.h"
#include "views/seen.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <map>
#include <set>

using namespace longpole;
using namespace longpole::test;

class PartOfTraceTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QProcess process;
        const QString run = m_folder.filePath(QStringLiteral("run.lprec"));
        const Program program(m_folder.path());
        QCOMPARE(program
                     .run(process, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                          {run, QStringLiteral("7"), QStringLiteral("3000")})
                     .code,
                 0);
        const QStringList analyze{QStringLiteral("analyze"), run, QStringLiteral("-o")};
        QCOMPARE(program(analyze + QStringList{whole()}).code, 0);
        QCOMPARE(program(analyze + QStringList{part(), QStringLiteral("--keep"), QStringLiteral("60K")}).code, 0);
    }
    void init() { begin(); }
    void cleanup() { end(); }

    void showsWhatWasComputed()
    {
        const std::map<QString, QByteArray> wanted = shownOf(whole(), false);
        if (QTest::currentTestFailed()) return;
        const std::map<QString, QByteArray> shown = shownOf(part(), true);
        if (QTest::currentTestFailed()) return;
        QCOMPARE(wanted.size(), std::size_t(13));
        QCOMPARE(shown.size(), wanted.size());
        for (const auto& [what, content] : wanted) {
            QVERIFY2(content.size() > 20, qPrintable(what));
            QVERIFY2(shown.at(what) == content,
                     qPrintable(what % QLatin1Char('\n') % QString::fromUtf8(shown.at(what))
                                % QStringLiteral("instead of\n") % QString::fromUtf8(content)));
        }
    }

    // A file of an older version opens after it was upgraded, which is offered; of what it lacks panels say so.
    void offersToUpgrade()
    {
        const QString older = m_folder.filePath(QStringLiteral("older.longpole"));
        QVERIFY(unpack(QStringLiteral(LONGPOLE_TEST_DATA "/../older/kept13.longpole.gz"), older));
        m_window->open(older);
        QTRY_VERIFY(m_window->banner().isVisible() && m_window->banner().offer()->isVisible());
        QVERIFY2(m_window->banner().text().contains(QStringLiteral("older Longpole")),
                 qPrintable(m_window->banner().text()));
        QVERIFY(!TraceStore::open(older).ok());
        m_window->banner().offer()->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace() && state().path(), 30'000);
        QVERIFY(state().store().answers().lacks(AnswerTable::Loop));
        auto& phases = shownPanel<PhasePanel>(panels::phases);
        QTRY_VERIFY2(phases.headline().contains(QStringLiteral("not among the answers")),
                     qPrintable(phases.headline()));
        // What is no file of ours is an error, with no offer.
        QFile broken(older);
        QVERIFY(broken.resize(50'000));
        m_window->open(older);
        QTRY_VERIFY(m_window->banner().isVisible() && !m_window->banner().offer()->isVisible());
    }

    // A click on a step selects it, and asks for no other path, which there is not.
    void keepsItsPath()
    {
        openPart();
        auto& panel = shownPanel<CriticalPathPanel>(panels::path);
        const std::shared_ptr<const CriticalPath> path = state().path();
        Q_EMIT tableOf(panel, "Steps of the critical path").rowChosen(0, 0);
        state().select({.task = path->steps.back().task});
        QTest::qWait(50);
        QCOMPARE(state().path(), path);
        QCOMPARE(m_window->session().question(), PathQuestion{});
        // One that was not computed is no path, in words.
        m_window->session().setRange({path->steps.front().begin, path->steps.back().end - 1});
        auto* strip = m_window->findChild<PathStrip*>();
        QTRY_VERIFY(strip->sentence().text().contains(QStringLiteral("parts of the run")));
        QVERIFY(!state().path());
        m_window->session().askWholeRun();
        QTRY_VERIFY(state().path());
    }

    void saysWhatItLacks()
    {
        openPart();
        auto& whatIf = shownPanel<WhatIfPanel>(panels::whatIf);
        QTRY_VERIFY(whatIf.table().table().rowCount() > 0);
        QVERIFY(!seen<QSlider>(whatIf).isEnabled());
        QTRY_VERIFY2(shownText(whatIf).contains(QStringLiteral("at 0 %: at most ")), qPrintable(shownText(whatIf)));
        auto& waits = shownPanel<WaitStatesPanel>(panels::waitStates);
        QTRY_VERIFY(waits.isThere());
        state().setMarked({state().fullRange().begin, state().fullRange().begin + 1'000'000});
        QTRY_VERIFY2_WITH_TIMEOUT(waits.headline().contains(QStringLiteral("parts of the run")),
                                  qPrintable(waits.headline()), 10'000);
        for (const PanelSpec* spec : panelSpecs())
            if (spec->needs == PanelNeeds::Events || spec->needs == PanelNeeds::Ranks)
                QVERIFY2(!requireNeeds(spec->needs, state().store()).ok(), spec->id);
    }

    // In words of the window's: which parts, and how to get more; of the file's tables nothing.
    void healthSaysWhatIsKept()
    {
        openPart();
        const HealthPanel& health = m_window->workspace()->healthPanel();
        QTRY_VERIFY2(health.toText().contains(QStringLiteral("This file keeps parts of the run's events.")),
                     qPrintable(health.toText()));
        const QString text = health.toText();
        QVERIFY2(!text.contains(QStringLiteral("table")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("--keep 1G")) && text.contains(QStringLiteral("run.lprec")),
                 qPrintable(text));
        const std::vector<HealthNote> notes = keptNotes(state().store());
        QCOMPARE(notes.size(), std::size_t(2));
        QCOMPARE(*notes.front().share, keptShare(state().store()));
        QVERIFY(*notes.front().share > 0 && *notes.front().share < 1);
        // Each rank is there once: with a line of its own, or in that of those with less, or with nothing.
        std::set<std::uint32_t> kept;
        for (const KeptRange& range : state().store().kept()) kept.insert(index(range.pe));
        const auto& lines = notes.front().lines;
        const auto own = std::ranges::count_if(lines, [](const auto& line) {
            return line.first.startsWith(QStringLiteral("Rank "));
        });
        QCOMPARE(std::size_t(own), std::min<std::size_t>(8, kept.size()));
        QCOMPARE(lines.back().first == QStringLiteral("Nothing of"),
                 kept.size() < std::size_t(state().store().info().processors));
    }

private:
    QString whole() const { return m_folder.filePath(QStringLiteral("whole.longpole")); }
    QString part() const { return m_folder.filePath(QStringLiteral("part.longpole")); }

    void openPart()
    {
        m_window->open(part());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace() && state().store().path() == part() && state().path(), 30'000);
    }
    template <typename PanelType>
    PanelType& shownPanel(const PanelSpec& spec)
    {
        m_window->showTab(QLatin1String(spec.id));
        return m_window->workspace()->panel<PanelType>(spec.id);
    }
    static TableView& tableOf(QWidget& panel, const char* accessibleName)
    {
        for (TableView* table : panel.findChildren<TableView*>())
            if (table->accessibleName() == QLatin1String(accessibleName)) return *table;
        qFatal("there is no table %s", accessibleName);
    }

    // By what it is: the rows of panels, and what is said beside them.
    std::map<QString, QByteArray> shownOf(const QString& trace, bool isPart)
    {
        std::map<QString, QByteArray> shown;
        gather(trace, isPart, shown);
        return shown;
    }
    void gather(const QString& trace, bool isPart, std::map<QString, QByteArray>& shown)
    {
        constexpr int patience = 30'000;
        m_window->open(trace);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace() && state().store().path() == trace && state().path(), patience);
        QCOMPARE(state().store().info().isPart(), isPart);
        const auto take = [&shown](const char* what, TableView& table) {
            shown[QString::fromUtf8(what)] = table.table().toCsv();
        };
        auto& path = shownPanel<CriticalPathPanel>(panels::path);
        take("profile", tableOf(path, "Profile of the critical path"));
        take("steps", tableOf(path, "Steps of the critical path"));
        auto* strip = m_window->findChild<PathStrip*>();
        QVERIFY(strip->isVisible());
        shown[QStringLiteral("sentence")] = strip->sentence().text().toUtf8();
        m_window->session().setMode(PathMode::Elapsed);
        QTRY_VERIFY(state().path() && state().path()->mode == PathMode::Elapsed);
        take("elapsed", tableOf(path, "Steps of the critical path"));
        m_window->session().setMode(PathMode::Work);
        QTRY_VERIFY(state().path() && state().path()->mode == PathMode::Work);
        auto& whatIf = shownPanel<WhatIfPanel>(panels::whatIf);
        QTRY_VERIFY_WITH_TIMEOUT(whatIf.table().table().rowCount() > 0 && !whatIf.isComputing(), patience);
        take("gains", whatIf.table());
        auto& near = shownPanel<NearCriticalPanel>(panels::nearCritical);
        QTRY_VERIFY_WITH_TIMEOUT(near.isThere(), patience);
        take("near-critical paths", near.table());
        auto& waits = shownPanel<WaitStatesPanel>(panels::waitStates);
        QTRY_VERIFY_WITH_TIMEOUT(waits.isThere(), patience);
        take("patterns", waits.patterns());
        waits.choice().setCurrentIndex(int(WaitStatesPanel::Show::Worst));
        Q_EMIT waits.choice().activated(int(WaitStatesPanel::Show::Worst));
        take("worst", waits.details());
        waits.choice().setCurrentIndex(int(WaitStatesPanel::Show::Causes));
        Q_EMIT waits.choice().activated(int(WaitStatesPanel::Show::Causes));
        take("causes", waits.details());
        auto* advice = m_window->workspace()->findChild<AdvicePanel*>();
        QVERIFY(advice);
        QTRY_VERIFY_WITH_TIMEOUT(advice->isThere(), patience);
        shown[QStringLiteral("advice")] = advice->toText().toUtf8();
        auto& tree = shownPanel<TreePanel>(panels::tree);
        QTRY_VERIFY_WITH_TIMEOUT(tree.isThere(), patience);
        shown[QStringLiteral("tree")] = tree.headline().toUtf8();
        auto& phases = shownPanel<PhasePanel>(panels::phases);
        QTRY_VERIFY_WITH_TIMEOUT(phases.isThere(), patience);
        take("phases", tableOf(phases, "Repeated phases"));
        auto& efficiency = shownPanel<EfficiencyPanel>(panels::efficiency);
        QTRY_VERIFY_WITH_TIMEOUT(efficiency.isThere(), patience);
        const QByteArray rows = tableOf(efficiency, "Efficiencies by phase").table().toCsv();
        shown[QStringLiteral("efficiency")] = rows.split('\n').value(1);  // those of parts of the run take its events
    }
};

LONGPOLE_GUI_TEST(PartOfTraceTest)
#include "tst_gui_part.moc"
