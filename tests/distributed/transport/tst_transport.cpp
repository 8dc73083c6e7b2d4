// SPDX-License-Identifier: GPL-3.0-or-later
// The transport over threads: orderly, and over wires that mix, delay and split; failures and silence.
#include "distributed/transport/checks.h"
#include "distributed/transport/errortext.h"
#include "distributed/transport/threadwire.h"

#include "support/mpi/unrulywire.h"
#include "support/testmain.h"

#include <QTest>

#include <mutex>

using namespace longpole;
using namespace longpole::tests;

namespace {

// A part of message 1, as it travels.
Payload piece(QByteArray bytes, std::uint64_t total, std::uint64_t offset)
{
    for (const std::uint64_t field : {std::uint64_t{1}, total, offset})
        bytes.append(reinterpret_cast<const char*>(&field), sizeof field);
    Payload all(static_cast<std::size_t>(bytes.size()));
    std::memcpy(all.data(), bytes.constData(), all.size());
    return all;
}

}  // namespace

class TestTransport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void cases_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("processes");
        QTest::addColumn<bool>("isUnruly");
        for (std::size_t i = 0; i < transportChecks().size(); ++i)
            for (const int processes : {1, 2, 3, 4, 7, 8})
                for (const bool isUnruly : {false, true})
                    QTest::addRow("%s, %d processes%s", transportChecks()[i].name, processes,
                                  isUnruly ? ", unruly" : "")
                        << static_cast<int>(i) << processes << isUnruly;
    }
    void cases()
    {
        QFETCH(int, index);
        QFETCH(int, processes);
        QFETCH(bool, isUnruly);
        const TransportCheck& one = transportChecks()[static_cast<std::size_t>(index)];
        std::mutex mutex;
        QStringList wrong;
        const auto body = [&](Transport& transport) {
            const QString found = one.run(transport);
            const std::lock_guard lock(mutex);
            if (!found.isEmpty()) wrong << QStringLiteral("process %1: %2").arg(transport.process()).arg(found);
        };
        for (std::uint32_t seed = 1; seed <= (isUnruly ? 3u : 1u); ++seed) {
            const Result<> ran = isUnruly ? runUnruly(processes, seed, body, index % 2 == 0 ? 7 : 50)
                                          : runOnThreads(processes, body);
            QVERIFY2(ran.ok(), ran.ok() ? "" : qPrintable(toText(ran.error())));
            QCOMPARE(wrong.join(QLatin1Char('\n')), QString());
        }
    }

    // All of them one after another on one transport, as an analysis does.
    void oneAfterAnother()
    {
        std::mutex mutex;
        QStringList wrong;
        const Result<> ran = runUnruly(5, 3, [&](Transport& transport) {
            for (const TransportCheck& one : transportChecks()) {
                const QString found = one.run(transport);
                const std::lock_guard lock(mutex);
                if (!found.isEmpty()) wrong << QLatin1String(one.name) + QLatin1String(": ") + found;
            }
        });
        QVERIFY(ran.ok());
        QCOMPARE(wrong.join(QLatin1Char('\n')), QString());
    }

    // Whatever the others are waiting in, they hear of it.
    void failureReachesEverybody_data()
    {
        QTest::addColumn<int>("waiting");
        for (int i = 0; i < 6; ++i) QTest::addRow("%d", i) << i;
    }
    void failureReachesEverybody()
    {
        QFETCH(int, waiting);
        std::mutex mutex;
        int heard = 0;
        const auto body = [&](Transport& transport) {
            if (transport.process() == 2) {
                transport.fail({.what = QStringLiteral("The disk is full."),
                                .where = QStringLiteral("out.longpole"),
                                .hint = QStringLiteral("Make room.")});
            } else {
                std::int64_t value = 1;
                switch (waiting) {
                case 0: (void)transport.receive(1, Wait::Yes); break;
                case 1: transport.quiet(1, [](int, const Payload&) {}); break;
                case 2:
                    value = reduceOne(transport, value, [](std::int64_t& one, std::int64_t other) { one += other; });
                    break;
                case 3: (void)transport.broadcast({}); break;
                case 4: (void)transport.gather({}); break;
                default:
                    for (int i = 0; i < 100'000'000 && !transport.failed(); ++i) transport.pulse();
                }
                (void)transport.receive(1, Wait::Yes);  // not all of these wait on every process; this does
            }
            const std::lock_guard lock(mutex);
            if (transport.failed() && transport.failure().what == QLatin1String("The disk is full.")
                && transport.failure().where == QLatin1String("out.longpole")
                && transport.failure().hint == QLatin1String("Make room."))
                ++heard;
        };
        for (const bool isUnruly : {false, true}) {
            heard = 0;
            const Result<> ran = isUnruly ? runUnruly(4, 1, body) : runOnThreads(4, body);
            QVERIFY(!ran.ok());
            QCOMPARE(ran.error().what, QStringLiteral("The disk is full."));
            QCOMPARE(heard, 4);
        }
    }

    // One that failed in its last step fails the others' end.
    void lateFailure()
    {
        const Result<> ran = runOnThreads(3, [](Transport& transport) {
            if (transport.process() == 1) transport.fail({.what = QStringLiteral("Late."), .where = {}, .hint = {}});
        });
        QVERIFY(!ran.ok());
        QCOMPARE(ran.error().where, QStringLiteral("process 1 of 3"));
    }

    void everyWaitHasALimit()
    {
        const Result<> ran = runOnThreads(2,
                                          [](Transport& transport) {
                                              if (transport.process() == 0)
                                                  (void)transport.receive(3, Wait::Yes);  // nobody sends
                                          },
                                          {.wait = std::chrono::milliseconds(300)});
        QVERIFY(!ran.ok());
        QVERIFY2(ran.error().what.contains(QLatin1String("heard nothing")), qPrintable(ran.error().what));
    }

    // A sender gets at most a few pieces ahead of a receiver that takes none.
    void fewPiecesUnderWay()
    {
        std::vector<std::unique_ptr<Wire>> wires = threadWires(2);
        Transport sender(std::move(wires[0]), {.pieceBytes = 10});
        for (int i = 0; i < 100; ++i) sender.send(1, 1, Payload(25));
        int posted = 0;
        while (wires[1]->take(2)) ++posted;
        QCOMPARE(posted, 4);
        while (sender.receive(1, Wait::No)) {}
        sender.pulse();
        while (wires[1]->take(2)) ++posted;
        QCOMPARE(posted, 8);
        sender.fail({.what = QStringLiteral("Enough."), .where = {}, .hint = {}});  // or its end would wait
    }

    // Bytes of a stranger: an error, no crash.
    void damagedPieces_data()
    {
        QTest::addColumn<QByteArray>("piece");
        const auto heading = [](std::uint64_t number, std::uint64_t total, std::uint64_t offset) {
            QByteArray bytes(24, '\0');
            std::memcpy(bytes.data(), &number, 8);
            std::memcpy(bytes.data() + 8, &total, 8);
            std::memcpy(bytes.data() + 16, &offset, 8);
            return bytes;
        };
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("short") << QByteArray(23, 'x');
        QTest::newRow("more than all") << QByteArray("abc") + heading(1, 2, 0);
        QTest::newRow("behind the end") << QByteArray("abc") + heading(1, 5, 3);
        QTest::newRow("offset overflows") << QByteArray("abc") + heading(1, 5, ~0ull);
        QTest::newRow("huge") << QByteArray("abc") + heading(1, ~0ull, 0);
    }
    void damagedPieces()
    {
        QFETCH(QByteArray, piece);
        std::vector<std::unique_ptr<Wire>> wires = threadWires(2);
        Payload bytes(static_cast<std::size_t>(piece.size()));
        if (!bytes.empty()) std::memcpy(bytes.data(), piece.constData(), bytes.size());
        wires[1]->post(0, 2, std::move(bytes), true);
        Transport transport(std::move(wires[0]));
        QVERIFY(!transport.receive(1, Wait::Yes));
        QVERIFY(transport.failed());
        QVERIFY(transport.failure().what.contains(QLatin1String("process 1 is damaged")));
    }

    // A process announces half a terabyte: there is room for what comes, no more.
    void announcedButNotSent()
    {
        std::vector<std::unique_ptr<Wire>> wires = threadWires(2);
        Transport transport(std::move(wires[0]));
        wires[1]->post(0, 2, piece("abc", std::uint64_t{1} << 39u, 0), true);
        QVERIFY(!transport.receive(1, Wait::No));
        QVERIFY(!transport.failed());
        wires[1]->post(0, 2, piece("d", std::uint64_t{1} << 39u, std::uint64_t{1} << 38u), true);
        QVERIFY(!transport.receive(1, Wait::No));
        QVERIFY(transport.failed());
        QVERIFY(transport.failure().what.contains(QLatin1String("process 1 is damaged")));
    }

    // Those under way may pass each other; a place that none has filled is none that arrived whole.
    void piecesInAnyOrder()
    {
        std::vector<std::unique_ptr<Wire>> wires = threadWires(2);
        Transport transport(std::move(wires[0]), {.pieceBytes = 3});
        wires[1]->post(0, 2, piece("ghi", 10, 6), true);
        wires[1]->post(0, 2, piece("j", 10, 9), true);
        wires[1]->post(0, 2, piece("abc", 10, 0), true);
        wires[1]->post(0, 2, piece("def", 10, 3), true);
        const std::optional<Incoming> whole = transport.receive(1, Wait::Yes);
        QVERIFY(whole.has_value());
        QCOMPARE(QByteArray(reinterpret_cast<const char*>(whole->bytes.data()), 10), QByteArray("abcdefghij"));
        for (const char* again : {"abc", "abc"}) wires[1]->post(0, 2, piece(again, 6, 0), true);
        QVERIFY(!transport.receive(1, Wait::No));
        QVERIFY(transport.failed());
    }

    void errorsAsBytes()
    {
        const Error error{.what = QStringLiteral("Größe"),
                          .where = QStringLiteral("a, line 3"),
                          .hint = {},
                          .kind = ErrorKind::Cancelled};
        QCOMPARE(errorFromBytes(toBytes(error)), error);
        Payload bytes = toBytes(error);
        while (!bytes.empty()) {
            bytes.pop_back();
            (void)errorFromBytes(bytes);
        }
        QVERIFY(errorFromBytes(bytes).what.contains(QLatin1String("damaged")));
    }
};

LONGPOLE_TEST(TestTransport)
#include "tst_transport.moc"
