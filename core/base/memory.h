// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory this process may take, and what happens when it wants more: the work that wanted it ends with an
// error, and the program goes on.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace longpole {

// "512M", "2G", "1000000": bytes; nothing for other texts and for less than 64 MiB.
std::optional<std::int64_t> memorySize(const QString& text);
// Half of what the machine has to give now; 0 if it does not say.
std::int64_t halfOfMemory();
// Whether this build has sanitizers, whose own memory and time would count.
bool hasSanitizer();
// From now on allocations beyond `bytes` fail. No limit in builds with sanitizers.
void limitMemory(std::int64_t bytes);

// While it lives the limit does not hold, so that a program that is started meanwhile does not inherit it.
class WithoutMemoryLimit {
public:
    WithoutMemoryLimit();
    ~WithoutMemoryLimit();
    WithoutMemoryLimit(const WithoutMemoryLimit&) = delete;
    WithoutMemoryLimit& operator=(const WithoutMemoryLimit&) = delete;
};

Error outOfMemory();

// For a program that outlives its work, such as the window: where an allocation fails, the limit grows once by a
// reserve, with which the calling thread (the one that paints) goes on while the work of others ends. To be called on
// that thread, after limitMemory().
void keepMemoryReserve();
// Sets the limit again once the work that used the reserve has given its memory back; to be called now and then.
void restoreMemoryReserve();

// The work's result. If an allocation failed in it: the error above; an empty value where the result can be no error.
template <typename Work>
auto withinMemory(Work&& work) -> decltype(work())
{
    using T = decltype(work());
    if constexpr (std::is_constructible_v<T, Error>) {
        try {
            return std::forward<Work>(work)();
        } catch (const std::bad_alloc&) {
            return T(outOfMemory());
        }
    } else if constexpr (std::is_default_constructible_v<T> && !std::is_empty_v<T>) {
        try {
            return std::forward<Work>(work)();
        } catch (const std::bad_alloc&) {
            return T();
        }
    } else {
        return std::forward<Work>(work)();
    }
}

}  // namespace longpole
