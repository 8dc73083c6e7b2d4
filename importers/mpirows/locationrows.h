// SPDX-License-Identifier: GPL-3.0-or-later
// Imports one location of an MPI run: its events become rows, totals, and what matching needs to know of its calls.
#pragma once

#include "core/base/limits.h"
#include "importers/mpi/requests.h"
#include "importers/mpirows/intervals.h"
#include "importers/mpirows/pieces.h"
#include "importers/mpirows/syncs.h"

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace longpole {

struct MpiLocationResult {
    bool hasEvents = false;
    TimeNs first = 0;  // times of the first and the last event; 0 without events
    TimeNs last = 0;
    std::int64_t records = 0;
    std::vector<std::pair<const char*, std::int64_t>> counts;  // of records by type; a type may come twice
    std::vector<QString> texts;                                // text k has the id (location << 32) | k
    MpiCalls calls;
    std::optional<MpiPiecesResult> pieces;  // of a rank's own location
    std::vector<MpiSync> syncs;             // of a thread
    std::vector<MpiDeviceWork> work;        // of a device's stream
    std::set<std::uint32_t> syncRegions;    // regions of `syncs`
};

// Where the reading of a rank's own location stands between two calls.
struct MpiStanding {
    // Of the part that was read until here: how many calls there were, and what they did.
    struct Counts {
        std::size_t calls = 0, sends = 0, receives = 0, probes = 0, collectives = 0;
    };
    Counts counts;
    TimeNs now = 0;
    std::uint32_t tasks = 0;  // of all parts
    bool hasStarted = false;  // MPI_Init is over
    bool isSettled = false;   // no request is open or unknown, and no thread waits for another
};

// The same with what it has made of the events before.
struct MpiLocationState {
    explicit MpiLocationState(MpiPiecesState reached) : pieces(std::move(reached)) {}

    MpiLocationResult result;  // without calls
    MpiIntervals::State intervals;
    MpiPiecesState pieces;
    std::int64_t textBytes = 0;
    std::uint32_t measuring = 0;
    std::uint32_t tooDeep = 0;
    MpiStanding standing;
};

class MpiLocationRows final : public MpiEvents {
public:
    // `keepsAllTasks`: other threads of the rank may call MPI. `everyNow` is called every few thousand events. `from`:
    // of another one, with the same layout; its requests must have been settled.
    MpiLocationRows(const MpiLayout& layout, std::size_t location, RowSink& sink, Spill& spill, ImportLog& log,
                    bool keepsAllTasks, std::function<void()> everyNow = {}, const MpiLocationState* from = nullptr);

    // Is called between two calls, wherever the source says that reading may go on later; state() is asked for there
    // only, and of a rank's own location.
    void atPlaces(std::function<void(std::size_t place)> take) { m_atPlace = std::move(take); }
    MpiLocationState state() const;

    // For a location that is read in parts: it pauses behind the first meeting after so many calls, or behind that
    // meeting, by number from 1. A meeting is a blocking call in which all ranks may have met.
    struct PauseAt {
        std::size_t calls = ~std::size_t{0};
        std::uint64_t meeting = ~std::uint64_t{0};
    };
    void pauseAt(const PauseAt& at) { m_pauseAt = at; }
    std::uint64_t meetings() const { return m_meetings; }
    // Where it stands between two calls, and what may be taken from it there once nothing more is to become of it.
    MpiStanding standing() const;
    MpiCalls& calls() { return m_result.calls; }
    MpiPiecesResult& pieces() { return m_pieces->result(); }  // of a rank's own location

    void enter(TimeNs time, std::uint32_t region) override;
    void leave(TimeNs time, std::uint32_t region) override;
    void beginTeam(TimeNs time, std::uint64_t team) override;
    void endTeam(TimeNs time) override;
    void beginCall(TimeNs time, std::uint32_t region) override;
    void endCall(TimeNs time) override;
    void polled() override;
    void callPath(std::uint32_t path) override;
    void send(std::int64_t request, std::uint32_t comm, std::uint32_t to, std::int32_t tag, std::int64_t bytes,
              bool isSynchronous) override;
    void postReceive(std::int64_t request) override;
    void postReceiveFrom(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag) override;
    void sendCompleted(std::int64_t request) override;
    void received(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag,
                  std::int64_t bytes) override;
    void receivedNothing(std::int64_t request) override;
    void cancelled(std::int64_t request) override;
    void freed(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag) override;
    void probed(std::uint32_t comm, std::uint32_t from, std::int32_t tag, bool takes) override;
    void collective(std::int64_t request, std::uint32_t comm, std::int32_t root, MpiMoved moved,
                    CollectiveKind kind) override;
    void transferred(std::uint32_t comm, std::int32_t peer, MpiMoved moved) override;
    void atWindow(WindowStep step, std::uint32_t comm, std::int32_t window, std::int32_t peer,
                  bool isExclusive) override;
    void collectiveCompleted(std::int64_t request) override;
    void counter(TimeNs time, std::uint32_t counter, double value) override;
    void mark(TimeNs time, std::uint32_t region, const QString& text) override;
    void record(const char* kind) override;
    void span(TimeNs first, TimeNs last) override;
    void between(std::size_t place) override;
    bool pauses() const override;

    // To be called after the last event.
    MpiLocationResult finish();

private:
    TimeNs clamped(TimeNs time);
    std::uint32_t innermost() const { return m_intervals.isEmpty() ? noRegion : m_intervals.innermost(); }
    bool isMeasurement(std::uint32_t region) const { return m_layout.kind(region) == MpiRegionKind::Measurement; }
    void finishCall(TimeNs time);
    void finishRegion(TimeNs time);
    MpiSyncKind syncOf(std::uint32_t region) const;
    void beginSync(TimeNs time, std::uint32_t region);
    void pauseSync(TimeNs time, std::uint32_t innermost);
    void resumeSync(TimeNs time);
    void endSync(TimeNs time, std::uint32_t region);
    void keepDeviceWork(TimeNs end, std::uint32_t region);
    void giveIntervals();
    bool isMatchedReceive() const;
    bool isStray();
    bool isKnownRank(std::uint32_t rank);
    std::uint32_t knownComm(std::uint32_t comm) const;
    std::uint32_t currentCall() const { return static_cast<std::uint32_t>(m_result.calls.rank.calls.size()) - 1; }
    void start(std::int64_t request, RequestKind kind, std::size_t index);
    void post(std::int64_t request, MpiReceive receive);
    void became(const RequestEvent& event);

    const MpiLayout& m_layout;
    const std::size_t m_location;
    const TrackId m_track;
    RowSink& m_sink;
    ImportLog& m_log;
    std::function<void()> m_everyNow;
    std::function<void(std::size_t)> m_atPlace;
    std::vector<MpiIntervals::Open> m_openIntervals;  // that the earlier import left open
    std::uint32_t m_untilNow = 0;
    std::int64_t m_textBytes = limits::textBytes.free;  // that may still be kept
    MpiLocationResult m_result;
    MpiIntervals m_intervals;
    MpiSyncs m_syncs;
    std::optional<MpiPieces> m_pieces;
    RequestTable m_requests;
    TimeNs m_now = 0;
    std::uint32_t m_measuring = 0;        // open regions of the recording tool
    std::uint32_t m_tooDeep = 0;          // regions that were left out
    std::optional<TimeRange> m_recorded;  // what the source says of its first and last record
    bool m_isInCall = false;
    PauseAt m_pauseAt;
    std::uint64_t m_meetings = 0;
    bool m_isMeeting = false;  // the last call
};

}  // namespace longpole
