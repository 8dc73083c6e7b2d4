// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder's wrappers under mpirun, with a storage that writes text: every binding of both MPIs records the same,
// and what is recorded adds up.
#include "recorder/format/unrecorded.h"
#include "recorder/wrappers/textruns.h"

#include "support/testmain.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace longpole::test;

namespace {

// Polls that found nothing depend on timing.
Lines withoutPolls(const Lines& lines)
{
    Lines result;
    for (const QByteArray& line : lines) {
        if (!line.startsWith("poll")) result << line;
    }
    return result;
}

// Where two recordings differ first; empty if they do not.
QByteArray difference(const Run& left, const Run& right)
{
    for (std::size_t rank = 0; rank < left.ranks.size(); ++rank) {
        const Lines a = withoutPolls(left.ranks[rank]), b = withoutPolls(right.ranks[rank]);
        for (qsizetype line = 0; line < qMax(a.size(), b.size()); ++line) {
            if (a.value(line) != b.value(line))
                return "rank " + QByteArray::number(int(rank)) + ": " + a.value(line) + " | " + b.value(line);
        }
    }
    return {};
}

// "peer 3 tag 5" -> the number behind a word; of words that come twice the first.
qint64 number(const QByteArray& line, const char* word)
{
    const QList<QByteArray> words = line.split(' ');
    const qsizetype at = words.indexOf(word);
    return at < 0 ? 0 : words.value(at + 1).toLongLong();
}

qint64 firstNumber(const QList<QByteArray>& words)
{
    for (const QByteArray& word : words) {
        bool isNumber = false;
        const qint64 value = word.toLongLong(&isNumber);
        if (isNumber) return value;
    }
    return 0;
}

// Sends and receives by (communicator, from, to, tag): how many, and bytes. Collective calls by communicator and rank.
// Started requests by rank.
struct Sums {
    using Key = std::tuple<QByteArray, qint64, qint64, qint64>;
    std::map<Key, std::pair<int, qint64>> sent, received;
    std::map<QByteArray, std::map<int, Lines>> collectives;
    std::map<QByteArray, int> members;
    std::map<std::pair<int, qint64>, int> ends;  // of a request that was started
    QByteArray mistake;
};

void addCall(Sums& sums, int rank, const QByteArray& line, const QByteArray& comm)
{
    static const std::set<QByteArray> sends = {"MPI_Send",     "MPI_Bsend",
                                               "MPI_Ssend",    "MPI_Rsend",
                                               "MPI_Isend",    "MPI_Ibsend",
                                               "MPI_Issend",   "MPI_Irsend",
                                               "MPI_Sendrecv", "MPI_Sendrecv_replace",
                                               "send"};
    static const std::set<QByteArray> receives = {"MPI_Recv", "MPI_Mrecv", "receive"};
    static const std::set<QByteArray> kinds = {"MPI_Barrier",  "MPI_Bcast",      "MPI_Allreduce",  "MPI_Alltoall",
                                               "MPI_Reduce",   "MPI_Iallreduce", "MPI_Ibarrier",   "MPI_Comm_split",
                                               "MPI_Comm_dup", "MPI_Comm_idup",  "MPI_Cart_create"};
    const QByteArray name = line.trimmed().split(' ').first();
    const qint64 peer = number(line, "peer"), tag = number(line, "tag"), bytes = number(line, "bytes");
    const bool isReceived = name == "receive" ? line.contains("receive done") : receives.contains(name);
    if (sends.contains(name) && peer >= 0 && line.contains("peer")) {  // "send done" has none
        auto& [count, total] = sums.sent[{comm, rank, peer, tag}];
        ++count;
        total += bytes;
    }
    if (isReceived && peer >= 0) {
        auto& [count, total] = sums.received[{comm, peer, rank, tag}];
        ++count;
        total += bytes;
    }
    if (name.startsWith("MPI_Sendrecv") && number(line, "peer2") >= 0) {
        auto& [count, total] = sums.received[{comm, number(line, "peer2"), rank, number(line, "tag2")}];
        ++count;
        total += number(line, "bytes2");
    }
    if (kinds.contains(name)) sums.collectives[comm][rank] << name;
}

Sums sumsOf(const Run& run)
{
    Sums sums;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        std::map<qint64, QByteArray> ids;  // number -> id
        for (const QByteArray& line : run.ranks[rank]) {
            const QList<QByteArray> words = line.trimmed().split(' ');
            if (words.first() == "communicator" && line.contains(" id ")) {
                ids[words[1].toLongLong()] = words[3];
                sums.members[words[3]] = int(words.size() - words.indexOf("members") - 1);
                continue;
            }
            if (line.startsWith("  epoch ")) continue;  // a member of an epoch's group, of no request
            if (line.startsWith("  ")) sums.ends[{int(rank), firstNumber(words)}] += line.contains(" started ") ? 0 : 1;
            else if (words.contains("request")) sums.ends[{int(rank), number(line, "request")}] += 0;
            addCall(sums, int(rank), line, ids[number(line, "comm")]);
            if (line.contains("BACKWARDS")) sums.mistake = line;
        }
    }
    return sums;
}

void checkSums(const Run& run)
{
    const Sums sums = sumsOf(run);
    QVERIFY(sums.mistake.isEmpty());
    QVERIFY(!sums.sent.empty());
    for (const auto& [key, sent] : sums.sent) {
        const auto received = sums.received.find(key);
        QVERIFY2(received != sums.received.end() && received->second == sent,
                 QByteArray("comm " + std::get<0>(key) + " from " + QByteArray::number(std::get<1>(key)) + " tag "
                            + QByteArray::number(std::get<3>(key))));
    }
    QCOMPARE(sums.sent.size(), sums.received.size());
    for (const auto& [comm, byRank] : sums.collectives) {
        QCOMPARE(int(byRank.size()), sums.members.at(comm));
        for (const auto& [rank, names] : byRank) QCOMPARE(names, byRank.begin()->second);
    }
    for (const auto& [request, ends] : sums.ends)
        QVERIFY2(ends == 1,
                 QByteArray("rank " + QByteArray::number(request.first) + " request "
                            + QByteArray::number(request.second) + " ended " + QByteArray::number(ends) + " times"));
}

}  // namespace

class TestWrappers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        if (mpis.isEmpty()) QSKIP("No MPI is installed.");
    }

    void recordsTheSameInEveryLanguage_data() { eachLanguage({"", "-MPIF", "-MOD", "-F08"}); }

    // All of the first row: Open MPI's C program.
    void recordsTheSameInEveryLanguage()
    {
        QFETCH(int, mpi);
        QFETCH(QString, binding);
        static Run first;
        const QString name = program(mpis[mpi], QStringLiteral("calls"), binding);
        const Run plain = run(mpis[mpi], 4, {}, {name, QStringLiteral("file")});
        const Run recorded = run(mpis[mpi], 4, library(mpis[mpi]), {name, QStringLiteral("file")});
        QCOMPARE(plain.exitCode, 0);
        QCOMPARE(recorded.exitCode, 0);
        QVERIFY(plain.output.startsWith("sum "));
        QCOMPARE(recorded.output, plain.output);
        QCOMPARE(recorded.errors, plain.errors);
        if (first.ranks.empty()) first = recorded;
        QCOMPARE(difference(first, recorded), QByteArray());
        checkSums(recorded);
        for (const Lines& lines : recorded.ranks) {
            QVERIFY(lines.size() > 230);
            QCOMPARE(lines.last(), QByteArray("close"));
        }
    }

    // What MPI 4 added, from C and from Fortran 2008.
    void recordsMpi4InEveryLanguage_data() { eachLanguage({"", "-F08"}); }
    void recordsMpi4InEveryLanguage()
    {
        QFETCH(int, mpi);
        QFETCH(QString, binding);
        static std::map<int, Run> ofC;
        const QString name = program(mpis[mpi], QStringLiteral("calls4"), binding);
        const Run plain = run(mpis[mpi], 2, {}, {name});
        const Run recorded = run(mpis[mpi], 2, library(mpis[mpi]), {name});
        QCOMPARE(plain.exitCode, 0);
        QCOMPARE(recorded.exitCode, 0);
        QVERIFY(plain.output.startsWith("sum "));
        QCOMPARE(recorded.output, plain.output);
        QCOMPARE(recorded.errors, plain.errors);
        if (binding.isEmpty()) ofC[mpi] = recorded;
        QCOMPARE(difference(ofC[mpi], recorded), QByteArray());
        const bool hasAll = qstrcmp(mpis[mpi].name, "mpich") == 0;
        // Requests 1 to 4 are the first start's, 9 that of MPI_Bcast alone: 20 bytes from rank 1.
        QList<QByteArray> expected = {"MPI_Barrier_init comm 2 peer -1 tag 0 bytes 0",
                                      "MPI_Bcast_init comm 3 peer 1 tag 0 bytes 0 received 20",
                                      "MPI_Allreduce_init comm 4 peer -1 tag 0 bytes 24 received 24",
                                      "MPI_Gatherv_init comm 5 peer 0 tag 0 bytes 0 received 12",
                                      "  collective started 9",
                                      "  collective done 9"};
        if (hasAll)
            expected += {"MPI_Isendrecv comm 0 peer 1 tag 1 bytes 12 request 10 received 48",
                         "MPI_Isendrecv_replace comm 0 peer 1 tag 2 bytes 16 request 11 received 16",
                         "MPI_Psend_init comm 6 peer 1 tag 3 bytes 48",
                         "MPI_Pready_range comm -1 peer -1 tag 0 bytes 0",
                         "  send started 12 comm 6 peer 1 tag 3 bytes 48",
                         "MPI_Send comm 0 peer 1 tag 4 bytes 12",
                         "MPI_Irecv comm 0 peer 1 tag 5 bytes 16 request 13",
                         "MPI_Allreduce comm 0 peer -1 tag 0 bytes 12 received 12",
                         "MPI_Ibcast comm 0 peer 0 tag 0 bytes 16 request 15",
                         "MPI_Allgatherv comm 0 peer -1 tag 0 bytes 8 received 12",
                         "MPI_Isendrecv comm 0 peer 1 tag 6 bytes 12 request 17 received 16"};
        for (const QByteArray& line : expected) QVERIFY2(recorded.ranks.at(0).contains(line), line.constData());
        if (!hasAll) return;
        QVERIFY(recorded.ranks.at(1).contains("MPI_Parrived comm -1 peer -1 tag 0 bytes 0"));
        const Sums sums = sumsOf(recorded);
        QCOMPARE(sums.ends.size(), std::size_t{36});  // requests that were started, on both ranks
        for (const auto& [request, ends] : sums.ends) QCOMPARE(ends, 1);
    }

    // Programs that never call MPI_Init.
    void recordsSessions()
    {
        const auto mpich = std::find_if(mpis.begin(), mpis.end(),
                                        [](const Mpi& mpi) { return qstrcmp(mpi.name, "mpich") == 0; });
        if (mpich == mpis.end() || !QFile::exists(program(*mpich, QStringLiteral("sessions"))))
            QSKIP("There is no MPI with sessions.");
        const Run recorded = run(*mpich, 4, library(*mpich), {program(*mpich, QStringLiteral("sessions"))});
        QCOMPARE(recorded.exitCode, 0);
        QCOMPARE(recorded.errors, QByteArray());
        Lines lines = recorded.ranks.at(1);
        QCOMPARE(lines.takeFirst(), QByteArray("open 1 of 4"));
        while (!lines.isEmpty() && !lines.first().startsWith("MPI_")) lines.removeFirst();
        const Lines expected = {"MPI_Session_init comm 0 peer -1 tag 0 bytes 0",
                                "communicator 2 id 0.2 '' members 0 1 2 3",
                                "MPI_Comm_create_from_group comm 2 peer -1 tag 0 bytes 0",
                                "communicator 3 id 1.3 '' members 1",
                                "MPI_Comm_create_from_group comm 3 peer -1 tag 0 bytes 0",
                                "MPI_Sendrecv comm 2 peer 2 tag 1 bytes 4 peer2 0 tag2 1 bytes2 4",
                                "communicator 4 id 0.4 '' members 0 2 1 3",
                                "MPI_Intercomm_create_from_groups comm 4 peer -1 tag 0 bytes 0",
                                "MPI_Recv comm 4 peer 0 tag 2 bytes 4",
                                "MPI_Comm_free comm 4 peer -1 tag 0 bytes 0",
                                "MPI_Comm_free comm 3 peer -1 tag 0 bytes 0",
                                "MPI_Comm_free comm 2 peer -1 tag 0 bytes 0",
                                "communicator 5 id 0.5 '' members 0 1 2 3",
                                "MPI_Comm_create_from_group comm 5 peer -1 tag 0 bytes 0",
                                "MPI_Barrier comm 5 peer -1 tag 0 bytes 0",
                                "MPI_Comm_free comm 5 peer -1 tag 0 bytes 0",
                                "MPI_Session_finalize comm 0 peer -1 tag 0 bytes 0",
                                "close"};
        QCOMPARE(lines, expected);
        checkSums(recorded);
        if (!mpich->hasFortran) return;
        const Run ofFortran = run(*mpich, 2, library(*mpich), {program(*mpich, QStringLiteral("sessionsf"))});
        QCOMPARE(ofFortran.exitCode, 0);
        for (const char* line :
             {"MPI_Session_init comm 0 peer -1 tag 0 bytes 0", "MPI_Allreduce comm 2 peer -1 tag 0 bytes 4 received 4",
              "MPI_Session_finalize comm 0 peer -1 tag 0 bytes 0", "close"})
            QVERIFY2(ofFortran.ranks.at(1).contains(line), line);
    }

    void findsEveryKindOfCall()
    {
        const Run recorded = run(mpis[0], 4, library(mpis[0]),
                                 {program(mpis[0], QStringLiteral("calls")), QStringLiteral("file")});
        const Lines& rank1 = recorded.ranks.at(1);
        for (const char* line : {"communicator 1 id 1.1 'MPI_COMM_SELF' members 1",
                                 "MPI_Recv comm 0 peer 0 tag 3 bytes 12",
                                 "MPI_Sendrecv comm 0 peer 2 tag 1 bytes 40 peer2 0 tag2 1 bytes2 40",
                                 "MPI_Recv comm 0 peer -1 tag -1 bytes 0",
                                 "MPI_Iprobe comm 0 peer 0 tag 11 bytes 12",
                                 "MPI_Imrecv comm 0 peer -1 tag -1 bytes 40 request 1",
                                 "  receive done 1 comm 0 peer 0 tag 13 bytes 20",
                                 "  cancelled 22",
                                 "  freed 24",
                                 "  receive started 25 comm 0 peer 0 tag 40 bytes 40",
                                 "  send started 26 comm 0 peer 2 tag 40 bytes 32",
                                 "MPI_Ireduce comm 0 peer 3 tag 0 bytes 24 request 36",
                                 "  communicator done 41 comm 3",
                                 "communicator 2 id 0.2 'copy of world' members 0 1 2 3",
                                 "communicator 4 id 3.4 '' members 3 1",
                                 "MPI_Bcast comm 4 peer 3 tag 0 bytes 0 received 16",
                                 "communicator 12 id 2.10 '' members 2 0 3 1",
                                 "MPI_Sendrecv comm 12 peer 0 tag 53 bytes 12 peer2 0 tag2 53 bytes2 12",
                                 "MPI_Bcast comm 12 peer 2 tag 0 bytes 0 received 12",
                                 "MPI_Put comm 0 peer 2 tag 1 bytes 12",
                                 "MPI_Win_start comm 0 peer -1 tag 1 bytes 0",
                                 "  epoch peer 0 comm 0 peer 3 tag 0 bytes 0",
                                 "MPI_Win_lock comm 0 peer 2 tag -1 bytes 0",
                                 "MPI_File_write_at comm -1 peer -1 tag 0 bytes 40",
                                 "recording off",
                                 "recording on",
                                 "MPI_Sendrecv comm 0 peer 2 tag 60 bytes 24 peer2 0 tag2 60 bytes2 24"})
            QVERIFY2(rank1.contains(line), line);
        const qsizetype off = rank1.indexOf("recording off");
        QCOMPARE(rank1.value(off + 1), QByteArray("recording on"));
    }

    // Every function that the MPIs declare is wrapped or listed as not recorded, and none is both.
    void everyCallIsRecordedOrListed_data() { eachMpi(); }
    void everyCallIsRecordedOrListed()
    {
        QFETCH(int, mpi);
        QStringList patterns;
        for (const lp_unrecorded& group : lp_unrecorded_calls)
            for (const QString& call : QString::fromUtf8(group.calls).split(QLatin1Char(' ')))
                patterns << QRegularExpression::escape(call).replace(QLatin1String("\\*"), QLatin1String("\\w*"));
        const QRegularExpression listed(QStringLiteral("^(%1)$").arg(patterns.join(QLatin1Char('|'))));
        std::set<QString> wrapped;
        QProcess symbols;
        symbols.start(QStringLiteral("nm"),
                      {QStringLiteral("-D"), QStringLiteral("--defined-only"), library(mpis[mpi])});
        if (!symbols.waitForFinished()) QSKIP("There is no nm.");
        for (const QByteArray& line : symbols.readAllStandardOutput().split('\n'))
            wrapped.insert(QString::fromUtf8(line.mid(line.lastIndexOf(' ') + 1)));
        QStringList declared;
        const QString headers = QStringLiteral(MPI_INCLUDES)
                                    .section(QLatin1Char(','), qstrcmp(mpis[mpi].name, "mpich") == 0,
                                             qstrcmp(mpis[mpi].name, "mpich") == 0);
        for (const QString& folder : headers.split(QLatin1Char(':'), Qt::SkipEmptyParts))
            for (const char* name : {"mpi.h", "mpi_proto.h"}) {
                QFile header(folder + QLatin1Char('/') + QString::fromUtf8(name));
                if (!header.open(QIODevice::ReadOnly)) continue;
                static const QRegularExpression function(QStringLiteral("\\bMPI_([A-Z][a-z]\\w*) *\\("));
                auto found = function.globalMatch(QString::fromUtf8(header.readAll()));
                while (found.hasNext()) declared << found.next().captured(1);
            }
        QVERIFY(declared.size() > 300);
        for (const QString& call : declared) {
            const bool isListed = listed.match(call).hasMatch();
            const bool isWrapped = wrapped.contains(QStringLiteral("MPI_") + call);
            const bool isFollowed = call == QLatin1String("Type_free") || call == QLatin1String("Comm_set_name")
                                    || call == QLatin1String("Pcontrol");  // for what it means
            const bool isType = call == QLatin1String("Aint") || call.endsWith(QLatin1String("_function"))
                                || call.endsWith(QLatin1String("_fn"));
            QVERIFY2(isType || isFollowed || isListed != isWrapped, qPrintable(call));
        }
    }

    void followsRequestsOfSeveralThreads_data() { eachMpi(); }
    void followsRequestsOfSeveralThreads()
    {
        QFETCH(int, mpi);
        const Run recorded = run(mpis[mpi], 2, library(mpis[mpi]), {program(mpis[mpi], QStringLiteral("threads"))});
        QCOMPARE(recorded.exitCode, 0);
        QCOMPARE(recorded.output, QByteArray("provided 1\n"));
        QVERIFY(recorded.ranks.at(0).contains("thread level 3"));
        checkSums(recorded);
        qsizetype sends = 0;
        for (const QByteArray& line : recorded.ranks.at(0)) sends += line.startsWith("MPI_Isend");
        QCOMPARE(sends, 4 * 500 * 8);
    }

    void recordsRegions_data()
    {
        QTest::addColumn<int>("mpi");
        QTest::addColumn<bool>("isLoadedLate");
        QTest::addColumn<bool>("isBoundAtOnce");
        for (int mpi = 0; mpi < mpis.size(); ++mpi) {
            QTest::addRow("%s", mpis[mpi].name) << mpi << false << false;
            QTest::addRow("%s, loaded late", mpis[mpi].name) << mpi << true << false;
            QTest::addRow("%s, loaded late, LD_BIND_NOW", mpis[mpi].name) << mpi << true << true;
        }
    }

    // Also where MPI comes with a module after the program has started.
    void recordsRegions()
    {
        QFETCH(int, mpi);
        QFETCH(bool, isLoadedLate);
        QFETCH(bool, isBoundAtOnce);
        QStringList command = {program(mpis[mpi], QStringLiteral("regions"))};
        if (isLoadedLate) {
            command = {program(mpis[mpi], QStringLiteral("late")),
                       program(mpis[mpi], QStringLiteral("regions"), QStringLiteral(".so"))};
        }
        if (isBoundAtOnce) command = QStringList{QStringLiteral("env"), QStringLiteral("LD_BIND_NOW=1")} + command;
        const Run recorded = run(mpis[mpi], 2, library(mpis[mpi]), command);
        QCOMPARE(recorded.exitCode, 0);
        Lines lines = recorded.ranks.at(1);
        while (!lines.isEmpty() && !lines.first().startsWith("MPI_Init")) lines.removeFirst();
        const Lines expected = {"MPI_Init comm 0 peer -1 tag 0 bytes 0",
                                "enter outer part",
                                "enter inner",
                                "enter function",
                                "MPI_Barrier comm 0 peer -1 tag 0 bytes 0",
                                "leave function",
                                "leave inner",
                                "leave outer part",
                                "MPI_Irecv comm 0 peer 1 tag 1 bytes 1 request 1",
                                "recording off",
                                "MPI_Wait comm -1 peer -1 tag 0 bytes 0",
                                "  receive done 1 comm 0 peer 1 tag 1 bytes 1",
                                "recording on",
                                "MPI_Send comm 0 peer 1 tag 2 bytes 1",
                                "MPI_Wait comm -1 peer -1 tag 0 bytes 0",
                                "MPI_Finalize comm 0 peer -1 tag 0 bytes 0",
                                "close"};
        QCOMPARE(lines, expected);
    }

    void recordsWindowsOfFortransCPointers_data() { eachMpi(); }
    void recordsWindowsOfFortransCPointers()
    {
        QFETCH(int, mpi);
        if (!mpis[mpi].hasFortran) QSKIP("There is no Fortran for this MPI.");
        const Run recorded = run(mpis[mpi], 2, library(mpis[mpi]), {program(mpis[mpi], QStringLiteral("cpointer"))});
        QCOMPARE(recorded.exitCode, 0);
        QCOMPARE(recorded.output, QByteArray());
        const Lines lines = recorded.ranks.at(0);
        QVERIFY(lines.contains("MPI_Win_allocate comm 0 peer -1 tag 1 bytes 0"));
        QVERIFY(lines.contains("MPI_Put comm 0 peer 1 tag 1 bytes 4"));
        QVERIFY(std::none_of(lines.begin(), lines.end(),
                             [](const QByteArray& line) { return line.contains("nothing"); }));
    }
};

LONGPOLE_TEST(TestWrappers)
#include "tst_wrappers.moc"
