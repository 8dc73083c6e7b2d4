// SPDX-License-Identifier: GPL-3.0-or-later
// The list of soft errors: identifier and sentence of each kind, in the order of the enum.
#include "core/trace/issues.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace longpole {
namespace {

struct IssueSpec {
    const char* identifier;
    const char* sentence;
};

constexpr std::array<IssueSpec, issueKinds> allIssueSpecs{{
    {"missing_symbols", QT_TRANSLATE_NOOP("Issues", "There is no .sts file: entry methods and events are numbered.")},
    {"empty_symbols", QT_TRANSLATE_NOOP("Issues",
                                        "The .sts file is empty, as a killed run leaves it: entry methods are "
                                        "numbered unless another run's .sts is given.")},
    {"cut_symbols", QT_TRANSLATE_NOOP("Issues", "The .sts file has no END line: names after the cut are missing.")},
    {"malformed_symbol", QT_TRANSLATE_NOOP("Issues", "A line of the .sts file could not be read and was skipped.")},
    {"newer_version",
     QT_TRANSLATE_NOOP("Issues", "The .sts has a version that this program does not know; it was read as version 11.")},
    {"implausible_processors",
     QT_TRANSLATE_NOOP("Issues", "The .sts file names an implausible number of PEs: the logs decide.")},
    {"missing_log", QT_TRANSLATE_NOOP("Issues", "A PE has no log: its row is empty and counts as overhead.")},
    {"foreign_log", QT_TRANSLATE_NOOP("Issues", "A log of a PE that the run does not have was left out.")},
    {"duplicate_log", QT_TRANSLATE_NOOP("Issues", "A PE has two logs: only the first was imported.")},
    {"empty_log", QT_TRANSLATE_NOOP("Issues", "A log holds no record.")},
    {"unreadable_log", QT_TRANSLATE_NOOP("Issues", "A log could not be opened or read and counts as missing.")},
    {"missing_header",
     QT_TRANSLATE_NOOP("Issues", "A log does not start with PROJECTIONS-RECORD; it was read as text.")},
    {"cut_log", QT_TRANSLATE_NOOP("Issues", "A compressed log ends before its end; all before the cut was imported.")},
    {"cut_record", QT_TRANSLATE_NOOP("Issues", "A log ends in the middle of a record; that record was left out.")},
    {"damaged_log", QT_TRANSLATE_NOOP("Issues", "A log is damaged; what follows the damage was left out.")},
    {"wrong_checksum", QT_TRANSLATE_NOOP("Issues", "A compressed log's checksum is wrong; its records were kept.")},
    {"trailing_bytes", QT_TRANSLATE_NOOP("Issues", "Bytes after the end of a compressed log were left out.")},
    {"missing_end_of_log",
     QT_TRANSLATE_NOOP("Issues", "A log has no END_COMPUTATION record: the program may have been killed.")},
    {"record_after_end", QT_TRANSLATE_NOOP("Issues", "A record stands after END_COMPUTATION; it was kept.")},
    {"malformed_record", QT_TRANSLATE_NOOP("Issues", "A record could not be read and was skipped.")},
    {"unknown_record", QT_TRANSLATE_NOOP("Issues", "A record has a type that is not known and was skipped.")},
    {"unknown_entry", QT_TRANSLATE_NOOP("Issues",
                                        "A record names an entry method that the .sts file lacks; it got a "
                                        "number for a name.")},
    {"entry_out_of_range", QT_TRANSLATE_NOOP("Issues", "A record names an impossible entry method and was skipped.")},
    {"processor_out_of_range", QT_TRANSLATE_NOOP("Issues", "A task names a creating PE that the run does not have.")},
    {"number_out_of_range", QT_TRANSLATE_NOOP("Issues", "A record holds an impossible number and was skipped.")},
    {"time_out_of_range",
     QT_TRANSLATE_NOOP("Issues", "A record's time is negative or impossible; it got the time of the record before.")},
    {"time_backwards",
     QT_TRANSLATE_NOOP("Issues", "A record's time lies before the record above it; it got that record's time.")},
    {"missing_end",
     QT_TRANSLATE_NOOP("Issues", "A block has no END_PROCESSING; it was closed where the next thing began.")},
    {"end_without_begin",
     QT_TRANSLATE_NOOP("Issues",
                       "An END_PROCESSING has no BEGIN_PROCESSING (tracing may have been off) and was skipped.")},
    {"end_mismatch", QT_TRANSLATE_NOOP("Issues",
                                       "An END_PROCESSING names another block than the one that is open; it "
                                       "closed that one.")},
    {"suspension_limit", QT_TRANSLATE_NOOP("Issues",
                                           "Too many blocks back to back: the oldest can no longer be continued "
                                           "by a later piece.")},
    {"unpaired_idle", QT_TRANSLATE_NOOP("Issues", "A begin or end of idle time has no partner.")},
    {"unpaired_overhead",
     QT_TRANSLATE_NOOP("Issues", "A begin or end of packing, unpacking, flushing or untraced time has no partner.")},
    {"unpaired_user_event", QT_TRANSLATE_NOOP("Issues", "A begin or end of a user event has no partner.")},
    {"unmatched_execution",
     QT_TRANSLATE_NOOP("Issues", "A task's message was not found in any log: it has no known sender.")},
    {"foreign_key",
     QT_TRANSLATE_NOOP("Issues",
                       "A task has the key of a message for another entry method: it is no delivery of that message. "
                       "Broadcasts still lead to it; resumed threads have no known sender.")},
    {"repaired_broadcast",
     QT_TRANSLATE_NOOP(
         "Issues",
         "An array broadcast was logged under a wrong PE; its sender was found by its event and entry method.")},
    {"negative_latency",
     QT_TRANSLATE_NOOP("Issues", "A message was executed before it was sent: clocks differ or a thread was resumed.")},
    {"duplicate_key", QT_TRANSLATE_NOOP("Issues", "Two messages carry the same key; the first was taken.")},
    {"malformed_merge", QT_TRANSLATE_NOOP("Issues",
                                          "A line of the .merges file, or all of it, could not be read and was "
                                          "skipped. A line is \"MERGE <PE> <event> <PE> <event>\".")},
    {"unmatched_merge", QT_TRANSLATE_NOOP("Issues",
                                          "A recorded merge edge names a message that is in no log or was never "
                                          "executed; it was left out.")},
    {"earlier_merges", QT_TRANSLATE_NOOP("Issues",
                                         "The .merges file was written before this run began, by an earlier one; its "
                                         "merges were left out.")},
    {"unmatched_send", QT_TRANSLATE_NOOP("Issues",
                                         "A message was sent and no receive of it is in the trace: nothing waits for "
                                         "it.")},
    {"unmatched_receive", QT_TRANSLATE_NOOP("Issues",
                                            "A message was received and its send is not in the trace: what it waited "
                                            "for is not known.")},
    {"unfinished_request", QT_TRANSLATE_NOOP("Issues",
                                             "A non-blocking send, receive or collective call was never completed: "
                                             "nothing waits for it.")},
    {"cancelled_request", QT_TRANSLATE_NOOP("Issues",
                                            "A request was cancelled, or freed before it was complete: nothing waits "
                                            "for it.")},
    {"mismatched_collective", QT_TRANSLATE_NOOP("Issues",
                                                "Ranks of a communicator call different collective operations in the "
                                                "same place, or name different roots: these calls have no "
                                                "dependencies and no waits.")},
    {"incomplete_collective", QT_TRANSLATE_NOOP("Issues",
                                                "A collective call lacks members of its communicator, or one of them "
                                                "has no end: what its members waited for is not known.")},
    {"call_parts_differ", QT_TRANSLATE_NOOP("Issues",
                                            "The table says other parts of a call (waiting before, execution, waiting "
                                            "after) than follow from the times of its rows, which were taken.")},
    {"guessed_threads",
     QT_TRANSLATE_NOOP("Issues",
                       "Calls of a rank overlap, so several threads made them, and the table does not say which: "
                       "each call went to the first thread that was free.")},
    {"bad_summary_head", QT_TRANSLATE_NOOP("Issues",
                                           "The first line of a .sum or .sumd file does not say its intervals; the "
                                           "file was left out.")},
    {"cut_summary", QT_TRANSLATE_NOOP("Issues",
                                      "A line of a .sum or .sumd file is missing or ends early; what is not there "
                                      "counts as 0.")},
    {"long_summary", QT_TRANSLATE_NOOP("Issues",
                                       "A .sum or .sumd file holds more values than its intervals and entry methods, "
                                       "or than any program has; the rest was left out.")},
    {"malformed_summary",
     QT_TRANSLATE_NOOP("Issues", "A word of a .sum or .sumd file could not be read; it counts as 0.")},
    {"impossible_percentage", QT_TRANSLATE_NOOP("Issues",
                                                "Busy and idle time of an interval are together more than all of it, "
                                                "or one is impossible; idle time was reduced.")},
    {"missing_idle", QT_TRANSLATE_NOOP("Issues",
                                       "A .sum file says nothing of idle time, as before version 7.1: it counts as "
                                       "overhead.")},
    {"missing_detail",
     QT_TRANSLATE_NOOP(
         "Issues",
         "A PE has no .sumd file: when its entry methods ran is not known. Run the program with +sumDetail.")},
    {"summary_detail_differs", QT_TRANSLATE_NOOP("Issues",
                                                 "How often or how long an entry method ran differs between .sum and "
                                                 ".sumd: the .sum counts, the .sumd says when.")},
    {"utilization_differs", QT_TRANSLATE_NOOP("Issues",
                                              "A PE's utilization and the times of its entry methods differ by "
                                              "more than rounding (start-up runs in no entry method): busy time "
                                              "follows the utilization.")},
    {"folded_execution",
     QT_TRANSLATE_NOOP(
         "Issues", "Folding: a task lay in two iterations; it was cut where the first one ends and counts in both.")},
    {"folded_message",
     QT_TRANSLATE_NOOP(
         "Issues",
         "Folding: a task's message was sent in another iteration, or in none; it has no known sender here.")},
    {"folded_iteration",
     QT_TRANSLATE_NOOP("Issues",
                       "Folding: an iteration is much longer than the others; what is behind the end "
                       "of the common time axis was left out.")},
    {"region_mismatch", QT_TRANSLATE_NOOP("Issues",
                                          "The end of a region names another one than the innermost that is open; it "
                                          "closed that one.")},
    {"leave_without_enter",
     QT_TRANSLATE_NOOP("Issues",
                       "A region or call ends that never began (recording may have been off); it was skipped.")},
    {"open_region", QT_TRANSLATE_NOOP("Issues",
                                      "A region or call has no end: it was closed at its row's last event. The program "
                                      "may have been killed.")},
    {"deep_nesting", QT_TRANSLATE_NOOP("Issues", "Regions are nested too deeply; those further inside were left out.")},
    {"call_inside_call",
     QT_TRANSLATE_NOOP("Issues", "An MPI call begins before the one before it has ended; that one was ended there.")},
    {"stray_communication",
     QT_TRANSLATE_NOOP("Issues",
                       "A message or collective operation is recorded outside any MPI call; it was left out.")},
    {"rank_out_of_range",
     QT_TRANSLATE_NOOP("Issues", "A message names a rank that the run does not have; it was left out.")},
    {"unknown_request",
     QT_TRANSLATE_NOOP("Issues",
                       "A request completes that was never started; what it received counts as posted "
                       "there.")},
    {"missing_index",
     QT_TRANSLATE_NOOP("Issues",
                       "The recording has no index of this run: it did not reach MPI_Finalize. The ranks' "
                       "files say all that is needed.")},
    {"open_recording",
     QT_TRANSLATE_NOOP("Issues",
                       "A rank's recording was never closed: the program was killed, or still runs. All "
                       "that it had recorded was imported.")},
    {"early_exit", QT_TRANSLATE_NOOP("Issues", "A rank ended in MPI_Abort, or without MPI_Finalize.")},
    {"stopped_recording",
     QT_TRANSLATE_NOOP("Issues",
                       "The disk was full: a rank's later calls are missing; the program went on without them.")},
    {"damaged_recording",
     QT_TRANSLATE_NOOP("Issues", "A rank's recording is cut or damaged; what could not be read was left out.")},
    {"clock_by_date",
     QT_TRANSLATE_NOOP("Issues",
                       "No measurement says how the clocks of two hosts differ: they were aligned by date "
                       "and time, which may be milliseconds off.")},
    {"missing_program",
     QT_TRANSLATE_NOOP("Issues",
                       "A program or library is not on this machine as it ran (not found, or built anew since): its "
                       "functions have no names. Import where it ran, or before it is built again.")},
    {"unreadable_program",
     QT_TRANSLATE_NOOP("Issues",
                       "Names of the code in a program or library were not all found: it took more memory or time than "
                       "its size explains, or failed. Some of its functions have no names, or no lines.")},
    {"unknown_definition",
     QT_TRANSLATE_NOOP("Issues", "A record names a region or counter that is not defined; it was left out.")},
    {"record_outside_call",
     QT_TRANSLATE_NOOP("Issues",
                       "A message or collective operation is recorded outside any MPI call; it got a call of "
                       "its own, without length.")},
    {"missing_definitions",
     QT_TRANSLATE_NOOP("Issues",
                       "Definitions of the archive are missing or cut: names, or the correction of a "
                       "location's clock, are not known.")},
    {"long_text",
     QT_TRANSLATE_NOOP("Issues", "A text of a PE or rank that has more than 16 MiB of texts already was left out.")},
}};

}  // namespace

QString issueIdentifier(IssueKind kind)
{
    return QString::fromLatin1(allIssueSpecs[static_cast<std::size_t>(kind)].identifier);
}

bool lacksEvents(const QString& identifier)
{
    constexpr std::array kinds{IssueKind::MissingLog,      IssueKind::UnreadableLog,   IssueKind::CutLog,
                               IssueKind::CutRecord,       IssueKind::DamagedLog,      IssueKind::MissingEndOfLog,
                               IssueKind::MalformedRecord, IssueKind::DamagedRecording};
    return std::any_of(kinds.begin(), kinds.end(),
                       [&identifier](IssueKind kind) { return issueIdentifier(kind) == identifier; });
}

QString issueSentence(const QString& identifier)
{
    for (const IssueSpec& spec : allIssueSpecs) {
        if (identifier == QLatin1String(spec.identifier)) return QCoreApplication::translate("Issues", spec.sentence);
    }
    return identifier;
}

}  // namespace longpole
