// SPDX-License-Identifier: GPL-3.0-or-later
// Real and random OTF2 archives against what otf2-print says of them, damaged ones, and how archives are found.
#include "importers/common/importer.h"
#include "importers/otf2/archive.h"
#include "importers/otf2/source.h"

#include "support/mpi/mpieventlog.h"
#include "support/otf2/printed.h"
#include "support/otf2/random.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <random>

#include <sys/stat.h>

using namespace longpole;

namespace {

const QString archiveFolder = QStringLiteral(LONGPOLE_TEST_DATA "/otf2");

QStringList allTraces()
{
    QStringList folders;
    const QString shared = QStringLiteral(LONGPOLE_SHARED_TRACES "/otf2");
    for (const QString& parent : {archiveFolder, shared}) {
        for (const QFileInfo& folder : QDir(parent).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
            folders += folder.filePath();
    }
    return folders;
}

void copyTo(const QString& from, const QString& to)
{
    QDirIterator files(from, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        const QString target(to + u'/' + QDir(from).relativeFilePath(file));
        QDir().mkpath(QFileInfo(target).path());
        QVERIFY(QFile::copy(file, target));
        QVERIFY(QFile::setPermissions(target, QFile::ReadOwner | QFile::WriteOwner));
    }
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

// All lines of all locations, or the error.
QStringList readLines(const QString& path, MpiEventLogs* logs = nullptr)
{
    Result<std::unique_ptr<MpiSource>> source = openOtf2Source(path, 2, {});
    if (!source) return {toText(source.error())};
    const MpiEventLogs read = readAll(**source);
    QStringList lines;
    for (const MpiEventLog& location : read.locations) lines += location.lines;
    if (logs != nullptr) logs->log.merge(read.log);
    return lines;
}

// A copy of a small archive that a test may damage.
struct Copy {
    QTemporaryDir folder;
    Copy() { copyTo(archiveFolder + QStringLiteral("/casita_4_mpi_ls_barr"), folder.path()); }
    QString path(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
};

}  // namespace

class TestOtf2Traces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void agreesWithOtf2Print_data();
    void agreesWithOtf2Print();
    void agreesOnRandomArchives_data();
    void agreesOnRandomArchives();
    void receivesNothingBeforeItIsSent();
    void isFoundByEachOfItsFiles();
    void tellsArchivesFromOtherFiles();
    void saysWhichFilesAreMissing();
    void readsNoPipesAndDevices();
    void saysThatNothingIsLeft();
    void saysWhatIsWrongWithAnArchive_data();
    void saysWhatIsWrongWithAnArchive();
    void countsUnknownRecords();
    void readsCutEventsUpToTheCut();
    void readsNoEventTwice();
    void survivesCutDefinitions_data();
    void survivesCutDefinitions();
    void leavesImpossibleTimesOut();
    void survivesDamage();
    void changesItsFingerprintWithAnyFile();
    void stopsWhenCancelled();
};

void TestOtf2Traces::agreesWithOtf2Print_data()
{
    QTest::addColumn<QString>("path");
    for (const QString& path : allTraces()) QTest::addRow("%s", qPrintable(path)) << path;
}

void TestOtf2Traces::agreesWithOtf2Print()
{
    QFETCH(QString, path);
    const std::optional<PrintedOtf2> printed = printOtf2(path);
    if (!printed) QSKIP("otf2-print is not there");
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(path, 2, {});
    QVERIFY(source.ok());
    const MpiEventLogs logs = readAll(**source);
    QCOMPARE(logs.counts(), printed->counts);
    QCOMPARE((*source)->names().info.begin, printed->firstEnter);
    std::vector<QStringList> ours;
    TimeNs first = std::numeric_limits<TimeNs>::max();
    TimeNs last = std::numeric_limits<TimeNs>::min();
    for (const MpiEventLog& location : logs.locations) {
        if (location.counts.empty()) continue;
        ours.push_back(likePrinted(location));
        first = std::min(first, location.first);
        last = std::max(last, location.last);
    }
    std::sort(ours.begin(), ours.end());
    QCOMPARE(ours.size(), printed->locations.size());
    for (std::size_t i = 0; i < ours.size(); ++i) QCOMPARE(ours[i], printed->locations[i]);
    QCOMPARE(first, printed->first);
    QCOMPARE(last, printed->last);
}

void TestOtf2Traces::agreesOnRandomArchives_data()
{
    QTest::addColumn<quint32>("seed");
    for (quint32 seed = 1; seed <= 12; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void TestOtf2Traces::agreesOnRandomArchives()
{
    QFETCH(quint32, seed);
    QTemporaryDir folder;
    const RandomOtf2 expected = writeRandomOtf2(folder.path(), seed);
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(folder.path(), 2, {});
    QVERIFY(source.ok());
    const MpiEventLogs logs = readAll(**source);
    QCOMPARE(logs.locations.size(), expected.lines.size());
    for (std::size_t i = 0; i < logs.locations.size(); ++i) QCOMPARE(logs.locations[i].lines, expected.lines[i]);
    QCOMPARE(logs.issues(), QStringList());
    const std::optional<PrintedOtf2> printed = printOtf2(folder.path());
    if (!printed) QSKIP("otf2-print is not there");
    QCOMPARE(logs.counts(), printed->counts);
    QCOMPARE((*source)->names().info.begin, printed->firstEnter);
}

// Without correcting the clocks some of this trace's messages arrive before they are sent.
void TestOtf2Traces::receivesNothingBeforeItIsSent()
{
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(archiveFolder
                                                                         + QStringLiteral("/casita_4_mpi_ls_barr"),
                                                                     1, {});
    QVERIFY(source.ok());
    const MpiEventLogs logs = readAll(**source);
    std::map<QString, TimeNs> sends;  // rank 0 sends to 1, 1 to 2, 2 to 3: each pair once
    std::map<QString, TimeNs> receives;
    static const QRegularExpression peer(QStringLiteral(" (?:to|from) (\\d+) "));
    for (std::size_t rank = 0; rank < 4; ++rank) {
        TimeNs begin = 0;
        QString open;
        for (const QString& line : logs.locations[rank].lines) {
            if (line.contains(QLatin1String(" begin "))) begin = line.section(u' ', 0, 0).toLongLong();
            const QString other = peer.match(line).captured(1);
            if (line.startsWith(QLatin1String("send "))) sends[QStringLiteral("%1-%2").arg(rank).arg(other)] = begin;
            if (line.startsWith(QLatin1String("received "))) open = QStringLiteral("%1-%2").arg(other).arg(rank);
            if (line.endsWith(QLatin1String(" end")) && !open.isEmpty())
                receives[std::exchange(open, {})] = line.section(u' ', 0, 0).toLongLong();
        }
    }
    QCOMPARE(sends.size(), 3u);
    QCOMPARE(receives.size(), 3u);
    for (const auto& [pair, time] : sends) QVERIFY(receives.at(pair) > time);
}

void TestOtf2Traces::isFoundByEachOfItsFiles()
{
    const Copy copy;
    QVERIFY(QFile::rename(copy.path("traces.otf2"), copy.path("run.otf2")));
    QVERIFY(QFile::rename(copy.path("traces.def"), copy.path("run.def")));
    QVERIFY(QDir(copy.folder.path()).rename(QStringLiteral("traces"), QStringLiteral("run")));
    const QStringList lines = readLines(copy.folder.path());
    QVERIFY(lines.size() > 50);
    for (const char* name : {"run.otf2", "run.def", "run", "run/", "run/2.def", "run/2.evt"}) {
        QVERIFY2(looksLikeOtf2(copy.path(name)), name);
        QCOMPARE(importerFor(copy.path(name))->id, "otf2");
        const Result<Otf2Archive> archive = findOtf2Archive(copy.path(name));
        QVERIFY2(archive.ok(), name);
        QCOMPARE(archive->anchor, QFileInfo(copy.path("run.otf2")).absoluteFilePath());
        QCOMPARE(archive->files().size(), 10u);
        QCOMPARE(archive->program, QStringLiteral("run"));
    }
    QCOMPARE(readLines(copy.path("run/2.evt")), lines);
}

void TestOtf2Traces::tellsArchivesFromOtherFiles()
{
    QTemporaryDir folder;
    for (const char* name : {"notes.txt", "module.def", "x.evt", "1.log"})
        write(folder.filePath(QString::fromLatin1(name)), "words");
    QVERIFY(!looksLikeOtf2(folder.path()));
    for (const char* name : {"notes.txt", "module.def", "x.evt", "1.log", "none"})
        QVERIFY2(!looksLikeOtf2(folder.filePath(QString::fromLatin1(name))), name);
    QVERIFY(!looksLikeOtf2(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4")));
}

void TestOtf2Traces::saysWhichFilesAreMissing()
{
    const Copy copy;
    const QStringList whole = readLines(copy.folder.path());
    QVERIFY(QFile::remove(copy.path("traces/1.evt")));
    write(copy.path("traces/2.evt"), {});
    QVERIFY(QFile::remove(copy.path("traces/3.def")));
    MpiEventLogs logs;
    const QStringList lines = readLines(copy.folder.path(), &logs);
    QVERIFY(!lines.isEmpty() && lines.size() < whole.size());
    QStringList issues;
    for (const Issue& issue : logs.log.issues())
        issues += QStringLiteral("%1 %2 %3").arg(issue.kind).arg(issue.count).arg(issue.place.section(u'/', -1));
    QCOMPARE(issues, QStringList({QStringLiteral("empty_log 1 2.evt (MPI Rank 2)"),
                                  QStringLiteral("missing_definitions 1 3.def"),
                                  QStringLiteral("missing_log 1 1.evt (MPI Rank 1)")}));
}

// Nobody writes into the pipe, and the device has no end.
void TestOtf2Traces::readsNoPipesAndDevices()
{
    const Copy copy;
    const auto replace = [&copy](const char* name, bool byPipe) {
        const QString path = copy.path(name);
        QVERIFY(QFile::remove(path));
        if (byPipe) QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
        else QVERIFY(QFile::link(QStringLiteral("/dev/zero"), path));
    };
    replace("traces/1.evt", true);
    replace("traces/2.evt", false);
    replace("traces/0.def", true);
    replace("traces/3.def", false);
    MpiEventLogs logs;
    QVERIFY(!readLines(copy.folder.path(), &logs).isEmpty());
    const QStringList issues = logs.issues();
    QVERIFY2(issues.contains(QStringLiteral("unreadable_log 2")), qPrintable(issues.join(u',')));
    QVERIFY2(issues.contains(QStringLiteral("missing_definitions 2")), qPrintable(issues.join(u',')));
    replace("traces.def", true);
    QVERIFY(!openOtf2Source(copy.folder.path(), 1, {}));

    const Copy other;  // the library opens files by itself: none may lead to another machine
    const QString apart = other.path("1.evt");
    QVERIFY(QFile::rename(other.path("traces/1.evt"), apart));
    QVERIFY(QFile::link(apart, other.path("traces/1.evt")));
    QVERIFY(!readLines(other.folder.path()).isEmpty());
    QVERIFY(QFile::remove(other.path("traces/1.evt")));
    QVERIFY(QFile::link(QLatin1Char('/') + apart, other.path("traces/1.evt")));
    const auto refused = openOtf2Source(other.folder.path(), 1, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().what, QStringLiteral("A link in this archive leads to another machine."));
}

void TestOtf2Traces::saysThatNothingIsLeft()
{
    const Copy copy;
    for (int rank = 0; rank < 4; ++rank)
        QVERIFY(QFile::remove(copy.folder.filePath(QStringLiteral("traces/%1.evt").arg(rank))));
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(copy.folder.path(), 2, {});
    QVERIFY(!source.ok());
    QCOMPARE(source.error().what, QStringLiteral("None of the files of events (<location>.evt) of this OTF2 archive's "
                                                 "4 locations can be read."));
}

void TestOtf2Traces::saysWhatIsWrongWithAnArchive_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");  // null: the file is removed
    QTest::addColumn<QString>("error");
    const QByteArray anchor = contentOf(archiveFolder + QStringLiteral("/casita_4_mpi_ls_barr/traces.otf2"));
    QByteArray sion = anchor;
    sion[28] = '\x02';
    const QString unreadable = QStringLiteral("This anchor file of an OTF2 archive cannot be read.");
    const QString anchorFile = QStringLiteral("traces.otf2");
    QTest::newRow("empty anchor") << anchorFile << QByteArray("") << unreadable;
    QTest::newRow("garbage") << anchorFile << QByteArray(5000, 'x') << unreadable;
    QTest::newRow("cut anchor") << anchorFile << anchor.left(40) << unreadable;
    QTest::newRow("SION") << anchorFile << sion << QStringLiteral("The archive is not stored in plain files");
    QTest::newRow("no anchor") << anchorFile << QByteArray() << QStringLiteral("The anchor file of this OTF2 archive");
    const QString definitions = QStringLiteral("traces.def");
    QTest::newRow("no definitions") << definitions << QByteArray()
                                    << QStringLiteral("The archive's global definitions are missing.");
    QTest::newRow("empty definitions") << definitions << QByteArray("")
                                       << QStringLiteral("The archive's global definitions cannot be read.");
    QTest::newRow("garbage definitions") << definitions << QByteArray(5000, 'x')
                                         << QStringLiteral("The archive's global definitions cannot be read.");
    QTest::newRow("two archives") << QStringLiteral("other.otf2") << anchor
                                  << QStringLiteral("This folder holds 2 OTF2 archives.");
}

void TestOtf2Traces::saysWhatIsWrongWithAnArchive()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, error);
    const Copy copy;
    if (content.isNull()) QVERIFY(QFile::remove(copy.folder.filePath(file)));
    else write(copy.folder.filePath(file), content);
    const QString path = file == QLatin1String("traces.otf2") && content.isNull() ? copy.path("traces/0.evt")
                                                                                  : copy.folder.path();
    QCOMPARE(importerFor(path)->id, "otf2");
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(path, 2, {});
    QVERIFY(!source.ok());
    QVERIFY2(source.error().what.startsWith(error), qPrintable(source.error().what));
}

// The last record of rank 0, which leaves main, gets a type that no version of the library knows.
void TestOtf2Traces::countsUnknownRecords()
{
    const Copy copy;
    QByteArray events = contentOf(copy.path("traces/0.evt"));
    const qsizetype type = events.size() - 5;
    QCOMPARE(events[type], '\x0d');
    events[type] = '\xfa';
    write(copy.path("traces/0.evt"), events);
    MpiEventLogs logs;
    const QStringList lines = readLines(copy.folder.path(), &logs);
    QCOMPARE(lines[24], QStringLiteral("20085430397 end"));
    QCOMPARE(lines[25], QStringLiteral("6543480 enter main"));  // rank 1's first
    QCOMPARE(logs.log.issues(),
             std::vector<Issue>({{QStringLiteral("unknown_record"), 1, QStringLiteral("traces/0.evt, event 25")}}));
    const std::optional<PrintedOtf2> printed = printOtf2(copy.folder.path());
    if (!printed) QSKIP("otf2-print is not there");
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(copy.folder.path(), 1, {});
    QCOMPARE(readAll(**source).counts(), printed->counts);
}

void TestOtf2Traces::readsCutEventsUpToTheCut()
{
    const Copy copy;
    const QStringList whole = readLines(copy.folder.path());
    const QByteArray events = contentOf(copy.path("traces/0.evt"));
    constexpr qsizetype ofFirst = 26;  // lines
    qsizetype longest = 0;
    for (qsizetype length = 1; length < events.size() - 1; ++length) {  // the last byte only says that it ends
        write(copy.path("traces/0.evt"), events.left(length));
        MpiEventLogs logs;
        const QStringList lines = readLines(copy.folder.path(), &logs);
        const QStringList issues = logs.issues();
        QVERIFY2(issues.contains(QStringLiteral("damaged_log 1"))
                     || issues.contains(QStringLiteral("unreadable_log 1")),
                 qPrintable(QStringLiteral("%1: %2").arg(length).arg(issues.join(u','))));
        QVERIFY(lines.size() <= whole.size());
        // What the cut record became is the last of it; behind come the lines of the other locations.
        const qsizetype kept = std::max<qsizetype>(0, ofFirst - (whole.size() - lines.size()) - 2);
        QCOMPARE(lines.mid(0, kept), whole.mid(0, kept));
        longest = std::max(longest, kept);
    }
    QCOMPARE(longest, ofFirst - 2);
}

// Of some cut files (here one of 700 bytes) the library reads the last part again and again.
void TestOtf2Traces::readsNoEventTwice()
{
    const QTemporaryDir folder;
    copyTo(archiveFolder + QStringLiteral("/casita_2_cuda_simple"), folder.path());
    const QString file = folder.filePath(QStringLiteral("traces/8589934592.evt"));
    const QByteArray events = contentOf(file);
    const QStringList whole = readLines(folder.path());
    qsizetype before = 0;
    for (qsizetype length = 7; length < events.size(); length += 7) {
        write(file, events.left(length));
        MpiEventLogs logs;
        const QStringList lines = readLines(folder.path(), &logs);
        QVERIFY2(!logs.issues().join(u',').contains(QStringLiteral("time_backwards")),
                 qPrintable(QString::number(length)));
        // A region that the cut left open ends with one more line.
        QVERIFY2(lines.size() >= before - 1 && lines.size() <= whole.size() + 1, qPrintable(QString::number(length)));
        before = lines.size();
    }
}

void TestOtf2Traces::survivesCutDefinitions_data()
{
    QTest::addColumn<QString>("file");
    for (const char* file : {"traces.otf2", "traces.def", "traces/1.def"})
        QTest::newRow(file) << QString::fromLatin1(file);
}

void TestOtf2Traces::survivesCutDefinitions()
{
    QFETCH(QString, file);
    const Copy copy;
    const QStringList whole = readLines(copy.folder.path());
    const QByteArray bytes = contentOf(copy.folder.filePath(file));
    const qsizetype step = std::max<qsizetype>(1, bytes.size() / 100);
    for (qsizetype length = 0; length < bytes.size(); length += step) {
        write(copy.folder.filePath(file), bytes.left(length));
        MpiEventLogs logs;
        const QStringList lines = readLines(copy.folder.path(), &logs);
        const bool isError = lines.size() == 1;
        if (file == QLatin1String("traces.def")) QVERIFY(isError || logs.log.count(IssueKind::MissingDefinitions) == 1);
        else QVERIFY(lines.size() == whole.size() || (isError && file == QLatin1String("traces.otf2")));
        // The last byte ends the file and says nothing.
        if (file == QLatin1String("traces/1.def") && length + 1 < bytes.size())
            QCOMPARE(logs.log.count(IssueKind::MissingDefinitions), 1);
    }
}

// A flipped bit in a time does not make the run last for years.
void TestOtf2Traces::leavesImpossibleTimesOut()
{
    const Copy copy;
    QByteArray bytes = contentOf(copy.path("traces/1.evt"));
    QList<qsizetype> times;  // a record's type and 8 bytes
    for (qsizetype i = 0; i + 9 <= bytes.size(); ++i) {
        const bool isSmall = bytes[i + 7] == 0 && bytes[i + 8] == 0;
        if (bytes[i] == 5 && isSmall && bytes[i + 6] != 0) times += i + 8;
    }
    QVERIFY(times.size() > 10);
    bytes[times[5]] = 0x40;
    write(copy.path("traces/1.evt"), bytes);
    MpiEventLogs logs;
    QVERIFY(readLines(copy.folder.path(), &logs).size() > 1);
    QVERIFY(logs.log.count(IssueKind::TimeOutOfRange) > 0);
    QCOMPARE(logs.log.count(IssueKind::TimeBackwards), 0);
}

// Bytes that mean something else: anything may come of it but a crash.
void TestOtf2Traces::survivesDamage()
{
    const Copy copy;
    const QStringList whole = readLines(copy.folder.path());
    std::mt19937 random(1);
    for (const char* file : {"traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"}) {
        const QByteArray bytes = contentOf(copy.path(file));
        for (int round = 0; round < 60; ++round) {
            QByteArray damaged = bytes;
            for (int i = 0; i < 1 + round % 4; ++i)
                damaged[static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()))] = static_cast<char>(
                    random());
            write(copy.path(file), damaged);
            readLines(copy.folder.path());
        }
        write(copy.path(file), bytes);
        QCOMPARE(readLines(copy.folder.path()), whole);
    }
}

void TestOtf2Traces::changesItsFingerprintWithAnyFile()
{
    const Copy copy;
    const Result<QString> before = fingerprintOtf2(copy.folder.path(), FingerprintOf::Content);
    QVERIFY(before.ok());
    QCOMPARE(*fingerprintOtf2(copy.path("traces/3.evt"), FingerprintOf::Content), *before);
    QByteArray events = contentOf(copy.path("traces/3.evt"));
    events[100] = static_cast<char>(events[100] ^ 1);
    write(copy.path("traces/3.evt"), events);
    QVERIFY(*fingerprintOtf2(copy.folder.path(), FingerprintOf::Content) != *before);
}

void TestOtf2Traces::stopsWhenCancelled()
{
    const Progress progress;
    progress.cancel();
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(archiveFolder + QStringLiteral("/pipit_ping-pong"),
                                                                     2, progress);
    QVERIFY(!source.ok());
    QVERIFY(wasCancelled(source.error()));
}

LONGPOLE_TEST(TestOtf2Traces)
#include "tst_otf2traces.moc"
