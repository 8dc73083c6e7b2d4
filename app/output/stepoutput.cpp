// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/stepoutput.h"

#include "app/output/pathoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

namespace longpole {

std::vector<Column> stepColumns(Vocabulary words)
{
    return {{QStringLiteral("task"), tr("Task"), CellKind::Text},
            {QStringLiteral("pe"), words.say(tr("PE"), tr("Rank")), CellKind::Count},
            {QStringLiteral("entry"), words.say(tr("Entry method"), tr("Region")), CellKind::Entry},
            {QStringLiteral("part"), tr("Part"), CellKind::Text},
            {QStringLiteral("begin_ns"), tr("Begin"), CellKind::Time},
            {QStringLiteral("end_ns"), tr("End"), CellKind::Time},
            {QStringLiteral("weight_ns"), tr("Weight"), CellKind::Time}};
}

std::vector<QVariant> stepCells(const PathStep& step, TimeNs zero)
{
    return {step.task.isValid() ? QVariant(toText(step.task)) : QVariant(),
            index(step.pe),
            Cell(step.entry),
            QLatin1String(name(step.part)),
            qlonglong(step.begin - zero),
            qlonglong(step.end - zero),
            qlonglong(step.weight)};
}

JsonValue stepJson(const TraceStore& store, const PathStep& step)
{
    return {{"task", step.task.isValid() ? toText(step.task) : JsonValue(nullptr)},
            {"pe", index(step.pe)},
            {"entry", entryJson(store, step.entry)},
            {"part", name(step.part)},
            {"begin_ns", step.begin},
            {"end_ns", step.end},
            {"weight_ns", step.weight}};
}

bool writeStepsJson(Output& output, const TraceStore& store, const std::vector<PathStep>& steps, int indent)
{
    const QByteArray line = '\n' + QByteArray(indent, ' ');
    bool going = output.write(QByteArray("["));
    for (std::size_t i = 0; i < steps.size() && going; ++i)
        going = output.write((i == 0 ? line : ',' + line) + dump(stepJson(store, steps[i]), -1).trimmed());
    return going && output.write(steps.empty() ? QByteArray("]") : '\n' + QByteArray(indent - 2, ' ') + ']');
}

}  // namespace longpole
