// SPDX-License-Identifier: GPL-3.0-or-later
// How fields of the definitions are named in the plain tables: the keys of meta, and words that stand for kinds.
#pragma once

#include "core/base/limits.h"
#include "core/file/definitions.h"
#include "core/trace/trace.h"

#include <QString>

#include <cstdint>
#include <string_view>

namespace longpole {

struct TextField {
    const char* key;
    QString TraceInfo::*field;
};
struct IntegerField {
    const char* key;
    std::int64_t TraceInfo::*field;
};
// Views lay them out, and so do reports: what is said of a run beyond that many characters is left out.
inline constexpr qsizetype mostOfText = 64 * limits::nameLength.free;
inline constexpr TextField textFields[] = {
    {"format", &TraceInfo::format},       {"version", &TraceInfo::version},
    {"program", &TraceInfo::program},     {"commandline", &TraceInfo::commandline},
    {"machine", &TraceInfo::machine},     {"hostname", &TraceInfo::hostname},
    {"timestamp", &TraceInfo::timestamp}, {"charm_version", &TraceInfo::charmVersion},
    {"source", &TraceInfo::source},       {"fingerprint", &TraceInfo::fingerprint}};
inline constexpr IntegerField integerFields[] = {{"processors", &TraceInfo::processors},
                                                 {"tasks", &TraceInfo::tasks},
                                                 {"messages", &TraceInfo::messages},
                                                 {"messages_matched", &TraceInfo::messagesMatched},
                                                 {"executions_unmatched", &TraceInfo::executionsUnmatched},
                                                 {"records", &TraceInfo::records},
                                                 {"begin_ns", &TraceInfo::begin},
                                                 {"end_ns", &TraceInfo::end},
                                                 {"busy_ns", &TraceInfo::busy},
                                                 {"idle_ns", &TraceInfo::idle},
                                                 {"startup_ns", &TraceInfo::startup},
                                                 {"shutdown_ns", &TraceInfo::shutdown},
                                                 {"before_begin_ns", &TraceInfo::before},
                                                 {"cores", &TraceInfo::cores},
                                                 {"cpu_ns", &TraceInfo::cpu},
                                                 {"without_core_ns", &TraceInfo::withoutCore},
                                                 {"without_core_rank", &TraceInfo::withoutCoreMost},
                                                 {"source_bytes", &TraceInfo::sourceBytes},
                                                 {"interval_ns", &TraceInfo::interval},
                                                 {"part", &TraceInfo::part},
                                                 {"iterations", &TraceInfo::iterations}};

// Names of tables, with blanks between them, that the version which computed the answers did not have.
inline constexpr std::string_view lackingKey = "lacks";

// Kinds of call paths.
inline constexpr std::string_view functionKind = "function";
inline constexpr std::string_view placeKind = "place";

inline HasEvents eventsOf(const Definitions& definitions)
{
    return definitions.info.isPart() ? HasEvents::OfParts : HasEvents::All;
}

}  // namespace longpole
