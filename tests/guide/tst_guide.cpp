// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of the guides in docs/developer: an importer, an analysis, a command and a panel that work, and guides
// that show them as they are.
#include "analysis/asked.h"
#include "analysis/findingresult.h"
#include "app/commandline/commandline.h"
#include "guide/longtasks.h"
#include "importers/common/importer.h"
#include "views/state/comparisonsource.h"
#include "views/state/panelhost.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace longpole {

extern const Importer taskListImporter;
extern const Command longTasksCommand;
namespace panels {
extern const PanelSpec longTasks;
}

namespace {

// Each ```cpp block of a guide that begins with "// tests/guide/<file>", by file.
std::vector<std::pair<QString, QString>> examplesIn(const QString& guide)
{
    std::vector<std::pair<QString, QString>> found;
    static const QRegularExpression block(QStringLiteral("```cpp\n// (tests/guide/[a-z]+\\.(?:h|cpp))\n(.*?)```"),
                                          QRegularExpression::DotMatchesEverythingOption);
    for (auto match = block.globalMatch(guide); match.hasNext();) {
        const QRegularExpressionMatch one = match.next();
        found.emplace_back(one.captured(1), one.captured(2));
    }
    return found;
}

}  // namespace

class TestGuide : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void initTestCase()
    {
        QFile list(m_folder.filePath(QStringLiteral("run.tasks")));
        QVERIFY(list.open(QIODevice::WriteOnly));
        list.write("# tasks 1\n0 solve 0 2000\n0 output 2500 3000\n1 solve 1000 9000\nnonsense\n1 solve 500 600\n");
        list.close();
        QVERIFY(taskListImporter.probe(list.fileName()));
        QVERIFY(!taskListImporter.probe(m_folder.path()));
        m_path = m_folder.filePath(QStringLiteral("run.longpole"));
        const auto report = taskListImporter.import(list.fileName(), m_path, {}, Progress{});
        QVERIFY2(report.ok(), report ? "" : qPrintable(toText(report.error())));
        QCOMPARE(report->records, 5);
        QCOMPARE(report->issues.size(), std::size_t(2));
        const auto store = TraceStore::open(m_path);
        QVERIFY(store.ok());
        m_store = *store;
    }

    void importerWritesATrace()
    {
        QCOMPARE(m_store->info().tasks, 3);
        QCOMPARE(m_store->info().busy, 2000 + 500 + 8000);
        QCOMPARE(m_store->info().duration(), 9000);
        QCOMPARE(m_store->processors().size(), std::size_t(2));
    }

    void analysisFinds()
    {
        const auto all = asked(m_store, LongTasksQuestion{});
        QVERIFY(all.ok());
        QCOMPARE((*all)->size(), std::size_t(3));
        QCOMPARE((*all)->front().task, (TaskId{ProcessorId{1}, 0}));
        const auto paths = asked(m_store, AnalysesQuestion{});
        QVERIFY(paths.ok());
        Results results(m_store);
        const RunPaths& run = *(*paths)->paths;
        const Thresholds thresholds;
        const Progress progress;
        const Finding finding = longTasksAnalysis.evaluate({results, *m_store, *run.graph, *run.workAtMessages,
                                                            *run.workAtMerges, *run.workAtOrder, *run.elapsed,
                                                            MergeInference{}, nullptr, thresholds, progress});
        QCOMPARE(finding.paragraphs, QStringList{QStringLiteral("1 task took more than half of the run.")});
        QCOMPARE(finding.tables.size(), std::size_t(1));
        const JsonValue tasks = resultOf(finding);
        QCOMPARE(textOf(tasks.at(0), "task"), QStringLiteral("1:0"));
        QCOMPARE(integerOf(tasks.at(0), "time_ns", -1), 8000);
    }

    void commandAnswers()
    {
        const QString out = m_folder.filePath(QStringLiteral("out.csv"));
        QCommandLineParser options;
        const QStringList arguments{m_path, QStringLiteral("--limit"), QStringLiteral("1us"), QStringLiteral("-o"),
                                    out};
        QVERIFY(!parse(longTasksCommand, arguments, options));
        OutputFile output;
        QVERIFY(!chooseOutput(longTasksCommand, options, output));
        QCOMPARE(longTasksCommand.run({longTasksCommand, options.positionalArguments(), options, output}),
                 ExitCode::Fine);
        QCOMPARE(contentOf(out), QByteArray("task,entry_id,entry,entry_chare,begin_ns,time_ns\n"
                                            "1:0,0,solve,,1000,8000\n0:0,0,solve,,0,2000\n"));
    }

    void panelShows()
    {
        ViewState state(m_store);
        ComparisonSource comparison(state);
        PanelHost host(state, comparison, nullptr);
        const std::unique_ptr<QWidget> panel(panels::longTasks.create(host, nullptr));
        panel->resize(600, 300);
        panel->show();
        auto* table = panel->findChild<TableView*>(QStringLiteral("longTasks"));
        QVERIFY(table != nullptr);
        QTRY_COMPARE(table->table().rowCount(), 3);
        QCOMPARE(table->table().index(0, 1).data().toString(), QStringLiteral("solve"));
        QCOMPARE(table->table().headerData(3, Qt::Horizontal, Qt::ToolTipRole).toString(),
                 QStringLiteral("How long it took"));
    }

    void guidesShowWhatIsCompiled()
    {
        const QDir sources(QStringLiteral(LONGPOLE_SOURCES));
        for (const char* guide : {"add-an-importer", "add-an-analysis", "add-a-command", "add-a-panel"}) {
            const QString path = sources.filePath(QStringLiteral("docs/developer/%1.md").arg(QLatin1String(guide)));
            const auto examples = examplesIn(QString::fromUtf8(contentOf(path)));
            QVERIFY2(!examples.empty(), guide);
            for (const auto& [file, text] : examples)
                QVERIFY2(QString::fromUtf8(contentOf(sources.filePath(file))).contains(text), qPrintable(text));
        }
    }

private:
    QTemporaryDir m_folder;
    QString m_path;
    std::shared_ptr<const TraceStore> m_store;
};

}  // namespace longpole

using longpole::TestGuide;
LONGPOLE_GUI_TEST(TestGuide)
#include "tst_guide.moc"
