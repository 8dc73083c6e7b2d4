// SPDX-License-Identifier: GPL-3.0-or-later
// Begin and end records to executions: re-opened blocks, siblings, raw nesting, lost ends, limits.
// A fixture is a drawing: "5a@10" begins entry 5 with key a (event 1) at 10 us, "-5a@20" ends it, "i@30" and "-i@40"
// frame idle time, "p"/"-p" packing, "t"/"-t" untraced time, "c@15" is a creation, "$@90" the end of the log.
#include "importers/common/nesting.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QStringList>
#include <QTest>

using namespace longpole;

namespace {

class Lines final : public NestingSink {
public:
    void execution(std::uint32_t row, const Execution& e) override
    {
        tasks += QStringLiteral("%1:%2@%3+%4 x%5 o%6 p%7")
                     .arg(row)
                     .arg(e.start.entry)
                     .arg(e.begin / 1000)
                     .arg((e.end - e.begin) / 1000)
                     .arg(e.exclusive / 1000)
                     .arg(e.outer)
                     .arg(e.pieces);
        if (e.before != noRow) before += QStringLiteral("%1<%2+%3").arg(row).arg(e.before).arg(e.beforeOffset / 1000);
    }
    void piece(const Span& span, const Execution&) override
    {
        pieces += QStringLiteral("%1@%2+%3").arg(span.row).arg(span.begin / 1000).arg((span.end - span.begin) / 1000);
    }
    void busy(TimeNs begin, TimeNs end, std::uint32_t) override { busyTime += end - begin; }
    void span(const Span& span) override
    {
        spans += QStringLiteral("%1@%2+%3")
                     .arg(static_cast<int>(span.kind))
                     .arg(span.begin / 1000)
                     .arg((span.end - span.begin) / 1000);
    }

    QStringList tasks, pieces, spans, before, hooks;
    TimeNs busyTime = 0;
};

void draw(const QString& drawing, Nesting& nesting, Lines& lines)
{
    static const QRegularExpression symbol(QStringLiteral("^(-?)([0-9]|[ciptf$])([a-z]?)@([0-9]+)$"));
    for (const QString& word : drawing.split(u' ', Qt::SkipEmptyParts)) {
        const QRegularExpressionMatch match = symbol.match(word);
        QVERIFY2(match.hasMatch(), qPrintable(word));
        const bool isEnd = !match.captured(1).isEmpty();
        const char what = match.captured(2).at(0).toLatin1();
        const TimeNs time = match.captured(4).toLongLong() * 1000;
        // Key "z" is a block without a message.
        const char key = match.captured(3).isEmpty() ? 'a' : match.captured(3).at(0).toLatin1();
        ExecutionStart start;
        start.entry = static_cast<std::uint32_t>(what - '0');
        start.event = key == 'z' ? -1 : key - 'a';
        const auto span = [&](SpanKind kind) {
            isEnd ? nesting.endSpan(kind, time, 0) : nesting.beginSpan(kind, time, 0);
        };
        switch (what) {
        case 'i': span(SpanKind::Idle); break;
        case 'p': span(SpanKind::Pack); break;
        case 'f': span(SpanKind::Flush); break;
        case 't': isEnd ? nesting.traceOn(time, 0, 0) : nesting.traceOff(time, 0); break;
        case '$': nesting.finish(time, 0); break;
        case 'c': {
            const Nesting::Hook hook = nesting.creation(time);
            lines.hooks += hook.row == noRow ? QStringLiteral("-")
                                             : QStringLiteral("%1+%2").arg(hook.row).arg(hook.offset / 1000);
            break;
        }
        default:
            if (isEnd) nesting.end(time, start.entry, start.event, -1, 0);
            else nesting.begin(time, start, 0);
        }
    }
}

QString kinds(const ImportLog& log)
{
    QStringList kinds;
    for (const Issue& issue : log.issues()) kinds += issue.kind + QStringLiteral("*%1").arg(issue.count);
    return kinds.join(u' ');
}

}  // namespace

class TestNesting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void executions_data()
    {
        QTest::addColumn<QString>("drawing");
        QTest::addColumn<QString>("tasks");
        QTest::addColumn<QString>("pieces");
        QTest::addColumn<QString>("issues");
        const auto row = [](const char* name, const char* drawing, const char* tasks, const char* pieces,
                            const char* issues) {
            QTest::newRow(name) << QString::fromLatin1(drawing) << QString::fromLatin1(tasks)
                                << QString::fromLatin1(pieces) << QString::fromLatin1(issues);
        };
        row("two tasks", "5a@10 -5a@20 6b@30 -6b@35 $@90", "0:5@10+10 x10 o0 p1, 1:6@30+5 x5 o0 p1", "", "");
        row("inline call", "5a@10 -5a@20 6b@20 -6b@24 5a@24 -5a@30 $@90", "0:5@10+20 x16 o0 p2, 1:6@20+4 x4 o1 p1",
            "0@10+10, 0@24+6", "");
        row("gaps of two us", "5a@10 -5a@20 6b@22 -6b@24 5a@26 -5a@30 $@90", "0:5@10+20 x14 o0 p2, 1:6@22+2 x2 o1 p1",
            "0@10+10, 0@26+4", "");
        row("gap of three us ends it", "5a@10 -5a@20 6b@20 -6b@24 5a@27 -5a@30 $@90",
            "0:5@10+10 x10 o0 p1, 1:6@20+4 x4 o0 p1, 2:5@27+3 x3 o0 p1", "", "");
        row("idle ends it", "5a@10 -5a@20 6b@20 -6b@22 i@22 -i@23 5a@23 -5a@30 $@90",
            "0:5@10+10 x10 o0 p1, 1:6@20+2 x2 o0 p1, 2:5@23+7 x7 o0 p1", "", "");
        row("siblings of a broadcast", "5a@10 -5a@20 5a@20 -5a@30 5a@30 -5a@40 $@90",
            "0:5@10+10 x10 o0 p1, 1:5@20+10 x10 o0 p1, 2:5@30+10 x10 o0 p1", "", "");
        row("innermost of equal keys", "5a@10 -5a@12 5a@12 -5a@14 6b@14 -6b@15 5a@15 -5a@20 $@90",
            "0:5@10+2 x2 o0 p1, 1:5@12+8 x7 o0 p2, 2:6@14+1 x1 o1 p1", "1@12+2, 1@15+5", "");
        row("two deep", "5a@10 -5a@11 6b@11 -6b@12 7c@12 -7c@13 6b@13 -6b@14 5a@14 -5a@15 $@90",
            "0:5@10+5 x2 o0 p2, 1:6@11+3 x2 o1 p2, 2:7@12+1 x1 o2 p1", "0@10+1, 1@11+1, 1@13+1, 0@14+1", "");
        row("two inside, twice re-opened", "5a@10 -5a@11 6b@11 -6b@12 5a@12 -5a@13 6c@13 -6c@14 5a@14 -5a@15 $@90",
            "0:5@10+5 x3 o0 p3, 1:6@11+1 x1 o1 p1, 2:6@13+1 x1 o2 p1", "0@10+1, 0@12+1, 0@14+1", "");
        row("block without a message is never re-opened", "5z@10 -5z@11 6b@11 -6b@12 5z@12 -5z@13 $@90",
            "0:5@10+1 x1 o0 p1, 1:6@11+1 x1 o0 p1, 2:5@12+1 x1 o0 p1", "", "");
        row("a block without a message lies between", "5a@10 -5a@11 6z@11 -6z@12 5a@12 -5a@13 $@90",
            "0:5@10+3 x2 o0 p2, 1:6@11+1 x1 o1 p1", "0@10+1, 0@12+1", "");
        row("open at the end", "5a@10 -5a@20 6b@30 $@90", "0:5@10+10 x10 o0 p1, 1:6@30+60 x60 o0 p1", "", "");
        row("raw nesting", "5a@10 6b@20 -6b@30 -6b@40 $@90", "0:5@10+30 x20 o0 p2, 1:6@20+10 x10 o1 p1",
            "0@10+10, 0@30+10", "");
        row("raw nesting, own key at the end", "5a@10 6b@20 7c@22 -7c@24 -6b@30 -5a@40 $@90",
            "0:5@10+30 x20 o0 p2, 1:6@20+10 x8 o1 p2, 2:7@22+2 x2 o2 p1", "0@10+10, 1@20+2, 1@24+6, 0@30+10", "");
        row("lost end, then idle", "5a@10 6b@20 -6b@30 i@50 -i@60 6c@60 -6c@70 $@90",
            "0:5@10+10 x10 o0 p1, 1:6@20+10 x10 o0 p1, 2:6@60+10 x10 o0 p1", "", "missing_end*1");
        row("lost end of an inner block", "5a@10 6b@20 -5a@30 $@90", "0:5@10+20 x10 o0 p2, 1:6@20+10 x10 o1 p1",
            "0@10+10, 0@30+0", "missing_end*1");
        row("idle inside a block that ends", "5a@10 i@20 -i@30 -5a@40 $@90", "0:5@10+30 x30 o0 p1", "", "");
        row("end without begin", "-5a@10 6b@20 -6b@30 $@90", "0:6@20+10 x10 o0 p1", "", "end_without_begin*1");
        row("end of another block", "5a@10 -6b@20 $@90", "0:5@10+10 x10 o0 p1", "", "end_mismatch*1");
        row("tracing off inside", "5a@10 t@20 -t@30 6b@31 -6b@32 $@90", "0:5@10+10 x10 o0 p1, 1:6@31+1 x1 o0 p1", "",
            "");
        row("zero lengths", "5a@10 -5a@10 6b@10 -6b@10 5a@10 -5a@10 $@10", "0:5@10+0 x0 o0 p2, 1:6@10+0 x0 o1 p1",
            "0@10+0, 0@10+0", "");
        row("idle never ends", "i@5 5a@10 -5a@20 $@90", "0:5@10+10 x10 o0 p1", "", "unpaired_idle*1");
    }
    void executions()
    {
        QFETCH(QString, drawing);
        ImportLog log;
        Lines lines;
        Nesting nesting(lines, log);
        draw(drawing, nesting, lines);
        QTEST(lines.tasks.join(QStringLiteral(", ")), "tasks");
        QTEST(lines.pieces.join(QStringLiteral(", ")), "pieces");
        QTEST(kinds(log), "issues");
    }

    void spansAndHooks()
    {
        ImportLog log;
        Lines lines;
        Nesting nesting(lines, log);
        draw(
            QStringLiteral(
                "c@1 5a@10 c@12 p@13 -p@14 -5a@20 c@25 6z@30 -6z@31 i@40 -i@50 c@51 p@52 -p@54 7b@60 -7b@61 c@61 $@90"),
            nesting, lines);
        QCOMPARE(lines.hooks.join(u' '), QStringLiteral("- 0+2 0+10 - 2+1"));
        QCOMPARE(lines.spans.join(u' '), QStringLiteral("2@13+1 1@40+10 2@52+2"));
        QCOMPARE(lines.before.join(u' '), QStringLiteral("1<0+10 2<1+1"));
        QCOMPARE(lines.busyTime, 12000);
        QCOMPARE(log.issues().size(), 0u);
    }

    void untracedFromTheStart()
    {
        ImportLog log;
        Lines lines;
        Nesting nesting(lines, log);
        nesting.traceOn(50000, 10000, 0);
        draw(QStringLiteral("5a@60 -5a@70 t@80 $@90"), nesting, lines);
        QCOMPARE(lines.spans.join(u' '), QStringLiteral("5@10+40 5@80+10"));
        QCOMPARE(log.issues().size(), 0u);
    }

    // A chain of blocks back to back: the first can still be re-opened until the limit is reached.
    void limit()
    {
        for (const int blocks : {90, 110, 1000}) {
            ImportLog log;
            Lines lines;
            Nesting nesting(lines, log, 100);
            ExecutionStart start;
            const auto block = [&](std::int32_t event, TimeNs time) {
                start.event = event;
                nesting.begin(time, start, 0);
                nesting.end(time, start.entry, event, -1, 0);
            };
            for (int i = 0; i < blocks; ++i) block(i, i * 1000);
            block(0, blocks * 1000);
            nesting.finish(blocks * 1000, 0);
            QCOMPARE(lines.tasks.size(), blocks < 100 ? blocks : blocks + 1);
            QCOMPARE(log.count(IssueKind::SuspensionLimit) > 0, blocks >= 100);
        }
    }

    // Begins without ends, as deep as the limit allows, several times: linear time, and none of them is lost.
    void endlessNesting()
    {
        ImportLog log;
        Lines lines;
        Nesting nesting(lines, log);
        QElapsedTimer timer;
        timer.start();
        constexpr int blocks = 200'000;
        ExecutionStart start;
        for (int i = 0; i < blocks; ++i) {
            start.event = i;
            nesting.begin(i * 1000, start, 0);
        }
        nesting.beginSpan(SpanKind::Idle, blocks * 1000, 0);
        nesting.endSpan(SpanKind::Idle, blocks * 1000 + 500, 0);
        nesting.finish(blocks * 1000 + 500, 0);
        QCOMPARE(lines.tasks.size(), blocks);
        QCOMPARE(lines.busyTime, TimeNs{blocks} * 1000);
        QCOMPARE(log.count(IssueKind::MissingEnd), blocks);
        QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
    }

    // One block that never ends and does millions of things keeps no memory; what is given adds up all the same.
    void endlessBlock()
    {
        ImportLog log;
        Lines lines;
        Nesting nesting(lines, log, 100);
        nesting.begin(0, {}, 0);
        for (int i = 0; i < 5000; ++i) {
            nesting.beginSpan(SpanKind::Pack, i * 1000, 0);
            nesting.endSpan(SpanKind::Pack, i * 1000 + 500, 0);
            if (i == 4000) QVERIFY(lines.spans.size() > 3500);
        }
        nesting.end(5'000'000, 0, 0, -1, 0);
        nesting.finish(5'000'000, 0);
        QCOMPARE(lines.spans.size(), 5000);
        QCOMPARE(lines.tasks.join(u' '), QStringLiteral("0:0@0+5000 x5000 o0 p1"));
        QCOMPARE(lines.busyTime, 5'000'000);
        QCOMPARE(log.issues().size(), 0u);
    }
};

LONGPOLE_TEST(TestNesting)
#include "tst_nesting.moc"
