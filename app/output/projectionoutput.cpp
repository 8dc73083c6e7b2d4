// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the values row by row, as exact integers if the attribute has them.
#include "app/output/projectionoutput.h"

#include "analysis/base/json.h"
#include "analysis/base/naming.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// What is written as one matrix: the values of rows and columns, and the exact integers if there are any.
struct Matrix {
    std::vector<TimeRange> stages;
    std::vector<std::vector<double>> values;
    std::vector<std::vector<std::int64_t>> counts;  // empty: not exact integers
};

template <typename Value>
std::vector<Value> chosen(const std::vector<Value>& all, std::size_t first, const std::vector<std::size_t>& stages)
{
    std::vector<Value> some;
    some.reserve(stages.size());
    for (const std::size_t stage : stages) some.push_back(all[first + stage]);
    return some;
}

Matrix detailed(const Projection& projection, const ProjectionOutput& what)
{
    Matrix matrix;
    for (const std::size_t stage : what.stages) matrix.stages.push_back(projection.stages.range(stage));
    const std::size_t columns = projection.stages.count();
    for (std::size_t pe = 0; pe < projection.pes.size(); ++pe) {
        matrix.values.push_back(chosen(projection.values, pe * columns, what.stages));
        if (!projection.counts.empty()) matrix.counts.push_back(chosen(projection.counts, pe * columns, what.stages));
    }
    return matrix;
}

Matrix overview(const Projection& projection, const ProjectionOutput& what)
{
    const bool isTogether = what.statistic.kind == Statistic::Kind::Together;
    const bool isExact = isTogether && !projection.counts.empty();
    Matrix matrix;
    if (what.view == ProjectionView::OverProcessors) {
        for (const std::size_t stage : what.stages) matrix.stages.push_back(projection.stages.range(stage));
        matrix.values.push_back(chosen(overProcessors(projection, what.statistic), 0, what.stages));
        if (isExact) matrix.counts.push_back(chosen(projection.countsPerStage, 0, what.stages));
        return matrix;
    }
    matrix.stages.push_back(projection.stages.whole());
    for (const double value : overStages(projection, what.statistic)) matrix.values.push_back({value});
    if (isExact)
        for (const std::int64_t count : projection.countsPerProcessor) matrix.counts.push_back({count});
    return matrix;
}

JsonValue numberJson(const Matrix& matrix, std::size_t row, std::size_t column)
{
    const double value = matrix.values[row][column];
    if (!matrix.counts.empty() && !std::isnan(value)) return matrix.counts[row][column];
    return std::isfinite(value) ? JsonValue(value) : JsonValue(nullptr);
}

QString numberText(const Matrix& matrix, std::size_t row, std::size_t column)
{
    const double value = matrix.values[row][column];
    if (!matrix.counts.empty() && !std::isnan(value)) return QString::number(matrix.counts[row][column]);
    return std::isfinite(value) ? QString::number(value, 'g', 17) : QString();
}

const char* viewName(ProjectionView view) { return view == ProjectionView::Detailed ? "detailed" : "overview"; }

void writeJson(Output& output, const TraceStore& store, const Projection& projection, const ProjectionOutput& what,
               const Matrix& matrix)
{
    JsonValue head;
    head["attribute"] = attributeName(projection.attribute, store);
    head["unit"] = unitName(projection.attribute.unit());
    head["additive"] = projection.attribute.isAdditive();
    head["estimated"] = projection.isEstimated;
    head["view"] = viewName(what.view);
    head["over"] = what.view == ProjectionView::Detailed         ? JsonValue(nullptr)
                   : what.view == ProjectionView::OverProcessors ? JsonValue("processors")
                                                                 : JsonValue("time");
    head["statistic"] = what.view == ProjectionView::Detailed ? JsonValue(nullptr) : statisticName(what.statistic);
    JsonValue edges = JsonValue::array();
    for (const TimeRange& stage : matrix.stages) edges.push_back(stage.begin);
    if (!matrix.stages.empty()) edges.push_back(matrix.stages.back().end);
    head["stage_edges_ns"] = std::move(edges);
    JsonValue pes = JsonValue::array();
    for (const ProcessorId pe : projection.pes) pes.push_back(index(pe));
    head["pes"] = std::move(pes);
    QByteArray text = dump(head, -1).trimmed();
    text.chop(1);  // the closing brace: the values follow, a row at a time
    output.write(QByteArray(text + ",\n\"values\": ["));
    for (std::size_t row = 0; row < matrix.values.size(); ++row) {
        JsonValue line = JsonValue::array();
        for (std::size_t column = 0; column < matrix.values[row].size(); ++column)
            line.push_back(numberJson(matrix, row, column));
        output.write(QByteArray((row ? ",\n" : "\n") + dump(line, -1).trimmed()));
    }
    output.write(QByteArray("\n]}\n"));
}

void writeCsv(Output& output, const TraceStore& store, const Projection& projection, const ProjectionOutput& what,
              const Matrix& matrix)
{
    const bool hasPe = what.view != ProjectionView::OverProcessors;
    const bool hasStage = what.view != ProjectionView::OverTime;
    QString head;
    if (hasPe) head += QStringLiteral("pe,");
    if (hasStage) head += QStringLiteral("stage,");
    output.write(QString(head + QStringLiteral("begin_ns,end_ns,")
                         + csvField(attributeName(projection.attribute, store)) + QStringLiteral("\r\n")));
    for (std::size_t row = 0; row < matrix.values.size(); ++row) {
        QString lines;
        for (std::size_t column = 0; column < matrix.values[row].size(); ++column) {
            if (hasPe) lines += QString::number(index(projection.pes[row])) + QLatin1Char(',');
            if (hasStage) lines += QString::number(what.stages[column]) + QLatin1Char(',');
            lines += QString::number(matrix.stages[column].begin) + QLatin1Char(',')
                     + QString::number(matrix.stages[column].end) + QLatin1Char(',') + numberText(matrix, row, column)
                     + QStringLiteral("\r\n");
        }
        if (!output.write(lines)) return;
    }
}

QString cell(const Projection& projection, double value) { return attributeText(value, projection.attribute.unit()); }

// Text has one line per stage or processor of an overview; of a detailed view, one per processor with its total.
void writeText(Output& output, const TraceStore& store, const Projection& projection, const ProjectionOutput& what,
               const Matrix& matrix)
{
    const QString name = onOneLine(attributeTitle(projection.attribute, store));
    output.write(tr("%1 · %2 · %3%4")
                     .arg(name, counted("%1 stages", "%1 stage", std::int64_t(matrix.stages.size())),
                          countedProcessors(store.words(), std::int64_t(projection.pes.size())),
                          projection.isEstimated ? tr(" · receive times estimated") : QString())
                 + QStringLiteral("\n\n"));
    const TimeNs zero = store.info().begin;
    if (what.view == ProjectionView::OverProcessors) {
        TableWriter table(output, OutputFormat::Text,
                          {{QStringLiteral("stage"), tr("Stage"), CellKind::Count},
                           {QStringLiteral("begin"), tr("Start"), CellKind::Time},
                           {QStringLiteral("length"), tr("Length"), CellKind::Time},
                           {QStringLiteral("value"), statisticName(what.statistic), CellKind::Text}},
                          &store);
        for (std::size_t i = 0; i < matrix.stages.size(); ++i)
            table.row({qlonglong(what.stages[i]), qlonglong(matrix.stages[i].begin - zero),
                       qlonglong(matrix.stages[i].length()), cell(projection, matrix.values[0][i])});
        table.finish();
        return;
    }
    const std::vector<Statistic> statistics = what.view == ProjectionView::OverTime
                                                  ? std::vector<Statistic>{what.statistic}
                                                  : std::vector<Statistic>{{},
                                                                           {Statistic::Kind::Mean},
                                                                           {Statistic::Kind::Least},
                                                                           {Statistic::Kind::Largest}};
    std::vector<Column> columns{{QStringLiteral("pe"), store.words().say(tr("PE"), tr("Rank")), CellKind::Text}};
    std::vector<std::vector<double>> values;
    for (const Statistic statistic : statistics) {
        columns.emplace_back(statisticName(statistic), statisticName(statistic), CellKind::Text);
        values.push_back(overStages(projection, statistic));
    }
    TableWriter table(output, OutputFormat::Text, std::move(columns), &store);
    for (std::size_t pe = 0; pe < projection.pes.size(); ++pe) {
        std::vector<QVariant> cells{QString::number(index(projection.pes[pe]))};
        for (const auto& column : values) cells.emplace_back(cell(projection, column[pe]));
        table.row(cells);
    }
    table.finish();
    if (what.view == ProjectionView::Detailed)
        output.write(QLatin1Char('\n')
                     + store.words().say(tr("--csv and --json have every stage of every PE."),
                                         tr("--csv and --json have every stage of every rank."))
                     + QLatin1Char('\n'));
}

}  // namespace

QString statisticName(Statistic statistic)
{
    switch (statistic.kind) {
    case Statistic::Kind::Mean: return QStringLiteral("mean");
    case Statistic::Kind::Largest: return QStringLiteral("max");
    case Statistic::Kind::Least: return QStringLiteral("min");
    case Statistic::Kind::Percentile: return QStringLiteral("percentile %1").arg(statistic.percentile);
    case Statistic::Kind::Together: break;
    }
    return QStringLiteral("together");
}

void writeProjection(Output& output, OutputFormat format, const TraceStore& store, const Projection& projection,
                     const ProjectionOutput& what)
{
    const Matrix matrix = what.view == ProjectionView::Detailed ? detailed(projection, what)
                                                                : overview(projection, what);
    switch (format) {
    case OutputFormat::Json: return writeJson(output, store, projection, what, matrix);
    case OutputFormat::Csv: return writeCsv(output, store, projection, what, matrix);
    case OutputFormat::Text: break;
    }
    writeText(output, store, projection, what, matrix);
}

}  // namespace longpole
