// SPDX-License-Identifier: GPL-3.0-or-later
// What a process that looks for advice does with its own errors, and with what others sent.
#pragma once

#include "core/base/result.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/transport.h"

#include <utility>

namespace longpole {

// What this process has found for itself, or nothing after its error, which is then everybody's.
template <typename T>
T orFail(Transport& transport, Result<T> own)
{
    if (own) return std::move(*own);
    if (!transport.failed()) transport.fail(own.error());
    return T{};
}

inline void tellNotWhole(Transport& transport)
{
    if (!transport.failed())
        transport.fail(Error{tr("What advice needs did not arrive whole from another process."), QString(), QString()});
}

// At process 0 calls take(unpacker) for what each process has packed, in their order.
template <typename Take>
void eachGathered(Transport& transport, Packer& packer, Take take)
{
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        take(unpacker);
        if (!unpacker.isWhole()) tellNotWhole(transport);
    }
}

}  // namespace longpole
