// SPDX-License-Identifier: GPL-3.0-or-later
// Which priorities a running program tries by itself, and which it keeps (Dooley, Arya, Kale 2010, section 7.1, with
// the safety that they did not need: wrong priorities cost time, so none stays that was not measured to help). Rules
// without clock and program, so that they are tried without Charm++. C++11 and nothing else.
#ifndef LONGPOLE_AUTODECISION_H
#define LONGPOLE_AUTODECISION_H

#include <cstddef>
#include <string>
#include <vector>

namespace longpole_module {

// The median of samples, and the two of them between which the median of all such samples lies with a probability of
// nine tenths or more, whatever their distribution (the sign test's interval); of fewer than five the least and the
// largest.
struct Spread {
    double median = 0, low = 0, high = 0;
    std::size_t count = 0;
};
Spread spreadOf(std::vector<double> samples);

enum class Verdict { Better, Worse, Undecided, TooFew };
// Times with priorities and without: better or worse only if the two spreads do not meet, better only by one per cent
// or more.
struct Comparison {
    Spread off, on;
    double gain = 0;  // 1 - on / off, of the medians
    Verdict verdict = Verdict::TooFew;
};
Comparison compared(const std::vector<double> &off, const std::vector<double> &on);
const std::size_t leastSamples = 5;
const double leastGain = 0.01;

// Entry methods that get a priority above all others.
struct Scheme {
    std::string name;  // "path", "pure", "all", "single"; "none" without entry methods
    std::vector<int> entries;
};

// What a path tells of an entry method.
struct EntryOnPath {
    int entry;
    double share;   // of the path
    double purity;  // tasks on the path, of all its tasks
    double waited;  // what its tasks on the path waited since their messages were sent
    double beside;  // what its tasks off the path took of one PE, as a share of the path
};
// At most `most`: the entry methods whose tasks are mostly on the path, with those that are light, as preferring them
// holds nobody up (a broadcast that arrives everywhere leads on at one place); without these; all that are on the path;
// single ones, those first that waited longest.
std::vector<Scheme> schemesOf(const std::vector<EntryOnPath> &entries, std::size_t most);

struct Decision {
    enum Kind { Kept, TakenBack, NotDecided, NothingToTry, Drifted } kind;
    std::size_t trial;    // from 1 on; 0: it is about no scheme
    Scheme scheme, base;  // base: what was in force without the scheme
    Comparison comparison;
};
const char *nameOf(Decision::Kind kind);

// Goes through intervals: one in which the path is recorded; then for each scheme with it and without it again, until
// it is decided or, where it seems to help, was tried three times. What helps is kept, and the schemes that are left
// are held against it. Where nothing helped, the path is recorded again, twice at most, as one interval's may lack
// what the next one has. When none is left it goes on until the program's pace has changed by a tenth; then it begins
// again, and the first thing that is tried is to do without.
class AutoDecisions {
public:
    static const std::size_t mostTrials = 8;
    // What the coming interval is to be.
    bool recordsPath() const { return m_state == First; }
    const std::vector<int> &priorities() const { return m_state == With ? m_scheme.entries : m_base.entries; }
    bool isSettled() const { return m_state == Rest; }

    // The interval has ended. `schemes`: after one that recorded the path.
    void ended(const std::vector<double> &samples, const std::vector<Scheme> &schemes = std::vector<Scheme>());

    // What was decided since this was asked last.
    std::vector<Decision> takeDecisions();

private:
    enum State { First, With, Without, Rest } m_state = First;
    bool isTried(const Scheme &scheme) const;
    void nextScheme();
    void judge(const Comparison &comparison);
    void settle();
    void watch(const std::vector<double> &samples);
    void decide(Decision::Kind kind, const Comparison &comparison);

    std::vector<Scheme> m_schemes;          // that are left, the next one last
    Scheme m_scheme, m_base;                // what is tried, and what is in force else
    std::vector<std::vector<int>> m_tried;  // of this round
    std::size_t m_paths = 0;                // recorded in it
    bool m_hasKept = false;                 // something, in it
    std::size_t m_trial = 0, m_pairs = 0;
    std::vector<double> m_without, m_with, m_lastWithout, m_settled;
    std::size_t m_patience = 0, m_rounds = 0;  // intervals in which no drift is believed; how often it began again
    std::vector<Decision> m_decisions;
};

// Of the times at which something happened again and again, how long it took from one to the next.
std::vector<double> differencesOf(const std::vector<double> &times);
// Whether something happens so evenly that it can stand for the program's iterations.
bool isRegular(const std::vector<double> &times);

}  // namespace longpole_module

#endif
