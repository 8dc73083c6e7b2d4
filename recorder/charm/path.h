// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the longest path over the logs of all PEs, by letters between them, one request after the other.
#ifndef LONGPOLE_PATH_H
#define LONGPOLE_PATH_H

#include "pathreplay.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace longpole_module {

struct FoundPath {
    struct Step {
        std::int32_t pe;
        std::uint32_t entry;
        std::int64_t begin, weight;
        PathLink link;
    };
    PathLevel level = MergesLevel;
    std::int64_t length = -1;              // -1: PEs did not answer
    std::int64_t begin = 0;                // of the first task that is kept
    std::int64_t cut = 0;                  // when the request came
    std::vector<Step> steps{};             // oldest first, if they were asked for
    std::vector<PathReplay::Sums> sums{};  // by entry method, of all PEs
    std::vector<char> isOnPath{};          // by PE
    std::uint64_t tasks = 0, stepCount = 0;
    std::uint64_t bytes = 0;                       // of all logs
    int dropped = 0;                               // PEs whose logs have lost their begin
    std::vector<ActivityLog::MergeKeys> merges{};  // with the steps
};

void beginPathSearch();  // at the start of every PE, which has a log
// Whether tasks are kept from now on, on all PEs; On and Forget begin with nothing. Any PE may say so.
enum class Recording : std::int32_t { Off, On, Forget };
void setRecordingEverywhere(Recording recording);

// Only on PE 0. `then` is called there.
void findPath(PathLevel level, bool wantsSteps, std::function<void(const FoundPath &)> then);

// Entry methods by what they have of the path, most first; those without are left out.
std::vector<std::uint32_t> byTimeOnPath(const FoundPath &path);

const char *nameOf(PathLevel level);  // "messages", "merges", "order"
void sayPath(const FoundPath &path);
// Whether a file is empty or begins so: it may be replaced.
bool beginsWith(int file, const std::string &mark);
// As JSON. Returns why it could not be written; empty if it was.
std::string writePath(const FoundPath &path, const std::string &file);
// The recorded merges, for `longpole import`, which reads them beside the logs (docs/tasks/record-charm.md). The first
// line says when, by which it knows those of an earlier run.
std::string writeMerges(const FoundPath &path, const std::string &file);
// Removes what writeMerges has written in an earlier run, and nothing else.
void removeMerges(const std::string &file);

}  // namespace longpole_module

#endif
