// SPDX-License-Identifier: GPL-3.0-or-later
// A table of columns as people, spreadsheets and programs read it, and the schema that it promises.
#include "analysis/base/table.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole;

namespace {

struct Fruit {
    QString name;
    std::int64_t grams = 0;
    std::optional<double> share = {};
    TimeNs ripe = 0;
    std::vector<std::int64_t> seeds = {};
    std::int64_t count() const { return static_cast<std::int64_t>(seeds.size()); }
};

const std::vector<Fruit> fruits{{QStringLiteral("fig, \"dried\""), -30, 0.25, 1'500, {3, 4}},
                                {QStringLiteral("pear\n"), 1'200, {}, 0, {}}};

Table<Fruit> fruitTable()
{
    const Table<std::int64_t> seeds{QStringLiteral("seeds"),
                                    {},
                                    {{{"size", QStringLiteral("Size"), CellKind::Number},
                                      [](const std::int64_t& size) { return size; }}}};
    return {QStringLiteral("fruits"),
            QStringLiteral("Fruits"),
            {
                {{"name", QStringLiteral("Name"), CellKind::Text, QStringLiteral("What it is called")}, &Fruit::name},
                {Column("grams", QStringLiteral("Grams"), CellKind::Count).belowZero(), &Fruit::grams},
                {Column("share", QStringLiteral("Share"), CellKind::Share).orNone(), &Fruit::share},
                {{"ripe_ns", QStringLiteral("Ripe"), CellKind::Time}, &Fruit::ripe},
                {Column("kind", QStringLiteral("Kind"))
                     .oneOf({{QStringLiteral("dry"), QStringLiteral("Dried fruit")},
                             {QStringLiteral("ripe"), QStringLiteral("Fresh fruit")}}),
                 [](const Fruit& fruit) { return fruit.grams < 0 ? "dry" : "ripe"; }},
                {Column("seeds", QStringLiteral("Seeds"), CellKind::Rows).of(seeds.heads()),
                 [seeds](const Fruit& fruit) { return rowsCell(seeds.data(fruit.seeds)); }},
                {Column("sizes", QStringLiteral("Sizes"), CellKind::Rows).of(CellKind::Number),
                 [](const Fruit& fruit) {
                     QVariantList sizes;
                     for (const std::int64_t size : fruit.seeds) sizes << qlonglong(size);
                     return Cell(sizes);
                 }},
                {{"count", QStringLiteral("Count"), CellKind::Count}, &Fruit::count},
            }};
}

JsonValue parsed(const char* text) { return JsonValue::parse(text); }

}  // namespace

class TestTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void peopleRead()
    {
        const TableData data = fruitTable().data(fruits);
        QStringList cells;
        for (std::size_t i = 0; i < data.columns.size(); ++i)
            cells << readText(data.rows[0][i], data.columns[i], nullptr);
        QCOMPARE(cells, (QStringList{QStringLiteral("fig, \"dried\""), QStringLiteral("-30"), QStringLiteral("25.0 %"),
                                     QStringLiteral("1.500 us"), QStringLiteral("Dried fruit"), QString(), QString(),
                                     QStringLiteral("2")}));
        QCOMPARE(readText(data.rows[1][0], data.columns[0], nullptr), QStringLiteral("pear "));
        QCOMPARE(readText(data.rows[1][2], data.columns[2], nullptr), QString());
        QCOMPARE(cellText(QVariant(), CellKind::Ratio, nullptr), QStringLiteral("-"));
        QCOMPARE(cellText(Cell(0.7125), CellKind::Ratio, nullptr), QStringLiteral("0.713"));
        QCOMPARE(cellText(Cell(true), CellKind::Flag, nullptr), QStringLiteral("yes"));
        QCOMPARE(cellText(Cell(false), CellKind::Flag, nullptr), QStringLiteral("no"));
    }

    void spreadsheetsRead()
    {
        const Table<Fruit> table = fruitTable();
        QCOMPARE(csvHeads(table.heads()), QStringLiteral("name,grams,share,ripe_ns,kind,count"));
        QCOMPARE(csvRow(table.cells(fruits[0]), table.heads(), nullptr),
                 QStringLiteral("\"fig, \"\"dried\"\"\",-30,0.25,1500,dry,2"));
        QCOMPARE(csvRow(table.cells(fruits[1]), table.heads(), nullptr), QStringLiteral("\"pear\n\",1200,,0,ripe,0"));
        const std::vector<Column> entry{Column("entry", {}, CellKind::Entry), Column("code", {}, CellKind::Code)};
        QCOMPARE(csvHeads(entry), QStringLiteral("entry_id,entry,entry_chare,code"));
        QCOMPARE(csvRow(std::vector<QVariant>{Cell(noEntry), Cell(noEntry)}, entry, nullptr), QStringLiteral(",,,"));
    }

    void programsRead()
    {
        const JsonValue rows = rowsJson(fruitTable(), fruits, nullptr);
        QCOMPARE(dump(rows[0], -1),
                 QByteArray("{\"name\":\"fig, \\\"dried\\\"\",\"grams\":-30,\"share\":0.25,\"ripe_ns\":1500,\"kind\":"
                            "\"dry\",\"seeds\":[{\"size\":3},{\"size\":4}],\"sizes\":[3,4],\"count\":2}\n"));
        QVERIFY(rows[1]["share"].is_null());
        QVERIFY(rows[1]["seeds"].is_array() && rows[1]["seeds"].empty());
    }

    void schemaPromises()
    {
        const JsonValue schema = schemaOf(fruitTable().heads());
        QCOMPARE(schema["required"].size(), fruitTable().columns.size());
        const JsonValue& of = schema["properties"];
        QVERIFY(of["name"] == parsed(R"({"type": "string", "description": "What it is called"})"));
        QVERIFY(of["grams"] == parsed(R"({"type": "integer"})"));
        QVERIFY(of["share"] == parsed(R"({"type": ["number", "null"], "minimum": 0})"));
        QVERIFY(of["ripe_ns"] == parsed(R"({"type": "integer", "minimum": 0})"));
        QVERIFY(of["kind"] == parsed(R"({"enum": ["dry", "ripe"]})"));
        QVERIFY(of["sizes"] == parsed(R"({"type": "array", "items": {"type": "integer", "minimum": 0}})"));
        QVERIFY(of["seeds"]["items"]["properties"]["size"] == parsed(R"({"type": "integer", "minimum": 0})"));
        QVERIFY(of["seeds"]["items"]["additionalProperties"] == false);
        const JsonValue other = schemaOf(std::vector<Column>{Column("fresh", {}, CellKind::Flag),
                                                             Column("stones", {}, CellKind::Count).atLeast(1)});
        QVERIFY(other["properties"]["fresh"] == parsed(R"({"type": "boolean"})"));
        QVERIFY(other["properties"]["stones"] == parsed(R"({"type": "integer", "minimum": 1})"));
    }

    void numbersInTheirBounds()
    {
        const JsonValue schema = schemaOf(
            std::vector<Column>{Column("part", {}, CellKind::Share).atMostOne(),
                                Column("gain", {}, CellKind::Rows).of(CellKind::Share).belowZero().orNone()});
        QVERIFY(schema["properties"]["part"] == parsed(R"({"type": "number", "minimum": 0, "maximum": 1})"));
        QVERIFY(schema["properties"]["gain"] == parsed(R"({"type": ["array", "null"], "items": {"type": "number"}})"));
    }

    void figuresOfARowWithItsOwnUnit()
    {
        const Column column("change", {}, CellKind::Count);
        const Cell change = readAs(1'500, QStringLiteral("+1.5 us"));
        QCOMPARE(readText(change, column, nullptr), QStringLiteral("+1.5 us"));
        QCOMPARE(rawValue(change).toInt(), 1'500);
        QCOMPARE(csvRow(std::vector<QVariant>{change}, std::vector{column}, nullptr), QStringLiteral("1500"));
        QVERIFY(cellJson(change, column, nullptr) == 1'500);
        const Cell none = readAs({}, QStringLiteral("–"));
        QCOMPARE(readText(none, column, nullptr), QStringLiteral("–"));
        QVERIFY(cellJson(none, column, nullptr).is_null());
    }

    void columnsOfPartsOfRows()
    {
        struct Basket {
            std::optional<Fruit> fruit;
        };
        Table<Basket> baskets{QStringLiteral("baskets"), {}, {}};
        baskets.columns = columnsOfPart<Basket, Fruit>(fruitTable().only({"name", "grams"}), [](const Basket& basket) {
            return basket.fruit ? &*basket.fruit : nullptr;
        });
        QCOMPARE(csvHeads(baskets.heads()), QStringLiteral("name,grams"));
        QCOMPARE(baskets.cells({fruits[1]})[1].toInt(), 1'200);
        QVERIFY(baskets.cells({})[0].isNull());
    }

    void someColumnsInAnotherOrder()
    {
        const Table<Fruit> some = fruitTable().only({"count", "name"}).renamed("count", "seeds_in_it");
        QCOMPARE(csvHeads(some.heads()), QStringLiteral("seeds_in_it,name"));
        QCOMPARE(some.id, QStringLiteral("fruits"));
        const TableData one = some.titled(QStringLiteral("The first")).data(fruits, 1);
        QCOMPARE(one.title, QStringLiteral("The first"));
        QCOMPARE(one.rows.size(), std::size_t(1));
        QCOMPARE(one.rowsOmitted, 1);
        QCOMPARE(one.rows[0][0].toInt(), 2);
    }

    void cellsAreEmptyWhereThereIsNothing()
    {
        QVERIFY(Cell(noEntry).isNull() && Cell(TaskId{}).isNull() && Cell(std::optional<int>()).isNull());
        QCOMPARE(Cell(EntryId{3}).toInt(), 3);
        QCOMPARE(Cell(TaskId{ProcessorId{3}, 12}).toString(), QStringLiteral("3:12"));
        QCOMPARE(toJson(Cell(std::uint64_t(1) << 62)).get<std::int64_t>(), std::int64_t(1) << 62);
    }

    void jsonOfOthersIsReadWithCare()
    {
        QVERIFY(!parseJson("{\"a\": "));
        const auto read = parseJson("{\"text\": \"x\", \"number\": 7, \"list\": [1]}");
        QVERIFY(read);
        QCOMPARE(textOf(*read, "text"), QStringLiteral("x"));
        QCOMPARE(textOf(*read, "number"), QString());
        QCOMPARE(integerOf(*read, "number", -1), 7);
        QCOMPARE(integerOf(*read, "text", -1), -1);
        QCOMPARE(listOf(*read, "list").size(), std::size_t(1));
        QVERIFY(listOf(*read, "text").empty() && memberOf(*read, "nothing").is_null());
        QCOMPARE(textOf(JsonValue(3), "text"), QString());
        QCOMPARE(dump(JsonValue("a\xff"), -1), QByteArray("\"a\xef\xbf\xbd\"\n"));
    }
};

LONGPOLE_TEST(TestTable)
#include "tst_table.moc"
