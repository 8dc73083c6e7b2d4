// SPDX-License-Identifier: GPL-3.0-or-later
// Processes as threads: a box each, with a lock, into which the others put.
#include "distributed/transport/threadwire.h"

#include "core/base/memory.h"
#include "core/base/paralleltogether.h"
#include "core/base/translate.h"

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
    std::uint64_t changes = 0;
    std::unordered_map<std::uint16_t, std::deque<std::pair<Piece, bool>>> pieces;  // by tag, with whether it is tracked
    std::vector<Landed> landed;
};
using Boxes = std::vector<Box>;

class ThreadWire : public Wire {
public:
    ThreadWire(std::shared_ptr<Boxes> boxes, int process) : m_boxes(std::move(boxes)), m_process(process) {}

    int process() const override { return m_process; }
    int processes() const override { return static_cast<int>(m_boxes->size()); }

    void post(int to, std::uint16_t tag, Payload bytes, bool tracked) override
    {
        change(to, [&](Box& box) { box.pieces[tag].emplace_back(Piece{m_process, tag, std::move(bytes)}, tracked); });
    }

    std::optional<Piece> take(std::uint16_t tag) override
    {
        std::pair<Piece, bool> taken;
        {
            Box& own = box(m_process);
            const std::lock_guard lock(own.mutex);
            const auto found = own.pieces.find(tag);
            if (found == own.pieces.end() || found->second.empty()) return {};
            taken = std::move(found->second.front());
            found->second.pop_front();
        }
        m_looks = 0;
        if (taken.second) change(taken.first.from, [&](Box& sender) { sender.landed.push_back({m_process, tag}); });
        return std::move(taken.first);
    }

    std::vector<Landed> landed() override
    {
        Box& own = box(m_process);
        const std::lock_guard lock(own.mutex);
        return std::exchange(own.landed, {});
    }

    // Looks again at once a few times, for an answer takes no longer on a machine with nothing else to do, and sleeps
    // then: to yield would give the core to other programs for milliseconds each time.
    void rest(std::chrono::microseconds longest) override
    {
        constexpr int atOnce = 16;
        if (longest.count() == 0 && ++m_looks < atOnce) return;
        Box& own = box(m_process);
        std::unique_lock lock(own.mutex);
        // Who must not wait may have to look again although nothing has come.
        const std::chrono::microseconds most = longest.count() == 0 ? std::chrono::microseconds(50)
                                                                    : std::chrono::milliseconds(20);
        own.changed.wait_for(lock, most, [&] { return own.changes != m_seen; });
        m_seen = own.changes;
    }

private:
    Box& box(int process) { return (*m_boxes)[static_cast<std::size_t>(process)]; }

    template <typename Change>
    void change(int process, const Change& make)
    {
        Box& other = box(process);
        {
            const std::lock_guard lock(other.mutex);
            make(other);
            ++other.changes;
        }
        other.changed.notify_one();
    }

    std::shared_ptr<Boxes> m_boxes;
    int m_process;
    int m_looks = 0;           // in vain
    std::uint64_t m_seen = 0;  // changes of the own box when the last rest ended: all that came since ends the next
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
