// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations of MPI programs by the places that call: of ranks drawn as text, a letter a call from the place of that
// name, or a word a call from that place of all that its letters name; and of the same ranks in several stores.
#include "analysis/phases/callrounds.h"
#include "analysis/phases/rounds.h"
#include "core/smalltrace.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace longpole;

namespace {

constexpr TimeNs unit = 10;

// What happens on a rank, 10 ns each: '.' code, else a call. A drawing without spaces has a letter for each.
QStringList stepsOf(const QString& rank)
{
    return rank.split(rank.contains(u' ') ? QStringLiteral(" ") : QString(), Qt::SkipEmptyParts);
}

std::uint32_t numberOf(QChar letter) { return letter.toLower().unicode() - u'a'; }

// Writes a place in a function that is called from `parent`, whose line is that of the letter in the alphabet.
void addPlace(TraceWriter& writer, std::uint32_t function, std::uint32_t parent, QChar letter)
{
    writer.add(CallPath{.id = function, .parent = parent, .function = letter, .file = {}, .module = {}});
    writer.add(CallPath{.id = function + 1,
                        .parent = function,
                        .isPlace = true,
                        .function = letter,
                        .file = QStringLiteral("/a.c"),
                        .line = static_cast<int>(numberOf(letter)) + 1,
                        .module = {}});
}

// The path of each word; a letter's is twice its number in the alphabet.
std::map<QString, std::uint32_t> addPaths(TraceWriter& writer, const QStringList& ranks)
{
    std::map<QString, std::uint32_t> paths;
    std::uint32_t next = 1;
    const auto add = [&](const QString& word) {
        addPlace(writer, next, word.size() > 1 ? paths.at(word.chopped(1)) : noCallPath, word.back());
        paths[word] = next + 1;
        next += 2;
    };
    for (char16_t letter = u'a'; letter <= u'z'; ++letter) add(QString(QChar(letter)));
    for (const QString& rank : ranks)
        for (const QString& step : stepsOf(rank.toLower()))
            for (qsizetype length = 1; length <= step.size(); ++length)
                if (step != QLatin1String(".") && !paths.contains(step.first(length))) add(step.first(length));
    return paths;
}

// Each place calls what it calls under its letter's number as region.
std::shared_ptr<const TraceStore> storeOf(const QStringList& ranks, const QString& path, std::uint32_t firstRank = 0,
                                          bool hasPaths = true, const QStringList& ranksOfAll = {})
{
    auto writer = TraceWriter::create(path);
    if (!writer) qFatal("%s", qPrintable(toText(writer.error())));
    for (std::uint32_t i = 0; i < 26; ++i)
        (*writer)->add(Region{.id = RegionId{i}, .kind = RegionKind::MpiCall, .name = QStringLiteral("MPI_Send")});
    std::map<QString, std::uint32_t> paths;
    if (hasPaths) paths = addPaths(**writer, ranksOfAll.isEmpty() ? ranks : ranksOfAll);
    TraceInfo info;
    info.format = QStringLiteral("mpi-recording");
    info.vocabulary = ProgramKind::Mpi;
    info.processors = ranks.size();
    for (qsizetype r = 0; r < ranks.size(); ++r) {
        const std::uint32_t rank = firstRank + static_cast<std::uint32_t>(r);
        const TrackId track{10 + rank};
        (*writer)->add(
            Track{.id = track, .kind = TrackKind::Rank, .name = QStringLiteral("rank"), .pe = ProcessorId{rank}});
        auto stream = (*writer)->stream(static_cast<std::uint32_t>(r));
        std::int64_t seq = 0;
        const QStringList steps = stepsOf(ranks[r]);
        for (qsizetype at = 0; at < steps.size(); ++at) {
            if (steps[at] == QLatin1String(".")) continue;
            const std::int64_t place = numberOf(steps[at].back());
            const std::int64_t from = hasPaths ? paths.at(steps[at].toLower()) : noCallPath;
            stream->append(ChunkKind::MpiCall, track, Row{at * unit, unit, place, seq++, -1, -1, -1, 0, 0,    unit,
                                                          0,         0,    0,     -1,    -1, -1, -1, 0, from, 0});
        }
        stream->close();
        (*writer)->add(Processor{.pe = ProcessorId{rank}, .track = track, .kind = TrackKind::Rank, .name = {}});
        info.end = std::max<TimeNs>(info.end, steps.size() * unit);
    }
    (*writer)->setInfo(info);
    if (const auto finished = (*writer)->finish(Progress{}); !finished)
        qFatal("%s", qPrintable(toText(finished.error())));
    auto store = TraceStore::open(path);
    if (!store) qFatal("%s", qPrintable(toText(store.error())));
    return *store;
}

// The call's letter, or of visits the number of the place and of the path with which they begin.
template <typename Mark>
QString markText(const Mark& mark)
{
    return mark.call == anyCall ? QStringLiteral("%1/%2 ").arg(mark.path).arg(mark.entry)
                                : QString(QChar(u'a' + static_cast<char16_t>(mark.call)));
}

QString placesText(const std::vector<CallPlace>& places)
{
    QString text;
    for (const CallPlace& place : places)
        text += QStringLiteral("%1 %2 %3 %4-%5 %6, ")
                    .arg(markText(place))
                    .arg(place.count)
                    .arg(place.isEven ? QStringLiteral("even") : QStringLiteral("uneven"))
                    .arg(place.first)
                    .arg(place.last)
                    .arg(place.time);
    return text;
}

QString textOf(const std::optional<CallLoop>& loop)
{
    if (!loop) return QStringLiteral("none");
    return QStringLiteral("%1%2 %3-%4%5")
        .arg(markText(*loop))
        .arg(loop->count)
        .arg(loop->range.begin)
        .arg(loop->range.end)
        .arg(loop->isMarkLast ? QStringLiteral(" last") : QString());
}

// A path through the whole run, one symbol a call, which is one phase.
PathPhases phasesOver(TimeNs end, std::size_t instances)
{
    PathPhases phases;
    const TimeNs step = end / static_cast<TimeNs>(instances);
    for (std::size_t i = 0; i < instances; ++i) {
        phases.path.symbols.push_back(1);
        phases.path.tasks.push_back({ProcessorId{0}, static_cast<std::uint32_t>(i)});
        phases.path.parts.push_back({TimeNs(i) * step, TimeNs(i + 1) * step});
    }
    phases.searched = everySymbol(phases.path.symbols);
    Phase phase{.pattern = {1}, .rootLength = 1, .mark = 1};
    for (std::size_t i = 0; i < instances; ++i) phase.begins.push_back(i);
    phases.phases.push_back(phase);
    return phases;
}

}  // namespace

class TestCallRounds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void loops_data()
    {
        QTest::addColumn<QStringList>("ranks");
        QTest::addColumn<QString>("expected");  // mark, iterations, time
        const auto row = [](const char* name, const QStringList& ranks, const char* found) {
            QTest::newRow(name) << ranks << QString::fromLatin1(found);
        };
        const QString nested = QStringLiteral("i.oanananc.oanananc.oanananc.oanananc.z");
        row("nested", {nested, nested}, "o4 20-370");
        row("only inner calls", {QStringLiteral("..a.a.a.a.a..")}, "a5 20-110");
        // The first rank has no neighbour at one side.
        row("not all ranks call everywhere", {QStringLiteral(".b..b..b..b."), QStringLiteral("ab.ab.ab.ab.")},
            "a4 0-110");
        row("two do not make a loop", {QStringLiteral("a..b..a..b..")}, "none");
        // Every thirtieth step something is looked at, in less than a hundredth of the time.
        row("now and then", {QString(QStringLiteral("s....").repeated(29) + QStringLiteral("sc.")).repeated(6)},
            "s180 0-8860");
        // An iteration ends with what there is once in it, also if the first one takes long.
        row("marks at the end", {QStringLiteral("aaao.aaao.aaao.")}, "o3 0-140 last");
        row("a long first iteration", {QStringLiteral("aa..................ao.aaao.aaao.")}, "o3 0-320 last");
        // As many times as it takes.
        row("inner loops of different lengths", {QStringLiteral("oaaa.oaa.oaaa.oa.")}, "o4 0-160");
        // Neither the main loop's own calls nor those of one loop within it take as long as the loop before it.
        row("much set up before it", {QStringLiteral("s....").repeated(10) + QStringLiteral("o.a.bb.nnn.").repeated(5)},
            "o5 500-1040");
        // The loop before the main one is shorter.
        row("reading input", {QStringLiteral("rrr.a...a...a...a...a...")}, "a5 40-210");
        // Of two loops with as many iterations the first is not the main one, though a third of it is.
        row("equal counts", {QStringLiteral("xyxyxyxyppp...") + QStringLiteral("m....n....n....").repeated(4)},
            "m4 140-700");
        row("master and workers", {QStringLiteral("aaaaaa"), QStringLiteral("aa...."), QStringLiteral("aaa...")},
            "none");
        row("nothing", {QStringLiteral("......")}, "none");
        // Two neighbours in each step, both from the same lines: steps are the visits of what calls them.
        const QString step = QStringLiteral(" sfi sfo . sfi sfo . sri sro sri sro . .");
        row("neighbours", {QStringLiteral("x .") + step.repeated(5) + QStringLiteral(" z")}, "54/56 5 20-600");
        // In each fourth step there is something else instead of the first exchange.
        const QString other = QStringLiteral(" . . . . . . . . . sb sri sro sri sro . .");
        row("not in each step the same", {QString(step.repeated(3) + other).repeated(4)}, "60/62 16 0-2060 last");
        // A loop within a function is one visit of it.
        const QString sweep = QStringLiteral(" sli slo . sli slo . sli slo . sui suo sui suo .");
        row("inner loops elsewhere", {sweep.repeated(4)}, "54/56 4 0-550");
        // An interpreter comes as often to a place as it has commands, each of which does something else.
        row("commands", {QStringLiteral(" i ia . i ib . i ic . i id . i") + QStringLiteral(" iru irv .").repeated(7)},
            "u7 130-330");
        // What each tenth step looks at is no loop around ten steps, though it takes the twentieth part of the time.
        row("looked at each tenth step", {QString(step.repeated(10) + QStringLiteral(" sw sw sw sw")).repeated(3)},
            "54/56 30 0-3660");
        // With two thirds of the time it is.
        row("much each tenth step", {QString(step.repeated(10) + QStringLiteral(" swq").repeated(200)).repeated(3)},
            "66/68 3 0-9600 last");
    }
    void loops()
    {
        QFETCH(QStringList, ranks);
        QFETCH(QString, expected);
        const auto store = storeOf(ranks, m_folder.filePath(QStringLiteral("loops.longpole")));
        const auto places = callPlaces(*store, {}, Progress{});
        QVERIFY(places.ok());
        const auto found = programLoop(*store, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(textOf(*found), expected);
        // The same of each rank in a store of its own, put together.
        std::vector<std::shared_ptr<const TraceStore>> own;
        std::vector<CallPlace> all;
        for (qsizetype rank = 0; rank < ranks.size(); ++rank) {
            own.push_back(storeOf({ranks[rank]}, m_folder.filePath(QStringLiteral("own%1.longpole").arg(rank)),
                                  static_cast<std::uint32_t>(rank), true, ranks));
            all = joined(*callPlaces(*own.back(), {}, Progress{}), all);
        }
        QCOMPARE(placesText(all), placesText(*places));
        if (!*found) return;
        const std::optional<LoopCandidates> candidates = loopCandidates(all, PlaceEntries(*store));
        QVERIFY(candidates.has_value());
        std::vector<std::int64_t> outside(candidates->loops.size(), 0);
        std::vector<TimeNs> marks;
        for (const auto& one : own) {
            const auto there = callsOutside(*one, {}, *candidates, Progress{});
            for (std::size_t i = 0; i < outside.size(); ++i) outside[i] = std::max(outside[i], (*there)[i]);
            marks = firstOfBoth(marks, *loopMarks(*one, {}, **found, Progress{}));
        }
        QCOMPARE(textOf(outermostLoop(all, *candidates, outside)), expected);
        QCOMPARE(marks, *loopMarks(*store, {}, **found, Progress{}));
    }

    // A stack without end does not multiply what is known of each call from it.
    void deepPaths()
    {
        const QString deep = QString(40, QLatin1Char('d'));
        const auto store = storeOf({QStringLiteral("%1a z %1b z %1a z").arg(deep)},
                                   m_folder.filePath(QStringLiteral("deep.longpole")));
        const auto places = callPlaces(*store, {}, Progress{});
        QVERIFY(places.ok());
        std::map<std::uint32_t, std::int64_t> visits;  // by the call that they begin with
        for (const CallPlace& place : *places)
            if (place.call == anyCall) ++visits[place.entry];
        QCOMPARE(visits.size(), std::size_t(2));
        for (const auto& [entry, count] : visits) QCOMPARE(count, 16);
    }

    // Loops are at most a hundred, or a file's rows times its ranks would be gone through.
    void placesWithoutTimeAreNoLoops()
    {
        const auto store = storeOf({QStringLiteral("a")}, m_folder.filePath(QStringLiteral("flat.longpole")));
        const PlaceEntries flat(*store);
        std::vector<CallPlace> places;
        for (std::uint32_t path = 0; path < 10'000; ++path)
            places.push_back(
                {.path = path, .call = 1, .count = 3, .first = TimeNs{10} * path, .last = TimeNs{10} * path + 5});
        QVERIFY(!loopCandidates(places, flat));
        for (CallPlace& place : places) place.time = 1;
        QVERIFY(loopCandidates(places, flat)->loops.empty());  // each is less than a hundredth
        places[7].time = places[9].time = 200;
        QCOMPARE(loopCandidates(places, flat)->loops.size(), std::size_t(2));
        QCOMPARE(loopCandidates(places, flat)->base.path, 7u);
    }

    // The first rank to come begins an iteration; between them nothing is left out.
    void roundsBeginWithTheFirstRank()
    {
        const auto store = storeOf({QStringLiteral("..a..a....a.."), QStringLiteral("...a.a...a...")},
                                   m_folder.filePath(QStringLiteral("rounds.longpole")));
        PathPhases phases = phasesOver(130, 13);
        QVERIFY(findRounds(*store, {}, phases, Progress{}).ok());
        QCOMPARE(phases.phases[0].rounds, (std::vector<TimeRange>{{20, 50}, {50, 90}, {90, 110}}));
        QCOMPARE((*programLoop(*store, {}, Progress{}))->path, 2u);
        QCOMPARE(phasePieces(phases, phases.phases[0], PhaseCut::Iterations).size(), std::size_t{3});
        // What stands at the end of an iteration has the first one before it.
        const auto last = storeOf({QStringLiteral("aaao.aaao.aaao.")},
                                  m_folder.filePath(QStringLiteral("last.longpole")));
        PathPhases ending = phasesOver(150, 15);
        QVERIFY(findRounds(*last, {}, ending, Progress{}).ok());
        QCOMPARE(ending.phases[0].rounds, (std::vector<TimeRange>{{0, 30}, {30, 80}, {80, 130}}));
        // A part of the run has the iterations that begin in it.
        PathPhases part = phasesOver(130, 13);
        QVERIFY(findRounds(*store, {40, 200}, part, Progress{}).ok());
        QVERIFY(part.phases[0].rounds.empty());  // two of them
    }

    void otherPhasesStayAsTheyAre()
    {
        // The loop is in the last fifth of the run, the phase all over it.
        const auto store = storeOf({QStringLiteral("................................a.a.a.a.")},
                                   m_folder.filePath(QStringLiteral("late.longpole")));
        PathPhases phases = phasesOver(400, 40);
        QVERIFY(findRounds(*store, {}, phases, Progress{}).ok());
        QVERIFY(phases.phases[0].rounds.empty());
        const auto plain = storeOf({QStringLiteral("a.a.a.a.")}, m_folder.filePath(QStringLiteral("plain.longpole")), 0,
                                   false);
        PathPhases all = phasesOver(80, 8);
        QVERIFY(findRounds(*plain, {}, all, Progress{}).ok());
        QVERIFY(all.phases[0].rounds.empty());
    }

    void cancelled()
    {
        const auto store = storeOf({QStringLiteral("a.a.a.a.")}, m_folder.filePath(QStringLiteral("cancel.longpole")));
        Progress progress;
        progress.cancel();
        QVERIFY(!callPlaces(*store, {}, progress).ok());
    }

private:
    QTemporaryDir m_folder;
};

LONGPOLE_TEST(TestCallRounds)
#include "tst_callrounds.moc"
