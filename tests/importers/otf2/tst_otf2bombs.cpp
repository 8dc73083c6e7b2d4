// SPDX-License-Identifier: GPL-3.0-or-later
// Definitions of OTF2 archives that ask for much in few bytes: each is refused, or resolved in bounded memory and time.
#include "core/base/limits.h"
#include "importers/mpirows/namecount.h"
#include "importers/otf2/events.h"
#include "importers/otf2/reader.h"
#include "importers/otf2/run.h"
#include "importers/otf2/source.h"

#include "support/mpi/mpieventlog.h"
#include "support/otf2/written.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

#include <sys/resource.h>

using namespace longpole;

namespace {

constexpr std::uint32_t sparse = 1'000'000'000;  // the least of numbers that are not counted from 0
constexpr OTF2_StringRef longText = 1;
constexpr qsizetype longestName = limits::nameLength.free + 1;

long peak()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// One rank, whose location is 0, and a text of a million characters.
Otf2Definitions oneRank()
{
    Otf2Definitions definitions;
    definitions.strings[longText] = QStringLiteral("/x/") + QString(1'000'000, u'y');
    definitions.shortened[longText] = otf2Name(definitions.strings[longText]);
    definitions.processes.push_back({.id = 0, .type = OTF2_LOCATION_GROUP_TYPE_PROCESS});
    definitions.locations.push_back({.id = 0, .name = longText, .type = OTF2_LOCATION_TYPE_CPU_THREAD, .process = 0});
    definitions.groups.push_back(
        {.id = 0, .type = OTF2_GROUP_TYPE_COMM_LOCATIONS, .paradigm = OTF2_PARADIGM_MPI, .members = {0}});
    return definitions;
}

// Of an archive whose files have no bytes: limits are at their least.
Result<Otf2Run> resolve(const Otf2Definitions& definitions)
{
    return resolveOtf2(definitions, Otf2Archive{.anchor = QStringLiteral("/nowhere/a.otf2"),
                                                .definitions = QStringLiteral("/nowhere/a.def"),
                                                .folder = QStringLiteral("/nowhere/a"),
                                                .program = QStringLiteral("a")});
}

QString refusalOf(const Otf2Definitions& definitions)
{
    const Result<Otf2Run> run = resolve(definitions);
    return run.ok() ? QString() : run.error().what;
}

}  // namespace

class TestOtf2Bombs : public QObject {
    Q_OBJECT

    QElapsedTimer m_time;
    long m_before = 0;

private Q_SLOTS:
    void init()
    {
        m_before = peak();
        m_time.start();
    }
    void cleanup()
    {
        QVERIFY2(m_time.elapsed() < 20'000, qPrintable(QString::number(m_time.elapsed())));
        QVERIFY2(peak() - m_before < 300'000, qPrintable(QString::number(peak() - m_before)));
    }
    void aChainOfNodes();
    void nodesInACircle();
    void domainsOfNodes();
    void groupsOfCommunicators();
    void communicatorsOfOneGroup();
    void aCommunicatorOfManyMembers();
    void countersOfALongName();
    void instancesOfOneClass();
    void instancesOfUndefinedMembers() const;
    void regionsOfALongName();
    void rowsOfALongName();
    void aLongCommandLine();
    void propertiesThatAnAnchorClaims();
    void ranksThatAGroupClaims();
    void locationsThatAreThereTwice();
};

// Each of many locations lies at the end of it.
void TestOtf2Bombs::aChainOfNodes()
{
    constexpr std::uint32_t many = 20'000;
    Otf2Definitions definitions = oneRank();
    definitions.strings[2] = QStringLiteral("machine");
    definitions.strings[3] = QStringLiteral("node");
    definitions.nodes.push_back({.id = sparse, .name = 2, .className = 3});
    for (std::uint32_t i = 1; i < many; ++i) definitions.nodes.push_back({.id = sparse + i, .parent = sparse + i - 1});
    for (std::uint32_t i = 1; i < many; ++i) {
        definitions.processes.push_back({.id = sparse + i, .node = sparse + many - 1});
        definitions.locations.push_back({.id = sparse + i,
                                         .type = OTF2_LOCATION_TYPE_CPU_THREAD,
                                         .process = sparse + i});
    }
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.locations.size(), std::size_t{many});
    for (std::uint32_t i = 1; i < many; ++i) QCOMPARE(run->names.locations[i].host, QStringLiteral("machine"));
}

void TestOtf2Bombs::nodesInACircle()
{
    Otf2Definitions definitions = oneRank();
    definitions.strings[2] = QStringLiteral("first");
    definitions.strings[3] = QStringLiteral("second");
    definitions.nodes.push_back({.id = 0, .name = 2, .parent = 1});
    definitions.nodes.push_back({.id = 1, .name = 3, .parent = 0});
    definitions.processes[0].node = 1;
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.locations[0].host, QStringLiteral("second"));  // none is a host: the nearest
}

// Each of many records says of the first of many nodes that it is a host.
void TestOtf2Bombs::domainsOfNodes()
{
    constexpr std::uint32_t many = 150'000;
    const QTemporaryDir folder;
    WrittenOtf2 archive(folder.path());
    const OTF2_StringRef host = archive.text(QStringLiteral("machine"));
    archive.define([=](OTF2_GlobalDefWriter* to) {
        for (std::uint32_t i = 0; i < many; ++i)
            OTF2_GlobalDefWriter_WriteSystemTreeNode(to, i, host, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        for (std::uint32_t i = 0; i < many; ++i)
            OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(to, 0, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    });
    archive.location(0, archive.process(QStringLiteral("Rank 0"), 0), QStringLiteral("Master thread"));
    archive.finish();
    m_time.start();
    const Result<Otf2Archive> found = findOtf2Archive(folder.path());
    QVERIFY(found.ok());
    const Result<Otf2Definitions> definitions = readOtf2Definitions(*found);
    QVERIFY(definitions.ok());
    QCOMPARE(definitions->nodes.size(), std::size_t{many});
    QVERIFY(definitions->hosts.contains(0) && definitions->hosts.size() == 1);
    QVERIFY2(m_time.elapsed() < 5000, qPrintable(QString::number(m_time.elapsed())));
}

void TestOtf2Bombs::groupsOfCommunicators()
{
    constexpr std::uint32_t many = 100'000;
    Otf2Definitions definitions = oneRank();
    for (std::uint32_t i = 0; i < many; ++i) {
        definitions.groups.push_back(
            {.id = sparse + i, .type = OTF2_GROUP_TYPE_COMM_GROUP, .paradigm = OTF2_PARADIGM_MPI, .members = {0}});
        definitions.comms.push_back({.id = i, .name = longText, .group = sparse + i});
    }
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.communicators.size(), std::size_t{many});
    QCOMPARE(run->names.communicators.back().members, std::vector<std::uint32_t>{0});
    QVERIFY(run->names.communicators.back().name.size() <= longestName);
}

void TestOtf2Bombs::communicatorsOfOneGroup()
{
    Otf2Definitions definitions = oneRank();
    definitions.groups.push_back({.id = 1,
                                  .type = OTF2_GROUP_TYPE_COMM_GROUP,
                                  .paradigm = OTF2_PARADIGM_MPI,
                                  .members = std::vector<std::uint64_t>(50'000, 0)});
    definitions.comms.assign(20, {.id = 0, .group = 1});
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->comms.front().first, run->comms.back().first);  // not a copy for each
    definitions.comms.assign(10'000, {.id = 0, .group = 1, .second = 1});
    const QString refusal = refusalOf(definitions);
    QVERIFY2(refusal.contains(QStringLiteral("1100000 members")), qPrintable(refusal));
}

// A rank that is the last of its members calls on it again and again.
void TestOtf2Bombs::aCommunicatorOfManyMembers()
{
    constexpr std::int64_t members = 1'000'000;
    constexpr int calls = 100'000;
    Otf2Definitions definitions = oneRank();
    definitions.processes.push_back({.id = 1, .type = OTF2_LOCATION_GROUP_TYPE_PROCESS});
    definitions.locations.push_back({.id = 1, .type = OTF2_LOCATION_TYPE_CPU_THREAD, .process = 1});
    definitions.groups[0].members = {0, 1};
    std::vector<std::uint64_t> all(members, 0);
    all.back() = 1;
    definitions.groups.push_back(
        {.id = 1, .type = OTF2_GROUP_TYPE_COMM_GROUP, .paradigm = OTF2_PARADIGM_MPI, .members = all});
    definitions.comms.push_back({.id = 0, .group = 1});
    definitions.strings[2] = QStringLiteral("MPI_Allgather");
    definitions.regions.push_back({.id = 0, .name = 2, .paradigm = OTF2_PARADIGM_MPI});
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.communicators[0].members, (std::vector<std::uint32_t>{0, 1}));  // each once
    MpiEventLog log(run->names);
    Otf2Events events(*run, 1, log, QStringLiteral("1.evt"), {});
    m_time.start();
    events.record("ENTER", 1, 1);
    events.enter(0, nullptr);
    for (int i = 0; i < calls; ++i) events.mpiCollectiveEnd(OTF2_COLLECTIVE_OP_ALLGATHER, 0, 0, 8, 8 * members);
    QCOMPARE(log.lines.size(), qsizetype{1} + calls);
    QCOMPARE(log.lines.back(), log.lines[1]);
    QVERIFY2(m_time.elapsed() < 5000, qPrintable(QString::number(m_time.elapsed())));
}

// Instances of one class with a name of a million characters, each at a node with such a name.
void TestOtf2Bombs::countersOfALongName()
{
    Otf2Definitions definitions = oneRank();
    definitions.nodes.push_back({.id = sparse, .name = longText});
    definitions.metricMembers.push_back({.id = sparse, .name = longText, .unit = longText});
    definitions.metricClasses.push_back({.id = sparse, .members = {sparse}});
    const auto instances = [&definitions](std::uint32_t count) {
        definitions.metricInstances.clear();
        for (std::uint32_t i = 0; i < count; ++i)
            definitions.metricInstances.push_back(
                {.id = sparse + 1 + i, .metricClass = sparse, .scope = OTF2_SCOPE_SYSTEM_TREE_NODE, .scopeId = sparse});
    };
    instances(3000);
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.counters.size(), std::size_t{3001});
    for (const QString& name : run->names.counters) QCOMPARE(name.size(), longestName);
    instances(100'000);
    const QString refusal = refusalOf(definitions);
    QVERIFY2(refusal.startsWith(QStringLiteral("The archive's counters have ")), qPrintable(refusal));
}

// Of counters that are measured on their own rows there is one, however many instances record it.
void TestOtf2Bombs::instancesOfOneClass()
{
    Otf2Definitions definitions = oneRank();
    definitions.metricMembers.push_back({.id = 0, .name = longText});
    definitions.metricClasses.push_back({.id = 0, .members = std::vector<OTF2_MetricMemberRef>(255, 0)});
    for (std::uint32_t i = 1; i <= 100'000; ++i)
        definitions.metricInstances.push_back({.id = i, .metricClass = 0, .recorder = i, .scopeId = i});
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.counters.size(), std::size_t{1});
    QCOMPARE(run->metrics.size(), std::size_t{1});
    QCOMPARE(run->metricIndex[100'000], 0u);
}

// Each instance has members of its own, none of which has a counter.
void TestOtf2Bombs::instancesOfUndefinedMembers() const
{
    Otf2Definitions definitions = oneRank();
    definitions.strings[2] = QStringLiteral("node");
    definitions.nodes.push_back({.id = 0, .name = 2});
    definitions.metricClasses.push_back({.id = 0, .members = std::vector<OTF2_MetricMemberRef>(255, 7)});
    for (std::uint32_t i = 1; i <= 400'000; ++i)
        definitions.metricInstances.push_back(
            {.id = i, .metricClass = 0, .recorder = 0, .scope = OTF2_SCOPE_SYSTEM_TREE_NODE, .scopeId = 0});
    const QString refusal = refusalOf(definitions);
    QVERIFY2(refusal.contains(QStringLiteral("counters")), qPrintable(refusal));
    QVERIFY2(peak() - m_before < 150'000, qPrintable(QString::number(peak() - m_before)));

    Progress cancelled;
    cancelled.cancel();
    const Result<Otf2Run> run = resolveOtf2(definitions, {}, cancelled);
    QVERIFY(!run.ok() && wasCancelled(run.error()));
}

void TestOtf2Bombs::regionsOfALongName()
{
    constexpr std::uint32_t many = 20'000;
    Otf2Definitions definitions = oneRank();
    definitions.strings[2] = QStringLiteral("_Z1fv");
    definitions.strings[3] = QStringLiteral("MPI_") + QString(1'000'000, u'S') + QStringLiteral("()");
    definitions.strings[4] = QStringLiteral("MPI_Send()");
    for (std::uint32_t i = 0; i < many; ++i)
        definitions.regions.push_back({.id = i, .name = longText + i % 4, .file = longText});
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    const std::vector<MpiRegion>& regions = run->names.regions;
    QVERIFY(regions[0].name.size() < 100'000 && regions[2].name.size() < 100'000);
    QCOMPARE(regions[1].name, QStringLiteral("f()"));
    QVERIFY(regions[2].kind == MpiRegionKind::Mpi);
    QCOMPARE(regions[3].name, QStringLiteral("MPI_Send"));
    for (const MpiRegion& region : run->names.regions) QVERIFY(region.group.size() <= longestName);
}

void TestOtf2Bombs::rowsOfALongName()
{
    constexpr std::uint32_t many = 20'000;
    Otf2Definitions definitions = oneRank();
    for (std::uint32_t i = 1; i < many; ++i)
        definitions.locations.push_back(
            {.id = i, .name = longText, .type = OTF2_LOCATION_TYPE_CPU_THREAD, .process = 0});
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.locations.size(), std::size_t{many});
    for (std::uint32_t i = 1; i < many; ++i) QCOMPARE(run->names.locations[i].name.size(), longestName);
    const Result<> plausible = checkNames(run->names);
    QVERIFY(!plausible.ok());
    QVERIFY2(plausible.error().what.contains(QStringLiteral("characters")), qPrintable(plausible.error().what));
}

// Ten thousand arguments that are all the same text.
void TestOtf2Bombs::aLongCommandLine()
{
    const QTemporaryDir folder;
    WrittenOtf2 archive(folder.path());
    archive.mpi(1);
    const OTF2_RegionRef main = archive.region(QStringLiteral("main"));
    const OTF2_StringRef program = archive.text(QStringLiteral("/bin/solver"));
    const std::vector<OTF2_StringRef> arguments(10'000, archive.text(QString(1'000'000, u'a')));
    OTF2_EvtWriter_ProgramBegin(archive.events(0), nullptr, 1, program, static_cast<std::uint32_t>(arguments.size()),
                                arguments.data());
    archive.enter(0, 2, main);
    archive.leave(0, 3, main);
    archive.finish();
    const auto source = openOtf2Source(folder.path(), 1, {});
    QVERIFY(source.ok());
    const TraceInfo& info = (*source)->names().info;
    QCOMPARE(info.program, QStringLiteral("solver"));
    QVERIFY(info.commandline.startsWith(QStringLiteral("/bin/solver aaaa")));
    QCOMPARE(info.commandline.size(), qsizetype{limits::commandLine.free});
}

// As many as a file may have, and one more, in both orders of bytes.
void TestOtf2Bombs::propertiesThatAnAnchorClaims()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.otf2"));
    // The library compares each property with all others whenever it opens the archive.
    const auto isPlausible = [&path](char order, quint32 properties, qsizetype texts = 1 << 14) {
        const quint32 stored = order == '#' ? qToBigEndian(properties) : qToLittleEndian(properties);
        QByteArray bytes("\3BOTF2");
        bytes[1] = order;
        bytes += QByteArray(43, '\0') + QByteArray(reinterpret_cast<const char*>(&stored), sizeof stored);
        QFile file(path);
        const QByteArray all = bytes + QByteArray(texts, 'x');
        return file.open(QIODevice::WriteOnly) && file.write(all) == all.size() && file.flush()
               && isPlausibleOtf2Anchor(path);
    };
    for (const char order : {'B', '#'}) {
        QVERIFY(isPlausible(order, 5));
        QVERIFY(isPlausible(order, 256));
        QVERIFY(!isPlausible(order, 257));
        QVERIFY(!isPlausible(order, 65'536));
        QVERIFY(!isPlausible(order, 5, 1 << 15));
    }
}

void TestOtf2Bombs::ranksThatAGroupClaims()
{
    Otf2Definitions definitions = oneRank();
    definitions.groups[0].members.assign(100'000, 12345);
    const QString refusal = refusalOf(definitions);
    QVERIFY2(refusal.contains(QStringLiteral("100000 ranks")), qPrintable(refusal));
}

// Each file of events is read once.
void TestOtf2Bombs::locationsThatAreThereTwice()
{
    Otf2Definitions definitions = oneRank();
    definitions.groups[0].members = {0, 0, 0};
    definitions.locations.insert(definitions.locations.end(), 5, {.id = 7, .process = 0});
    const Result<Otf2Run> run = resolve(definitions);
    QVERIFY(run.ok());
    QCOMPARE(run->names.ranks, 3u);
    QCOMPARE(run->locations.size(), std::size_t{4});
    QVERIFY(run->locations[0].isDefined && run->names.locations[0].hasEvents);
    QVERIFY(!run->locations[1].isDefined && !run->names.locations[1].hasEvents);
    QVERIFY(!run->locations[2].isDefined && !run->names.locations[2].hasEvents);
    QCOMPARE(run->locations[3].id, 7u);
}

LONGPOLE_TEST(TestOtf2Bombs)
#include "tst_otf2bombs.moc"
