// SPDX-License-Identifier: GPL-3.0-or-later
// A recording as a whole: which files belong to it, and its ranks' names, clocks and communicators as one run's.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/importlog.h"
#include "importers/mpi/source.h"
#include "importers/recording/events.h"
#include "importers/recording/file.h"

#include <QString>

#include <map>
#include <optional>
#include <vector>

namespace longpole {

class SourceLines;

struct RecordingFiles {
    QString folder;                          // absolute
    std::map<std::uint32_t, QString> ranks;  // rank-000003.lprank by number
    QString index;                           // empty: there is none

    std::vector<QString> all() const;
};
// Given the folder, one of its files or the index. Errors: it holds no rank's file.
Result<RecordingFiles> findRecording(const QString& path);
// Cheap: names, and the magic of a file.
bool looksLikeRecording(const QString& path);

struct RecordingRun {
    QString folder;
    std::vector<std::optional<RecordedRank>> ranks;  // by world rank; empty if its file is missing or not readable
    std::vector<RecordingClock> clocks;              // by rank
    std::vector<RecordingNumbers> numbers;           // by rank
    RecordingRegions regions;
    MpiRunNames names;
    std::vector<std::uint32_t> threadOf;  // by location: the recorder's number of the thread
    ImportLog log;

    // When the first rank began, since 1970: a program that was changed later is not the one that ran.
    TimeNs begun() const;
};
// Reads headers and small frames of all ranks, `threads` at once. Errors: no file can be read, or the first that cannot
// says another byte order or version; cancelled.
Result<RecordingRun> openRecording(const RecordingFiles& files, unsigned threads, const Progress& progress);

// The steps of openRecording, for processes that each read some of the files.
struct RecordedFiles {
    std::vector<RecordedRank> ranks;
    ImportLog log;
    std::optional<Error> failure;  // of the first file that could not be read
};
RecordedFiles readRecordedFiles(const std::vector<QString>& paths, unsigned threads, const Progress& progress);
// The run that these make up; its begin is not known yet. Of the ranks' chunks only their threads and the calls that
// are open are looked at. Errors: as openRecording.
Result<RecordingRun> joinRecording(const RecordingFiles& files, RecordedFiles&& read, const Progress& progress);
// The earliest aligned times of the ranks that the run has here; maxTime: none.
struct EarliestTimes {
    TimeNs init = maxTime;  // the end of MPI_Init
    TimeNs record = maxTime;
    // Of the first MPI_Init; if none is recorded, of the first record.
    TimeNs begin() const { return init != maxTime ? init : (record == maxTime ? 0 : record); }
};
// Cancelled: not all are looked at.
EarliestTimes earliestTimes(const RecordingRun& run, unsigned threads, const Progress& progress);

// Numbers of a rank's communicators, functions and stacks are below this; what has a larger one stays without a name.
std::uint32_t mostNumbers(const RecordedRank& rank);

// Parts of openRecording.
void alignClocks(RecordingRun& run, std::span<const lp_index_rank> index);
void nameRegions(RecordingRun& run, SourceLines& lines, const Progress& progress = {});
Result<> nameCommunicators(RecordingRun& run);  // Error: more members than a recording of its size has
void nameStacks(RecordingRun& run, SourceLines& lines, const Progress& progress = {});
void nameLocations(RecordingRun& run);

}  // namespace longpole
