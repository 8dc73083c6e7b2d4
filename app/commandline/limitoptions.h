// SPDX-License-Identifier: GPL-3.0-or-later
// --memory, --cpu-time and --threads, which every command may have: what it may take of the machine; and --wait, of
// commands that several processes share: how long one of them may be silent.
#pragma once

#include <QStringList>

#include <chrono>
#include <cstdint>
#include <optional>

namespace longpole {

// Takes "--memory SIZE" out of the arguments: bytes; `without` if it is not there, nothing if the size is none.
std::optional<std::int64_t> takeMemory(QStringList& arguments, std::int64_t without);

// Takes "--cpu-time TIME" out of the arguments; zero if it is not there, nothing if the time is none.
std::optional<std::chrono::seconds> takeCpuTime(QStringList& arguments);

// Takes "--threads N" out of the arguments; 0 if it is not there, nothing if the number is none.
std::optional<unsigned> takeThreads(QStringList& arguments);

// Takes "--wait TIME" out of the arguments; `without` if it is not there, nothing if the time is none.
std::optional<std::chrono::milliseconds> takeWait(QStringList& arguments, std::chrono::milliseconds without);

// What is said of a size, number or time that is none.
QString memoryUsage();
QString cpuTimeUsage();
QString threadsUsage();
QString waitUsage();

}  // namespace longpole
