// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings whose every byte is as the recorder writes it, made to ask for much or for files that are none of theirs.
#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "core/store/tracestore.h"
#include "importers/madeframes.h"
#include "importers/recording/import.h"
#include "importers/recording/modules.h"
#include "importers/recording/run.h"
#include "recorder/format/calls.h"
#include "recorder/format/recording.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <cstddef>
#include <cstring>
#include <random>

#include <sys/resource.h>
#include <sys/stat.h>

using namespace longpole;
using namespace longpole::test;

namespace {

long largest()  // that this process ever was, kB
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// The processor time that this process has had, which does not depend on what else the machine does, ms.
long spent()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000;
}

QByteArray regionFrame(std::uint32_t number, const QByteArray& name)
{
    return frameOf(LP_REGION, bytesOf(number) + name);
}

QByteArray region(lp_record_type type, std::uint32_t number, std::int64_t time)
{
    lp_region_record record{};
    record.type = type;
    record.region = number;
    record.time = time;
    return bytesOf(record);
}

QByteArray call(lp_call_id id, std::int64_t begin, std::int64_t end, std::uint32_t stack = 0)
{
    lp_call_record record{};
    record.type = LP_CALL_RECORD;
    record.call = id;
    record.comm = LP_NO_COMM;
    record.peer = -1;
    record.begin = begin;
    record.end = end;
    record.stack = stack;
    return bytesOf(record);
}

QByteArray moduleEntry(std::uint64_t begin, std::uint64_t end, const QByteArray& path, const QByteArray& buildId = {})
{
    const lp_module head{.base = begin,
                         .begin = begin,
                         .end = end,
                         .path_length = static_cast<std::uint32_t>(path.size()),
                         .build_id_length = static_cast<std::uint32_t>(buildId.size())};
    return bytesOf(head) + (path.isEmpty() ? path : paddedTo(path, 8))
           + (buildId.isEmpty() ? buildId : paddedTo(buildId, 8));
}

QByteArray stack(std::uint32_t number, const std::vector<std::uint64_t>& addresses)
{
    const lp_stack_head head{.stack = number, .count = static_cast<std::uint32_t>(addresses.size())};
    return bytesOf(head)
           + QByteArray(reinterpret_cast<const char*>(addresses.data()),
                        static_cast<qsizetype>(addresses.size() * sizeof addresses[0]));
}

RecordedModule moduleAt(const QByteArray& path)
{
    RecordedModule module;
    module.path = path;
    return module;
}

}  // namespace

class TestRecordingBombs : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    long m_before = 0;
    long m_spent = 0;
    int m_number = 0;

    QString recording(const QByteArray& frames, std::uint32_t version = LP_FORMAT_VERSION)
    {
        const QString folder = m_folder.filePath(QStringLiteral("r%1").arg(++m_number));
        lp_header header = bombHeader(0, 1);
        header.version = version;
        QFile file(folder + QStringLiteral("/rank-000000.lprank"));
        if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly)) return {};
        return file.write(rankFile(header, frames)) > 0 ? folder : QString();
    }
    std::shared_ptr<const TraceStore> imported(const QString& folder) const
    {
        const QString target = folder + QStringLiteral(".longpole");
        const Result<ImportReport> report = importRecording(folder, target, {}, Progress());
        if (!report) return nullptr;
        const auto store = TraceStore::open(target);
        return store ? *store : nullptr;
    }

private Q_SLOTS:
    void init()
    {
        m_before = largest();
        m_spent = spent();
    }
    // Sanitizers included: what the files are made for takes gigabytes or minutes.
    void cleanup() const
    {
        QVERIFY2(spent() - m_spent < 20'000, qPrintable(QString::number(spent() - m_spent)));
        QVERIFY2(largest() - m_before < 600'000, qPrintable(QString::number(largest() - m_before)));
    }

    // Each end looked at all regions that are open.
    void endsOfOtherRegions()
    {
        constexpr int regions = 400'000;
        QByteArray records;
        for (int i = 0; i < regions; ++i) records += region(LP_ENTER_RECORD, 1, i);
        for (int i = 0; i < regions; ++i) records += region(LP_LEAVE_RECORD, 2, regions + i);
        const auto store = imported(recording(regionFrame(1, "a") + regionFrame(2, "b") + areaOf(records)));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 5'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // Each completion looked at all requests to nobody.
    void requestsToNobody()
    {
        constexpr int requests = 300'000;
        QByteArray records;
        for (int i = 0; i < requests; ++i) {
            lp_call_record start{};
            start.type = LP_CALL_RECORD;
            start.call = LP_Isend;
            start.peer = -1;
            start.begin = start.end = i;
            start.request = static_cast<std::uint32_t>(i) + 2;
            records += bytesOf(start);
        }
        lp_completion_record done{};
        done.type = static_cast<std::uint8_t>(int{LP_FIRST_COMPLETION} + int{LP_SEND_DONE});
        done.request = 1;
        for (int i = 0; i < requests; ++i) records += bytesOf(done);
        const auto store = imported(recording(areaOf(records)));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 5'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // Serials whose places in a table of requests would all lie side by side, were they known beforehand.
    void requestsSideBySide()
    {
        QByteArray records;
        std::uint32_t serial = 0;
        for (int found = 0; found < 120'000; ++serial) {
            const std::uint64_t place = (serial * 0x9e3779b97f4a7c15u >> 32) & ((1u << 18) - 1);
            if (place >= 64) continue;
            lp_call_record start{};
            start.type = LP_CALL_RECORD;
            start.call = LP_Irecv;
            start.peer = -1;
            start.begin = start.end = found++;
            start.request = serial;
            records += bytesOf(start);
        }
        const auto store = imported(recording(areaOf(records)));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 5'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // Before version 4 a collective call needs the rank's place in its communicator, which 32 bytes make.
    void membersOfEachCall()
    {
        lp_comm comm{};
        comm.size = 1 << 20;
        comm.first = 1;
        comm.stride = 1;
        QByteArray records;
        for (int i = 0; i < 100'000; ++i) {
            lp_call_record reduce{};
            reduce.type = LP_CALL_RECORD;
            reduce.call = LP_Allreduce;
            reduce.begin = reduce.end = i;
            records += bytesOf(reduce);
        }
        const auto store = imported(recording(frameOf(LP_COMM, bytesOf(comm)) + areaOf(records), 3));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 5'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // The same, for each of many threads: ranks that the run has not were looked through by all of them.
    void membersForEachThread()
    {
        lp_comm comm{};
        comm.size = 1 << 21;
        comm.first = 1;
        comm.stride = 1;
        QByteArray frames = frameOf(LP_COMM, bytesOf(comm));
        for (std::uint32_t thread = 0; thread < 10'000; ++thread) {
            lp_call_record reduce{};
            reduce.type = LP_CALL_RECORD;
            reduce.call = LP_Allreduce;
            QByteArray area = areaOf(bytesOf(reduce));
            std::memcpy(area.data() + offsetof(lp_frame, thread), &thread, sizeof thread);
            frames += area;
        }
        const auto store = imported(recording(frames, 3));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 8'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // A rank's neighbours that are the same one: each call looked at each of them.
    void neighboursNamedAgain()
    {
        constexpr int many = 150'000;
        lp_comm comm{};
        comm.size = 1;
        comm.stride = 1;
        const lp_neighbours_head head{.comm = 0, .sources = many, .targets = 0, .reserved = 0};
        const QByteArray frames = frameOf(LP_COMM, bytesOf(comm))
                                  + frameOf(LP_NEIGHBOURS, bytesOf(head) + QByteArray(qsizetype{4} * many, '\0'));
        QByteArray records;
        for (int i = 0; i < many; ++i) {
            lp_call2_record gather{};
            gather.call.type = LP_CALL2_RECORD;
            gather.call.call = LP_Neighbor_allgather;
            gather.call.peer = -1;
            gather.call.begin = gather.call.end = i;
            gather.call.bytes = gather.bytes2 = 8;
            records += bytesOf(gather);
        }
        const auto store = imported(recording(frames + areaOf(records)));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 8'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // Communicators of 512 ranks each, of which one calls anything.
    void membersThatCallNothing()
    {
        constexpr std::uint32_t comms = 8000;
        QByteArray frames, records;
        for (std::uint32_t i = 0; i < comms; ++i) {
            lp_comm comm{};
            comm.comm = comm.serial = i;
            comm.size = 512;
            comm.stride = 1;
            frames += frameOf(LP_COMM, bytesOf(comm));
            lp_call_record barrier{};
            barrier.type = LP_CALL_RECORD;
            barrier.call = LP_Barrier;
            barrier.comm = i;
            barrier.peer = -1;
            barrier.begin = barrier.end = i;
            records += bytesOf(barrier);
        }
        const QString folder = recording({});
        QFile file(folder + QStringLiteral("/rank-000000.lprank"));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(rankFile(bombHeader(0, 512), frames + areaOf(records)));
        file.close();
        const auto store = imported(folder);
        QVERIFY(store != nullptr);
        QVERIFY2(largest() - m_before < 400'000, qPrintable(QString::number(largest() - m_before)));
    }

    // The path of a file stood in the name of each place in it.
    void longPaths()
    {
        QByteArray stacks;
        for (std::uint32_t i = 1; i < 4000; ++i) stacks += stack(i, {1000 + i});
        const QByteArray path = "/lib/" + QByteArray(300'000, 'x');
        const auto store = imported(recording(frameOf(LP_MODULES, moduleEntry(0, 100'000, path))
                                              + frameOf(LP_STACKS, stacks) + areaOf(call(LP_Barrier, 1, 2, 7))));
        QVERIFY(store != nullptr);
        QVERIFY(!store->callPaths().empty());
        QVERIFY2(largest() - m_before < 200'000, qPrintable(QString::number(largest() - m_before)));
    }

    // A line of a script with long names, named by eight bytes in each stack below another function.
    void oneLongLine()
    {
        const QByteArray name(4096, 'n'), file = "/" + QByteArray(4095, 'f');
        const lp_place_head place{
            .address = LP_FIRST_PLACE, .line = 1, .name_length = 4096, .file_length = 4096, .reserved = 0};
        QByteArray stacks;
        for (std::uint32_t i = 1; i <= 100; ++i) {
            std::vector<std::uint64_t> addresses(1000, LP_FIRST_PLACE);
            addresses.push_back(i);
            stacks += stack(i, addresses);
        }
        const QByteArray bytes = frameOf(LP_PLACES, bytesOf(place) + name + file) + frameOf(LP_STACKS, stacks)
                                 + areaOf(call(LP_Barrier, 1, 2, 7));
        const auto store = imported(recording(bytes));
        QVERIFY(store != nullptr);
        QVERIFY(!store->callPaths().empty());
        std::int64_t characters = 0;
        for (const CallPath& path : store->callPaths())
            characters += path.function.size() + path.file.size() + path.module.size();
        QVERIFY(characters <= limits::callPathNames.of(bytes.size() + (1 << 12)));
        QVERIFY2(largest() - m_before < 450'000, qPrintable(QString::number(largest() - m_before)));
    }

    // Each address looked at all modules.
    void manyModules()
    {
        QByteArray modules;
        for (std::uint64_t i = 0; i < 100'000; ++i) modules += moduleEntry(10 * i, 10 * i + 5, "/none");
        std::vector<std::uint64_t> addresses;
        QByteArray stacks;
        for (std::uint32_t i = 0; i < 300'000; ++i) stacks += stack(1 + i % 4000, {10u * (i % 4000) + 7});
        std::vector<std::uint64_t> deep(200'000, 7);
        stacks += stack(4001, deep);
        QByteArray functions;
        for (std::uint32_t i = 0; i < 300'000; ++i)
            functions += bytesOf(lp_known_function{.region = i, .name_length = 0, .address = 7});
        const auto store = imported(recording(frameOf(LP_MODULES, modules) + frameOf(LP_STACKS, stacks)
                                              + frameOf(LP_FUNCTIONS, functions) + areaOf(call(LP_Barrier, 1, 2, 7))));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 5'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // Of overlapping modules the later one counts, as the simple search over all of them finds.
    void placesOfModules()
    {
        std::mt19937 random(3);
        const auto below = [&random](std::uint64_t most) {
            return std::uniform_int_distribution<std::uint64_t>(0, most - 1)(random);
        };
        for (int round = 0; round < 200; ++round) {
            std::vector<RecordedModule> modules(below(8));
            for (RecordedModule& module : modules) {
                module.begin = below(30);
                module.end = below(30);
            }
            const ModulePlaces places(modules);
            for (std::uint64_t address = 0; address < 32; ++address) {
                const RecordedModule* expected = nullptr;
                for (const RecordedModule& module : modules)
                    if (address >= module.begin && address < module.end) expected = &module;
                QCOMPARE(places.of(address), expected);
            }
        }
    }

    // Depth times calls is what analyses of call paths would take.
    void deepStacks()
    {
        std::vector<std::uint64_t> addresses(200'000);
        for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i] = i + 1;
        const auto store = imported(recording(frameOf(LP_STACKS, stack(1, addresses))
                                              + areaOf(call(LP_Barrier, 1, 2, 1))));
        QVERIFY(store != nullptr);
        QCOMPARE(store->callPaths().size(), std::size_t{2 * limits::callPathDepth.free});
        QCOMPARE(store->callPaths().back().function, QStringLiteral("0x1"));  // the place of the call itself
    }

    // Names of a hundred bytes that stand for 64 kB each.
    void mangledNames()
    {
        QByteArray functions;
        for (std::uint32_t i = 0; i < 6000; ++i) {
            QByteArray name = "_Z5f" + QByteArray::number(10'000 + i).mid(1) + "PFviiE";
            for (const char* twice : {"S0_S0_", "S2_S2_", "S4_S4_", "S6_S6_", "S8_S8_", "SA_SA_", "SC_SC_", "SE_SE_",
                                      "SG_SG_", "SI_SI_", "SK_SK_"})
                name += QByteArray("PFv") + twice + 'E';
            functions += bytesOf(lp_known_function{.region = i,
                                                   .name_length = static_cast<std::uint32_t>(name.size()),
                                                   .address = i})
                         + paddedTo(name, 8);
        }
        const auto store = imported(recording(frameOf(LP_FUNCTIONS, functions) + areaOf(call(LP_Barrier, 1, 2))));
        QVERIFY(store != nullptr);
        QVERIFY2(largest() - m_before < 250'000, qPrintable(QString::number(largest() - m_before)));
        QVERIFY(QFileInfo(store->path()).size() < (32 << 20));
    }

    // A recording names files; which are read is not its choice alone.
    void filesThatAreRead()
    {
        const QString own = QFileInfo(QCoreApplication::applicationFilePath()).canonicalFilePath();
        const QByteArray program = QFile::encodeName(own);
        const auto isRead = [this](const QByteArray& path, const QString& folder = {}) {
            return !readableModule(moduleAt(path), folder.isEmpty() ? m_folder.path() : folder).isEmpty();
        };
        QVERIFY(isRead(program));
        QCOMPARE(readableModule(moduleAt("/./" + program), {}), program);  // by one name
        QVERIFY(!isRead(program, QFileInfo(own).path()));                  // a part of the recording
        QVERIFY(QDir::setCurrent(QFileInfo(own).path()));
        QVERIFY(!isRead(QFile::encodeName(QFileInfo(own).fileName())));
        QVERIFY(!isRead("/proc/self/exe"));
        QVERIFY(!isRead("/proc/self/cwd/" + QFile::encodeName(QFileInfo(own).fileName())));
        QVERIFY(!isRead("/dev/../proc/self/exe"));
        QVERIFY(!isRead("/dev/zero"));
        QVERIFY(!isRead("/nowhere"));
        QVERIFY(!isRead("/" + program));  // could be another host's
        QVERIFY(!isRead("/net/host/../.." + program));
        QVERIFY(!isRead({}));
        const QString link = m_folder.filePath(QStringLiteral("link"));
        QVERIFY(QFile::link(QStringLiteral("/proc/self/exe"), link));
        // The kernel's link leads to the program itself, which may be read.
        QCOMPARE(readableModule(moduleAt(QFile::encodeName(link)), {}), program);
        const QString pipe = m_folder.filePath(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QVERIFY(!isRead(QFile::encodeName(pipe)));
        QFile text(m_folder.filePath(QStringLiteral("text")));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("\x1f\x8b would have to be unpacked") > 0);
        text.close();
        QVERIFY(!isRead(QFile::encodeName(text.fileName())));
    }

    // A file that is another build, or has a mark where none was recorded, gives no names.
    void anotherBuild()
    {
        const QByteArray program = QFile::encodeName(
            QFileInfo(QCoreApplication::applicationFilePath()).canonicalFilePath());
        for (const QByteArray& buildId : {QByteArray(), QByteArray(20, 'x')}) {
            const auto store = imported(recording(
                frameOf(LP_MODULES, moduleEntry(0, std::uint64_t{1} << 40, program, buildId))
                + frameOf(LP_FUNCTIONS,
                          bytesOf(lp_known_function{.region = 1,
                                                    .name_length = 0,
                                                    .address = reinterpret_cast<std::uint64_t>(&largest) & 0xfffff}))
                + areaOf(region(LP_ENTER_RECORD, 1, 1) + call(LP_Barrier, 2, 3) + region(LP_LEAVE_RECORD, 1, 4))));
            QVERIFY(store != nullptr);
            for (const Region& each : store->regions())
                QVERIFY2(each.name.startsWith(QStringLiteral("0x")) || !each.name.contains(QStringLiteral("::")),
                         qPrintable(each.name));
        }
    }

    void cancelledInTheMiddle()
    {
        QByteArray records;
        for (int i = 0; i < 600'000; ++i) records += call(LP_Barrier, i, i);
        const RecordingNumbers numbers;
        RecordingRegions regions;
        regions.calls.assign(LP_CALL_COUNT + 1, 0);
        class Counting final : public MpiEvents {
        public:
            explicit Counting(const Progress& progress) : m_progress(progress) {}
            void enter(TimeNs, std::uint32_t) override {}
            void leave(TimeNs, std::uint32_t) override {}
            void beginCall(TimeNs, std::uint32_t) override
            {
                if (++calls == 10) m_progress.cancel();
            }
            void endCall(TimeNs) override {}
            void send(std::int64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t, bool) override {}
            void postReceive(std::int64_t) override {}
            void sendCompleted(std::int64_t) override {}
            void received(std::int64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t) override {}
            void receivedNothing(std::int64_t) override {}
            void cancelled(std::int64_t) override {}
            void collective(std::int64_t, std::uint32_t, std::int32_t, MpiMoved, CollectiveKind) override {}
            void collectiveCompleted(std::int64_t) override {}
            void counter(TimeNs, std::uint32_t, double) override {}
            void mark(TimeNs, std::uint32_t, const QString&) override {}
            void record(const char*) override {}
            int calls = 0;

        private:
            const Progress& m_progress;
        };
        const Progress progress;
        Counting counting(progress);
        ImportLog log;
        RecordingEvents events(numbers, regions, RecordingClock(), counting, log);
        events.take({records.constData(), static_cast<std::size_t>(records.size())}, progress);
        QVERIFY(counting.calls < 5000);
    }
};

LONGPOLE_TEST(TestRecordingBombs)
#include "tst_recordingbombs.moc"
