// SPDX-License-Identifier: GPL-3.0-or-later
// Each asks for the graph, and for the critical path if the answer is about its entry methods.
#include "analysis/whatif/whatifquestions.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/whatif/storedgains.h"

namespace longpole {

Result<std::shared_ptr<const EntryGains>> ZeroingQuestion::compute(Results& results, const Progress& progress) const
{
    if (results.store().info().isPart() && *this == ZeroingQuestion{}) return storedGains(results.store());
    const auto modelled = modelledGraph(results, model, progress);
    if (!modelled.ok()) return modelled.error();
    const auto path = results.ask(PathQuestion{.mode = model.mode, .edges = model.edges, .part = model.part}, progress);
    if (!path.ok()) return path.error();
    Result<std::vector<WhatIfAnswer>> answers = zeroing(*modelled->graph, modelled->model, **path, progress, factor);
    if (!answers.ok()) return answers.error();
    return std::make_shared<const EntryGains>(EntryGains{(*path)->length, std::move(*answers)});
}

std::int64_t ZeroingQuestion::bytes(const EntryGains& gains) { return WhatIfQuestion::bytes(gains.answers); }

std::int64_t WhatIfQuestion::bytes(const Answer& answers)
{
    return bytesOfAll(answers, [](const WhatIfAnswer& answer) {
        return bytesOf(answer.question.entries) + bytesOf(answer.profile);
    });
}

Result<std::shared_ptr<const WhatIfQuestion::Answer>> WhatIfQuestion::compute(Results& results,
                                                                              const Progress& progress) const
{
    const auto modelled = modelledGraph(results, model, progress);
    if (!modelled.ok()) return modelled.error();
    return sharedAnswer(whatIf(*modelled->graph, modelled->model, changes, progress));
}

Result<std::shared_ptr<const WhatIfCurve>> WhatIfCurveQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    const auto modelled = modelledGraph(results, model, progress);
    if (!modelled.ok()) return modelled.error();
    return sharedAnswer(whatIfCurve(*modelled->graph, modelled->model, entries, until, progress));
}

std::int64_t WhatIfCurveQuestion::bytes(const WhatIfCurve& curve) { return bytesOf(curve.points); }

}  // namespace longpole
