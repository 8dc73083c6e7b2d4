// SPDX-License-Identifier: GPL-3.0-or-later
// longpole profile: where the time went, by entry method, chare, processor or object.
#include "analysis/statistics/sumquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"

#include <optional>

namespace longpole {

namespace {

ProfileBy profileBy(const CommandLine& line)
{
    const QString by = line.value("by");
    if (by == QLatin1String("chare")) return ProfileBy::Chare;
    if (by == QLatin1String("pe")) return ProfileBy::Pe;
    if (by == QLatin1String("calls")) return ProfileBy::Calls;
    return by == QLatin1String("object") ? ProfileBy::Object : ProfileBy::Entry;
}

// Names of chares can collide: what programs read carries the id too.
bool hasChareId(ProfileBy by, OutputFormat format)
{
    return (by == ProfileBy::Chare || by == ProfileBy::Object) && format != OutputFormat::Text;
}

Column keyColumn(Vocabulary words, ProfileBy by)
{
    switch (by) {
    case ProfileBy::Chare: return {QStringLiteral("chare"), words.say(tr("Chare"), tr("Group")), CellKind::Text};
    case ProfileBy::Pe: return {QStringLiteral("pe"), words.say(tr("PE"), tr("Rank")), CellKind::Text};
    case ProfileBy::Object: return {QStringLiteral("object"), tr("Object"), CellKind::Text};
    case ProfileBy::Calls: return {QStringLiteral("calls"), tr("Code between calls"), CellKind::Text};
    case ProfileBy::Entry: break;
    }
    return {QStringLiteral("entry"), words.say(tr("Entry method"), tr("Region")), CellKind::Entry};
}

QVariant keyCell(ProfileBy by, const ProfileLine& line)
{
    switch (by) {
    case ProfileBy::Pe: return index(line.key.pe);
    case ProfileBy::Entry: return line.key.entry == noEntry ? QVariant() : QVariant(index(line.key.entry));
    case ProfileBy::Chare:
    case ProfileBy::Object:
    case ProfileBy::Calls: break;
    }
    return line.name;
}

std::vector<Column> columns(Vocabulary words, ProfileBy by, OutputFormat format)
{
    std::vector<Column> list{keyColumn(words, by)};
    if (hasChareId(by, format)) list.push_back({QStringLiteral("chare_id"), {}, CellKind::Text});
    list.push_back({QStringLiteral("count"), tr("Count"), CellKind::Count});
    list.push_back({QStringLiteral("time_ns"), tr("Time"), CellKind::Time});
    list.push_back({QStringLiteral("exclusive_ns"), tr("Exclusive"), CellKind::Time});
    list.push_back({QStringLiteral("share"), tr("Share"), CellKind::Share});
    list.push_back({QStringLiteral("messages"), tr("Messages"), CellKind::Count});
    list.push_back({QStringLiteral("bytes"), tr("Bytes"), CellKind::Bytes});
    return list;
}

std::vector<QVariant> cells(ProfileBy by, OutputFormat format, const ProfileLine& line)
{
    std::vector<QVariant> list{keyCell(by, line)};
    if (hasChareId(by, format))
        list.push_back(line.key.chare == ChareId{0xffffffffu} ? QVariant() : QVariant(index(line.key.chare)));
    for (const qlonglong figure : {line.count, line.time, line.exclusive}) list.push_back(figure);
    list.push_back(line.share);
    for (const qlonglong figure : {line.messages, line.bytes}) list.push_back(figure);
    return list;
}

ExitCode runProfile(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const ProfileBy by = profileBy(line);
    if (by == ProfileBy::Calls && !trace->store->info().hasRanks())
        return fail(Error{.what = tr("The trace has no MPI calls."),
                          .where = trace->store->path(),
                          .hint = tr("Ask for --by entry, chare, pe or object.")});
    // Which object ran is known of executions only.
    if (by == ProfileBy::Object)
        if (const Result<> there = requireEvents(*trace->store); !there) return fail(there.error());
    std::optional<Result<std::shared_ptr<const ProfileQuestion::Answer>>> lines;
    withProgress(tr("Adding up"),
                 [&](const Progress& progress) { lines = trace->results->ask(ProfileQuestion{by}, progress); });
    if (!*lines) return fail(lines->error());
    return deliver(line, [&](Output& output) {
        TableWriter writer(output, *format, columns(trace->store->words(), by, *format), trace->store.get());
        for (const ProfileLine& entry : ***lines)
            if (!writer.row(cells(by, *format, entry))) return;
        writer.finish();
    });
}

constexpr CommandOption options[] = {
    {"by", "KIND",
     "one row per entry method or region (default), chare or group, processor or rank, object, or the MPI "
     "calls around the code",
     "entry chare pe object calls"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

constexpr CommandExample examples[] = {
    {"longpole profile jacobi2d.sts", "the entry methods that took most time, first"},
    {"longpole profile jacobi2d.sts --by chare --csv", "the same by chare, for a spreadsheet"},
};

}  // namespace

extern const Command profileCommand;  // commands.cpp lists it
const Command profileCommand{
    .name = "profile",
    .arguments = "TRACE",
    .summary = "time, messages and bytes per entry method, chare, processor or object",
    .description =
        R"(Lists where the time went, largest first. The time of nested executions belongs to the innermost (exclusive);
the share is exclusive time over all busy time.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = options,
    .examples = examples,
    .run = runProfile,
};

}  // namespace longpole
