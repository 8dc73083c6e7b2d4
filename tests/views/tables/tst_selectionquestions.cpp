// SPDX-License-Identifier: GPL-3.0-or-later
// The executions that a task's messages started are all of them, and looking for them can be cancelled.
#include "views/tables/selectionquestions.h"

#include "analysis/graph/activitygraph.h"
#include "importers/common/importer.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

// Each task of the graph against each message, as the documentation of createdBy() says.
std::vector<CreatedExecution> oneByOne(const TraceStore& store, const std::vector<TaskDetail>& tasks, TaskId task)
{
    std::vector<CreatedExecution> all;
    const Result<std::vector<MessageDetail>> messages = store.messagesOf(task);
    for (const MessageDetail& message : *messages) {
        const std::size_t before = all.size();
        for (const TaskDetail& other : tasks)
            if (other.source == task && other.message == message.id)
                all.push_back({message, other.id, other.range.begin});
        if (all.size() == before) all.push_back({message, {}, 0});
    }
    return all;
}

}  // namespace

class TestSelectionQuestions : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const ActivityGraph> m_graph;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        const QString run = QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"),
                      path = m_folder.filePath(QStringLiteral("run.longpole"));
        const Importer* const importer = importerFor(run);
        QVERIFY(importer != nullptr && importer->import(run, path, {}, Progress()).ok());
        m_store = *TraceStore::open(path);
        m_graph = *loadActivityGraph(*m_store, Progress());
    }

    void executionsOfMessages()
    {
        std::vector<TaskDetail> tasks;
        for (std::uint32_t i = 0; i < m_graph->size(); ++i) tasks.push_back(*m_store->task(m_graph->id(i)));
        std::size_t started = 0, several = 0;
        for (std::uint32_t i = 0; i < m_graph->size(); i += 1 + m_graph->size() / 40) {
            const TaskId task = m_graph->id(i);
            const auto found = createdBy(*m_store, m_graph.get(), task, 100'000, Progress());
            QVERIFY(found.ok());
            const std::vector<CreatedExecution> wanted = oneByOne(*m_store, tasks, task);
            QCOMPARE(found->size(), wanted.size());
            for (std::size_t row = 0; row < wanted.size(); ++row) {
                QCOMPARE((*found)[row].message.id, wanted[row].message.id);
                QCOMPARE((*found)[row].task, wanted[row].task);
                QCOMPARE((*found)[row].begin, wanted[row].begin);
                if (wanted[row].task.isValid()) ++started;
            }
            if (wanted.size() > 1) ++several;
        }
        QVERIFY(started > 0 && several > 0);
    }

    // A task of a stranger's file may have sent a million messages.
    void cancelling()
    {
        Progress progress;
        progress.cancel();
        for (std::uint32_t i = 0; i < m_graph->size(); ++i) {
            if (m_store->messagesOf(m_graph->id(i))->empty()) continue;
            QVERIFY(!m_store->messagesOf(m_graph->id(i), progress).ok());
            QVERIFY(!createdBy(*m_store, nullptr, m_graph->id(i), 2000, progress).ok());
            QVERIFY(!createdBy(*m_store, m_graph.get(), m_graph->id(i), 2000, progress).ok());
            return;
        }
        QFAIL("nothing was sent");
    }
};

LONGPOLE_TEST(TestSelectionQuestions)
#include "tst_selectionquestions.moc"
