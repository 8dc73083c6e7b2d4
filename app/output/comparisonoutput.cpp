// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/comparisonoutput.h"

#include "analysis/compare/comparisonwords.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <cstdlib>

namespace longpole {

namespace {

constexpr std::size_t methodsShown = 20;
constexpr std::size_t listed = 8;

QString amountText(std::int64_t value, CellKind kind)
{
    return cellText(QVariant::fromValue<qlonglong>(value), kind, nullptr);
}

// A table whose texts from the second column on are set flush right.
class Sheet {
public:
    explicit Sheet(const QStringList& titles) { m_rows.push_back(titles); }
    void add(const QStringList& cells) { m_rows.push_back(cells); }

    void write(Output& output) const
    {
        std::vector<qsizetype> widths;
        for (const QStringList& row : m_rows)
            for (std::size_t i = 0; i < std::size_t(row.size()); ++i) {
                if (i >= widths.size()) widths.push_back(0);
                widths[i] = std::max(widths[i], row[qsizetype(i)].size());
            }
        QString text;
        for (std::size_t r = 0; r < m_rows.size(); ++r) {
            QStringList cells, rule;
            for (std::size_t i = 0; i < std::size_t(m_rows[r].size()); ++i) {
                const QString& cell = m_rows[r][qsizetype(i)];
                cells << (i == 0 ? cell.leftJustified(widths[i]) : cell.rightJustified(widths[i]));
                rule << QString(widths[i], QChar(0x2500));
            }
            text += cells.join(QStringLiteral("  ")) + QLatin1Char('\n');
            if (r == 0) text += rule.join(QStringLiteral("  ")) + QLatin1Char('\n');
        }
        output.write(text);
    }

private:
    std::vector<QStringList> m_rows;
};

QStringList changeCells(std::int64_t a, std::int64_t b, CellKind kind)
{
    return {amountText(a, kind), amountText(b, kind), signedText(saturatingSubtract(b, a), kind),
            relativeText(double(a), double(b))};
}

void writeHead(Output& output, const Comparison& c, const RunNames& names)
{
    const auto run = [](const QString& letter, const QString& name, const TraceInfo& info) -> QString {
        return info.vocabulary.say(tr("%1  %2 on %3 PEs, %4"), tr("%1  %2 on %3 ranks, %4"))
                   .arg(letter, onOneLine(name), formatCount(info.processors), formatTime(info.duration()))
               + QLatin1Char('\n');
    };
    output.write(run(QStringLiteral("A"), names.a, c.a.info) + run(QStringLiteral("B"), names.b, c.b.info));
    if (!c.notes.isEmpty()) output.write(QByteArray("\n"));
    for (const QString& note : c.notes) output.write(onOneLine(note) + QLatin1Char('\n'));
    output.write(QLatin1Char('\n') + durationSentence(c) + QLatin1Char('\n'));
    if (const QString text = iterationSentence(c); !text.isEmpty()) output.write(text + QLatin1Char('\n'));
}

void writeFigures(Output& output, const Comparison& c)
{
    Sheet sheet({tr("Figure"), tr("A"), tr("of run"), tr("B"), tr("of run"), tr("change"), tr("relative")});
    const auto share = [](std::int64_t part, const RunFigures& run, bool isShare) {
        return isShare && run.duration() > 0 ? formatShare(double(part) / double(run.duration())) : QString();
    };
    for (const ComparedFigure& figure : c.figures) {
        const QStringList cells = changeCells(figure.a, figure.b, figure.kind);
        sheet.add({tr(figure.title), cells[0], share(figure.a, c.a, figure.isShareOfRun), cells[1],
                   share(figure.b, c.b, figure.isShareOfRun), cells[2], cells[3]});
    }
    output.write(QByteArray("\n"));
    sheet.write(output);
}

void writeParts(Output& output, const Comparison& c)
{
    if (!c.a.work || !c.b.work) return;
    Sheet sheet({tr("Elapsed critical path"), tr("A"), tr("of run"), tr("B"), tr("of run"), tr("change"),
                 tr("relative")});
    const auto add = [&](const QString& title, TimeNs PathParts::*part) {
        const TimeNs a = c.a.elapsed.*part, b = c.b.elapsed.*part;
        const auto share = [](TimeNs time, TimeNs run) {
            return run > 0 ? formatShare(double(time) / double(run)) : QString();
        };
        const QStringList cells = changeCells(a, b, CellKind::Time);
        sheet.add({title, cells[0], share(a, c.a.duration()), cells[1], share(b, c.b.duration()), cells[2], cells[3]});
    };
    add(tr("compute"), &PathParts::compute);
    add(tr("network"), &PathParts::network);
    add(tr("queue"), &PathParts::queue);
    add(c.a.info.vocabulary.say(tr("overhead"), tr("in MPI")), &PathParts::overhead);
    add(tr("unexplained"), &PathParts::unexplained);
    output.write(QByteArray("\n"));
    sheet.write(output);
}

// Means of a PE, as idle time in the figures.
void writeIdleCauses(Output& output, const Comparison& c)
{
    if (!c.a.idle || !c.b.idle) return;
    Sheet sheet({c.a.info.vocabulary.say(tr("Why PEs idled, mean of a PE"), tr("Why ranks idled, mean of a rank")),
                 tr("A"), tr("B"), tr("change"), tr("relative")});
    const auto mean = [](TimeNs sum, const RunFigures& run) {
        return sum / std::max<std::int64_t>(1, run.info.processors);
    };
    for (std::size_t i = 0; i < idleCauseCount; ++i)
        sheet.add(QStringList{idleCauseText(c.a.info.vocabulary, static_cast<IdleCause>(i))}
                  + changeCells(mean((*c.a.idle)[i], c.a), mean((*c.b.idle)[i], c.b), CellKind::Time));
    output.write(QByteArray("\n"));
    sheet.write(output);
}

// Without a common phase: how busy both were at the same share of their time.
void writeTenths(Output& output, const Comparison& c)
{
    if (c.phase || c.a.tenths.size() != c.b.tenths.size()) return;
    Sheet sheet({tr("Tenth of the run"), tr("busy A"), tr("busy B"), tr("idle A"), tr("idle B")});
    const auto share = [](TimeNs part, const Usage& usage) {
        return usage.sum() > 0 ? formatShare(double(part) / double(usage.sum())) : QString();
    };
    for (std::size_t i = 0; i < c.a.tenths.size(); ++i)
        sheet.add({QString::number(i + 1), share(c.a.tenths[i].user, c.a.tenths[i]),
                   share(c.b.tenths[i].user, c.b.tenths[i]), share(c.a.tenths[i].idle, c.a.tenths[i]),
                   share(c.b.tenths[i].idle, c.b.tenths[i])});
    output.write(QByteArray("\n"));
    sheet.write(output);
}

void writeMethods(Output& output, const Comparison& c)
{
    Sheet sheet({c.a.info.vocabulary.say(tr("Entry methods by change"), tr("Regions by change")), tr("time A"),
                 tr("time B"), tr("change"), tr("relative"), tr("count A"), tr("count B"), tr("grain A"), tr("grain B"),
                 tr("path A"), tr("path B")});
    const auto text = [](const std::optional<MethodFigures>& method, auto get, CellKind kind) {
        return method ? amountText(get(*method), kind) : QStringLiteral("–");
    };
    std::size_t rows = 0;
    for (const ComparedMethod& m : c.methods) {
        if (++rows > methodsShown) break;
        const auto pair = [&](auto get, CellKind kind) {
            return QStringList{text(m.a, get, kind), text(m.b, get, kind)};
        };
        const auto time = [](const MethodFigures& f) { return f.time; };
        QStringList cells{methodName(m.any())};
        cells += pair(time, CellKind::Time);
        cells << signedText(m.change, CellKind::Time)
              << relativeText(m.a ? double(m.a->time) : 0, m.b ? double(m.b->time) : 0);
        cells += pair([](const MethodFigures& f) { return f.count; }, CellKind::Count);
        cells += pair([](const MethodFigures& f) { return f.meanGrain(); }, CellKind::Time);
        cells += pair([](const MethodFigures& f) { return f.onElapsedPath; }, CellKind::Time);
        sheet.add(cells);
    }
    output.write(QByteArray("\n"));
    sheet.write(output);
    if (c.methods.size() > methodsShown)
        output.write(tr("%1 more").arg(formatCount(std::int64_t(c.methods.size() - methodsShown))) + QLatin1Char('\n'));
    if (c.perProcessor)
        output.write(c.a.info.vocabulary.say(tr("change: of the mean of a PE"), tr("change: of the mean of a rank"))
                     + QLatin1Char('\n'));
}

// Those of at least a thousandth of the longer run, a few of them.
void writeList(Output& output, const QString& title, const Comparison& c, const std::vector<std::size_t>& indices,
               auto size, auto text)
{
    const TimeNs least = std::max(c.a.duration(), c.b.duration()) / 1000;
    QString lines;
    std::size_t shown = 0;
    while (shown < std::min(indices.size(), listed) && size(c.methods[indices[shown]]) >= least)
        lines += QStringLiteral("  ") + text(c.methods[indices[shown++]]) + QLatin1Char('\n');
    if (shown == 0) return;
    if (indices.size() > shown)
        lines += tr("  and %1 more, less each").arg(formatCount(std::int64_t(indices.size() - shown)))
                 + QLatin1Char('\n');
    output.write(QLatin1Char('\n') + title + QLatin1Char('\n') + lines);
}

void writePathsAndWaits(Output& output, const Comparison& c)
{
    const auto timeOf = [](bool inB) {
        return [inB](const ComparedMethod& m) { return inB ? m.b->onElapsedPath : m.a->onElapsedPath; };
    };
    const auto onPath = [](bool inB, const RunFigures& run) {
        return [inB, &run](const ComparedMethod& m) -> QString {
            const TimeNs time = inB ? m.b->onElapsedPath : m.a->onElapsedPath;
            const double share = run.duration() > 0 ? double(time) / double(run.duration()) : 0;
            return tr("%1: %2, %3 of the run").arg(methodName(m.any()), formatTime(time), formatShare(share));
        };
    };
    writeList(output, tr("Entered the elapsed critical path"), c, c.entered, timeOf(true), onPath(true, c.b));
    writeList(output, tr("Left the elapsed critical path"), c, c.left, timeOf(false), onPath(false, c.a));
    const auto change = [](const ComparedMethod& m) { return std::abs(waitsOf(m.b) - waitsOf(m.a)); };
    const auto wait = [](const ComparedMethod& m) -> QString {
        const auto queued = [](const auto& f) { return formatTime(f ? f->queued : 0); };
        const auto inFlight = [](const auto& f) { return formatTime(f ? f->inFlight : 0); };
        return tr("%1: %2 (queue %3 to %4, network %5 to %6)")
            .arg(methodName(m.any()), signedText(waitsOf(m.b) - waitsOf(m.a), CellKind::Time), queued(m.a), queued(m.b),
                 inFlight(m.a), inFlight(m.b));
    };
    const QString of = c.a.estimated > 0 || c.b.estimated > 0
                           ? tr(" (work path at messages; logs without receive times: arrivals are estimates)")
                           : tr(" (work path at messages)");
    writeList(output, tr("Critical tasks waited longer") + of, c, c.waitsGained, change, wait);
    writeList(output, tr("Critical tasks waited less") + of, c, c.waitsLost, change, wait);
}

void writeText(Output& output, const Comparison& c, const RunNames& names)
{
    writeHead(output, c, names);
    writeFigures(output, c);
    writeParts(output, c);
    writeIdleCauses(output, c);
    writeTenths(output, c);
    writeMethods(output, c);
    writePathsAndWaits(output, c);
    if (std::none_of(c.advice.begin(), c.advice.end(), [](const AdviceCheck& checked) { return checked.saysMuch(); }))
        return;
    output.write(QLatin1Char('\n') + tr("Did the advice given on A come true in B? (B may differ for other reasons.)")
                 + QLatin1Char('\n'));
    for (const AdviceCheck& checked : c.advice)
        if (checked.saysMuch())
            output.write(QStringLiteral("  ") + onOneLine(checked.advice.title) + QStringLiteral("\n    ")
                         + onOneLine(checked.text) + QLatin1Char('\n'));
}

// One line for each value that both runs can have.
void writeCsv(Output& output, const Comparison& c)
{
    TableWriter table(output, OutputFormat::Csv,
                      {{QStringLiteral("kind"), {}, CellKind::Text},
                       {QStringLiteral("name"), {}, CellKind::Text},
                       {QStringLiteral("a"), {}, CellKind::Count},
                       {QStringLiteral("b"), {}, CellKind::Count},
                       {QStringLiteral("change"), {}, CellKind::Count}},
                      nullptr);
    const auto row = [&](const QString& kind, const QString& name, std::int64_t a, std::int64_t b) {
        table.row({kind, name, qlonglong(a), qlonglong(b), qlonglong(saturatingSubtract(b, a))});
    };
    for (const ComparedFigure& f : c.figures)
        row(QStringLiteral("figure"),
            QLatin1String(f.id) + (f.kind == CellKind::Time ? QStringLiteral("_ns") : QString()), f.a, f.b);
    if (c.phase)
        row(QStringLiteral("iteration"), QStringLiteral("median_ns"), c.phase->a.durations.median,
            c.phase->b.durations.median);
    for (const ComparedMethod& m : c.methods) {
        const QString name = m.any().chare + QStringLiteral("::") + m.any().name;
        const auto pair = [&](const QString& kind, auto get) {
            row(kind, name, m.a ? get(*m.a) : 0, m.b ? get(*m.b) : 0);
        };
        pair(QStringLiteral("count"), [](const MethodFigures& f) { return f.count; });
        pair(QStringLiteral("time_ns"), [](const MethodFigures& f) { return f.time; });
        pair(QStringLiteral("grain_ns"), [](const MethodFigures& f) { return f.meanGrain(); });
        pair(QStringLiteral("work_path_ns"), [](const MethodFigures& f) { return f.onWorkPath; });
        pair(QStringLiteral("elapsed_path_ns"), [](const MethodFigures& f) { return f.onElapsedPath; });
        pair(QStringLiteral("queued_ns"), [](const MethodFigures& f) { return f.queued; });
        pair(QStringLiteral("in_flight_ns"), [](const MethodFigures& f) { return f.inFlight; });
    }
    table.finish();
}

}  // namespace

QString runName(const QString& path)
{
    const QFileInfo file(QDir::cleanPath(path));
    return file.isDir() ? QDir(file.absoluteFilePath()).dirName() : file.completeBaseName();
}

void writeComparison(Output& output, OutputFormat format, const Comparison& comparison, const RunNames& names)
{
    switch (format) {
    case OutputFormat::Text: writeText(output, comparison, names); break;
    case OutputFormat::Csv: writeCsv(output, comparison); break;
    case OutputFormat::Json: output.write(dump(comparisonJson(comparison, names))); break;
    }
}

}  // namespace longpole
