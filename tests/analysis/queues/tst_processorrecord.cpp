// SPDX-License-Identifier: GPL-3.0-or-later
// Records that are made a few processors at a time are those that are made at once, and keep what passes find out.
#include "analysis/queues/processorrecord.h"

#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

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

}  // namespace

class TestProcessorRecord : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void batchesMakeTheSameRecords()
    {
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const auto graph = randomGraphOfAllKinds(seed).graph();
            const ReplayFacts facts;
            ProcessorRecords together(*graph, facts);
            ProcessorRecords apart(*graph, facts, 1);
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

    void aPassEndsWhenItHasEnough()
    {
        const auto graph = randomGraphOfAllKinds(3).graph();
        const ReplayFacts facts;
        ProcessorRecords records(*graph, facts, 1);
        std::size_t seen = 0;
        records.each([&](std::size_t, const ProcessorRecord&) { return ++seen < 2; });
        QCOMPARE(seen, std::min<std::size_t>(2, graph->byProcessor.size()));
    }
};

LONGPOLE_TEST(TestProcessorRecord)
#include "tst_processorrecord.moc"
