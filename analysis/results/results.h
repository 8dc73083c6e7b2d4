// SPDX-License-Identifier: GPL-3.0-or-later
// The one place to ask about an open trace: each answer is computed at most once, on a thread of its own, shared by all
// who ask for it, and kept as long as there is room.
#pragma once

#include "core/base/job.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <typeindex>
#include <vector>

namespace longpole {

class Results;

// A question is a value: which analysis, and all that its answer depends on. compute() runs on a worker, may ask other
// questions, and never looks at anything that is not in the question or the trace; its errors are not kept.
template <typename Q>
concept Question = std::equality_comparable<Q> && requires(const Q& question, Results& results,
                                                           const Progress& progress, const typename Q::Answer& answer)
{
    {
        Q::id
        } -> std::convertible_to<const char*>;  // "work heads": what is kept, in About this trace
    {
        question.compute(results, progress)
        } -> std::same_as<Result<std::shared_ptr<const typename Q::Answer>>>;
    {
        question.bytes(answer)
        } -> std::convertible_to<std::int64_t>;  // what answer and question hold, roughly
};

// How much memory an answer or a holding takes, and why it is alive.
struct HeldAnswer {
    const char* question = "";
    std::int64_t bytes = 0;
    bool isKept = false;  // else only because somebody still uses it
};

// Memory that is no answer but is counted with them, such as rows decoded to be drawn. Thread-safe.
class Holding {
public:
    explicit Holding(const char* what) : m_what(what) {}
    const char* what() const { return m_what; }
    std::int64_t bytes() const { return m_bytes; }
    void add(std::int64_t bytes) { m_bytes += bytes; }  // less than 0: given back

private:
    const char* m_what;
    std::atomic<std::int64_t> m_bytes{0};
};

// The answers about one snapshot of a trace. Thread-safe. An answer that is dropped while it is in use stays alive, and
// is found by those who ask meanwhile.
class Results {
public:
    static constexpr std::int64_t usualCapacity = std::int64_t{256} << 20;

    explicit Results(std::shared_ptr<const TraceStore> store, std::int64_t capacity = usualCapacity);
    ~Results();  // cancels what is under way and waits for it
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;

    const TraceStore& store() const { return *m_store; }
    std::shared_ptr<const TraceStore> sharedStore() const { return m_store; }

    // The answer; waits for it. `progress` follows the computation; cancelled, this returns at once, and the
    // computation stops unless somebody else waits for it. Errors: the question's own; cancelled.
    template <Question Q>
    Result<std::shared_ptr<const typename Q::Answer>> ask(const Q& question, const Progress& progress);

    // The answer if it is there; null otherwise. Never waits for a computation.
    template <Question Q>
    std::shared_ptr<const typename Q::Answer> peek(const Q& question) const;

    // Takes an answer that is known already, as if it had been computed, unless there is one.
    template <Question Q>
    void give(const Q& question, std::shared_ptr<const typename Q::Answer> answer);

    // No longer keeps an answer that whoever computes needs the room of; it stays alive as long as somebody uses it.
    template <Question Q>
    void letGo(const Q& question);

    // Drops answers that nobody uses, those that were asked for least recently first, until `bytes` more have room
    // within the capacity: for a computation that needs them for a while.
    void makeRoomFor(std::int64_t bytes);

    // How many computations of questions of this type were begun so far.
    template <Question Q>
    int computed() const
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_computed.find(typeid(Q));
        return found == m_computed.end() ? 0 : found->second;
    }

    // Counts what its owner adds to it among bytes() and held(), as long as somebody has it.
    std::shared_ptr<Holding> hold(const char* what);

    // Bytes of all answers that are alive, of all holdings, and of the chunks that the trace keeps decoded.
    std::int64_t bytes() const;
    std::vector<HeldAnswer> held() const;  // largest first
    std::int64_t capacity() const;
    // Drops answers beyond the capacity, those that were asked for least recently first.
    void setCapacity(std::int64_t bytes);

private:
    template <Question Q>
    auto requestOf(const Q& question);

    using Value = std::shared_ptr<const void>;
    using Outcome = Result<Value>;
    using Same = std::function<bool(const void* question)>;

    struct Entry {
        std::type_index type;
        const char* id;
        std::shared_ptr<const void> question;
        Value kept{};                       // null: not kept
        std::weak_ptr<const void> alive{};  // as long as anybody uses it
        std::int64_t bytes = 0;
        std::uint64_t asked = 0;  // when it was asked last
        std::unique_ptr<Job<Unit>> job{};
        bool isRunning = false;            // the job has not delivered yet
        int waiting = 0;                   // how many wait for it
        std::optional<Outcome> outcome{};  // for those who wait
    };
    // What an entry is made of: type-erased, so that one function waits, keeps and forgets.
    struct Request {
        std::type_index type;
        const char* id;
        std::shared_ptr<const void> question;
        Same isSame;
        std::function<Outcome(const Progress&)> compute;
        std::function<std::int64_t(const void*)> bytes;
    };

    void take(const Request& request, const Value& value);
    void drop(std::type_index type, const Same& isSame);
    Outcome askFor(const Request& request, const Progress& progress);
    Value find(std::type_index type, const Same& isSame) const;
    Entry* entryOf(std::type_index type, const Same& isSame) const;
    Entry& begin(const Request& request);
    Outcome wait(std::unique_lock<std::mutex>& lock, Entry& entry, const Progress& progress);
    void keep(Entry& entry, const Value& value, std::int64_t bytes);
    void makeRoom();
    std::int64_t usedBytes() const;  // of answers that are not kept
    Entry* leastRecent(bool isUnused);
    Value release(Entry& entry);
    void tidy();

    const std::shared_ptr<const TraceStore> m_store;
    mutable std::mutex m_mutex;
    std::condition_variable m_finished;
    std::int64_t m_capacity;
    std::int64_t m_keptBytes = 0;
    std::uint64_t m_clock = 0;
    mutable std::list<Entry> m_entries;
    std::map<std::type_index, int> m_computed;
    std::vector<std::weak_ptr<const Holding>> m_holdings;
};

template <Question Q>
auto Results::requestOf(const Q& question)
{
    using Answer = typename Q::Answer;
    const auto asked = std::make_shared<const Q>(question);
    return Request{.type = typeid(Q),
                   .id = Q::id,
                   .question = asked,
                   .isSame = [asked](const void* other) { return *static_cast<const Q*>(other) == *asked; },
                   .compute = [this, asked](const Progress& own) -> Outcome {
                       Result<std::shared_ptr<const Answer>> answer = asked->compute(*this, own);
                       if (!answer.ok()) return answer.error();
                       return Value(std::move(*answer));
                   },
                   .bytes =
                       [asked](const void* answer) {
                           return std::int64_t{asked->bytes(*static_cast<const Answer*>(answer))};
                       }};
}

template <Question Q>
Result<std::shared_ptr<const typename Q::Answer>> Results::ask(const Q& question, const Progress& progress)
{
    const Outcome outcome = askFor(requestOf(question), progress);
    if (!outcome.ok()) return outcome.error();
    return std::static_pointer_cast<const typename Q::Answer>(*outcome);
}

template <Question Q>
void Results::give(const Q& question, std::shared_ptr<const typename Q::Answer> answer)
{
    take(requestOf(question), std::move(answer));
}

template <Question Q>
void Results::letGo(const Q& question)
{
    drop(typeid(Q), [&question](const void* other) { return *static_cast<const Q*>(other) == question; });
}

template <Question Q>
std::shared_ptr<const typename Q::Answer> Results::peek(const Q& question) const
{
    const std::lock_guard lock(m_mutex);
    return std::static_pointer_cast<const typename Q::Answer>(find(typeid(Q), [&question](const void* other) {
        return *static_cast<const Q*>(other) == question;
    }));
}

}  // namespace longpole
