// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/lostcores.h"

#include "app/record/recordingfolder.h"
#include "core/base/timerange.h"
#include "importers/recording/file.h"
#include "recorder/format/format.h"

namespace longpole {

LostCores lostCores(const QString& folder)
{
    constexpr double often = 10;  // a second
    constexpr double most = 0.05;
    constexpr TimeNs shortest = 100'000'000;
    LostCores lost;
    const QStringList files = filesOfRecording(folder);
    for (const QString& file : files) {
        if (!file.endsWith(QLatin1String(".lprank"))) continue;
        const Result<RecordingBytes> bytes = RecordingBytes::open(file);
        if (!bytes) continue;
        const Result<lp_header> header = readRecordingHeader(*bytes, LP_RANK_MAGIC, file);
        const TimeNs time = header ? saturatingSubtract(header->end, header->start) : 0;
        if (time < shortest) continue;
        const double aSecond = static_cast<double>(header->taken_away) * 1e9 / static_cast<double>(time);
        const bool isMeasured = (header->flags & LP_KNOWS_WAITS_FOR_CORES) != 0;
        const double share = isMeasured ? static_cast<double>(header->without_core) / static_cast<double>(time) : 0;
        if (isMeasured ? share <= most : aSecond <= often) continue;
        ++lost.ranks;
        if (share > lost.share || (share >= lost.share && aSecond > lost.aSecond))
            lost = {lost.ranks, header->rank, share, aSecond};
    }
    return lost;
}

}  // namespace longpole
