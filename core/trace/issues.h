// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of soft errors an import can count, each with a stable identifier and one sentence for people.
#pragma once

#include <QString>

#include <cstddef>
#include <cstdint>

namespace longpole {

enum class IssueKind : std::uint8_t {
    MissingSymbols,
    EmptySymbols,
    CutSymbols,
    MalformedSymbol,
    NewerVersion,
    ImplausibleProcessors,
    MissingLog,
    ForeignLog,
    DuplicateLog,
    EmptyLog,
    UnreadableLog,
    MissingHeader,
    CutLog,
    CutRecord,
    DamagedLog,
    WrongChecksum,
    TrailingBytes,
    MissingEndOfLog,
    RecordAfterEnd,
    MalformedRecord,
    UnknownRecord,
    UnknownEntry,
    EntryOutOfRange,
    ProcessorOutOfRange,
    NumberOutOfRange,
    TimeOutOfRange,
    TimeBackwards,
    MissingEnd,
    EndWithoutBegin,
    EndMismatch,
    SuspensionLimit,
    UnpairedIdle,
    UnpairedOverhead,
    UnpairedUserEvent,
    UnmatchedExecution,
    ForeignKey,
    RepairedBroadcast,
    NegativeLatency,
    DuplicateKey,
    MalformedMerge,
    UnmatchedMerge,
    EarlierMerges,
    UnmatchedSend,
    UnmatchedReceive,
    UnfinishedRequest,
    CancelledRequest,
    MismatchedCollective,
    IncompleteCollective,
    CallPartsDiffer,
    GuessedThreads,
    BadSummaryHead,
    CutSummary,
    LongSummary,
    MalformedSummary,
    ImpossiblePercentage,
    MissingIdle,
    MissingDetail,
    SummaryDetailDiffers,
    UtilizationDiffers,
    FoldedExecution,
    FoldedMessage,
    FoldedIteration,
    RegionMismatch,
    LeaveWithoutEnter,
    OpenRegion,
    DeepNesting,
    CallInsideCall,
    StrayCommunication,
    RankOutOfRange,
    UnknownRequest,
    MissingIndex,
    OpenRecording,
    EarlyExit,
    StoppedRecording,
    DamagedRecording,
    ClockByDate,
    MissingProgram,
    UnreadableProgram,
    UnknownDefinition,
    RecordOutsideCall,
    MissingDefinitions,
    LongText,
    Count
};
constexpr std::size_t issueKinds = static_cast<std::size_t>(IssueKind::Count);

// "unmatched_execution": what Issue::kind holds.
QString issueIdentifier(IssueKind kind);
// Whether events of the run are missing for it: figures are too small.
bool lacksEvents(const QString& identifier);
// What happened and what the import made of it. For an identifier that is not known: the identifier itself.
QString issueSentence(const QString& identifier);

}  // namespace longpole
