// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/pathnames.h"

#include "core/base/translate.h"

namespace longpole {

const char* name(PathMode mode)
{
    switch (mode) {
    case PathMode::Work: return "work";
    case PathMode::Elapsed: return "elapsed";
    case PathMode::Sweep: break;
    }
    return "sweep";
}

const char* name(EdgeLevel edges)
{
    switch (edges) {
    case EdgeLevel::Messages: return "messages";
    case EdgeLevel::Merges: return "merges";
    case EdgeLevel::Data: return "data";
    case EdgeLevel::Order: break;
    }
    return "order";
}

const char* name(PathPart part)
{
    switch (part) {
    case PathPart::Compute: return "compute";
    case PathPart::Network: return "network";
    case PathPart::Queue: return "queue";
    case PathPart::Overhead: return "overhead";
    case PathPart::Startup: return "startup";
    case PathPart::Unexplained: break;
    }
    return "unexplained";
}

QString title(PathPart part, Vocabulary words)
{
    switch (part) {
    case PathPart::Compute: return tr("compute");
    case PathPart::Network: return tr("network");
    case PathPart::Queue: return tr("queue");
    case PathPart::Overhead: return words.say(tr("overhead"), tr("in MPI and barriers"));
    case PathPart::Startup: return tr("start-up and shut-down");
    case PathPart::Unexplained: break;
    }
    return tr("unexplained");
}

QString title(PathEdge edge)
{
    switch (edge) {
    case PathEdge::Start: return tr("start");
    case PathEdge::Order: return tr("order");
    case PathEdge::Message: return tr("message");
    case PathEdge::RecordedMerge: return tr("merge");
    case PathEdge::InferredMerge: break;
    }
    return tr("inferred merge");
}

std::array<PathPartTime, 6> each(const PathParts& parts)
{
    return {{{PathPart::Compute, parts.compute},
             {PathPart::Network, parts.network},
             {PathPart::Queue, parts.queue},
             {PathPart::Overhead, parts.overhead},
             {PathPart::Unexplained, parts.unexplained},
             {PathPart::Startup, parts.startup}}};
}

std::vector<PathPartTime> spoken(const PathParts& parts, Vocabulary words)
{
    std::vector<PathPartTime> found;
    for (const PathPartTime& part : each(parts))
        if (part.part != (words.ofRanks() ? PathPart::Queue : PathPart::Startup)) found.push_back(part);
    return found;
}

}  // namespace longpole
