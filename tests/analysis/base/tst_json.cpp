// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of strangers is read in time and depth that its size bounds.
#include "analysis/base/json.h"

#include "core/base/limits.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

using namespace longpole;

namespace {

QByteArray objectOf(int members)
{
    QByteArray text = "{";
    for (int i = 0; i < members; ++i) text += (i > 0 ? ",\"k" : "\"k") + QByteArray::number(i) + "\":0";
    return text + '}';
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
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!parseJson(objectOf(1'000'000)).has_value());
        QVERIFY(parseJson('[' + QByteArray(objectOf(1000) + ',').repeated(100) + "0]").has_value());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
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
