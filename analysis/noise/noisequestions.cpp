// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/noise/noisequestions.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const ProcessorTime>> ProcessorTimeQuestion::compute(Results& results,
                                                                            const Progress& progress) const
{
    return sharedAnswer(processorTime(results.store(), progress));
}

std::int64_t ProcessorTimeQuestion::bytes(const ProcessorTime& time)
{
    return static_cast<std::int64_t>(sizeof(time)) + bytesOf(time.pes) + bytesOf(time.longest);
}

Result<std::shared_ptr<const Noise>> NoiseQuestion::compute(Results& results, const Progress& progress) const
{
    const auto time = results.ask(ProcessorTimeQuestion{}, progress);
    if (!time.ok()) return time.error();
    return sharedAnswer(noise(results.store(), request, **time, progress));
}

std::int64_t NoiseQuestion::bytes(const Noise& noise)
{
    return bytesOf(noise.worst) + bytesOf(noise.periods)
           + bytesOfAll(noise.entries, [](const EntryNoise& entry) { return bytesOf(entry.clusters); });
}

NoiseQuestion allNoise()
{
    constexpr std::size_t most = 1'000'000;
    return {{.worst = most}};
}

}  // namespace longpole
