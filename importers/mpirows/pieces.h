// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the tasks of one rank: pieces of code outside MPI between its calls and at the borders of its regions, and the
// hubs of calls in which every member waits for all. Rows go to a sink; totals and bins are kept.
#pragma once

#include "core/base/pagedarray.h"
#include "core/store/entrybins.h"
#include "core/store/tiles.h"
#include "core/trace/trace.h"
#include "importers/common/rowsink.h"
#include "importers/mpi/taskbegins.h"
#include "importers/mpirows/layout.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Numbers the few entry methods of a rank in the order in which they occur.
class EntryNumbers {
public:
    std::uint32_t of(EntryId entry);
    const std::vector<EntryId>& entries() const { return m_entries; }  // by number

private:
    PagedArray<std::uint32_t, 1024> m_numbers;  // by entry; number + 1; 0: none yet
    std::vector<EntryId> m_entries;
};

struct MpiPiecesResult {
    std::uint32_t tasks = 0;
    TimeNs end = 0;             // of the last task
    TimeNs busy = 0;            // clipped to the run
    TimeNs flush = 0;           // of the recording tool itself
    TimeNs started = minTime;   // the end of MPI_Init
    TimeNs stopping = maxTime;  // the begin of MPI_Finalize
    TimeNs busyAtStart = 0;     // until then
    TimeNs busyAtStop = 0;
    std::vector<ProfileRow> profile;  // by entry
    TileBuilder tiles{TimeRange{}};   // lacks messages and idle time
    TaskBegins begins;
    std::vector<EntryId> entryOf;  // by task, only where all begins are kept
};

// Where the tasks of a rank stand between two calls.
struct MpiPiecesState {
    explicit MpiPiecesState(TimeNs runBegin) : m_entryBins({runBegin, maxTime}) {}

    EntryNumbers m_numbers;
    EntryBinBuilder m_entryBins;  // of entry methods by their numbers
    MpiPiecesResult m_result;     // its profile is by number until finish()
    TimeNs m_begin = 0;           // begin of the open piece
    TimeNs m_lastBegin = 0;       // begin of the piece before
    TimeNs m_measuredSince = 0;
    struct HeldPiece {
        TimeNs begin = 0;
        TimeNs end = 0;
        bool isFresh = false;
    };
    std::vector<HeldPiece> m_held;      // before the open one, named alike: the tool's own work came between
    std::uint32_t m_before = noRegion;  // the call or region at whose border the open piece began
    std::uint32_t m_innermost = noRegion;
    std::uint32_t m_lastNumber = 0;  // of the entry method of the piece before
    bool m_isFresh = true;           // no piece ends where the open one begins: after a call or the tool's time
    bool m_isMeasuring = false;      // inside the recording tool: no piece is open
};

class MpiPieces : private MpiPiecesState {
public:
    struct CallTasks {
        std::uint32_t piece = 0;  // the piece that ends where the call begins
        std::uint32_t hub = 0;    // noPiece if the call has none
    };

    // `keepsAll`: keeps when every task begins. `from`: where another one stood that had the same layout.
    MpiPieces(const MpiLayout& layout, std::uint32_t rank, RowSink& sink, bool keepsAll,
              const MpiPiecesState* from = nullptr);
    // Without when tasks began until here.
    MpiPiecesState state() const;

    // To be called first. From call to call, here and below, times must not decrease.
    void begin(TimeNs time);
    // A region is entered or left outside of any call. `innermost`: the innermost region around what follows, noRegion
    // if there is none.
    void border(TimeNs time, std::uint32_t region, std::uint32_t innermost, bool isMeasuring);
    CallTasks beginCall(TimeNs time, std::uint32_t region);
    // Returns the row of the piece that begins here.
    std::uint32_t endCall(TimeNs time, std::uint32_t region, std::uint32_t innermost, bool isMeasuring);
    // The piece before the call that is open sends a message.
    void sent(std::int64_t bytes);

    MpiPiecesResult finish(TimeNs time);
    // Of what came so far.
    MpiPiecesResult& result() { return m_result; }
    const MpiPiecesResult& result() const { return m_result; }

private:
    void finishProfile();
    bool isOwed() const { return m_isFresh && m_result.tasks > 0; }
    void end(TimeNs time, std::uint32_t next);
    void hold(TimeNs time);
    void emitHeld(std::uint32_t next);
    void stopMeasuring(TimeNs time);
    void emit(TimeNs begin, TimeNs end, EntryId entry);
    void keepLast() { m_result.begins.add(m_result.tasks - 1, m_lastBegin); }

    const MpiLayout& m_layout;
    const std::uint32_t m_rank;
    const TrackId m_track;
    RowSink& m_sink;
    const bool m_keepsAll;
    const TimeNs m_runBegin;
};

}  // namespace longpole
