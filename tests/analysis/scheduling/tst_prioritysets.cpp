// SPDX-License-Identifier: GPL-3.0-or-later
// A program whose requests and replies gain next to nothing by a priority alone and much by one together: the set is
// found, and what it gains is what the program gains that runs with it.
#include "analysis/results/results.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "importers/common/importer.h"
#include "support/machines/plantedruns.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace longpole;

class TestPrioritySets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void bothTogether_data();
    void bothTogether();
};

void TestPrioritySets::bothTogether_data()
{
    QTest::addColumn<bool>("hasReceiveTimes");
    QTest::newRow("receive times") << true;
    QTest::newRow("as today's logs") << false;
}

void TestPrioritySets::bothTogether()
{
    QFETCH(const bool, hasReceiveTimes);
    const QTemporaryDir folder;
    QVERIFY(folder.isValid());
    const PlantedSize size{.pes = 8, .seed = 7, .hasReceiveTimes = hasReceiveTimes};
    const auto timeOf = [&](bool requestsFirst, bool repliesFirst) {
        const QTemporaryDir other;
        std::int64_t duration = 0;
        requestsAndReplies(other.path(), size, requestsFirst, repliesFirst, &duration);
        return static_cast<double>(duration);
    };
    const double fifo = timeOf(false, false);
    const double requests = 1 - timeOf(true, false) / fifo;
    const double replies = 1 - timeOf(false, true) / fifo;
    const double both = 1 - timeOf(true, true) / fifo;
    const QString truths = QStringLiteral("%1, %2, both %3").arg(requests).arg(replies).arg(both);
    QVERIFY2(requests < 0.06 && replies < 0.06 && both > 0.2, qPrintable(truths));

    const QString source = requestsAndReplies(folder.path(), size);
    const QString target = folder.filePath(QStringLiteral("planted.longpole"));
    const auto imported = importerFor(source)->import(source, target, ImportOptions{}, Progress{});
    QVERIFY2(imported, imported ? "" : qPrintable(toText(imported.error())));
    const auto store = TraceStore::open(target);
    QVERIFY(store);
    Results results(*store);
    const auto found = results.ask(SchedulingQuestion{}, Progress{});
    QVERIFY(found);
    const auto set = std::find_if((*found)->tried.begin(), (*found)->tried.end(),
                                  [](const TriedScheme& tried) { return tried.entries.size() == 2; });
    QString tried;
    for (const TriedScheme& one : (*found)->tried)
        tried +=
            QStringLiteral("%1: %2 to %3; ").arg(one.what).arg(one.prediction.gainLow).arg(one.prediction.gainHigh);
    QVERIFY2(set != (*found)->tried.end(), qPrintable(tried + (*found)->verdict));
    QVERIFY2(set->isAdvised, qPrintable(tried));
    QVERIFY2(set->prediction.gainLow <= both + 0.03 && set->prediction.gainHigh >= both - 0.03,
             qPrintable(truths + QStringLiteral(" / ") + tried));
    for (const EntryId entry : set->entries) {
        const QString name = (*store)->entry(entry)->name;
        QVERIFY2(name.startsWith(QLatin1String("request")) || name.startsWith(QLatin1String("reply")),
                 qPrintable(name));
    }
}

LONGPOLE_TEST(TestPrioritySets)
#include "tst_prioritysets.moc"
