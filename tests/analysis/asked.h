// SPDX-License-Identifier: GPL-3.0-or-later
// Asks one question about a trace of a test.
#pragma once

#include "analysis/results/results.h"

#include <memory>

namespace longpole {

template <Question Q>
Result<std::shared_ptr<const typename Q::Answer>> asked(std::shared_ptr<const TraceStore> store, const Q& question,
                                                        const Progress& progress = Progress{})
{
    Results results(std::move(store));
    return results.ask(question, progress);
}

}  // namespace longpole
