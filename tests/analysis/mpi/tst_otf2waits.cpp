// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states of real OTF2 archives: one worked out by hand, all of them from what otf2-print writes, read and computed
// here once more by the definitions (docs/algorithms.md 7.1, 7.2), call by call.
#include "analysis/mpi/calls.h"
#include "importers/common/importer.h"

#include "support/testmain.h"

#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <map>

using namespace longpole;

namespace {

const QString archives = QStringLiteral(LONGPOLE_SHARED_TRACES "/otf2/");

// A call as otf2-print shows it. All calls of these archives block.
struct PrintedCall {
    struct Message {
        std::uint32_t peer = 0;
        QString channel;                  // communicator and tag
        std::size_t partner = noMessage;  // on that rank, of the other direction
        std::size_t call = 0;
    };
    static constexpr std::size_t noMessage = ~std::size_t{0};
    QString name;
    TimeNs begin = 0, end = 0;
    std::vector<std::size_t> sends, receives;  // numbers on the rank
    bool isCollective = false;
    std::int64_t root = -1;
    TimeNs before = 0, after = 0, severity = 0;
    std::int64_t culprit = -1;
    bool sameSource = false, otherSource = false;
    TimeNs awaited = minTime;  // when a late sender sent
};

struct PrintedRank {
    std::vector<PrintedCall> calls;
    std::vector<PrintedCall::Message> sends, receives;
};

class Printed {
public:
    // Empty where otf2-print is missing.
    explicit Printed(const QString& anchor)
    {
        QProcess definitions, events;
        definitions.start(QStringLiteral("otf2-print"), {QStringLiteral("-G"), anchor});
        if (!definitions.waitForFinished(60'000)) return;
        readClock(QString::fromUtf8(definitions.readAllStandardOutput()));
        events.start(QStringLiteral("otf2-print"), {anchor});
        if (!events.waitForFinished(60'000)) return;
        const QString text = QString::fromUtf8(events.readAllStandardOutput());
        for (const QStringView line : QStringView(text).split(u'\n')) read(line);
        match();
        for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) pointToPoint(rank);
        collectives();
    }
    std::map<std::uint32_t, PrintedRank> ranks;

private:
    void readClock(const QString& text)
    {
        static const QRegularExpression clock(QStringLiteral("Ticks per Seconds: (\\d+), Global Offset: (\\d+)"));
        const QRegularExpressionMatch match = clock.match(text);
        m_resolution = match.captured(1).toLongLong();
        m_zero = match.captured(2).toLongLong();
        static const QRegularExpression group(QStringLiteral("\nLOCATION_GROUP +(\\d+) .*Type: PROCESS"));
        for (auto i = group.globalMatch(text); i.hasNext();) ranks[i.next().captured(1).toUInt()];
    }
    TimeNs time(const QString& ticks) const
    {
        __extension__ using Wide = __int128;
        const Wide ns = (Wide(ticks.toLongLong() - m_zero) * 2'000'000'000 + m_resolution) / (2 * Wide(m_resolution));
        return static_cast<TimeNs>(ns);
    }

    void read(QStringView line)
    {
        static const QRegularExpression event(QStringLiteral("^([A-Z_]+) +(\\d+) +(\\d+)  (.*)$"));
        static const QRegularExpression call(QStringLiteral("^Region: \"(MPI_\\w+)\""));
        static const QRegularExpression message(
            QStringLiteral("^(?:Receiver|Sender): (\\d+) .*, Communicator: (.*, Tag: \\d+),"));
        static const QRegularExpression root(QStringLiteral("^Operation: (?!CREATE|DESTROY).*, Root: (\\d+|NONE)"));
        const QRegularExpressionMatch match = event.match(line.toString());
        if (!match.hasMatch() || !ranks.contains(match.captured(2).toUInt())) return;
        PrintedRank& rank = ranks[match.captured(2).toUInt()];
        const QString kind = match.captured(1);
        const QString text = match.captured(4);
        if (const auto name = call.match(text); name.hasMatch()) {
            if (kind == QLatin1String("ENTER")) {
                rank.calls.push_back({});
                rank.calls.back().name = name.captured(1);
                rank.calls.back().begin = time(match.captured(3));
            } else {
                rank.calls.back().end = time(match.captured(3));
            }
        } else if (const auto found = message.match(text); found.hasMatch()) {
            const bool isSend = kind == QLatin1String("MPI_SEND");
            auto& messages = isSend ? rank.sends : rank.receives;
            (isSend ? rank.calls.back().sends : rank.calls.back().receives).push_back(messages.size());
            messages.push_back({found.captured(1).toUInt(), found.captured(2), PrintedCall::noMessage,
                                rank.calls.size() - 1});
        } else if (const auto operation = root.match(text); operation.hasMatch()) {
            rank.calls.back().isCollective = true;
            bool hasRoot = false;
            const int number = operation.captured(1).toInt(&hasRoot);
            if (hasRoot) rank.calls.back().root = number;
        }
    }

    void match()
    {
        for (auto& [number, rank] : ranks) {
            for (std::size_t i = 0; i < rank.receives.size(); ++i) {
                PrintedCall::Message& receive = rank.receives[i];
                auto& sends = ranks[receive.peer].sends;
                const auto fits = [&, to = number](const PrintedCall::Message& send) {
                    return send.peer == to && send.channel == receive.channel && send.partner == PrintedCall::noMessage;
                };
                const auto send = std::find_if(sends.begin(), sends.end(), fits);
                if (send == sends.end()) continue;
                send->partner = i;
                receive.partner = static_cast<std::size_t>(send - sends.begin());
            }
        }
    }

    void pointToPoint(std::uint32_t number)
    {
        PrintedRank& rank = ranks[number];
        for (std::size_t i = 0; i < rank.calls.size(); ++i) {
            PrintedCall& call = rank.calls[i];
            const auto wait = [&call](TimeNs severity, std::uint32_t culprit) {
                if (severity <= call.severity) return;
                call.before = call.severity = severity;
                call.culprit = culprit;
            };
            for (const std::size_t receive : call.receives) {
                const PrintedCall::Message& message = rank.receives[receive];
                if (message.partner == PrintedCall::noMessage) continue;
                const PrintedRank& sender = ranks[message.peer];
                const TimeNs sent = sender.calls[sender.sends[message.partner].call].begin;
                for (std::size_t j = 0; j < i; ++j) {  // far fewer than 100 wait
                    PrintedCall& earlier = rank.calls[j];
                    if (earlier.awaited <= sent || earlier.sameSource || earlier.otherSource) continue;
                    (earlier.culprit == message.peer ? earlier.sameSource : earlier.otherSource) = true;
                }
                wait(std::min(sent, call.end) - call.begin, message.peer);
                if (call.severity > 0) call.awaited = sent;
            }
            if (call.severity > 0) continue;
            for (const std::size_t send : call.sends) {
                const PrintedCall::Message& message = rank.sends[send];
                if (message.partner == PrintedCall::noMessage) continue;
                const PrintedRank& receiver = ranks[message.peer];
                const TimeNs posted = receiver.calls[receiver.receives[message.partner].call].begin;
                if (posted < call.end) wait(posted - call.begin, message.peer);
            }
        }
    }

    // All are on MPI_COMM_WORLD here: the k-th of each rank.
    void collectives()
    {
        for (std::size_t number = 0;; ++number) {
            std::vector<PrintedCall*> members;
            for (auto& [world, rank] : ranks) {
                std::size_t left = number;
                for (PrintedCall& call : rank.calls) {
                    const bool counts = call.isCollective || call.name == QLatin1String("MPI_Init")
                                        || call.name == QLatin1String("MPI_Finalize")
                                        || call.name == QLatin1String("MPI_Bcast");
                    if (counts && left-- == 0) members.push_back(&call);
                }
            }
            if (members.size() < ranks.size()) return;
            collective(members);
        }
    }

    static void collective(const std::vector<PrintedCall*>& members)
    {
        TimeNs latest = minTime, earliest = maxTime;
        std::int64_t culprit = -1;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (members[i]->begin > latest) culprit = static_cast<std::int64_t>(i);
            latest = std::max(latest, members[i]->begin);
            earliest = std::min(earliest, members[i]->end);
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
            PrintedCall& call = *members[i];
            const bool isBroadcast = call.name == QLatin1String("MPI_Bcast");
            const auto root = static_cast<std::size_t>(std::max<std::int64_t>(call.root, 0));
            const TimeNs awaited = isBroadcast ? members[root]->begin : latest;
            const bool isLifetime = call.name == QLatin1String("MPI_Init")
                                    || call.name == QLatin1String("MPI_Finalize");
            if (isLifetime) continue;  // in start-up and shut-down nobody waits
            call.severity = std::max<TimeNs>(0, std::min(awaited, call.end) - call.begin);
            call.before = call.severity;
            if (latest <= earliest) {
                call.before = latest - call.begin;
                call.after = call.end - earliest;
            } else if (!isBroadcast) {
                call.after = std::max<TimeNs>(0, call.end - std::max(earliest, std::min(latest, call.end)));
            }
            if (call.severity > 0) call.culprit = isBroadcast ? call.root : culprit;
            else if (call.before > 0) call.culprit = culprit;
        }
    }

    std::int64_t m_resolution = 1;
    std::int64_t m_zero = 0;
};

}  // namespace

class TestOtf2Waits : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    // Null after a skip.
    std::shared_ptr<const TraceStore> imported(const QString& anchor)
    {
        const Importer* importer = QFileInfo::exists(anchor) ? importerFor(anchor) : nullptr;
        if (importer == nullptr) return nullptr;
        const QString target = m_folder.filePath(QStringLiteral("%1.longpole").arg(m_imports++));
        const auto report = importer->import(anchor, target, ImportOptions{}, Progress{});
        if (!report) qCritical("%s", qPrintable(toText(report.error())));
        const auto store = TraceStore::open(target);
        if (!store) qCritical("%s", qPrintable(toText(store.error())));
        return store ? *store : nullptr;
    }
    static std::vector<MpiCallRow> callsOf(const TraceStore& store, std::uint32_t rank, const QString& name = {})
    {
        std::vector<MpiCallRow> rows = *mpiCalls(store, rank, {minTime, maxTime});
        std::erase_if(rows,
                      [&](const MpiCallRow& row) { return !name.isEmpty() && store.region(row.region)->name != name; });
        return rows;
    }
    int m_imports = 0;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Ranks 1 to 3 receive late, each from the rank before it; then rank 0 comes late to a barrier.
    void workedOutByHand()
    {
        const auto store = imported(archives + QStringLiteral("casita_4_mpi_ls_barr/traces.otf2"));
        if (!store) QSKIP("no archive, or no OTF2");
        // Begin of the receive and of the send, as otf2-print shows them.
        constexpr std::array<std::array<TimeNs, 2>, 3> late{{{106107922094015, 106116946908054},
                                                             {106107918769568, 106117924094517},
                                                             {106107985107808, 106118975541798}}};
        for (std::uint32_t rank = 1; rank < 4; ++rank) {
            const auto rows = callsOf(*store, rank, QStringLiteral("MPI_Recv"));
            QCOMPARE(rows.size(), std::size_t(1));
            QCOMPARE(rows[0].pattern, WaitPattern::LateSender);
            QCOMPARE(rows[0].severity, late[rank - 1][1] - late[rank - 1][0]);
            QCOMPARE(rows[0].waitBefore, rows[0].severity);
            QCOMPARE(rows[0].culprit, std::int64_t(rank) - 1);
            const auto sends = callsOf(*store, rank - 1, QStringLiteral("MPI_Send"));
            QCOMPARE(rows[0].culpritSeq, sends.at(0).seq);
            QCOMPARE(sends.at(0).pattern, WaitPattern::None);
        }
        constexpr std::array<TimeNs, 4> before{0, 7'835'162'349, 6'843'795'808, 6'730'308'390};
        constexpr std::array<TimeNs, 4> after{0, 794, 10'755, 56'892};
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            const auto rows = callsOf(*store, rank, QStringLiteral("MPI_Barrier"));
            QCOMPARE(rows.size(), std::size_t(1));
            QCOMPARE(rows[0].waitBefore, before[rank]);
            QCOMPARE(rows[0].execution, 46'045);
            QCOMPARE(rows[0].waitAfter, after[rank]);
            QCOMPARE(rows[0].pattern, rank == 0 ? WaitPattern::None : WaitPattern::WaitAtBarrier);
            QCOMPARE(rows[0].culprit, rank == 0 ? -1 : 0);
            QVERIFY(rows[0].flags & MpiCallFlag::Synchronization);
        }
    }

    void asPrinted_data()
    {
        QTest::addColumn<QString>("anchor");
        QTest::addColumn<int>("waits");
        QTest::newRow("late sender and barrier") << QStringLiteral("casita_4_mpi_ls_barr/traces.otf2") << 3;
        QTest::newRow("tags") << QStringLiteral("casita_10_scorep_mpi_tags/traces.otf2") << 1;
        QTest::newRow("ping-pong") << QStringLiteral("pipit_ping-pong/traces.otf2") << 1;
        QTest::newRow("jacobi") << QStringLiteral("casita_2_jacobi_blame_cpu_050/traces.otf2") << 1000;
        QTest::newRow("broadcast") << QStringLiteral("sst_emberotf2/traces.otf2") << 3;
    }
    void asPrinted()
    {
        QFETCH(QString, anchor);
        QFETCH(int, waits);
        if (QStandardPaths::findExecutable(QStringLiteral("otf2-print")).isEmpty()) QSKIP("no otf2-print");
        const auto store = imported(archives + anchor);
        if (!store) QSKIP("no archive, or no OTF2");
        const Printed printed(archives + anchor);
        QCOMPARE(std::size_t(store->info().processors), printed.ranks.size());
        int seen = 0;
        for (const auto& [rank, expected] : printed.ranks) {
            const auto rows = callsOf(*store, rank);
            QCOMPARE(rows.size(), expected.calls.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const PrintedCall& call = expected.calls[i];
                QCOMPARE(store->region(rows[i].region)->name, call.name);
                QCOMPARE(rows[i].range, (TimeRange{call.begin, call.end}));
                QCOMPARE(rows[i].waitBefore, call.before);
                QCOMPARE(rows[i].waitAfter, call.after);
                QCOMPARE(rows[i].severity, call.severity);
                QCOMPARE(rows[i].culprit, call.culprit);
                QCOMPARE((rows[i].flags & MpiCallFlag::WrongOrderSameSource) != 0, call.sameSource);
                QCOMPARE((rows[i].flags & MpiCallFlag::WrongOrderDifferentSource) != 0, call.otherSource);
                seen += call.severity > 0;
            }
        }
        QVERIFY2(seen >= waits, qPrintable(QString::number(seen)));
    }
};

LONGPOLE_TEST(TestOtf2Waits)
#include "tst_otf2waits.moc"
