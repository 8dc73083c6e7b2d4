// SPDX-License-Identifier: GPL-3.0-or-later
// OTF2 archives that are imported part by part: the file is that of an import at once, byte for byte.
#include "importers/bothways.h"
#include "importers/mpirows/growth.h"
#include "importers/otf2/source.h"
#include "support/otf2/random.h"
#include "support/otf2/written.h"
#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace longpole;
using namespace longpole::test;

namespace {

Result<ImportReport> openArchive(const QString& folder, unsigned threads, const ImportOfSource& import)
{
    const auto source = openOtf2Source(folder, threads, Progress{});
    if (!source) return source.error();
    return import(**source);
}

BothWays bothWaysOf(const QString& archive, std::size_t calls, unsigned threads)
{
    const QTemporaryDir folder;
    return importedBothWays([&](unsigned readers, const auto& import) { return openArchive(archive, readers, import); },
                            QDir(folder.path()), calls, threads);
}

struct Habits {
    bool hasFunctions = false;    // nested, also around calls
    bool hasCounters = false;     // and flushes of the recording tool
    bool hasLoneRecords = false;  // of sends outside of any call
    bool overlaps = false;        // non-blocking collectives, which end some steps later
    bool meets = true;
};

// Ranks that go in steps: each sends to the next one, and at times all meet.
class Steps {
public:
    Steps(const QString& folder, std::uint32_t seed, std::uint32_t ranks, const Habits& habits)
        : m_archive(folder), m_random(seed), m_habits(habits), m_times(ranks, 1000)
    {
        m_archive.mpi(ranks);
        m_function = m_archive.region(QStringLiteral("step"));
        for (const char* name : {"MPI_Init", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce", "MPI_Iallreduce",
                                 "MPI_Wait", "MPI_Finalize"})
            m_calls.push_back(m_archive.region(QString::fromLatin1(name), OTF2_PARADIGM_MPI));
        m_counter = m_archive.metricClass({m_archive.metricMember(QStringLiteral("cache misses"),
                                                                  OTF2_METRIC_ACCUMULATED_POINT, OTF2_TYPE_UINT64)});
    }
    void write(std::uint64_t steps)
    {
        call(Init, [](OTF2_EvtWriter*, std::uint32_t, std::uint64_t) {});
        for (std::uint64_t step = 0; step < steps; ++step) {
            messages(step);
            if (m_habits.overlaps && step % 7 == 3) begin(step);
            if (m_habits.overlaps && step % 7 == 6) end(step - 3);
            if (m_habits.meets && step % 3 == 0) meet();
        }
        call(Finalize, [](OTF2_EvtWriter*, std::uint32_t, std::uint64_t) {});
    }

private:
    enum Call : std::uint8_t { Init, Isend, Irecv, Waitall, Allreduce, Iallreduce, Wait, Finalize };

    std::uint64_t upTo(std::uint64_t count) { return m_random() % count; }
    std::uint64_t later(std::uint32_t rank, std::uint64_t most) { return m_times[rank] += 1 + upTo(most); }
    template <typename Record>
    void callOf(std::uint32_t rank, Call call, const Record& record)
    {
        m_archive.enter(rank, later(rank, 50), m_calls[call]);
        record(m_archive.events(rank), rank, later(rank, 20));
        m_archive.leave(rank, later(rank, 20), m_calls[call]);
    }
    template <typename Record>
    void call(Call call, const Record& record)
    {
        for (std::uint32_t rank = 0; rank < m_times.size(); ++rank) callOf(rank, call, record);
    }

    // No message is received before it is sent: else clocks contradict each other, and all is looked at at once.
    void messages(std::uint64_t step)
    {
        const auto ranks = static_cast<std::uint32_t>(m_times.size());
        std::vector<bool> isInFunction(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            isInFunction[rank] = m_habits.hasFunctions && upTo(3) > 0;
            if (isInFunction[rank]) m_archive.enter(rank, later(rank, 100), m_function);
            count(rank);
            callOf(rank, Irecv, [&](OTF2_EvtWriter* events, std::uint32_t, std::uint64_t time) {
                OTF2_EvtWriter_MpiIrecvRequest(events, nullptr, time, 2 * step);
            });
            const auto send = [&](OTF2_EvtWriter* events, std::uint32_t, std::uint64_t time) {
                OTF2_EvtWriter_MpiIsend(events, nullptr, time, (rank + 1) % ranks, 0, 1, 8, 2 * step + 1);
            };
            if (m_habits.hasLoneRecords && upTo(4) == 0) send(m_archive.events(rank), rank, later(rank, 20));
            else callOf(rank, Isend, send);
        }
        const std::uint64_t sent = *std::max_element(m_times.begin(), m_times.end());
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            m_times[rank] = std::max(m_times[rank], sent - upTo(30));
            m_archive.enter(rank, later(rank, 50), m_calls[Waitall]);
            m_times[rank] = std::max(m_times[rank], sent + upTo(50));
            OTF2_EvtWriter* const events = m_archive.events(rank);
            OTF2_EvtWriter_MpiIrecv(events, nullptr, later(rank, 50), (rank + ranks - 1) % ranks, 0, 1, 8, 2 * step);
            OTF2_EvtWriter_MpiIsendComplete(events, nullptr, m_times[rank], 2 * step + 1);
            m_archive.leave(rank, later(rank, 20), m_calls[Waitall]);
            if (isInFunction[rank]) m_archive.leave(rank, later(rank, 100), m_function);
        }
    }
    void count(std::uint32_t rank)
    {
        if (!m_habits.hasCounters) return;
        const OTF2_Type type = OTF2_TYPE_UINT64;
        OTF2_MetricValue value;
        value.unsigned_int = m_times[rank] / 3;
        OTF2_EvtWriter_Metric(m_archive.events(rank), nullptr, later(rank, 10), m_counter, 1, &type, &value);
        const std::uint64_t from = later(rank, 10);
        if (upTo(5) == 0) OTF2_EvtWriter_BufferFlush(m_archive.events(rank), nullptr, from, later(rank, 300));
    }
    void meet()
    {
        const std::uint64_t last = *std::max_element(m_times.begin(), m_times.end());
        for (std::uint32_t rank = 0; rank < m_times.size(); ++rank) {
            const bool isInFunction = m_habits.hasFunctions && upTo(2) > 0;
            if (isInFunction) m_archive.enter(rank, later(rank, 30), m_function);
            m_archive.enter(rank, later(rank, 50), m_calls[Allreduce]);
            OTF2_EvtWriter_MpiCollectiveBegin(m_archive.events(rank), nullptr, m_times[rank]);
            m_times[rank] = last + 100 + upTo(50);
            OTF2_EvtWriter_MpiCollectiveEnd(m_archive.events(rank), nullptr, m_times[rank],
                                            OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
            m_archive.leave(rank, later(rank, 20), m_calls[Allreduce]);
            if (isInFunction) m_archive.leave(rank, later(rank, 30), m_function);
        }
    }
    void begin(std::uint64_t step)
    {
        call(Iallreduce, [&](OTF2_EvtWriter* events, std::uint32_t, std::uint64_t time) {
            OTF2_EvtWriter_NonBlockingCollectiveRequest(events, nullptr, time, (1u << 20) + step);
        });
    }
    void end(std::uint64_t step)
    {
        call(Wait, [&](OTF2_EvtWriter* events, std::uint32_t, std::uint64_t time) {
            OTF2_EvtWriter_NonBlockingCollectiveComplete(events, nullptr, time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                                         OTF2_COLLECTIVE_ROOT_NONE, 8, 8, (1u << 20) + step);
        });
    }

    WrittenOtf2 m_archive;
    std::mt19937_64 m_random;
    Habits m_habits;
    std::vector<std::uint64_t> m_times;  // by rank
    OTF2_RegionRef m_function = 0;
    std::vector<OTF2_RegionRef> m_calls;
    OTF2_MetricRef m_counter = 0;
};

}  // namespace

Q_DECLARE_METATYPE(Habits)

class TestOtf2InParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void steps_data()
    {
        QTest::addColumn<Habits>("habits");
        QTest::addColumn<int>("leastParts");  // of 12 imports
        QTest::newRow("messages") << Habits{} << 200;
        QTest::newRow("functions") << Habits{.hasFunctions = true} << 200;
        QTest::newRow("counters") << Habits{.hasFunctions = true, .hasCounters = true} << 200;
        QTest::newRow("records outside of calls") << Habits{.hasLoneRecords = true} << 200;
        QTest::newRow("non-blocking collectives") << Habits{.overlaps = true} << 100;
        QTest::newRow("all never meet") << Habits{.meets = false} << 12;
    }
    void steps()
    {
        QFETCH(const Habits, habits);
        QFETCH(const int, leastParts);
        std::size_t parts = 0;
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            const QTemporaryDir archive;
            Steps(archive.path(), seed, 2 + seed % 3, habits).write(400);
            for (const std::size_t calls : {1, 40, 300}) {
                const BothWays both = bothWaysOf(archive.path(), calls, 1 + seed % 2);
                QVERIFY2(both.differ.isEmpty(),
                         qPrintable(QStringLiteral("seed %1, %2 calls: %3").arg(seed).arg(calls).arg(both.differ)));
                parts += both.parts;
            }
        }
        QVERIFY2(parts >= std::size_t(leastParts), qPrintable(QString::number(parts)));
        if (!habits.meets) QCOMPARE(parts, std::size_t{12});
    }

    // Whose messages and meetings fit nothing.
    void randomArchives()
    {
        for (std::uint32_t seed = 1; seed <= 9; ++seed) {
            const QTemporaryDir archive;
            writeRandomOtf2(archive.path(), seed);
            const BothWays both = bothWaysOf(archive.path(), 20, 2);
            QVERIFY2(both.differ.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(both.differ)));
        }
    }

    // Those that lie here, of ranks without further threads.
    void realArchives()
    {
        int imported = 0;
        for (const QString& parent :
             {QStringLiteral(LONGPOLE_TEST_DATA "/otf2"), QStringLiteral(LONGPOLE_SHARED_TRACES "/otf2")}) {
            for (const QFileInfo& folder : QDir(parent).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
                const auto source = openOtf2Source(folder.filePath(), 1, Progress{});
                if (!source || !canGrow((*source)->names())) continue;
                const BothWays both = bothWaysOf(folder.filePath(), 5, 2);
                QVERIFY2(both.differ.isEmpty(), qPrintable(folder.fileName() + u": " + both.differ));
                ++imported;
            }
        }
        QVERIFY(imported > 0);
    }

    // Ranks whose files end early.
    void cutFiles()
    {
        const QTemporaryDir archive;
        Steps(archive.path(), 3, 3, {.hasFunctions = true}).write(500);
        QFile events(archive.filePath(QStringLiteral("traces/1.evt")));
        for (const int part : {9, 5, 1}) {
            QVERIFY(events.resize(events.size() * part / 10));
            const BothWays both = bothWaysOf(archive.path(), 30, 2);
            QVERIFY2(both.differ.isEmpty(), qPrintable(both.differ));
        }
    }
};

LONGPOLE_TEST(TestOtf2InParts)
#include "tst_otf2inparts.moc"
