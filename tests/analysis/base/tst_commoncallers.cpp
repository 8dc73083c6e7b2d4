// SPDX-License-Identifier: GPL-3.0-or-later
// What functions two call paths have in common, against going up from both one by one; and the functions of rows, of
// which there is not more than a file's size allows; and the words for a place.
#include "analysis/base/callpaths.h"
#include "core/smalltrace.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace longpole;

namespace {

std::uint32_t oneByOne(const TraceStore& store, std::uint32_t path, std::uint32_t other)
{
    if (path == noCallPath || other == noCallPath) return functionOf(store, std::max(path, other));
    while (path != other) {  // callers have smaller numbers
        std::uint32_t& inner = path > other ? path : other;
        const CallPath* const at = store.callPath(inner);
        inner = at != nullptr ? at->parent : noCallPath;
    }
    return functionOf(store, path);
}

}  // namespace

class TestCommonCallers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // A name is a stranger's, and may look like a place for something else.
    void placesOfOddNames()
    {
        CallPath path;
        path.line = 77;
        path.file = QStringLiteral("/src/a%1.c");
        QCOMPARE(placeText(path), QStringLiteral("a%1.c:77"));
        path.file = QStringLiteral("%2%L1");
        QCOMPARE(placeText(path), QStringLiteral("%2%L1:77"));
    }

    void ofDrawnTrees_data()
    {
        QTest::addColumn<int>("paths");
        QTest::addColumn<int>("reach");  // how many of the last paths may be a caller: small ones make deep trees
        for (const int reach : {1, 2, 5, 50, 1000})
            for (const int paths : {1, 2, 7, 300}) QTest::addRow("%d paths, %d", paths, reach) << paths << reach;
    }
    void ofDrawnTrees()
    {
        QFETCH(int, paths);
        QFETCH(int, reach);
        std::mt19937 random(static_cast<unsigned>(paths * 31 + reach));
        const auto below = [&random](int most) { return std::uniform_int_distribution<int>(0, most - 1)(random); };
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.longpole"));
        auto writer = TraceWriter::create(file);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        std::vector<std::uint32_t> ids{noCallPath};
        for (int i = 0; i < paths; ++i) {
            const auto caller = static_cast<std::size_t>(std::max(0, i - below(reach)));
            const std::uint32_t id = ids.back() + 1 + static_cast<std::uint32_t>(below(3));
            CallPath path;
            path.id = id;
            path.parent = ids[caller];
            path.isPlace = below(2) == 0;
            (*writer)->add(path);
            ids.push_back(id);
        }
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(file);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        const CommonCallers callers(**store);
        for (int i = 0; i < 3000; ++i) {
            const std::uint32_t a = ids[static_cast<std::size_t>(below(paths + 1))],
                                b = ids[static_cast<std::size_t>(below(paths + 1))];
            QCOMPARE(callers.functionOf(a, b), oneByOne(**store, a, b));
        }
        QCOMPARE(callers.functionOf(ids.back() + 1, ids.back()), oneByOne(**store, ids.back() + 1, ids.back()));
    }

    // main() calls solve() at line 1, that halo() at line 2, that MPI at line 3.
    void functionsOfRows()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.longpole"));
        auto writer = TraceWriter::create(file);
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        const QStringList functions{QStringLiteral("main"), QStringLiteral("solve"), QStringLiteral("halo")};
        std::uint32_t last = noCallPath;
        for (int i = 0; i < 3; ++i) {
            const auto function = static_cast<std::uint32_t>(2 * i + 1);
            (*writer)->add(
                CallPath{.id = function, .parent = last, .function = functions[i], .file = {}, .module = {}});
            last = function + 1;
            (*writer)->add(CallPath{.id = last,
                                    .parent = function,
                                    .isPlace = true,
                                    .function = functions[i],
                                    .file = QStringLiteral("/src/a.c"),
                                    .line = i + 1,
                                    .module = {}});
        }
        QVERIFY((*writer)->finish(Progress()).ok());
        const auto store = TraceStore::open(file);
        QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
        const QStringList whole{QStringLiteral("main"), QStringLiteral("solve (a.c:1)"),
                                QStringLiteral("halo (a.c:2)")};
        FramesOfRows all(**store);
        QCOMPARE(all.of(6), whole);
        QCOMPARE(all.of(5), whole);
        QCOMPARE(all.of(3), whole.first(2));
        QCOMPARE(all.of(noCallPath), QStringList());
        QCOMPARE(frameText(**store, 6), whole.back());
        FramesOfRows few(**store, 50);  // of 29 characters twice, and 4
        QCOMPARE(few.of(6), whole);
        QCOMPARE(few.of(6), (QStringList{QStringLiteral("(2 functions)"), whole.back()}));
        QCOMPARE(few.of(1), whole.first(1));
        QCOMPARE(few.of(6), (QStringList{QStringLiteral("(2 functions)"), whole.back()}));
    }
};

LONGPOLE_TEST(TestCommonCallers)
#include "tst_commoncallers.moc"
