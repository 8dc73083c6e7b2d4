// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/projectiontables.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

std::vector<Word> attributeUnitWords()
{
    std::vector<Word> words;
    for (const AttributeUnit unit :
         {AttributeUnit::Time, AttributeUnit::Share, AttributeUnit::Count, AttributeUnit::Bytes, AttributeUnit::Number})
        words.push_back({QLatin1String(unitName(unit)), QLatin1String(unitName(unit))});
    return words;
}

QString restrictedTo(const AttributeSpec& spec)
{
    switch (spec.restrictedTo) {
    case RestrictedTo::Nothing: break;
    case RestrictedTo::Code: return tr("@ENTRY, @CHARE");
    case RestrictedTo::Region: return spec.group == AttributeGroup::Events ? tr("@EVENT") : tr("@STATISTIC");
    case RestrictedTo::Call: return tr("@CALL");
    case RestrictedTo::WaitState: return tr("@WAIT_STATE");
    }
    return {};
}

}  // namespace

Table<AttributeSpec> attributeTable(const TableScope& scope)
{
    return {QStringLiteral("project.attributes"),
            tr("Attributes"),
            {
                {{"attribute", tr("Attribute"), CellKind::Text, tr("Its name, as --attribute and formulas take it")},
                 &AttributeSpec::id},
                {Column("unit", tr("Unit"), CellKind::Text, tr("Unit of its values")).oneOf(attributeUnitWords()),
                 [](const AttributeSpec& row) { return unitName(row.unit); }},
                {{"additive", tr("Additive"), CellKind::Flag,
                  tr("Its values are integers, and add up over stages and over PEs or ranks")},
                 [](const AttributeSpec& row) { return Attribute{.spec = &row}.isAdditive(); }},
                {{"of", tr("Of"), CellKind::Text, tr("What it can be, or has to be, restricted to")}, restrictedTo},
                {{"description", tr("What it is"), CellKind::Text, tr("What it is")},
                 [words = scope.words](const AttributeSpec& row) {
                     return QCoreApplication::translate("Attributes", words.say(row.explanation));
                 }},
                {{"missing", tr("Missing because"), CellKind::Text,
                  tr("Why the trace cannot show it; empty where it can")},
                 [store = scope.store](const AttributeSpec& row) { return whyMissing(row, *store); }},
            }};
}

Table<AttributeRow> attributeRowTable(const TableScope& scope)
{
    return {QStringLiteral("overview.attributes"),
            tr("Attributes of the overview"),
            {
                {{"attribute", tr("Attribute"), CellKind::Text, tr("What was added up")},
                 [store = scope.store](const AttributeRow& row) { return attributeTitle(row.attribute, *store); }},
                {{"together", tr("Together"), CellKind::Number,
                  tr("All stages, and all PEs or ranks, as one: the sum, or sum over sum")},
                 &AttributeRow::total},
                {{"least", tr("Least"), CellKind::Number, tr("The smallest of the values that are drawn")},
                 &AttributeRow::least},
                {{"largest", tr("Largest"), CellKind::Number, tr("The largest of the values that are drawn")},
                 &AttributeRow::largest},
            }};
}

QString stackPartName(const TraceStore& store, const StackPart& part)
{
    const Vocabulary words = store.words();
    switch (part.kind) {
    case StackPart::Kind::Idle: return words.say(tr("idle"), tr("waiting in MPI"));
    case StackPart::Kind::Overhead: return words.say(tr("overhead"), tr("in MPI"));
    case StackPart::Kind::AllEntries: return words.say(tr("entry methods"), tr("regions"));
    case StackPart::Kind::LeftOut: return tr("tasks of other durations");
    case StackPart::Kind::Missing: return tr("not in the trace");
    case StackPart::Kind::OtherEntries:
        return counted("%1 others", "%1 other", static_cast<std::int64_t>(part.entries));
    case StackPart::Kind::Entry: break;
    }
    return nameOfEntry(store, part.entry);
}

Table<StackPart> stackTable(const TableScope& scope, TimeNs whole)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("overview.parts"),
            words.say(tr("Time by entry method"), tr("Time by region")),
            {
                {{"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Text,
                  words.say(tr("The entry method, or what else PEs did with their time"),
                            tr("The region, or what else ranks did with their time"))},
                 [store = scope.store](const StackPart& row) { return stackPartName(*store, row); }},
                {{"time_ns", words.say(tr("PE-time"), tr("Rank-time")), CellKind::Time,
                  words.say(tr("What all PEs together spent in it"), tr("What all ranks together spent in it"))},
                 &StackPart::total},
                {{"share", tr("Share"), CellKind::Share,
                  words.say(tr("Of the time of all PEs"), tr("Of the time of all ranks"))},
                 [whole](const StackPart& row) { return ratio(double(row.total), double(whole)); }},
            }};
}

Table<OutlierRow> outlierTable(const TableScope& scope)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("detail.outliers"),
            words.say(tr("Outliers among PEs"), tr("Outliers among ranks")),
            {
                {{"pe", words.say(tr("PE"), tr("Rank")), CellKind::Number,
                  words.say(tr("The PE that is unlike those of its cluster"),
                            tr("The rank that is unlike those of its cluster"))},
                 &OutlierRow::pe},
                {{"reason", tr("Outlier because"), CellKind::Text, tr("Where it differs most from its cluster")},
                 &OutlierRow::reason},
                {{"distance", tr("Distance"), CellKind::Share, tr("Distance from its cluster")}, &OutlierRow::distance},
            }};
}

std::vector<TableInfo> projectionTables(Vocabulary words)
{
    return {infoOf(attributeTable(words)), infoOf(attributeRowTable(words)), infoOf(stackTable(words)),
            infoOf(outlierTable(words))};
}

}  // namespace longpole
