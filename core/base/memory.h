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
// From now on allocations beyond `bytes` fail. No limit in builds with sanitizers, whose own memory would count.
void limitMemory(std::int64_t bytes);

Error outOfMemory();

// The work's result; the error above if an allocation failed in it.
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
    } else {
        return std::forward<Work>(work)();
    }
}

}  // namespace longpole
