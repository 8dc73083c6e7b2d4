// SPDX-License-Identifier: GPL-3.0-or-later
// Computes, waits, keeps and forgets answers without knowing their types.
#include "analysis/results/results.h"

#include "core/base/freedmemory.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace longpole {

namespace {

constexpr auto look = std::chrono::milliseconds(5);  // how soon a cancelled asker stops waiting
// What is computed for so long may leave much freed memory in the heap, which giving back takes milliseconds.
constexpr auto longWork = std::chrono::milliseconds(100);

// Set on threads that compute, so that questions which they ask in turn do not report progress to their own question.
thread_local bool isComputing = false;

}  // namespace

Results::Results(std::shared_ptr<const TraceStore> store, std::int64_t capacity)
    : m_store(std::move(store)), m_capacity(capacity)
{
}

// All computations must end before entries are destroyed, as those that compute look at the entries they wait for.
Results::~Results()
{
    std::unique_lock lock(m_mutex);
    for (const Entry& entry : m_entries)
        if (entry.job) entry.job->cancel();
    m_finished.wait(lock, [this] {
        return std::none_of(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.isRunning; });
    });
    std::list<Entry> entries = std::exchange(m_entries, {});
    lock.unlock();  // an answer may take long to destroy, and its job's thread ends behind this lock
}

Results::Entry* Results::entryOf(std::type_index type, const Same& isSame) const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.type == type && isSame(entry.question.get());
    });
    return found == m_entries.end() ? nullptr : &*found;
}

Results::Value Results::find(std::type_index type, const Same& isSame) const
{
    const Entry* entry = entryOf(type, isSame);
    return entry ? entry->alive.lock() : nullptr;
}

Results::Outcome Results::askFor(const Request& request, const Progress& progress)
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        if (progress.isCancelled()) return cancelledError();
        tidy();
        Entry* entry = entryOf(request.type, request.isSame);
        if (entry) {
            entry->asked = ++m_clock;
            if (const Value value = entry->alive.lock()) {
                // An answer larger than the capacity is not kept again: it would drop all others.
                if (!entry->kept && entry->bytes <= m_capacity) keep(*entry, value, entry->bytes);
                return value;
            }
        }
        if (entry && entry->isRunning
            && entry->job->isCancelled()) {  // nobody waited for it any more: let it end first
            m_finished.wait_for(lock, look);
            continue;
        }
        if (!entry || !entry->isRunning) entry = &begin(request);
        return wait(lock, *entry, progress);
    }
}

void Results::take(const Request& request, const Value& value)
{
    const std::int64_t size = request.bytes(value.get());
    const std::lock_guard lock(m_mutex);
    Entry* entry = entryOf(request.type, request.isSame);
    if (entry && (entry->isRunning || !entry->alive.expired())) return;
    if (!entry) {
        m_entries.push_back({.type = request.type, .id = request.id, .question = request.question});
        entry = &m_entries.back();
    }
    entry->asked = ++m_clock;
    keep(*entry, value, size);
}

void Results::drop(std::type_index type, const Same& isSame)
{
    Value last;  // an answer may take long to destroy
    const std::lock_guard lock(m_mutex);
    Entry* const entry = entryOf(type, isSame);
    if (entry && entry->kept) last = release(*entry);
}

Results::Entry& Results::begin(const Request& request)
{
    Entry* entry = entryOf(request.type, request.isSame);
    if (!entry) {
        m_entries.push_back({.type = request.type, .id = request.id, .question = request.question, .asked = ++m_clock});
        entry = &m_entries.back();
    }
    entry->isRunning = true;
    ++m_computed[request.type];
    const auto work = [this, entry, compute = request.compute, bytes = request.bytes](const Progress& progress) {
        isComputing = true;
        const auto begun = std::chrono::steady_clock::now();
        Outcome outcome = withinMemory([&] { return compute(progress); });
        if (std::chrono::steady_clock::now() - begun > longWork) giveFreedMemoryBack();
        const std::int64_t size = outcome.ok() ? bytes(outcome->get()) : 0;
        const std::lock_guard lock(m_mutex);
        if (outcome.ok()) {
            entry->asked = ++m_clock;  // later than what it has asked for itself
            keep(*entry, *outcome, size);
        }
        if (entry->waiting > 0) entry->outcome.emplace(std::move(outcome));
        entry->isRunning = false;
        m_finished.notify_all();
        return Unit{};
    };
    try {
        entry->job = std::make_unique<Job<Unit>>(work);
    } catch (const std::system_error&) {  // no room for the stack of a thread: memory has run out
        entry->isRunning = false;
        throw std::bad_alloc();
    }
    return *entry;
}

Results::Outcome Results::wait(std::unique_lock<std::mutex>& lock, Entry& entry, const Progress& progress)
{
    ++entry.waiting;
    while (entry.isRunning && !progress.isCancelled()) {
        m_finished.wait_for(lock, look);
        if (!isComputing) progress.report(entry.job->fraction());
    }
    --entry.waiting;
    if (entry.isRunning) {
        if (entry.waiting == 0) entry.job->cancel();
        return cancelledError();
    }
    Outcome outcome = *entry.outcome;
    if (entry.waiting == 0) entry.outcome.reset();
    return outcome;
}

void Results::keep(Entry& entry, const Value& value, std::int64_t bytes)
{
    if (!entry.kept) m_keptBytes += bytes;
    entry.kept = value;
    entry.alive = value;
    entry.bytes = bytes;
    makeRoom();
}

// The one that was asked last stays, however large it is: whoever asked for it is about to use it. What others use
// takes memory too, though dropping it frees none: up to half of the room goes to it.
void Results::makeRoom()
{
    while (m_keptBytes > m_capacity - std::min(usedBytes(), m_capacity / 2)) {
        Entry* const oldest = leastRecent(false);
        if (!oldest || oldest->asked == m_clock) return;
        release(*oldest);
    }
}

// What is used is left as it is: dropping it frees nothing now, and it would have to be computed again later.
void Results::makeRoomFor(std::int64_t bytes)
{
    std::vector<Value> dropped;  // an answer may take long to destroy
    const std::lock_guard lock(m_mutex);
    for (std::int64_t room = m_capacity - m_keptBytes - usedBytes(); room < bytes;) {
        Entry* const oldest = leastRecent(true);
        if (!oldest) return;
        room += oldest->bytes;
        dropped.push_back(release(*oldest));
    }
}

std::int64_t Results::usedBytes() const
{
    std::int64_t used = 0;
    for (const Entry& entry : m_entries)
        if (!entry.kept && !entry.alive.expired()) used += entry.bytes;
    return used;
}

// Of those that are kept; isUnused: of those that nobody else has.
Results::Entry* Results::leastRecent(bool isUnused)
{
    Entry* oldest = nullptr;
    for (Entry& entry : m_entries)
        if (entry.kept && (!isUnused || entry.kept.use_count() == 1) && (!oldest || entry.asked < oldest->asked))
            oldest = &entry;
    return oldest;
}

Results::Value Results::release(Entry& entry)
{
    m_keptBytes -= entry.bytes;
    return std::exchange(entry.kept, nullptr);
}

// Joins ended jobs, and forgets questions of which nothing is left. Never on an entry's own thread, which only
// delivers.
void Results::tidy()
{
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        const bool isIdle = !entry->isRunning && entry->waiting == 0;
        if (isIdle) entry->job.reset();
        entry = isIdle && entry->alive.expired() ? m_entries.erase(entry) : std::next(entry);
    }
}

std::int64_t Results::bytes() const
{
    std::int64_t sum = m_store->cachedBytes();
    const std::lock_guard lock(m_mutex);
    for (const Entry& entry : m_entries)
        if (!entry.alive.expired()) sum += entry.bytes;
    for (const auto& held : m_holdings)
        if (const auto holding = held.lock()) sum += holding->bytes();
    return sum;
}

std::shared_ptr<Holding> Results::hold(const char* what)
{
    auto holding = std::make_shared<Holding>(what);
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_holdings, [](const auto& held) { return held.expired(); });
    m_holdings.push_back(holding);
    return holding;
}

std::vector<HeldAnswer> Results::held() const
{
    std::vector<HeldAnswer> list;
    {
        const std::lock_guard lock(m_mutex);
        for (const Entry& entry : m_entries)
            if (!entry.alive.expired()) list.push_back({entry.id, entry.bytes, entry.kept != nullptr});
        for (const auto& held : m_holdings)
            if (const auto holding = held.lock(); holding && holding->bytes() > 0)
                list.push_back({holding->what(), holding->bytes(), false});
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const HeldAnswer& a, const HeldAnswer& b) { return a.bytes > b.bytes; });
    return list;
}

std::int64_t Results::capacity() const
{
    const std::lock_guard lock(m_mutex);
    return m_capacity;
}

void Results::setCapacity(std::int64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_capacity = bytes;
    ++m_clock;
    makeRoom();
}

}  // namespace longpole
