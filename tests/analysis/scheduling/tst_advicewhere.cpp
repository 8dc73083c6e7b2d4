// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source advice says that something is: of a rank with one long wait in one place and many short calls of
// another name in two others.
#include "analysis/scheduling/advicewhere.h"
#include "core/smalltrace.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>

using namespace longpole;

namespace {

constexpr std::array names{"MPI_Init", "MPI_Allreduce", "MPI_Waitall"};

struct Call {
    std::int64_t name = 0;
    std::int64_t line = 1;  // its call path as well
    TimeNs wait = 0, execution = 0;
};

// A rank that does nothing but call.
std::shared_ptr<const TraceStore> storeOf(const std::vector<Call>& calls, const QString& path)
{
    auto writer = TraceWriter::create(path);
    if (!writer) qFatal("%s", qPrintable(toText(writer.error())));
    for (std::uint32_t i = 0; i < names.size(); ++i)
        (*writer)->add(Region{.id = RegionId{i}, .kind = RegionKind::MpiCall, .name = QString::fromLatin1(names[i])});
    for (std::uint32_t line = 1; line <= 4; ++line)
        (*writer)->add(CallPath{.id = line,
                                .parent = noCallPath,
                                .isPlace = true,
                                .function = QStringLiteral("f"),
                                .file = QStringLiteral("/a.c"),
                                .line = static_cast<int>(line),
                                .module = {}});
    const TrackId track{10};
    (*writer)->add(Track{.id = track, .kind = TrackKind::Rank, .name = QStringLiteral("rank"), .pe = ProcessorId{0}});
    (*writer)->add(Processor{.pe = ProcessorId{0}, .track = track, .kind = TrackKind::Rank, .name = {}});
    auto stream = (*writer)->stream(0);
    TraceInfo info;
    info.format = QStringLiteral("mpi-recording");
    info.vocabulary = ProgramKind::Mpi;
    info.processors = 1;
    std::int64_t seq = 0;
    for (const Call& call : calls) {
        const TimeNs duration = call.wait + call.execution;
        stream->append(ChunkKind::MpiCall, track,
                       Row{info.end, duration, call.name, seq++, -1, -1, -1, 0, call.wait, call.execution,
                           0,        0,        0,         -1,    -1, -1, -1, 0, call.line, 0});
        info.end += duration;
    }
    stream->close();
    (*writer)->setInfo(info);
    if (const auto finished = (*writer)->finish(Progress{}); !finished)
        qFatal("%s", qPrintable(toText(finished.error())));
    auto store = TraceStore::open(path);
    if (!store) qFatal("%s", qPrintable(toText(store.error())));
    return *store;
}

}  // namespace

class TestAdviceWhere : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void places()
    {
        std::vector<Call> calls{{0, 1, 0, 900}, {1, 2, 5000, 100}};
        for (int i = 0; i < 20; ++i) {
            calls.push_back({2, 3, 0, 10});
            calls.push_back({2, 4, 0, 15});
        }
        const auto store = storeOf(calls, m_folder.filePath(QStringLiteral("calls.longpole")));
        const auto line = [&](const char* kind, TimeRange range) {
            return placeOf(*store, QString::fromLatin1(kind), Evidence{.pe = ProcessorId{0}, .range = range});
        };
        const TimeRange run = store->info().range();
        const auto lineOf = [&](std::uint32_t call, TimeRange range) {
            return placeOf(*store, QStringLiteral("mpi_time"),
                           Evidence{.pe = ProcessorId{0}, .range = range, .call = RegionId{call}});
        };
        QCOMPARE(lineOf(2, run), 4u);  // where the call that the advice names executes most
        QCOMPARE(lineOf(1, run), 2u);
        QCOMPARE(lineOf(2, {900, 5000}), noCallPath);
        QCOMPARE(line("mpi_time", run), noCallPath);  // it names none
        QCOMPARE(line("synchronization", run), 2u);   // the longest call, for which there is the advice
        QCOMPARE(line("cores", run), noCallPath);
        Advice advice;
        advice.kind = QStringLiteral("mpi_time");
        advice.evidence = {Evidence{.pe = ProcessorId{0}, .range = run, .call = RegionId{2}}};
        QCOMPARE(whereOf(*store, advice), QStringLiteral("f at a.c:4"));
    }

private:
    QTemporaryDir m_folder;
};

LONGPOLE_TEST(TestAdviceWhere)
#include "tst_advicewhere.moc"
