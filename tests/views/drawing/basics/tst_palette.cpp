// SPDX-License-Identifier: GPL-3.0-or-later
// Colours come from names, stay the same and keep away from the accent.
#include "views/drawing/basics/palette.h"

#include "views/drawing/basics/oklab.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <ctime>
#include <random>
#include <set>
#include <tuple>

namespace longpole {

namespace {

Entry entry(std::uint32_t id, const QString& name, EntryKind kind = EntryKind::User)
{
    return {.id = EntryId{id}, .name = name, .chare = QStringLiteral("Chare"), .kind = kind, .chareId = ChareId{0}};
}

std::vector<Entry> someEntries(int count)
{
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        entries.push_back(entry(static_cast<std::uint32_t>(i), QStringLiteral("method%1(int)").arg(i)));
    return entries;
}

// As colourNumbers() is documented.
ColourNumbers numbersByRule(std::vector<NameToColour> names, std::span<const QRgb> colours,
                            const ColourNumbers& remembered)
{
    std::sort(names.begin(), names.end(), [](const NameToColour& a, const NameToColour& b) {
        const auto key = [](const NameToColour& n) {
            return std::tuple(!n.isMain, !n.isLarge, !n.ran, nameHash(n.name), n.name);
        };
        return key(a) < key(b);
    });
    ColourNumbers numbers;
    std::set<std::size_t> taken, large;
    const auto give = [&](const NameToColour& name, std::size_t number) {
        numbers[name.name] = number;
        taken.insert(number);
        if (name.isLarge) large.insert(number);
    };
    for (const NameToColour& name : names) {
        const auto known = remembered.find(name.name);
        if (known == remembered.end() || known->second >= colours.size()) continue;
        if (!name.isLarge || !taken.contains(known->second)) give(name, known->second);
    }
    for (const NameToColour& name : names) {
        if (numbers.contains(name.name)) continue;
        const std::size_t proposed = nameHash(name.name) % colours.size();
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < colours.size(); ++i)
            if (const std::size_t number = (proposed + i) % colours.size(); !taken.contains(number))
                free.push_back(number);
        const auto likeness = [&](std::size_t number) {
            double least = 1;
            for (const std::size_t other : large)
                least = std::min(least, fillDistance(toOklab(colours[number]), toOklab(colours[other])));
            return -least;
        };
        if (free.empty()) give(name, proposed);
        else if (!name.isLarge) give(name, free.front());
        else
            give(name, *std::min_element(free.begin(), free.end(),
                                         [&](std::size_t a, std::size_t b) { return likeness(a) < likeness(b); }));
    }
    return numbers;
}

}  // namespace

class TestPalette : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Fixed forever: a changed hash would recolour everybody's traces.
    void theHashIsFnv1a()
    {
        QCOMPARE(nameHash(QString()), 0xcbf29ce484222325u ^ (0xcbf29ce484222325u >> 29));
        const quint64 a = (0xcbf29ce484222325u ^ 0x61u) * 0x100000001b3u;
        QCOMPARE(nameHash(QStringLiteral("a")), a ^ (a >> 29));
    }

    void idsAndOrderDoNotMatter()
    {
        const std::vector<Entry> first{entry(0, QStringLiteral("red()")), entry(1, QStringLiteral("black()")),
                                       entry(2, QStringLiteral("done()"))};
        const std::vector<Entry> second{entry(5, QStringLiteral("done()")), entry(9, QStringLiteral("red()")),
                                        entry(7, QStringLiteral("black()"))};
        const Palette a(first, {}, darkTheme());
        const Palette b(second, {}, lightTheme());
        QCOMPARE(a.entry(EntryId{0}), b.entry(EntryId{9}));
        QCOMPARE(a.entry(EntryId{1}), b.entry(EntryId{7}));
        QCOMPARE(a.entry(EntryId{2}), b.entry(EntryId{5}));
    }

    void namesShareNoColourWhileThereAreSome()
    {
        for (const PaletteKind kind : {PaletteKind::Calm, PaletteKind::OkabeIto}) {
            const int count = static_cast<int>(paletteColours(kind).size());
            const std::vector<Entry> entries = someEntries(count);
            const Palette palette(entries, {}, darkTheme(), {.kind = kind, .by = ColourBy::EntryMethod});
            std::set<QRgb> colours;
            for (const Entry& each : entries) colours.insert(palette.entry(each.id));
            QCOMPARE(static_cast<int>(colours.size()), count);
        }
    }

    void moreNamesThanColoursStillHaveOne()
    {
        const std::vector<Entry> entries = someEntries(200);
        const Palette palette(entries, {}, darkTheme());
        for (const Entry& each : entries) {
            const auto set = paletteColours(PaletteKind::Calm);
            QVERIFY(std::find(set.begin(), set.end(), palette.entry(each.id)) != set.end());
        }
    }

    void nothingLooksLikeTheAccent()
    {
        for (const Theme& theme : {darkTheme(), lightTheme()})
            for (const PaletteKind kind : {PaletteKind::Calm, PaletteKind::OkabeIto})
                for (const QRgb colour : paletteColours(kind)) {
                    const QColor c = QColor::fromRgb(colour);
                    const int distance = std::abs(c.red() - theme.accent.red())
                                         + std::abs(c.green() - theme.accent.green())
                                         + std::abs(c.blue() - theme.accent.blue());
                    QVERIFY2(distance > 60, qPrintable(c.name()));
                }
    }

    void systemEntriesAreGrey()
    {
        const std::vector<Entry> entries{entry(0, QStringLiteral("_reduction()"), EntryKind::System)};
        const QColor colour = QColor::fromRgb(Palette(entries, {}, darkTheme()).entry(EntryId{0}));
        QVERIFY(colour.hsvSaturation() < 40);
    }

    void chareColoursAreShared()
    {
        std::vector<Entry> entries = someEntries(2);
        const Palette palette(entries, {}, darkTheme(), {.kind = PaletteKind::Calm, .by = ColourBy::Chare});
        QCOMPARE(palette.entry(EntryId{0}), palette.entry(EntryId{1}));
    }

    void anUnknownEntryHasAColour() { QVERIFY(qAlpha(Palette({}, {}, darkTheme()).entry(EntryId{77})) == 255); }

    // A fold, a replay or a reduction runs the same names another number of times and for another time.
    void timesDoNotMatterWhereNothingCollides()
    {
        const std::vector<Entry> entries = someEntries(9);
        std::vector<ProfileRow> run, fold;
        for (std::uint32_t i = 0; i < 9; ++i) {
            run.push_back({.entry = EntryId{i}, .count = 100, .exclusive = 1000 + i});
            fold.push_back({.entry = EntryId{i}, .count = 1, .exclusive = 90 - i});
        }
        const Palette a(entries, {}, darkTheme(), {}, run);
        const Palette b(entries, {}, darkTheme(), {}, fold);
        for (const Entry& each : entries) QCOMPARE(a.entry(each.id), b.entry(each.id));
    }

    void theTenLargestShareNoColour()
    {
        // Far more names than colours, all of which run; the large ones change.
        const std::vector<Entry> entries = someEntries(200);
        for (const PaletteKind kind : {PaletteKind::Calm, PaletteKind::OkabeIto})
            for (std::uint32_t first = 0; first < 190; first += 13) {
                std::vector<ProfileRow> profile;
                for (std::uint32_t i = 0; i < 200; ++i)
                    profile.push_back({.entry = EntryId{i}, .count = 1, .exclusive = i - first < 10 ? 1000 : 1});
                auto memory = std::make_shared<ColourMemory>();
                for (int round = 0; round < 3; ++round) {
                    const Palette palette(entries, {}, darkTheme(), {.kind = kind, .memory = memory}, profile);
                    std::set<QRgb> colours;
                    for (std::uint32_t i = first; i < first + 10; ++i) colours.insert(palette.entry(EntryId{i}));
                    QCOMPARE(colours.size(), std::size_t{10});
                    memory->learn(entries, profile);
                }
            }
    }

    // Two greens, of which one is the culprit, are one colour to who reads a timeline.
    void largeNamesDoNotLookAlike()
    {
        const std::vector<Entry> entries = someEntries(200);
        for (const auto& [kind, large, least] :
             {std::tuple(PaletteKind::Calm, 2u, 0.18), std::tuple(PaletteKind::Calm, 4u, 0.11),
              std::tuple(PaletteKind::Calm, 10u, 0.05), std::tuple(PaletteKind::OkabeIto, 4u, 0.1)})
            for (std::uint32_t first = 0; first < 190; first += 7) {
                std::vector<ProfileRow> profile;
                // Others, with hardly any time, do not take the colours that stand out.
                for (std::uint32_t i = 0; i < 10; ++i)
                    profile.push_back({.entry = EntryId{first + i}, .count = 1, .exclusive = i < large ? 1000 : 1});
                const Palette palette(entries, {}, darkTheme(), {.kind = kind}, profile);
                for (std::uint32_t i = 1; i < large; ++i)
                    for (std::uint32_t k = 0; k < i; ++k) {
                        const double distance = fillDistance(toOklab(palette.entry(EntryId{first + i})),
                                                             toOklab(palette.entry(EntryId{first + k})));
                        QVERIFY2(distance >= least, qPrintable(QString::number(distance)));
                    }
            }
    }

    void aColourOnceGivenIsRemembered()
    {
        const auto rows = [](std::uint32_t from, std::uint32_t to) {
            std::vector<ProfileRow> profile;
            for (std::uint32_t i = from; i < to; ++i)
                profile.push_back({.entry = EntryId{i}, .count = 1, .exclusive = 5});
            return profile;
        };
        const std::vector<Entry> all = someEntries(60);
        auto memory = std::make_shared<ColourMemory>();
        QVERIFY(memory->learn(all, rows(0, 8)));
        QVERIFY(!memory->learn(all, rows(0, 8)));
        const auto paint = [&](const std::vector<ProfileRow>& profile) {
            return Palette(all, {}, darkTheme(), {.memory = memory}, profile);
        };
        const Palette alone = paint(rows(0, 8));
        // Others that run beside them in another trace give way.
        QVERIFY(memory->learn(all, rows(0, 60)));
        const Palette among = paint(rows(0, 60));
        for (std::uint32_t i = 0; i < 8; ++i) QCOMPARE(among.entry(EntryId{i}), alone.entry(EntryId{i}));
        // The user's choice comes before all rules, and goes again.
        const QString name = colourName(all[3], ColourBy::EntryMethod);
        memory->setOwn(name, 0xff123456);
        QCOMPARE(paint(rows(0, 8)).entry(EntryId{3}), 0xff123456u);
        // All of it is kept as text; a damaged text is an empty memory.
        QCOMPARE(ColourMemory::fromJson(memory->toJson()), *memory);
        QCOMPARE(ColourMemory::fromJson(JsonValue::parse("{\"calm\": 7, \"own\": [", nullptr, false)), ColourMemory());
        QCOMPARE(ColourMemory::fromJson({{"calm", {{"a", 700}}}, {"own", {{"b", "no colour"}}}}), ColourMemory());
        memory->setOwn(name, {});
        QCOMPARE(paint(rows(0, 8)).entry(EntryId{3}), alone.entry(EntryId{3}));
    }

    // A trace of many names, or of long ones, takes no room from those of the user's programs.
    void namesThatAreNotRemembered()
    {
        const auto rows = [](std::uint32_t count) {
            std::vector<ProfileRow> profile;
            for (std::uint32_t i = 0; i < count; ++i)
                profile.push_back({.entry = EntryId{i}, .count = 1, .exclusive = TimeNs{5} + i});
            return profile;
        };
        const auto remembered = [](const ColourMemory& memory) { return memory.toJson()["calm"].size(); };
        ColourMemory memory;
        QVERIFY(memory.learn(someEntries(200), rows(200)));
        const std::size_t few = remembered(memory);
        QVERIFY(few >= 200);
        ColourMemory crowded;
        crowded.learn(someEntries(20'000), rows(20'000));
        QVERIFY(remembered(crowded) > 0 && remembered(crowded) <= 20);
        std::vector<Entry> longNames = someEntries(20);
        for (Entry& entry : longNames) entry.name += QString(1000, QLatin1Char('x'));
        memory.learn(longNames, rows(20));
        const JsonValue json = memory.toJson();
        for (const auto& [name, number] : json["calm"].items()) QVERIFY(name.size() <= 256);
    }

    // Names that have not been seen for long make room: strangers' traces do not keep the user's own out for good.
    void theLatestNamesAreRemembered()
    {
        const auto learn = [](ColourMemory& memory, const QString& program) {
            std::vector<Entry> entries;
            std::vector<ProfileRow> profile;
            for (std::uint32_t id = 0; id < 200; ++id) {
                entries.push_back({.id = EntryId{id}, .name = program + QString::number(id), .chare = QString()});
                profile.push_back({.pe = ProcessorId{0}, .entry = EntryId{id}, .count = 1, .exclusive = 10});
            }
            return memory.learn(entries, profile);
        };
        const auto isKnown = [](const ColourMemory& memory, const char* name) {
            return memory.remembered(PaletteKind::Calm).contains(QString::fromLatin1(name))
                   && memory.remembered(PaletteKind::OkabeIto).contains(QString::fromLatin1(name));
        };
        ColourMemory memory;
        learn(memory, QStringLiteral("mine"));
        const ColourNumbers first = memory.remembered(PaletteKind::Calm);
        for (int i = 0; i < 9; ++i) learn(memory, QStringLiteral("stranger%1-").arg(i));
        QVERIFY(learn(memory, QStringLiteral("mine")));   // the last seen now: worth keeping
        QVERIFY(!learn(memory, QStringLiteral("mine")));  // as it is already
        memory = ColourMemory::fromJson(memory.toJson());
        for (int i = 0; i < 9; ++i) learn(memory, QStringLiteral("other%1-").arg(i));
        QCOMPARE(memory.remembered(PaletteKind::Calm).size(), std::size_t(2000));
        QVERIFY(isKnown(memory, "mine0") && isKnown(memory, "other8-0"));
        for (const auto& [name, number] : first) QCOMPARE(memory.remembered(PaletteKind::Calm).at(name), number);
        QVERIFY(!isKnown(memory, "stranger0-0"));
        ColourMemory merged;
        learn(merged, QStringLiteral("new"));
        merged.takeRemembered(memory);
        QCOMPARE(merged.remembered(PaletteKind::OkabeIto).size(), std::size_t(2000));
        QVERIFY(isKnown(merged, "other8-0"));
        // Settings of before know no order.
        ColourMemory older = ColourMemory::fromJson({{"calm", {{"a", 1u}}}, {"okabe_ito", {{"a", 1u}}}});
        QVERIFY(isKnown(older, "a"));
        for (int i = 0; i < 10; ++i) learn(older, QStringLiteral("new%1-").arg(i));
        QVERIFY(!isKnown(older, "a") && isKnown(older, "new0-0"));
    }

    // The rule, one name after the other, against what takes time by the number of names only.
    void numbersAreThoseOfTheRule()
    {
        std::mt19937 draw(7);
        const auto chance = [&](unsigned in) { return draw() % in == 0; };
        for (int round = 0; round < 400; ++round) {
            const std::span<const QRgb> colours = paletteColours(chance(2) ? PaletteKind::Calm : PaletteKind::OkabeIto);
            std::vector<NameToColour> names;
            ColourNumbers remembered;
            for (unsigned i = 0, count = draw() % 60; i < count; ++i) {
                NameToColour name{.name = QString::number(draw() % 1000), .ran = chance(2), .isLarge = chance(6)};
                name.isMain = name.isLarge && chance(2);
                if (chance(3)) remembered.emplace(name.name, draw() % (colours.size() + 1));
                names.push_back(std::move(name));
            }
            std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
            names.erase(std::unique(names.begin(), names.end(),
                                    [](const auto& a, const auto& b) { return a.name == b.name; }),
                        names.end());
            std::shuffle(names.begin(), names.end(), draw);
            const std::vector<std::size_t> numbers = numbersOfColours(names, colours, remembered);
            QCOMPARE(numbers.size(), names.size());
            const ColourNumbers expected = numbersByRule(names, colours, remembered);
            for (std::size_t i = 0; i < names.size(); ++i) QCOMPARE(numbers[i], expected.at(names[i].name));
            QCOMPARE(colourNumbers(names, colours, remembered), expected);
        }
    }

    // A file of 10 MB may name 200,000 entry methods, and the window waits for their colours.
    void manyNamesTakeLittleMoreThanTheirHashes()
    {
        const std::vector<Entry> entries = someEntries(200'000);
        std::vector<ProfileRow> profile;
        for (std::uint32_t i = 0; i < 200'000; ++i)
            for (const std::uint32_t pe : {0u, 1u})
                profile.push_back({.pe = ProcessorId{pe}, .entry = EntryId{i}, .count = 1, .exclusive = 5});
        double least = 1e9, leastOfHashes = 1e9;
        std::uint64_t all = 0;
        for (int i = 0; i < 3; ++i) {
            std::clock_t begin = std::clock();
            for (const Entry& each : entries) all += nameHash(colourName(each, ColourBy::EntryMethod));
            leastOfHashes = std::min(leastOfHashes, static_cast<double>(std::clock() - begin));
            begin = std::clock();
            all += Palette(entries, {}, darkTheme(), {}, profile).entry(EntryId{7});
            least = std::min(least, static_cast<double>(std::clock() - begin));
        }
        QVERIFY(all != 0);
        const QString took = QStringLiteral("%1 times its hashes").arg(least / leastOfHashes);
        QVERIFY2(least < 10 * leastOfHashes, qPrintable(took));
    }

    void swatchesThatWouldVanishHaveAnOutline()
    {
        for (const Theme& theme : {darkTheme(), lightTheme()}) {
            for (const QColor& colour : {theme.idle, theme.overhead, theme.panel}) {
                const QPen outline = swatchOutline(colour, theme);
                QVERIFY(outline.style() != Qt::NoPen);
                QVERIFY(std::abs(outline.color().lightness() - theme.window.lightness()) > 80);
            }
            QVERIFY(swatchOutline(theme.accent, theme).style() == Qt::NoPen);
        }
    }

    void mixingIsExactAtTheEnds()
    {
        QCOMPARE(mixed(qRgb(10, 20, 30), qRgb(200, 100, 50), 0.0), qRgb(10, 20, 30));
        QCOMPARE(mixed(qRgb(10, 20, 30), qRgb(200, 100, 50), 1.0), qRgb(200, 100, 50));
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestPalette)
#include "tst_palette.moc"
