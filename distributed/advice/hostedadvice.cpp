// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what the expert looks at, first what tells where the run did badly, then what it asks of that; judged is at
// process 0.
#include "distributed/advice/hostedadvice.h"

#include "analysis/projection/stagecells.h"
#include "distributed/advice/adviceplaces.h"
#include "distributed/advice/advicescope.h"
#include "distributed/advice/gathered.h"
#include "distributed/advice/hostedlabels.h"
#include "distributed/advice/hostednoise.h"

#include <utility>
#include <vector>

namespace longpole {

namespace {

Result<StageUse> useHere(const WorkPass& pass, const TraceStore& store, std::int64_t stages, const Progress& progress)
{
    std::vector<ProcessorId> own;
    for (const ProcessorId pe : judgedProcessors(store))
        if (pass.hosting().hosts(pass.transport().process(), index(pe))) own.push_back(pe);
    return stageUse(store, own, stages, progress);
}

// Ranks ascend from process to process.
StageUse useOfAll(const WorkPass& pass, const TraceStore& store, std::int64_t stages, const Progress& progress)
{
    Transport& transport = pass.transport();
    Packer packer;
    {
        const StageUse own = orFail(transport, useHere(pass, store, stages, progress));
        packer.putNumbers(own.user);
        packer.putNumbers(own.idle);
    }
    const std::size_t wanted = judgedProcessors(store).size() * static_cast<std::size_t>(stages);
    StageUse all;
    if (transport.isRoot())
        for (std::vector<TimeNs>* times : {&all.user, &all.idle}) times->reserve(wanted);
    eachGathered(transport, packer, [&all](Unpacker& unpacker) {
        for (std::vector<TimeNs>* times : {&all.user, &all.idle}) {
            const auto come = unpacker.numbers<TimeNs>();
            times->insert(times->end(), come.begin(), come.end());
        }
    });
    if (transport.isRoot() && !transport.failed() && (all.user.size() != wanted || all.idle.size() != wanted))
        tellNotWhole(transport);
    return all;
}

}  // namespace

Result<HostedAdvice> hostedAdvice(const WorkPass& pass, const std::shared_ptr<const TraceStore>& store,
                                  const WaitStates& waits, const CriticalPath& work, const CriticalPath& elapsed,
                                  const Thresholds& thresholds, const Progress& progress)
{
    Transport& transport = pass.transport();
    const bool isRoot = transport.isRoot();
    const auto stages = static_cast<std::int64_t>(thresholds.tree.stages);
    HostedAdvice found;
    RankInputs& inputs = found.inputs;
    inputs.use = useOfAll(pass, *store, stages, progress);
    Result<HostedLabels> labels = hostedLabels(pass, *store, stages, progress);
    if (!labels) return labels.error();
    const Result<HostedNoise> noise = hostedNoise(transport, *store, progress);
    if (!noise) return noise.error();
    if (isRoot) {
        inputs.labels = std::move(labels->labels);
        inputs.named = std::move(labels->named);
        inputs.noise = noise->noise;
        inputs.waits = waits;
        inputs.work = {std::shared_ptr<void>(), &work};  // until the end of this function
        inputs.elapsed = {std::shared_ptr<void>(), &elapsed};
        inputs.scope = orFail(transport, scopeNeeds(store, inputs, thresholds, progress));
    }
    if (const Result<> asked = findInScope(pass, *store, *noise, inputs, progress); !asked) return asked.error();
    std::shared_ptr<Expert> expert;
    if (isRoot)
        if (const auto judged = orFail(transport, expertOfRanks(store, inputs, thresholds, progress)))
            expert = std::make_shared<Expert>(*judged);
    inputs.work = inputs.elapsed = nullptr;
    std::vector<Advice> none;
    findPlaces(transport, *store, expert ? expert->advice : none);
    if (transport.failed()) return transport.failure();
    found.expert = std::move(expert);
    return found;
}

}  // namespace longpole
