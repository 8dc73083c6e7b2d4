// SPDX-License-Identifier: GPL-3.0-or-later
// Live: a run's samples show as they come, the program can be asked for things, and when it has ended or is gone the
// page says so and leads to the recording.
#include "app/followedrun.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/settings.h"
#include "app/gui/frame/style.h"
#include "app/gui/live/livepage.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/windowfixture.h"
#include "app/record/onlinecontrol.h"
#include "app/smalltrace.h"
#include "core/store/tracestore.h"
#include "importers/common/importer.h"
#include "importers/recording/growingprogram.h"
#include "views/plots/plot.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QAction>
#include <QDir>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include <sys/resource.h>

using namespace longpole;
using namespace longpole::test;

namespace {

// A button that says what it does now.
QPushButton& buttonOf(const LivePage& page, const QRegularExpression& words)
{
    for (QPushButton* button : page.findChildren<QPushButton*>())
        if (words.match(button->text()).hasMatch()) return *button;
    qFatal("no button says %s", qPrintable(words.pattern()));
}
QPushButton& stopButton(const LivePage& page)
{
    return buttonOf(page, QRegularExpression(QStringLiteral("^(Stop|Start) the path$")));
}
QPushButton& openButton(const LivePage& page) { return buttonOf(page, QRegularExpression(QStringLiteral("^Open "))); }

Plot& lengthPlot(const LivePage& page) { return seen<Plot>(page, "Length of the path, beside the time of the run"); }
Plot& sharePlot(const LivePage& page) { return seen<Plot>(page, "What the path consisted of"); }

}  // namespace

class TestGuiLive : public QObject, private WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { shareCache(); }
    void init()
    {
        QVERIFY(QDir(run()).removeRecursively() && QDir().mkpath(run()));
        begin();
    }
    void cleanup() { end(); }

    // What its page exports goes onto none of the run's files, also when it has ended.
    void theRunIsKept()
    {
        putFirst();
        append(sampleAt(1'000'000, 600'000));
        m_window->open(run());
        LivePage* page = m_window->live();
        QVERIFY(page && page->isVisible());
        const auto isKept = [this](const QString& name) {
            ToBeWritten question(QDir(run()).filePath(name));
            QCoreApplication::sendEvent(m_window.get(), &question);
            return question.isKept();
        };
        const QStringList files = QDir(run()).entryList(QDir::Files);
        QVERIFY(files.size() >= 2);
        for (const bool hasEnded : {false, true}) {
            if (hasEnded) {
                putFirst([](lp_header& header) { header.end_kind = LP_FINALIZED; });
                append(lastAt(3'000'000, 1'500'000));
                QTRY_VERIFY(!page->isWatching());
            }
            for (const QString& name : files) QVERIFY2(isKept(name), qPrintable(name));
            QVERIFY(!isKept(QStringLiteral("plot.png")));
        }
    }

    void samplesCome()
    {
        putFirst();
        append({});
        m_window->open(run());
        LivePage* page = m_window->live();
        QVERIFY(page && page->isVisible() && page->isWatching());
        QCOMPARE(page->stateText(), QStringLiteral("runs; no sample yet"));
        QVERIFY(lengthPlot(*page).series().empty());
        append(sampleAt(1'000'000, 600'000));
        QTRY_VERIFY(page->last());
        QCOMPARE(page->stateText(), QStringLiteral("runs"));
        QVERIFY2(page->sentence().startsWith(QStringLiteral("At 1 ms the path is 600 us long")),
                 qPrintable(page->sentence()));
        // Half a line is no sample.
        const QByteArray second = sampleAt(2'000'000, 900'000);
        append(second.left(70));
        QTest::qWait(700);
        QCOMPARE(page->last()->time, 1'000'000);
        append(second.mid(70));
        QTRY_COMPARE(page->last()->time, 2'000'000);
        // Of the 300 us that came, two thirds are in "solve".
        const std::vector<PlotSeries>& shares = sharePlot(*page).series();
        QCOMPARE(shares.size(), std::size_t(2));
        QCOMPARE(shares[0].name, QStringLiteral("solve"));
        QCOMPARE(shares[0].x, (std::vector<double>{1e6, 2e6}));
        for (const double share : shares[0].y) QVERIFY(qAbs(share - 2.0 / 3) < 1e-6);
        QCOMPARE(lengthPlot(*page).series()[1].y, (std::vector<double>{6e5, 9e5}));
        const TableModel& procedures = page->procedures().table();
        QCOMPARE(procedures.rowCount(), 2);
        QCOMPARE(procedures.index(0, 0).data().toString(), QStringLiteral("solve"));
        QCOMPARE(procedures.index(0, 2).data().toString(), QStringLiteral("66.7 %"));
        QCOMPARE(procedures.index(0, 4).data().toString(), QStringLiteral("450 us"));
        QCOMPARE(page->ranks().table().index(0, 0).data().toString(), QStringLiteral("3"));
        // It has ended.
        putFirst([](lp_header& header) { header.end_kind = LP_FINALIZED; });
        append(lastAt(3'000'000, 1'500'000));
        QTRY_COMPARE(page->stateText(), QStringLiteral("has ended"));
        QTRY_VERIFY(!page->isWatching());
        QVERIFY(!stopButton(*page).isVisible() && openButton(*page).isVisible());
        QCOMPARE(openButton(*page).text(), QStringLiteral("Open the recording"));
    }

    void namesHaveTheColoursOfTraces()
    {
        const QRgb last = paletteColours(PaletteKind::Calm).back();
        const auto colourOfSolve = [this] {
            m_window->open(run());
            LivePage* page = m_window->live();
            if (!QTest::qWaitFor([page] { return page->last().has_value(); })) return QColor();
            const TableModel& table = page->procedures().table();
            return table.index(0, 0).data(TableModel::SwatchRole).value<QColor>();
        };
        putFirst();
        append(sampleAt(1'000'000, 600'000));
        QVERIFY(colourOfSolve().isValid() && colourOfSolve().rgb() != last);
        m_settings->setColours(ColourMemory::fromJson({{"calm",
                                                        {{"solve", paletteColours(PaletteKind::Calm).size() - 1}}}}));
        QCOMPARE(colourOfSolve().rgb(), last);
    }

    void theProgramIsAsked()
    {
        putFirst();
        append(sampleAt(1'000'000, 600'000));
        m_window->open(run());
        LivePage* page = m_window->live();
        QTRY_VERIFY(page->last());
        stopButton(*page).click();
        QCOMPARE(control(), QByteArray("stop\n"));
        QVERIFY(m_window->banner().text().contains(QStringLiteral("once a second")));
        append(sampleAt(2'000'000, 600'000, ",\"paused_ns\":900000,\"stopped\":true"));
        QTRY_COMPARE(page->stateText(), QStringLiteral("runs; its path is stopped"));
        QVERIFY(page->doubt().contains(QStringLiteral("900 us of the run are not in the path: it was stopped then.")));
        stopButton(*page).click();
        QCOMPARE(control(), QByteArray("start\n"));
        seen<QPushButton>(*page, "Follow gain").click();  // nothing is selected
        QCOMPARE(control(), QByteArray("start\n"));
        page->procedures().selectRow(0);
        seen<QPushButton>(*page, "Follow gain").click();
        QCOMPARE(control(), QByteArray("procedures\nprocedure solve\n"));
        page->procedures().selectRow(1);  // its name has a line break, which no line can say
        seen<QPushButton>(*page, "Follow gain").click();
        QCOMPARE(control(), QByteArray("procedures\nprocedure solve\n"));
        QVERIFY(m_window->banner().text().contains(QStringLiteral("cannot all be followed")));
    }

    // Each sample fills the table anew, in another order perhaps.
    void whatIsSelectedStaysSo()
    {
        putFirst();
        append(sampleAt(1'000'000, 600'000));
        m_window->open(run());
        LivePage* page = m_window->live();
        QTRY_VERIFY(page->last());
        page->procedures().selectRow(0);
        QByteArray second = sampleAt(2'000'000, 900'000);
        second.replace("\"procedures\":[",
                       "\"procedures\":[{\"name\":\"first\",\"share_ns\":0,\"net_ns\":null,\"cpu_ns\":7},");
        append(second);
        QTRY_COMPARE(page->procedures().table().rowCount(), 3);
        QCOMPARE(page->procedures().selectionModel()->selectedRows().size(), 1);
        seen<QPushButton>(*page, "Follow gain").click();
        QCOMPARE(control(), QByteArray("procedures\nprocedure solve\n"));
    }

    void wishes()
    {
        QVERIFY(askForProcedures(run(), {}).ok());
        QCOMPARE(control(), QByteArray("procedures\n"));
        QVERIFY(askForProcedures(run(), {QStringLiteral("f(int, int)"), QString::fromUtf8("lösen")}).ok());
        QCOMPARE(control(), QByteArray("procedures\nprocedure f(int, int)\nprocedure l\xc3\xb6sen\n"));
        QVERIFY(!askForProcedures(run(), {QString(2000, QLatin1Char('a'))}).ok());
        QVERIFY(!askForProcedures(run(), QStringList(65, QStringLiteral("a"))).ok());
        QVERIFY(!askForPath(run() + QStringLiteral("/no"), PathWish::Stop).ok());
    }

    // A run's folder may be a stranger's, and a link in it lead to a file of the user's.
    void linksAreLeftAlone()
    {
        const QString own = m_folder.filePath(QStringLiteral("own"));
        QFile file(own);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        QVERIFY(QFile::link(own, run() + QStringLiteral("/online.control")));
        const Result<> asked = askForPath(run(), PathWish::Stop);
        QVERIFY(!asked.ok() && asked.error().what.contains(QStringLiteral("link")));
        QVERIFY(!askForProcedures(run(), {QStringLiteral("solve")}).ok());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("mine"));
        QVERIFY(QFileInfo(run() + QStringLiteral("/online.control")).isSymLink());
    }

    // Each point had the names of all before it.
    void manyNames()
    {
        rusage before{}, after{};
        QCOMPARE(::getrusage(RUSAGE_SELF, &before), 0);
        LiveSeries series;
        OnlineSample sample;
        constexpr int samples = 300, names = 300;
        for (int i = 1; i <= samples; ++i) {
            sample.time = sample.length = TimeNs{i} * 1000;
            sample.procedures.clear();
            for (int k = 0; k < names; ++k)
                sample.procedures.push_back({.name = QStringLiteral("%1.%2").arg(i).arg(k), .share = i + k});
            series.add(sample);
        }
        QCOMPARE(series.largest(LiveBy::Procedure, 1), QStringList{QStringLiteral("300.299")});
        QCOMPARE(series.shares(LiveBy::Procedure, QStringLiteral("2.0")).at(1), 0.002);
        QCOMPARE(series.shares(LiveBy::Procedure, QStringLiteral("2.0")).at(2), 0.0);
        QCOMPARE(::getrusage(RUSAGE_SELF, &after), 0);
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < 200'000, qPrintable(QString::number(after.ru_maxrss)));
    }

    // Of what a point that is thinned out has listed, its share stays.
    void thinnedPointsKeepTheirShares()
    {
        LiveSeries series;
        OnlineSample sample;
        for (int i = 1; i <= 2500; ++i) {
            sample.time = sample.length = TimeNs{i} * 1000;
            sample.procedures.clear();
            if (i % 2 == 0) sample.procedures.push_back({.name = QStringLiteral("even"), .share = TimeNs{i} * 500});
            series.add(sample);
        }
        const std::vector<double> shares = series.shares(LiveBy::Procedure, QStringLiteral("even"));
        double sum = 0, last = 0;
        for (std::size_t at = 0; at < shares.size(); ++at) {
            sum += shares[at] * (series.lengths()[at] - last);
            last = series.lengths()[at];
        }
        QVERIFY2(qAbs(sum - 1'250'000) < 2000, qPrintable(QString::number(sum)));
    }

    void killed()
    {
        putFirst(endsBefore);
        append(sampleAt(1'000'000, 600'000));
        m_window->open(run() + QStringLiteral("/online.jsonl"));
        LivePage* page = m_window->live();
        QVERIFY(page && page->isVisible());
        QTRY_COMPARE(page->stateText(), QStringLiteral("is gone: killed, or its machine went down"));
        QTRY_VERIFY(!page->isWatching());
        QVERIFY(page->last() && !stopButton(*page).isVisible());
    }

    // What opens as a trace does: a run that has ended, or was killed, and was recorded.
    void endedRunsOpenAsTraces()
    {
        append(lastAt(1'000'000, 600'000));
        putFirst([](lp_header& header) { header.end_kind = LP_FINALIZED; });
        QVERIFY(!isLive(run()));
        putFirst(endsBefore);
        QVERIFY(!isLive(run()));
        putFirst();
        QVERIFY(isLive(run()));
        putFirst([](lp_header& header) { header.boot_id[0] ^= 1; });  // on another machine
        QVERIFY(isLive(run()));
        QFile index(run() + QStringLiteral("/index.lpindex"));
        QVERIFY(index.open(QIODevice::WriteOnly));
        QVERIFY(!isLive(run()));
        putFirst([](lp_header& header) {
            header.end_kind = LP_FINALIZED;
            header.flags = LP_WITHOUT_TRACE;
        });
        QVERIFY(isLive(run()));
        QVERIFY(QFile::remove(run() + QStringLiteral("/online.jsonl")));
        QVERIFY(!isLive(run()));
        QVERIFY(!isLive(run() + QStringLiteral("/no")));
    }

    void withoutRecordingThereIsNoneToOpen()
    {
        putFirst([](lp_header& header) {
            header.end_kind = LP_FINALIZED;
            header.flags = LP_WITHOUT_TRACE;
        });
        append(lastAt(1'000'000, 600'000));
        m_window->open(run());
        QTRY_COMPARE(m_window->live()->stateText(), QStringLiteral("has ended"));
        QVERIFY(!openButton(*m_window->live()).isVisible());
    }

    void damagedSamplesAreSaid()
    {
        putFirst();
        append(sampleAt(1'000'000, 600'000) + "{garbage\n");
        m_window->open(run());
        QVERIFY2(m_window->banner().text().contains(QStringLiteral("no sample of a critical path")),
                 qPrintable(m_window->banner().text()));
        QVERIFY(!m_window->live()->isWatching());
    }

    void toAndFromATrace()
    {
        putFirst();
        append(sampleAt(1'000'000, 600'000));
        const QString trace = m_folder.filePath(QStringLiteral("small.longpole"));
        QVERIFY(writeHostileTrace(trace).ok());
        m_window->open(trace);
        QTRY_VERIFY(m_window->workspace());
        // This trace has no samples.
        m_window->actions().find(QStringLiteral("file.live"))->trigger();
        QVERIFY(m_window->banner().text().contains(QStringLiteral("without --online")) && m_window->workspace());
        m_window->open(run());
        QVERIFY(!m_window->workspace() && m_window->live()->isVisible());
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("run.lprec")));
        m_window->open(trace);
        QTRY_VERIFY(m_window->workspace());
        QVERIFY(!m_window->live()->isVisible() && !m_window->live()->isWatching());
    }

    // What was looked at is looked at after it, too; the whole run is the whole run that there is now.
    void refreshKeepsTheView()
    {
        const QString trace = m_folder.filePath(QStringLiteral("refreshed.longpole"));
        QVERIFY(writeHostileTrace(trace).ok());
        m_window->open(trace);
        QTRY_VERIFY(m_window->workspace());
        const auto state = [this]() -> ViewState& { return m_window->workspace()->state(); };
        const TimeRange whole = state().wholeRange();
        const TimeRange part{whole.begin + whole.length() / 4, whole.begin + whole.length() / 2};
        state().setRange(part);
        state().setMarked(part);
        m_window->showTab(QStringLiteral("panel.health"));
        const auto refresh = [this] {
            const QPointer<Workspace> before(m_window->workspace());
            m_window->actions().find(QStringLiteral("file.refresh"))->trigger();
            QTRY_VERIFY(m_window->workspace() && !before);
        };
        refresh();
        QCOMPARE(state().range(), part);
        QCOMPARE(state().marked(), part);
        QVERIFY2(m_window->banner().text().trimmed().isEmpty(), qPrintable(m_window->banner().text()));
        state().setRange(state().wholeRange());
        refresh();
        QCOMPARE(state().range(), state().wholeRange());
        QCOMPARE(state().marked(), part);
    }

    // A recording that has grown: what was looked at is looked at, and the run goes on behind it.
    void refreshTakesWhatIsNew()
    {
        const GrowingProgram program(7, 3, 300, {});
        const QString folder = m_folder.filePath(QStringLiteral("growing.lprec"));
        const auto state = [this]() -> ViewState& { return m_window->workspace()->state(); };
        std::int64_t time = program.end() / 2;
        program.write(folder, std::vector<std::int64_t>(3, time));
        m_window->open(folder);
        QTRY_VERIFY(m_window->workspace());
        TimeRange whole = state().wholeRange();
        const TimeRange part{whole.begin + whole.length() / 4, whole.begin + whole.length() / 2};
        state().setRange(part);
        state().setMarked(part);
        for (int i = 0; i < 3; ++i) {
            time += program.end() / 10;
            program.write(folder, std::vector<std::int64_t>(3, time));
            const QPointer<Workspace> before(m_window->workspace());
            m_window->actions().find(QStringLiteral("file.refresh"))->trigger();
            QTRY_VERIFY(m_window->workspace() && !before);
            QCOMPARE(state().range(), part);
            QCOMPARE(state().marked(), part);
            QVERIFY(state().wholeRange().begin == whole.begin && state().wholeRange().end > whole.end);
            whole = state().wholeRange();
        }
        // As it would be if it had been opened now.
        const QString alone = m_folder.filePath(QStringLiteral("alone.longpole"));
        QVERIFY(importerFor(folder)->import(folder, alone, {}, Progress{}).ok());
        const auto store = TraceStore::open(alone);
        QVERIFY(store && (*store)->stamp() == state().store().stamp());
    }

    // A run of a year: drawn in at most so many points, the newest one among them.
    void manySamples()
    {
        LiveSeries series;
        OnlineSample sample;
        for (int i = 1; i <= 50'000; ++i) {
            sample.time = TimeNs{i} * 1000;
            sample.length = TimeNs{i} * 700;
            sample.covered = TimeNs{i} * 1000;
            sample.procedures = {{.name = QStringLiteral("a"), .share = TimeNs{i} * 500},
                                 {.name = QStringLiteral("b"), .share = TimeNs{i} * 200}};
            sample.ranks = {{0, TimeNs{i} * 700}};
            series.add(sample);
            QVERIFY(series.size() <= LiveSeries::mostPoints);
        }
        QVERIFY(series.size() >= LiveSeries::mostPoints / 2);
        QCOMPARE(series.times().back(), 50'000'000.0);
        QCOMPARE(series.largest(LiveBy::Procedure, 6), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
        QCOMPARE(series.largest(LiveBy::Procedure, 1), QStringList{QStringLiteral("a")});
        QCOMPARE(series.largest(LiveBy::Rank, 6), QStringList{QStringLiteral("rank 0")});
        for (const double share : series.shares(LiveBy::Procedure, QStringLiteral("a")))
            QVERIFY(qAbs(share - 5.0 / 7) < 1e-9);
        for (const double share : series.shares(LiveBy::Rank, QStringLiteral("rank 1"))) QCOMPARE(share, 0.0);
    }

    // 5,000 samples that are there already are read in parts, and all of them.
    void whatIsThereAlready()
    {
        QByteArray all;
        for (qint64 i = 1; i <= 5000; ++i) all += sampleAt(i * 1'000'000, i * 600'000);
        putFirst();
        append(all);
        m_window->open(run());
        QTRY_COMPARE(m_window->live()->last()->time, 5'000'000'000);
    }

private:
    QString run() const { return m_folder.filePath(QStringLiteral("run.lprec")); }
    void putFirst(const std::function<void(lp_header&)>& change = [](lp_header&) {})
    {
        QVERIFY(putFirstRank(run(), change));
    }
    void append(const QByteArray& bytes) const
    {
        QFile file(run() + QStringLiteral("/online.jsonl"));
        QVERIFY(file.open(QIODevice::Append) && file.write(bytes) == bytes.size());
    }
    QByteArray control() const
    {
        QFile file(run() + QStringLiteral("/online.control"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

LONGPOLE_GUI_TEST(TestGuiLive)
#include "tst_gui_live.moc"
