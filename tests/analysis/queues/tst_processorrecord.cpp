// SPDX-License-Identifier: GPL-3.0-or-later
// Records that are made a few processors at a time are those that are made at once, and keep what passes find out.
#include "analysis/queues/expedited.h"
#include "analysis/queues/processorrecord.h"

#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <ctime>
#include <vector>

using namespace longpole;

namespace {

bool isSame(const ProcessorRecord& a, const ProcessorRecord& b)
{
    return a.begin == b.begin && a.end == b.end && a.sent == b.sent && a.latency == b.latency && a.kind == b.kind
           && a.latencyClass == b.latencyClass && a.entry == b.entry && a.number == b.number
           && a.runBegin == b.runBegin;
}

std::vector<ProcessorRecord> all(ProcessorRecords& records)
{
    std::vector<ProcessorRecord> made;
    records.each([&](std::size_t, const ProcessorRecord& record) {
        made.push_back(record);
        return true;
    });
    return made;
}

const Progress progress;

}  // namespace

class TestProcessorRecord : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void batchesMakeTheSameRecords()
    {
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const auto graph = randomGraphOfAllKinds(seed).graph();
            const ReplayFacts facts;
            ProcessorRecords together(*graph, facts, progress);
            ProcessorRecords apart(*graph, facts, progress, 1);
            const std::vector<ProcessorRecord> wanted = all(together), made = all(apart);
            QCOMPARE(wanted.size(), graph->byProcessor.size());
            QCOMPARE(made.size(), wanted.size());
            for (std::size_t pe = 0; pe < made.size(); ++pe) {
                QCOMPARE(made[pe].size(), graph->byProcessor[pe].size());
                QVERIFY(isSame(made[pe], wanted[pe]));
            }
            // What one pass sets, on several threads or not, the next one finds.
            for (ProcessorRecords* records : {&together, &apart}) {
                records->eachAtOnce([](std::size_t pe, ProcessorRecord& record) {
                    for (std::size_t k = pe % 2; k < record.size(); k += 2) record.kind[k] |= ProcessorRecord::Held;
                });
                const std::vector<ProcessorRecord> later = all(*records);
                for (std::size_t pe = 0; pe < later.size(); ++pe)
                    for (std::size_t k = 0; k < later[pe].size(); ++k)
                        QCOMPARE(later[pe].is(k, ProcessorRecord::Held), k % 2 == pe % 2);
            }
        }
    }

    // A small file may have many PEs and the largest ids: what each PE counts is what it has, not room for all ids.
    void manyProcessorsOfLargeIds()
    {
        constexpr std::uint32_t processors = 20'000, entry = mostIds - 1;
        RandomGraph made;
        made.processors = processors;
        made.run = {0, 50};
        for (std::uint32_t pe = 0; pe < processors; ++pe) {
            const TaskId first{ProcessorId{pe}, 0};
            made.tasks.push_back({.id = first, .begin = 0, .duration = 10, .entry = EntryId{0}});
            // The message that was sent last runs first.
            for (std::uint32_t k = 1; k <= 2; ++k)
                made.tasks.push_back({.id = {ProcessorId{pe}, k},
                                      .begin = TimeNs{20} * k,
                                      .duration = 5,
                                      .entry = EntryId{k == 1 ? entry : 1},
                                      .source = first,
                                      .offset = k == 1 ? 9 : 3,
                                      .sent = k == 1 ? 9 : 3});
        }
        const auto graph = made.graph();
        ReplayFacts facts;
        facts.isSystem.assign(mostIds, 0);
        facts.isSystem[entry] = 1;
        ProcessorRecords records(*graph, facts, progress);
        const LatencyClasses latencies(records);
        const std::clock_t begin = std::clock();
        findExpedited(records, facts, latencies);
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        std::size_t expedited = 0;
        records.each([&](std::size_t, const ProcessorRecord& record) {
            for (std::size_t k = 0; k < record.size(); ++k)
                if (record.is(k, ProcessorRecord::Expedited)) expedited += record.entry[k] == entry ? 1 : processors;
            return true;
        });
        QCOMPARE(expedited, std::size_t{processors});
        QVERIFY2(seconds < 5, qPrintable(QString::number(seconds)));
    }

    void aPassEndsWhenItHasEnough()
    {
        const auto graph = randomGraphOfAllKinds(3).graph();
        const ReplayFacts facts;
        ProcessorRecords records(*graph, facts, progress, 1);
        std::size_t seen = 0;
        records.each([&](std::size_t, const ProcessorRecord&) { return ++seen < 2; });
        QCOMPARE(seen, std::min<std::size_t>(2, graph->byProcessor.size()));
    }

    void aCancelledPassLeavesOutTheOthers()
    {
        const auto graph = randomGraphOfAllKinds(3).graph();
        QVERIFY(graph->byProcessor.size() > 2);
        const ReplayFacts facts;
        const Progress cancelled;
        ProcessorRecords records(*graph, facts, cancelled, 1);
        std::size_t seen = 0;
        records.each([&](std::size_t pe, const ProcessorRecord&) {
            if (pe == 1) cancelled.cancel();
            return ++seen > 0;
        });
        QCOMPARE(seen, std::size_t{2});
        records.each([&](std::size_t, const ProcessorRecord&) { return ++seen > 0; });
        records.eachAtOnce([&](std::size_t, const ProcessorRecord&) { ++seen; });
        QCOMPARE(seen, std::size_t{2});
    }
};

LONGPOLE_TEST(TestProcessorRecord)
#include "tst_processorrecord.moc"
