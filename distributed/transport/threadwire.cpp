// SPDX-License-Identifier: GPL-3.0-or-later
// Processes as threads: a box each, with a lock, into which the others put.
#include "distributed/transport/threadwire.h"

#include "core/base/memory.h"
#include "core/base/paralleltogether.h"
#include "core/base/translate.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

struct Box {
    std::mutex mutex;
    std::condition_variable changed;
    std::unordered_map<std::uint16_t, std::deque<std::pair<Piece, bool>>> pieces;  // by tag, with whether it is tracked
    std::vector<Landed> landed;
    // Changed under the lock, read without it: most looks find that nothing has come.
    std::atomic<std::uint64_t> come = 0;   // pieces, so far
    std::atomic<std::size_t> waiting = 0;  // of them
    std::atomic<bool> hasLanded = false;
    bool wakesOnLandings = false;  // its owner, who sleeps
};
using Boxes = std::vector<Box>;

class ThreadWire : public Wire {
public:
    ThreadWire(std::shared_ptr<Boxes> boxes, int process) : m_boxes(std::move(boxes)), m_process(process) {}

    int process() const override { return m_process; }
    int processes() const override { return static_cast<int>(m_boxes->size()); }

    void post(int to, std::uint16_t tag, Payload bytes, bool tracked) override
    {
        Box& other = box(to);
        {
            const std::lock_guard lock(other.mutex);
            other.pieces[tag].emplace_back(Piece{m_process, tag, std::move(bytes)}, tracked);
            ++other.waiting;
            ++other.come;
        }
        other.changed.notify_one();
    }

    std::optional<Piece> take(std::uint16_t tag) override
    {
        std::pair<Piece, bool> taken;
        {
            Box& own = box(m_process);
            if (own.waiting == 0) return {};
            const std::lock_guard lock(own.mutex);
            const auto found = own.pieces.find(tag);
            if (found == own.pieces.end() || found->second.empty()) return {};
            taken = std::move(found->second.front());
            found->second.pop_front();
            --own.waiting;
        }
        m_looks = 0;
        if (taken.second) tellLanded(taken.first.from, tag);
        return std::move(taken.first);
    }

    std::vector<Landed> landed() override
    {
        Box& own = box(m_process);
        if (!own.hasLanded) return {};
        const std::lock_guard lock(own.mutex);
        own.hasLanded = false;
        return std::exchange(own.landed, {});
    }

    // Looks again at once a few times, for an answer takes no longer on a machine with nothing else to do, and sleeps
    // then until something comes: to yield would give the core to other programs for milliseconds each time. Wakes now
    // and then for those who are asked whether to stop.
    void rest(std::chrono::microseconds longest, WakeOn wakeOn) override
    {
        constexpr int atOnce = 16;
        if (longest.count() == 0 && ++m_looks < atOnce) return;
        Box& own = box(m_process);
        const bool onLandings = wakeOn == WakeOn::PiecesAndLandings;
        const auto isOver = [&] { return own.come != m_seen || (onLandings && own.hasLanded); };
        if (!isOver()) {
            std::unique_lock lock(own.mutex);
            own.wakesOnLandings = onLandings;
            own.changed.wait_for(lock, std::chrono::milliseconds(20), isOver);
            own.wakesOnLandings = false;
        }
        m_seen = own.come;
    }

private:
    Box& box(int process) { return (*m_boxes)[static_cast<std::size_t>(process)]; }

    void tellLanded(int process, std::uint16_t tag)
    {
        Box& sender = box(process);
        bool isToWake = false;
        {
            const std::lock_guard lock(sender.mutex);
            sender.landed.push_back({m_process, tag});
            sender.hasLanded = true;
            isToWake = sender.wakesOnLandings;
        }
        if (isToWake) sender.changed.notify_one();
    }

    std::shared_ptr<Boxes> m_boxes;
    int m_process;
    int m_looks = 0;           // in vain
    std::uint64_t m_seen = 0;  // pieces that had come when the last rest ended: one more ends the next
};

}  // namespace

std::vector<std::unique_ptr<Wire>> threadWires(int processes)
{
    const auto boxes = std::make_shared<Boxes>(static_cast<std::size_t>(processes));
    std::vector<std::unique_ptr<Wire>> wires;
    wires.reserve(static_cast<std::size_t>(processes));
    for (int i = 0; i < processes; ++i) wires.push_back(std::make_unique<ThreadWire>(boxes, i));
    return wires;
}

namespace {

// They share what the program may have.
Error outOfMemoryOfAll()
{
    Error error = outOfMemory();
    error.hint = tr(
        "Allow more with --memory, or start longpole-mpi: each of its processes may have as much, and reads "
        "some of the ranks or PEs.");
    return error;
}

}  // namespace

Result<> runOnThreads(int processes, const std::function<void(Transport&)>& body, const TransportLimits& limits)
{
    return runOnThreads(threadWires(processes), body, limits);
}

Result<> runOnThreads(std::vector<std::unique_ptr<Wire>> wires, const std::function<void(Transport&)>& body,
                      const TransportLimits& limits)
{
    std::vector<std::optional<Error>> failures(wires.size());
    const bool ran = runTogether(wires.size(), [&](std::size_t i) {
        Transport transport(std::move(wires[i]), limits);
        try {
            body(transport);
            transport.finish();
        } catch (const std::bad_alloc&) {
            transport.fail(outOfMemoryOfAll());
        } catch (const std::length_error&) {  // more than any memory has
            transport.fail(outOfMemoryOfAll());
        }
        if (transport.failed()) failures[i] = transport.failure();
    });
    if (!ran)
        return Error{.what = tr("There is no room for %1 threads.").arg(wires.size()),
                     .where = {},
                     .hint = tr("Ask for fewer processes.")};
    for (std::optional<Error>& failure : failures)
        if (failure) return std::move(*failure);
    return Unit{};
}

}  // namespace longpole
