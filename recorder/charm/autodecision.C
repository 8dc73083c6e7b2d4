// SPDX-License-Identifier: GPL-3.0-or-later
#include "autodecision.h"

#include <algorithm>
#include <cmath>

namespace longpole_module {

namespace {

const std::size_t mostPairs = 3;
const double leastPurity = 0.5;
const double light = 0.02;  // of the path: so much a PE may be held up by what is preferred in vain
const double drift = 0.1;
const std::size_t mostRounds = 16;
const std::size_t mostPaths = 3;

// The place (from 0) of the lower end among so many ordered samples: as many below it as a fair coin falls on one side
// with a probability of a twentieth at most.
std::size_t signTestPlace(std::size_t count)
{
    double probability = std::pow(0.5, static_cast<double>(count)), sum = 0;
    std::size_t place = 0;
    for (std::size_t k = 0; k < count; ++k) {
        sum += probability;
        if (sum > 0.05 || probability == 0) break;
        place = k;
        probability = probability * static_cast<double>(count - k) / static_cast<double>(k + 1);
    }
    return place;
}

double quantile(const std::vector<double> &sorted, double which)
{
    const double at = which * static_cast<double>(sorted.size() - 1);
    const std::size_t below = static_cast<std::size_t>(at);
    const std::size_t above = below + 1 < sorted.size() ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

}  // namespace

Spread spreadOf(std::vector<double> samples)
{
    Spread spread;
    spread.count = samples.size();
    if (samples.empty()) return spread;
    std::sort(samples.begin(), samples.end());
    // Beyond a thousand the coin's probabilities are too small to add up; so many lie close enough.
    const std::size_t place = samples.size() <= 1000
                                  ? signTestPlace(samples.size())
                                  : static_cast<std::size_t>(static_cast<double>(samples.size()) / 2
                                                             - std::sqrt(static_cast<double>(samples.size())));
    spread.median = quantile(samples, 0.5);
    spread.low = samples[place];
    spread.high = samples[samples.size() - 1 - place];
    return spread;
}

Comparison compared(const std::vector<double> &off, const std::vector<double> &on)
{
    Comparison result;
    result.off = spreadOf(off);
    result.on = spreadOf(on);
    if (result.off.count < leastSamples || result.on.count < leastSamples || result.off.median <= 0) return result;
    result.gain = 1 - result.on.median / result.off.median;
    result.verdict = Verdict::Undecided;
    if (result.on.high < result.off.low && result.gain >= leastGain) result.verdict = Verdict::Better;
    if (result.on.low > result.off.high) result.verdict = Verdict::Worse;
    return result;
}

std::vector<Scheme> schemesOf(const std::vector<EntryOnPath> &entries, std::size_t most)
{
    std::vector<Scheme> schemes;
    const auto add = [&](const char *name, std::vector<int> chosen) {
        std::sort(chosen.begin(), chosen.end());
        for (const Scheme &scheme : schemes)
            if (scheme.entries == chosen) return;
        if (!chosen.empty() && schemes.size() < most) schemes.push_back(Scheme{name, chosen});
    };
    std::vector<EntryOnPath> sorted = entries;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const EntryOnPath &a, const EntryOnPath &b) { return a.waited > b.waited; });
    std::vector<int> pure, pureOrLight, all;
    for (const EntryOnPath &entry : sorted) {
        all.push_back(entry.entry);
        if (entry.purity >= leastPurity) pure.push_back(entry.entry);
        if (entry.purity >= leastPurity || entry.beside <= light) pureOrLight.push_back(entry.entry);
    }
    add("path", pureOrLight);
    add("pure", pure);
    add("all", all);
    for (const EntryOnPath &entry : sorted)
        if (entry.waited > 0) add("single", std::vector<int>(1, entry.entry));
    return schemes;
}

const char *nameOf(Decision::Kind kind)
{
    switch (kind) {
    case Decision::Kept: return "kept";
    case Decision::TakenBack: return "taken back";
    case Decision::NotDecided: return "not decided";
    case Decision::NothingToTry: return "nothing to try";
    default: return "drifted";
    }
}

void AutoDecisions::decide(Decision::Kind kind, const Comparison &comparison)
{
    m_decisions.push_back(Decision{kind, m_trial, m_trial > 0 ? m_scheme : Scheme(), m_base, comparison});
}

void AutoDecisions::settle()
{
    m_trial = 0;
    m_paths = 0;
    m_state = Rest;
    m_settled.clear();
    // The more often it began again, the longer it stays with what it found.
    m_patience = std::size_t(1) << std::min<std::size_t>(m_rounds, 10);
    decide(Decision::NothingToTry, Comparison());
}

bool AutoDecisions::isTried(const Scheme &scheme) const
{
    return std::find(m_tried.begin(), m_tried.end(), scheme.entries) != m_tried.end();
}

void AutoDecisions::nextScheme()
{
    while (!m_schemes.empty() && m_schemes.back().entries == m_base.entries) m_schemes.pop_back();
    if (m_schemes.empty() || m_trial == mostTrials) {
        if (m_hasKept || m_trial == mostTrials || m_paths == mostPaths) settle();
        else m_state = First;
        return;
    }
    ++m_trial;
    m_pairs = 0;
    m_scheme = m_schemes.back();
    m_schemes.pop_back();
    m_tried.push_back(m_scheme.entries);
    m_without = m_lastWithout;
    m_with.clear();
    m_state = With;
}

void AutoDecisions::ended(const std::vector<double> &samples, const std::vector<Scheme> &schemes)
{
    switch (m_state) {
    case First:
        if (m_paths++ == 0) {
            m_trial = 0;
            m_hasKept = false;
            m_tried.clear();
        }
        m_schemes.clear();
        for (std::size_t i = schemes.size(); i-- > 0;)
            if (!isTried(schemes[i])) m_schemes.push_back(schemes[i]);
        if (!m_base.entries.empty() && m_paths == 1) m_schemes.push_back(Scheme{"none", std::vector<int>()});
        m_lastWithout = samples;
        nextScheme();
        return;
    case With:
        m_with.insert(m_with.end(), samples.begin(), samples.end());
        m_state = Without;
        return;
    case Without:
        m_lastWithout = samples;
        m_without.insert(m_without.end(), samples.begin(), samples.end());
        ++m_pairs;
        judge(compared(m_without, m_with));
        return;
    case Rest: watch(samples); return;
    }
}

void AutoDecisions::judge(const Comparison &comparison)
{
    const bool isUnclear = comparison.verdict == Verdict::Undecided || comparison.verdict == Verdict::TooFew;
    const bool isWorthMore = comparison.verdict == Verdict::TooFew || comparison.gain >= leastGain;
    if (comparison.verdict == Verdict::Better) {
        decide(Decision::Kept, comparison);
        m_base = m_scheme;
        m_hasKept = true;
        m_lastWithout = m_with;
        nextScheme();
    } else if (isUnclear && isWorthMore && m_pairs < mostPairs) {
        m_state = With;
    } else {
        decide(isUnclear ? Decision::NotDecided : Decision::TakenBack, comparison);
        nextScheme();
    }
}

void AutoDecisions::watch(const std::vector<double> &samples)
{
    if (samples.size() < leastSamples) return;
    if (m_settled.empty()) {
        m_settled = samples;
        return;
    }
    if (m_patience > 0) {
        --m_patience;
        return;
    }
    const Spread before = spreadOf(m_settled), now = spreadOf(samples);
    const bool isApart = now.low > before.high || now.high < before.low;
    if (!isApart || std::fabs(now.median / before.median - 1) < drift || m_rounds == mostRounds) return;
    Comparison comparison;
    comparison.off = before;
    comparison.on = now;
    comparison.gain = 1 - now.median / before.median;
    m_trial = 0;
    decide(Decision::Drifted, comparison);
    ++m_rounds;
    m_state = First;
}

std::vector<Decision> AutoDecisions::takeDecisions()
{
    std::vector<Decision> taken;
    taken.swap(m_decisions);
    return taken;
}

std::vector<double> differencesOf(const std::vector<double> &times)
{
    std::vector<double> differences;
    for (std::size_t i = 1; i < times.size(); ++i) differences.push_back(times[i] - times[i - 1]);
    return differences;
}

bool isRegular(const std::vector<double> &times)
{
    std::vector<double> differences = differencesOf(times);
    if (differences.size() < leastSamples) return false;
    std::sort(differences.begin(), differences.end());
    const double median = quantile(differences, 0.5);
    return median > 0 && quantile(differences, 0.75) - quantile(differences, 0.25) <= median / 2;
}

}  // namespace longpole_module
