// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of strangers is read in time and depth that its size bounds; JSON written value by value is that of all at once.
#include "analysis/base/json.h"
#include "analysis/base/jsontext.h"

#include "core/base/limits.h"
#include "support/testmain.h"

#include <QTest>

#include <ctime>
#include <random>
#include <string>

using namespace longpole;

namespace {

QByteArray objectOf(int members)
{
    QByteArray text = "{";
    for (int i = 0; i < members; ++i) text += (i > 0 ? ",\"k" : "\"k") + QByteArray::number(i) + "\":0";
    return text + '}';
}

JsonValue drawnValue(std::mt19937& draw, int depth)
{
    switch (draw() % (depth > 0 ? 7 : 5)) {
    case 0: return nullptr;
    case 1: return static_cast<std::int64_t>(draw()) - 2'000'000'000;
    case 2: return static_cast<double>(draw()) / 3e5;
    case 3: return "a\n\"b\" \xc3\xbc" + std::string(1, static_cast<char>(draw() % 256));
    case 4: return draw() % 2 == 0;
    case 5: {
        JsonValue list = JsonValue::array();
        for (unsigned count = draw() % 4; count > 0; --count) list.push_back(drawnValue(draw, depth - 1));
        return list;
    }
    default: {
        JsonValue object = JsonValue::object();
        for (unsigned count = draw() % 4; count > 0; --count)
            object["k\n" + std::to_string(count)] = drawnValue(draw, depth - 1);
        return object;
    }
    }
}

// Some lists and objects whole, some value by value.
void write(JsonText& text, const JsonValue& value, std::mt19937& draw)
{
    if (draw() % 3 == 0 || (!value.is_array() && !value.is_object())) {
        text.value(value);
    } else if (value.is_array()) {
        text.beginList();
        for (const JsonValue& item : value) write(text, item, draw);
        text.endList();
    } else {
        text.beginObject();
        for (const auto& [key, member] : value.items()) {
            text.key(key);
            write(text, member, draw);
        }
        text.endObject();
    }
}

}  // namespace

class TestJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void membersOfAnObject()
    {
        constexpr int most = limits::jsonMembers.free;
        QVERIFY(parseJson(objectOf(most)).has_value());
        QVERIFY(!parseJson(objectOf(most + 1)).has_value());
        QVERIFY(!parseJson("[[" + objectOf(most + 1) + "]]").has_value());
    }

    // Those of other objects and colons in texts do not count.
    void membersOfManyObjects()
    {
        QByteArray text = "[";
        for (int i = 0; i < 2000; ++i) text += R"({"a":{"b":1,"c":":::::::"},"d":[{"e":2}]},)";
        const auto read = parseJson(text + objectOf(900) + ']');
        QVERIFY(read.has_value());
        QCOMPARE(read->size(), std::size_t{2001});
    }

    void largeObjectsTakeNoTime()
    {
        const std::clock_t begin = std::clock();  // of the process: others may run beside it
        QVERIFY(!parseJson(objectOf(1'000'000)).has_value());
        QVERIFY(parseJson('[' + QByteArray(objectOf(1000) + ',').repeated(100) + "0]").has_value());
        const double took = double(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY2(took < 5, qPrintable(QString::number(took)));
    }

    void textByValuesIsThatOfAllAtOnce()
    {
        std::mt19937 draw(5);
        const Progress progress;
        for (int round = 0; round < 2000; ++round) {
            const JsonValue value = drawnValue(draw, 5);
            JsonText text(progress);
            write(text, value, draw);
            QCOMPARE(text.take(), dump(value));
        }
    }

    void depth()
    {
        constexpr int most = limits::jsonDepth.free;
        const auto nested = [](int depth) -> QByteArray { return QByteArray(depth, '[') + QByteArray(depth, ']'); };
        QVERIFY(parseJson(nested(most)).has_value());
        QVERIFY(!parseJson(nested(most + 2)).has_value());
        QVERIFY(!parseJson(QByteArray(1 << 20, '[')).has_value());
        QVERIFY(!parseJson(QByteArray(1 << 20, ']')).has_value());
    }
};

LONGPOLE_TEST(TestJson)
#include "tst_json.moc"
