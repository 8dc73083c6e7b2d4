// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings whose every byte is as the recorder writes it, made so that calls, requests, regions or communicators ask
// for much.
#include "importers/recording/recordingbombs.h"
#include "importers/recording/run.h"
#include "support/testmain.h"

#include <QFile>
#include <QTest>

#include <cstddef>
#include <cstring>

using namespace longpole;
using namespace longpole::test;

class TestRecordingBombs : public QObject, protected RecordingBombs {
    Q_OBJECT
private Q_SLOTS:
    void init() { remember(); }
    void cleanup() const { verifyCost(); }

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
