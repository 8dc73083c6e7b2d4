// SPDX-License-Identifier: GPL-3.0-or-later
// Limits are what docs/security.md says they are, numbers that do not fit are no ids, and work that runs out of memory
// ends with an error.
#include "core/base/checked.h"
#include "core/base/drawnhash.h"
#include "core/base/ids.h"
#include "core/base/job.h"
#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace longpole;

class TestLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDocumentHasTheTable()
    {
        const QString text = QString::fromUtf8(contentOf(QStringLiteral(LONGPOLE_TEST_DATA "/../../docs/security.md")));
        QVERIFY(!text.isEmpty());
        qsizetype rows = 0;
        for (const Limit& limit : allLimits()) {
            const QString each = *limit.each == '\0'
                                     ? QString()
                                     : QStringLiteral("%1 %2").arg(limit.per).arg(QLatin1String(limit.each));
            const QString row = QStringLiteral("| %1 | %2 | %3 | %4 |\n")
                                    .arg(QLatin1String(limit.what))
                                    .arg(limit.free)
                                    .arg(each, QLatin1String(limit.beyond));
            QVERIFY2(text.contains(row), qPrintable(row));
            ++rows;
        }
        const qsizetype begin = text.indexOf(QLatin1String("|---|---:|---|---|\n"));
        QVERIFY(begin > 0);
        const QString table = text.mid(begin).section(QStringLiteral("\n\n"), 0, 0);
        QCOMPARE(table.count(QLatin1Char('\n')), rows);
    }

    void limitsGrowWithTheInput()
    {
        QCOMPARE(limits::inflated.of(0), std::int64_t{1} << 20);
        QCOMPARE(limits::inflated.of(10), (std::int64_t{1} << 20) + 1000);
        QVERIFY(limits::inflated.of(0x7fffffffffffffff) > 0);
        const Error error = impossibleFigure(QStringLiteral("The header counts 99 ranks"), limits::recordingRanks, 2,
                                             QStringLiteral("file"));
        QVERIFY(error.what.contains(QStringLiteral("99 ranks")));
        QVERIFY(error.what.contains(QStringLiteral("4128")));
    }

    void numbersThatAreNoIds()
    {
        QCOMPARE(checked<ProcessorId>(5), std::optional(ProcessorId{5}));
        QVERIFY(!checked<ProcessorId>(-1));
        QVERIFY(!checked<ProcessorId>(std::int64_t{1} << 32));
        QVERIFY(!checked<RegionId>(0xffffffff));
        QCOMPARE(checked<std::uint32_t>(0xffffffff), std::optional(0xffffffffu));
        QVERIFY(!checked<std::uint32_t>(-1));
        QVERIFY(!checked<int>(std::int64_t{1} << 31));
    }

    // Multiples of the number of buckets that the library gives so many keys: its own hash puts all into one.
    void keysThatAFileChose()
    {
        constexpr std::int64_t many = 100'000, buckets = 172'933;
        std::unordered_map<std::int64_t, std::int64_t, DrawnHash> map;
        for (std::int64_t i = 0; i < many; ++i) map.emplace(i * buckets, i);
        std::size_t fullest = 0;
        for (std::size_t i = 0; i < map.bucket_count(); ++i) fullest = std::max(fullest, map.bucket_size(i));
        QVERIFY2(fullest < 64, qPrintable(QString::number(fullest)));
        QCOMPARE(map.at(7 * buckets), std::int64_t{7});
    }

    void sizes()
    {
        QCOMPARE(memorySize(QStringLiteral("64M")), std::optional(std::int64_t{64} << 20));
        QCOMPARE(memorySize(QStringLiteral("2g")), std::optional(std::int64_t{2} << 30));
        QCOMPARE(memorySize(QStringLiteral("100000000")), std::optional(std::int64_t{100'000'000}));
        for (const char* wrong : {"", "G", "1M", "-5G", "many", "9999999999999T", "4 G"})
            QVERIFY2(!memorySize(QLatin1String(wrong)), wrong);
        QVERIFY(halfOfMemory() > 0);
    }

    void memoryThatRunsOutIsAnError()
    {
        Job<Result<int>> job([](const Progress&) -> Result<int> { throw std::bad_alloc(); });
        const Result<int> result = job.take();
        QVERIFY(!result);
        QVERIFY(result.error().what.contains(QStringLiteral("memory")));
    }

    // In a worker of parallelFor it ends the call, not the program, and the other workers stop.
    void memoryThatRunsOutInAWorker()
    {
        std::atomic<int> done{0};
        const Result<int> result = withinMemory([&]() -> Result<int> {
            parallelFor(
                1'000'000,
                [&done](std::size_t i) {
                    ++done;
                    if (i == 10) throw std::bad_alloc();
                },
                4);
            return 1;
        });
        QVERIFY(!result);
        QVERIFY(done < 1'000'000);
    }

    void theLimitHolds()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("no limits under sanitizers");
#endif
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            limitMemory(std::int64_t{256} << 20);
            const Result<std::size_t> result = withinMemory([]() -> Result<std::size_t> {
                std::vector<char> large(std::size_t{2} << 30, 'x');
                return large.size();
            });
            ::_exit(result ? 1 : 0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    // What runs out ends; the thread that goes on has room, and the limit is there again afterwards.
    void theReserveIsForWhoGoesOn()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("no limits under sanitizers");
#endif
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            limitMemory(std::int64_t{256} << 20);
            keepMemoryReserve();
            // As the window: what is given back goes back to the system.
            ::mallopt(M_MMAP_THRESHOLD, 256 << 10);  // NOLINT(concurrency-mt-unsafe)
            for (int round = 0; round < 2; ++round) {
                std::vector<std::unique_ptr<char[]>> held;
                bool hasEnded = false;
                std::thread([&] {
                    hasEnded = !withinMemory([&]() -> Result<Unit> {
                        while (held.size() < 4096) held.emplace_back(new char[1 << 20]);
                        return Unit{};
                    });
                }).join();
                if (!hasEnded) ::_exit(1);
                char* own = static_cast<char*>(std::malloc(16 << 20));  // as Qt's containers do
                if (!own) ::_exit(2);
                std::free(own);
                held.clear();
                restoreMemoryReserve();
                rlimit limit{};
                ::getrlimit(RLIMIT_DATA, &limit);
                if (limit.rlim_cur != rlim_t{256} << 20) ::_exit(3);
            }
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    // Where a result can be no error, it is empty.
    void emptyWithoutMemory()
    {
        QVERIFY(withinMemory([]() -> std::vector<int> { throw std::bad_alloc(); }).empty());
    }
};

LONGPOLE_TEST(TestLimits)
#include "tst_limits.moc"
