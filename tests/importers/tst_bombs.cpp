// SPDX-License-Identifier: GPL-3.0-or-later
// Small files that ask for much: each is refused, or taken as far as its bytes go, in bounded memory and time.
#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "importers/calltable/calltable.h"
#include "importers/common/inputfile.h"
#include "importers/madeframes.h"
#include "importers/recording/file.h"
#include "importers/recording/import.h"
#include "importers/recording/run.h"
#include "importers/smallrun.h"
#include "importers/summary/import.h"
#include "importers/summary/text.h"
#include "support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include <sys/resource.h>
#include <sys/stat.h>

using namespace longpole;
using namespace longpole::test;

namespace {

// The largest that this process ever was, kB.
long peak()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// The substitution number `i` of a mangled name.
QByteArray substitution(int i)
{
    if (i == 0) return "S_";
    QByteArray digits;
    for (--i; digits.isEmpty() || i > 0; i /= 36) digits.prepend("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36]);
    return 'S' + digits + '_';
}

// f(void (*)(int, int), void (*)(X, X), ...): each argument twice as long as the one before.
QByteArray bombName(int doublings)
{
    QByteArray name = "_Z1fPFviiE";
    for (int i = 0; i < doublings; ++i) name += "PFv" + substitution(2 * i + 1) + substitution(2 * i + 1) + 'E';
    return name;
}

}  // namespace

class TestBombs : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QElapsedTimer m_time;
    long m_before = 0;

    QString write(const QString& name, const QByteArray& bytes) const
    {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() ? path : QString();
    }
    QString recording(const QByteArray& frames, int size = 1) const
    {
        static int number = 0;
        const QString folder = QStringLiteral("r%1").arg(++number);
        QDir(m_folder.path()).mkdir(folder);
        write(folder + QStringLiteral("/rank-000000.lprank"), rankFile(bombHeader(0, size), frames));
        return m_folder.filePath(folder);
    }

    // A chunk of a hundred bytes that says so many of its records.
    static QByteArray chunkOf(std::uint32_t number, std::uint64_t length)
    {
        lp_frame head{};
        head.magic = LP_FRAME_MAGIC;
        head.kind = LP_CHUNK;
        head.seq = number;
        head.records = 1 << 20;
        head.coding = LP_CODING_ZSTD;
        head.length = 100;
        head.raw_length = length;
        const QByteArray payload(100, 'x');
        head.checksum = lp_checksum(payload.constData(), 100, lp_head_checksum(head));
        return paddedTo(bytesOf(head) + payload, LP_ALIGNMENT);
    }

private Q_SLOTS:
    void init()
    {
        m_before = peak();
        m_time.start();
    }
    // Of every test here, sanitizers included: what the files are made for takes gigabytes or minutes.
    void cleanup()
    {
        QVERIFY2(m_time.elapsed() < 30'000, qPrintable(QString::number(m_time.elapsed())));
        QVERIFY2(peak() - m_before < 600'000, qPrintable(QString::number(peak() - m_before)));
    }

    void namesThatStandForGigabytes()
    {
#if defined(__SANITIZE_THREAD__)
        QSKIP("signals come late under ThreadSanitizer, and so does the end of a name's time");
#endif
        QCOMPARE(demangled("_ZNSt6vectorIiSaIiEE9push_backERKi"),
                 QByteArray("std::vector<int, std::allocator<int> >::push_back(int const&)"));
        QCOMPARE(demangled("main"), QByteArray("main"));
        QCOMPARE(demangled("_Zonk"), QByteArray("_Zonk"));
        QVERIFY(demangled(bombName(3)).startsWith("f(void (*)(int, int), void (*)(void (*)(int, int), "));
        const QByteArray bomb = bombName(60);
        QCOMPARE(demangled(bomb), bomb);
        QCOMPARE(demangled("_Z" + QByteArray(100'000, 'P')), "_Z" + QByteArray(100'000, 'P'));
        // A pack that is looked for in all parts of a type each of which holds the one before twice.
        const auto pack = [](int twice) {
            QByteArray name = "_Z1fIJiEEvDp" + QByteArray(twice, 'M') + "1a";
            for (int i = 0; i < twice; ++i) name += 'S' + QByteArray::number(qlonglong{i}, 36).toUpper() + '_';
            return name;
        };
        QVERIFY(demangled(pack(4)).startsWith("void f<int>("));
        QVERIFY(
            demangled("_ZSt11make_uniqueIiJRiEENSt9_MakeUniqIT_E15__single_objectEDpOT0_").startsWith("std::_Make"));
        QCOMPARE(demangled(pack(40)), pack(40));
        // A conversion operator whose arguments are read twice at each of its levels, and packs in each other.
        const auto conversion = [](int levels) {
            return QByteArray("_ZcvT_I" + QByteArray("T_I").repeated(levels) + 'i' + QByteArray(levels, 'E')
                              + "EIiEEv");
        };
        QCOMPARE(demangled(conversion(40)), conversion(40));
        const auto nested = [](int elements, int twice) {
            QByteArray name = "_Z1fIJ" + QByteArray(elements, 'i') + "EJEEvDpFT_DpF" + QByteArray(twice, 'M') + "1a";
            for (int i = 1; i <= twice; ++i) name += 'S' + QByteArray::number(qlonglong{i}, 36).toUpper() + '_';
            return QByteArray(name + "T0_EE");
        };
        QVERIFY(demangled(nested(2, 3)).startsWith("void f<int, int>("));
        QCOMPARE(demangled(nested(800, 22)), nested(800, 22));
        // One of 18 levels takes some milliseconds, and is not stopped.
        const std::array slow{conversion(40), pack(40), conversion(17), conversion(18)};
        const std::clock_t begin = std::clock();
        for (std::size_t i = 0; i < 8000; ++i) demangled(slow[i % slow.size()]);
        const auto seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 5, qPrintable(QString::number(seconds)));
        // By then long names stay as they are, but not those of the next run; others are as before.
        const QByteArray honest(
            "_Z32exchange_boundaries_of_subdomainIdEvRKSt3mapIiSt6vectorIT_SaIS2_EESt4lessIiESaISt4pairIKiS4_EEE");
        QCOMPARE(demangled(honest), honest);
        beginDemangling();
        QVERIFY(demangled(honest).startsWith("void exchange_boundaries_of_subdomain<double>("));
        for (int i = 0; i < 200; ++i) demangled(conversion(40));
        QCOMPARE(demangled(conversion(40)), conversion(40));
        QCOMPARE(demangled("_ZNSt6vectorIiSaIiEE9push_backERKi"),
                 QByteArray("std::vector<int, std::allocator<int> >::push_back(int const&)"));
    }

    // Members of a gzip file, each below what a file may expand to.
    void gzipMembers()
    {
        const QByteArray member = gzipped(QByteArray(60 << 20, '0'));
        const auto input = InputFile::fromBytes(member.repeated(40), QStringLiteral("bomb.gz"));
        std::vector<char> block(1 << 20);
        std::int64_t given = 0;
        for (;;) {
            const Result<std::size_t> got = input->read(block);
            if (!got) {
                QVERIFY(got.error().what.contains(QStringLiteral("100 times")));
                break;
            }
            QVERIFY(*got > 0);
            given += static_cast<std::int64_t>(*got);
        }
        QVERIFY(given < 600'000'000);
    }

    void ranksThatAHeaderClaims()
    {
        const Result<RecordingFiles> files = findRecording(recording({}, 262'144));
        QVERIFY(files.ok());
        const Result<RecordingRun> run = openRecording(*files, 2, Progress());
        QVERIFY(!run.ok());
        QVERIFY2(run.error().what.contains(QStringLiteral("262144 ranks")), qPrintable(run.error().what));
    }

    // Rank 5 of a run of one rank: there is none whose header could tell of the run.
    void aRankThatItsRunHasNot()
    {
        const QString folder = recording({}, 1);
        const QString path = folder + QStringLiteral("/rank-000000.lprank");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(rankFile(bombHeader(5, 1), {}));
        file.close();
        const Result<RecordingFiles> files = findRecording(folder);
        QVERIFY(files.ok());
        const Result<RecordingRun> run = openRecording(*files, 2, Progress());
        QVERIFY(!run.ok());
        QVERIFY2(run.error().what.contains(QStringLiteral("no file of a rank")), qPrintable(run.error().what));
    }

    // Each table of numbers has as many places as its rank's file has bytes: 4 MB for 4 kB, times the ranks.
    void numbersThatFramesClaim()
    {
        lp_comm comm{};
        comm.comm = (1 << 20) - 1;
        comm.size = 1;
        comm.stride = 1;
        const QByteArray frames = frameOf(LP_COMM, QByteArray(reinterpret_cast<const char*>(&comm), sizeof comm));
        constexpr int ranks = 300;
        const QString folder = recording(frames, ranks);
        for (int rank = 1; rank < ranks; ++rank)
            write(QFileInfo(folder).fileName() + QStringLiteral("/rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0')),
                  rankFile(bombHeader(rank, ranks), frames));
        const Result<RecordingFiles> files = findRecording(folder);
        QVERIFY(files.ok());
        const Result<RecordingRun> run = openRecording(*files, 2, Progress());
        QVERIFY(run.ok());
        for (const RecordingNumbers& numbers : run->numbers) QVERIFY(numbers.comms.size() < 20'000);
        QVERIFY2(peak() - m_before < 200'000, qPrintable(QString::number(peak() - m_before)));
    }

    void communicatorsOfManyMembers()
    {
        QByteArray frames;
        for (std::uint32_t i = 0; i < 60; ++i) {
            lp_comm comm{};
            comm.comm = i + 2;
            comm.serial = i;
            comm.size = 1 << 24;
            comm.stride = 1;
            frames += frameOf(LP_COMM, QByteArray(reinterpret_cast<const char*>(&comm), sizeof comm));
        }
        const Result<RecordingFiles> files = findRecording(recording(frames));
        QVERIFY(files.ok());
        const Result<RecordingRun> run = openRecording(*files, 2, Progress());
        QVERIFY(!run.ok());
        QVERIFY2(run.error().what.contains(QStringLiteral("members")), qPrintable(run.error().what));
        QVERIFY(peak() - m_before < 200'000);
    }

    void recordsThatAChunkClaims()
    {
        QByteArray frames;
        for (std::uint32_t i = 0; i < 100; ++i) frames += chunkOf(i, LP_LARGEST_BUFFER);
        const RecordingBytes bytes(rankFile(bombHeader(0, 1), frames));
        ImportLog log;
        const Result<RecordedRank> rank = readRecordedRank(bytes, QStringLiteral("bomb"), log);
        QVERIFY(!rank.ok());
        QVERIFY2(rank.error().what.contains(QStringLiteral("6710886400 bytes of records")),
                 qPrintable(rank.error().what));
    }

    // Behind the same chunks lies a hole, which costs nothing: it explains none of their records.
    void holes()
    {
        QByteArray frames;
        for (std::uint32_t i = 0; i < 100; ++i) frames += chunkOf(i, 1'000'000);
        const QString folder = recording(frames);
        QVERIFY(QFile::resize(folder + QStringLiteral("/rank-000000.lprank"), 1 << 30));
        const Result<RecordingFiles> files = findRecording(folder);
        QVERIFY(files.ok());
        const Result<RecordingRun> run = openRecording(*files, 1, Progress());
        QVERIFY(!run.ok());
        QVERIFY2(run.error().what.contains(QStringLiteral("100000000 bytes of records")), qPrintable(run.error().what));
        // Text is read to its end: zeros, as many as one likes.
        const QString table = write(QStringLiteral("hole.csv"),
                                    "rank,seq,call,start_ns,end_ns,comm,peer,tag\n"
                                    "0,0,MPI_Init,0,1,MPI_COMM_WORLD,-,-\n");
        const QString target = m_folder.filePath(QStringLiteral("hole.longpole"));
        QVERIFY(importCallTable(table, target, {}, Progress()).ok());
        QVERIFY(QFile::resize(table, std::int64_t{1} << 33));
        const Result<ImportReport> imported = importCallTable(table, target, {}, Progress());
        QVERIFY(!imported.ok());
        QVERIFY2(imported.error().what.contains(QStringLiteral("holes")), qPrintable(imported.error().what));
        QVERIFY(!InputFile::open(table).ok());
    }

    // Each file says no more than any file may; all together they do.
    void recordsOfManyRanks()
    {
        constexpr int ranks = 40;
        QDir(m_folder.path()).mkdir(QStringLiteral("many"));
        for (int rank = 0; rank < ranks; ++rank)
            write(QStringLiteral("many/rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0')),
                  rankFile(bombHeader(rank, ranks), chunkOf(0, 1'000'000)));
        const Result<RecordingFiles> files = findRecording(m_folder.filePath(QStringLiteral("many")));
        QVERIFY(files.ok());
        const Result<RecordingRun> run = openRecording(*files, 1, Progress());
        QVERIFY(!run.ok());
        QVERIFY2(run.error().what.contains(QStringLiteral("40000000 bytes of records")), qPrintable(run.error().what));
    }

    // 4 MB of frames whose checksum is wrong, each of which reaches to the end of the file.
    void framesInEachOther()
    {
        QByteArray frames(4 << 20, '\0');
        for (qsizetype at = 0; at + LP_ALIGNMENT <= frames.size(); at += LP_ALIGNMENT) {
            lp_frame head{};
            head.magic = LP_FRAME_MAGIC;
            head.kind = LP_COMM;
            head.length = static_cast<std::uint64_t>(frames.size() - at) - sizeof head;
            std::memcpy(frames.data() + at, &head, sizeof head);
        }
        ImportLog log;
        QVERIFY(readRecordedRank(RecordingBytes(rankFile(bombHeader(0, 1), frames)), QStringLiteral("bomb"), log).ok());
        QVERIFY(log.count(IssueKind::DamagedRecording) > 0);
        QVERIFY2(m_time.elapsed() < 5000, qPrintable(QString::number(m_time.elapsed())));
    }

    // Frames that end where they are not expected: each search began with a block of its own.
    void searchesForFrames()
    {
        QByteArray frames;
        for (int i = 0; i < 16'000; ++i) frames += frameOf(LP_COMM, QByteArray(128, 'x'), false) + QByteArray(64, 'y');
        ImportLog log;
        QVERIFY(readRecordedRank(RecordingBytes(rankFile(bombHeader(0, 1), frames)), QStringLiteral("bomb"), log).ok());
        QCOMPARE(log.count(IssueKind::DamagedRecording) > 15'000, true);
        QVERIFY2(m_time.elapsed() < 3000, qPrintable(QString::number(m_time.elapsed())));
    }

    // 262144 rows of the timeline out of a few hundred bytes.
    void processorsThatAnStsClaims()
    {
        const SmallRun run;
        run.symbols(smallSymbols(262'144));
        run.log(0, "6 0\n2 0 5 100 1 0 0 0 0 0 0 0\n3 0 5 200 1 0 0 0 0 0\n7 300\n");
        const auto store = run.import();
        QVERIFY(store != nullptr);
        QCOMPARE(store->info().processors, 1);
        bool isSaid = false;
        for (const Issue& issue : store->issues()) isSaid |= issue.kind == QLatin1String("implausible_processors");
        QVERIFY(isSaid);
    }

    // Of an entry method with a high number, in each of many logs: 4 MB were made for each of them.
    void entryMethodsOfManyLogs()
    {
        constexpr int logs = 1000;
        const auto timeFor = [](int entry) {
            const SmallRun run;
            const QByteArray number = QByteArray::number(entry);
            run.symbols(QByteArray("VERSION 11.0\nMACHINE x\nPROCESSORS " + QByteArray::number(logs)
                                   + "\nTOTAL_CHARES 1\nTOTAL_EPS 1\nTOTAL_MSGS 0\nCHARE 0 \"c\" 0\nENTRY CHARE "
                                   + number + " \"e\" 0 0\nEND\n"));
            for (int pe = 0; pe < logs; ++pe) run.log(pe, "2 0 " + number + " 1 1 0 0 0 0 0 0 0 0\n");
            const std::clock_t begin = std::clock();
            if (run.import() == nullptr) qFatal("not imported");
            return std::clock() - begin;
        };
        std::array<std::clock_t, 2> least{timeFor(0), timeFor(65'535)};
        for (int again = 0; again < 2; ++again)
            least = {std::min(least[0], timeFor(0)), std::min(least[1], timeFor(65'535))};
        QVERIFY2(least[1] < 5 * least[0] / 2, qPrintable(QStringLiteral("%1 %2").arg(least[0]).arg(least[1])));
    }

    void aRankThatATableClaims()
    {
        const QString path = write(QStringLiteral("bomb.csv"),
                                   "rank,seq,call,start_ns,end_ns,comm,peer,tag\n"
                                   "1048575,0,MPI_Barrier,1,2,MPI_COMM_WORLD,-,-\n");
        const auto imported = importCallTable(path, m_folder.filePath(QStringLiteral("out.longpole")), {}, Progress());
        QVERIFY(!imported.ok());
        QVERIFY2(imported.error().what.contains(QStringLiteral("rank 1048575")), qPrintable(imported.error().what));
    }

    // Counts of a run-length code are believed as far as the file's bytes go.
    void countsThatASummaryClaims()
    {
        ImportLog log;
        const auto detail = parseSummaryDetail(
            "ver:7.1 cpu:0/1 numIntervals:1048576 numEPs:65536 intervalSize:1e-3\n"
            "ExeTimePerEPperInterval 1+8388608\nEPCallTimePerInterval 1+8388608\n",
            log);
        QVERIFY(detail.has_value());
        QVERIFY(detail->cells.size() <= std::size_t(limits::summaryCells.of(200)));
        QCOMPARE(log.count(IssueKind::LongSummary), 2);  // intervals and cells
    }

    // What a summary may have in any case is for all of its run together.
    void countsThatManySummariesClaim()
    {
        constexpr std::size_t files = 600;
        const QByteArray text =
            "ver:7.1 cpu:0/1 numIntervals:65536 numEPs:4 intervalSize:1e-3\n"
            "ExeTimePerEPperInterval 9+262144\nEPCallTimePerInterval 1+262144\n";
        ImportLog log;
        const auto detail = parseSummaryDetail(text, log, {}, files);
        QVERIFY(detail.has_value());
        QVERIFY(detail->cells.size() <= std::size_t(limits::summaryCells.shared(text.size(), files)));
        const QByteArray outline =
            "ver:7.1 0/1 count:65536 ep:4 interval:1e-3\n50+65536\nEPExeTime: 10+4\n"
            "EPCallTime: 10+4\n";
        const auto summary = parseSummary(outline, log, {}, files);
        QVERIFY(summary.has_value());
        QVERIFY(std::int64_t(summary->busy.size()) <= limits::summaryIntervals.shared(outline.size(), files));
        QVERIFY(log.count(IssueKind::LongSummary) > 0);
    }

    // Each of many lines of marks put all that came before in order.
    void linesOfMarks()
    {
        QByteArray text = "ver:7.1 0/1 count:10 ep:1 interval:1e-3\n50+10\nEPExeTime: 10\nEPCallTime: 10\n";
        text += QByteArray("NumMarks: 1 7 0.003\n").repeated(50'000);
        ImportLog log;
        const auto summary = parseSummary(text, log);
        QVERIFY(summary && summary->marks.size() == 50'000);
        QVERIFY2(m_time.elapsed() < 3000, qPrintable(QString::number(m_time.elapsed())));
    }

    // As of logs: so many PEs are beyond what one file can be of.
    void processorsThatASummaryClaims()
    {
        const SmallRun run;
        run.write(QStringLiteral("f.sum.sts"), smallSymbols(262'144));
        run.write(QStringLiteral("f.0.sum"),
                  "ver:7.1 0/262144 count:3 ep:8 interval:7.000000e-01 phases:0\n 100+3\n"
                  "EPExeTime: 1 2\nEPCallTime: 1 2\n");
        const QString target = m_folder.filePath(QStringLiteral("claimed.longpole"));
        const auto imported = importSummaries(run.folder(), target, {}, Progress());
        QVERIFY2(imported.ok(), imported ? "" : qPrintable(imported.error().what));
        const auto store = TraceStore::open(target);
        QVERIFY(store.ok());
        QCOMPARE((*store)->info().processors, 1);
    }

    // Three intervals of 65536 entry methods each, in 200 bytes: every bin asked for every one of them.
    void entriesOfAnInterval()
    {
        const SmallRun run;
        run.write(QStringLiteral("f.sum.sts"), smallSymbols(1));
        run.write(QStringLiteral("f.0.sum"),
                  "ver:7.1 0/1 count:3 ep:8 interval:7.000000e-01 phases:0\n 100+3\nEPExeTime: 1 2\nEPCallTime: 1 2\n");
        run.write(QStringLiteral("f.0.sumd"),
                  "ver:7.1 cpu:0/1 numIntervals:3 numEPs:70000 intervalSize:0.7\n"
                  "ExeTimePerEPperInterval 5+999999999\nEPCallTimePerInterval 1+999999999\n");
        m_time.start();
        const auto imported = importSummaries(run.folder(), m_folder.filePath(QStringLiteral("sum.longpole")), {},
                                              Progress());
        QVERIFY2(imported.ok(), imported ? "" : qPrintable(imported.error().what));
        QVERIFY2(m_time.elapsed() < 5000, qPrintable(QString::number(m_time.elapsed())));
    }

    // Broadcasts of one event and entry, and executions that name another PE: each looked at all of them.
    void broadcastsToRepair()
    {
        constexpr int events = 120'000;
        const SmallRun run;
        run.symbols(smallSymbols(2));
        QByteArray sends = "6 1\n";
        QByteArray executions = "6 1\n";
        for (int i = 0; i < events; ++i) {
            const QByteArray time = QByteArray::number(10 * i + 10);
            const QByteArray end = QByteArray::number(10 * i + 15);
            sends += "1 24 5 " + time + " 8 0 112 0\n";
            executions += "2 4 5 " + time + " 8 1 112 0 3 1\n3 0 5 " + end + " 8 1 0 1\n";
        }
        run.log(0, sends + "7 9000000\n");
        run.log(1, executions + "7 9000000\n");
        const auto store = run.import();
        QVERIFY(store != nullptr);
        std::int64_t repaired = 0;
        for (const Issue& issue : store->issues())
            if (issue.kind == QLatin1String("repaired_broadcast")) repaired = issue.count;
        QCOMPARE(repaired, events);
        QVERIFY2(m_time.elapsed() < 8000, qPrintable(QString::number(m_time.elapsed())));
    }

    void notesOfManyBytes()
    {
        const SmallRun run;
        run.symbols(smallSymbols(1));
        const QByteArray note = "28 100 60000" + QByteArray(60'000, 'n') + '\n';
        run.log(0, "6 0\n" + note.repeated(1000) + "7 300\n");
        const auto store = run.import();
        QVERIFY(store != nullptr);
        QVERIFY(QFileInfo(store->path()).size() < (24 << 20));
        bool isSaid = false;
        for (const Issue& issue : store->issues()) isSaid |= issue.kind == QLatin1String("long_text");
        QVERIFY(isSaid);
    }

    // Nobody waits for the other end of a pipe in a trace's folder.
    void specialFilesInFolders()
    {
        const QString folder = recording({});
        QCOMPARE(::mkfifo(QFile::encodeName(folder + QStringLiteral("/index.lpindex")).constData(), 0600), 0);
        const Result<RecordingFiles> files = findRecording(folder);
        QVERIFY(files.ok());
        QVERIFY(files->index.isEmpty());
        const QString pipe = folder + QStringLiteral("/pipe");
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        for (const QString& special : {pipe, QStringLiteral("/dev/zero")}) {
            QVERIFY(!InputFile::open(special).ok());
            QVERIFY(!RecordingBytes::open(special).ok());
            QVERIFY(!probeCallTable(special));
            QVERIFY(!importCallTable(special, m_folder.filePath(QStringLiteral("out.longpole")), {}, Progress()).ok());
        }
        const QString link = folder + QStringLiteral("/calls.csv");
        QVERIFY(QFile::link(QStringLiteral("/proc/self/pagemap"), link));
        QVERIFY(!probeCallTable(link));
    }
};

LONGPOLE_TEST(TestBombs)
#include "tst_bombs.moc"
