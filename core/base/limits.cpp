// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/limits.h"

#include "core/base/translate.h"

namespace longpole {

std::span<const Limit> allLimits()
{
    using namespace limits;
    static constexpr Limit all[] = {
        storeRows,          storeIds,         nameLength,    trackDepth,       sqlSteps,
        sqlMemory,          sqlRows,          sqlAnswer,     inflated,         projectionsProcessors,
        recordingRanks,     recordingRecords, recordingWalk, recordingMembers, windowLocks,
        recordingNumbers,   recordingFiles,   callPathDepth, contextSteps,     otf2Properties,
        otf2Ranks,          otf2Members,      mpiNames,      commandLine,      tableRanks,
        summaryCells,       textBytes,        textShare,     summaryIntervals, mergesInto,
        recordedMerges,     waitCauses,       joinMembers,   sharedNames,      sharedVariables,
        monotonicVariables, zeroedEntries,    zeroedTasks,   zeroedSteps,      jsonMembers,
        neighbours,         jsonDepth,        bookmarks,     symbolName,       foldedParts,
        collectivePairs,    curveFactors,     framesText,    collectiveParts,  summaryEntries,
        memberPairs,        fileWaitCauses,   storeTiles,    callPathNames,    callPlaces,
        foldedRows,         storeIssues,      recordedRun,   otf2Anchor,       cpuTime,
        carriedNumbers,     stageCells,       exposingSteps};
    return all;
}

Error impossibleFigure(const QString& figure, const Limit& limit, std::int64_t size, const QString& where)
{
    return Error{.what = tr("%1, which cannot be: an input of its size has at most %2.")
                             .arg(figure, QString::number(limit.of(size))),
                 .where = where,
                 .hint = tr("The file is damaged, or files of the run are missing.")};
}

}  // namespace longpole
