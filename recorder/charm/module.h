// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the module share inside of a Charm++ program: how it speaks, how it names entry methods, and its
// messages, which are Converse's, so that neither traces, nor quiescence, nor the queue of the program see them.
#ifndef LONGPOLE_MODULE_H
#define LONGPOLE_MODULE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace longpole_module {

void say(const std::string &text);
std::string counted(std::size_t count, const char *one, const char *many);
std::string quoted(std::string text);  // on one line, whatever a file says
std::string inJson(const std::string &text);
std::string timeText(std::int64_t nanoseconds);
std::string shareText(double share);

std::size_t entryCount();
std::string entryName(int entry);  // "Worker::chain_hop(int it, int hop)"
bool isUserEntry(int entry);       // the program's, not the run-time system's
std::int64_t nowNs();              // of this process's clock

// A text of values, one after the other, as both ends know them.
class Writer {
public:
    template <typename T>
    Writer &operator<<(const T &value)
    {
        const char *const bytes = reinterpret_cast<const char *>(&value);
        m_text.insert(m_text.end(), bytes, bytes + sizeof(T));
        return *this;
    }
    template <typename T>
    Writer &operator<<(const std::vector<T> &values)
    {
        *this << static_cast<std::uint64_t>(values.size());
        const char *const bytes = reinterpret_cast<const char *>(values.data());
        m_text.insert(m_text.end(), bytes, bytes + values.size() * sizeof(T));
        return *this;
    }
    const std::vector<char> &text() const { return m_text; }

private:
    std::vector<char> m_text;
};
class Reader {
public:
    explicit Reader(const char *at) : m_at(at) {}
    template <typename T>
    Reader &operator>>(T &value)
    {
        std::memcpy(&value, m_at, sizeof(T));
        m_at += sizeof(T);
        return *this;
    }
    template <typename T>
    Reader &operator>>(std::vector<T> &values)
    {
        std::uint64_t size = 0;
        *this >> size;
        values.resize(static_cast<std::size_t>(size));
        if (size > 0) std::memcpy(values.data(), m_at, values.size() * sizeof(T));
        m_at += values.size() * sizeof(T);
        return *this;
    }

private:
    const char *m_at;
};

// A message to another PE, or to this one; it is handled between two tasks.
using Receive = void (*)(int from, Reader &reader);
enum class Letter : std::int32_t { Path, Request, Recording, Keep, Tasks, Priorities, Iteration, Kinds };
void setReceiver(Letter kind, Receive receive);  // at the start of every process
void beginLetters();                             // at the start of every PE
void sendLetter(int pe, Letter kind, const Writer &writer);

// Of this process, for the programs that ask.
struct PriorityOf {
    std::int32_t entry;
    std::int32_t priority;
};
void beginPriorities(char **arguments);  // at the start of every PE
bool canPrioritize();                    // this Charm++ has queues that know priorities
bool hasPriorityFile();
// In place of the priorities of before, in all processes; empty: none. Only on PE 0.
void setPriorities(const std::vector<PriorityOf> &priorities);
// On PE 0, at the end; `then` is called when it is said.
void sayWhatHadPriority(void (*then)());

void beginPath(char **arguments);  // at the start of every PE
// On PE 0, when the program has called CkExit; `then` is called when all is said.
void endPath(void (*then)());

void beginAuto(char **arguments);  // at the start of every PE, before beginPath
bool isAutoOn();
void endAuto();

}  // namespace longpole_module

#endif
