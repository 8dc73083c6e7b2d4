// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/bestrepeat.h"

#include "analysis/phases/disjointplaces.h"
#include "analysis/phases/repeats.h"
#include "core/base/result.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <functional>
#include <optional>
#include <utility>

namespace longpole {

namespace {

using Symbols = std::span<const std::uint32_t>;

struct Candidate {
    Repeat repeat{};
    std::int64_t bound = 0;  // no length of it scores more
    friend std::strong_ordering operator<=>(const Candidate& a, const Candidate& b)
    {
        return std::pair(a.bound, -a.repeat.firstRow) <=> std::pair(b.bound, -b.repeat.firstRow);
    }
};

// Puts places of a string into their order, by marks where there are many.
class PlaceSorter {
public:
    explicit PlaceSorter(std::size_t length) : m_marks(length / 64 + 1, 0) {}

    std::span<const std::int32_t> sorted(std::span<const std::int32_t> places, const Repeat& repeat)
    {
        m_places.assign(places.begin(), places.end());
        const auto words = static_cast<std::size_t>(repeat.lastPlace - repeat.firstPlace) / 64;
        if (words > 8 * places.size()) std::sort(m_places.begin(), m_places.end());
        else sortByMarks(repeat);
        return m_places;
    }

private:
    void sortByMarks(const Repeat& repeat)
    {
        for (const std::int32_t place : m_places)
            m_marks[static_cast<std::size_t>(place) / 64] |= std::uint64_t{1} << (place % 64);
        auto next = m_places.begin();
        const auto last = static_cast<std::size_t>(repeat.lastPlace) / 64;
        for (auto word = static_cast<std::size_t>(repeat.firstPlace) / 64; word <= last; ++word)
            for (std::uint64_t& marks = m_marks[word]; marks != 0; marks &= marks - 1)
                *next++ = static_cast<std::int32_t>(word * 64) + std::countr_zero(marks);
    }

    std::vector<std::uint64_t> m_marks;
    std::vector<std::int32_t> m_places{};
};

// The most promising candidates of each order of length. Bounds of long repeats that overlap themselves are far too
// high: with the bounds alone the budget would end among those.
class Favourites {
public:
    void add(const Candidate& candidate)
    {
        std::vector<Candidate>& heap = m_byLength[std::bit_width(static_cast<std::uint32_t>(candidate.repeat.longest))];
        if (heap.size() == each && candidate < heap.front()) return;
        heap.push_back(candidate);
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
        if (heap.size() <= each) return;
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.pop_back();
    }

    // The longest first: they have the fewest places.
    template <typename Look>
    void forEach(Look look) const
    {
        for (std::size_t length = m_byLength.size(); length-- > 0;)
            std::for_each(m_byLength[length].begin(), m_byLength[length].end(), look);
    }

private:
    static constexpr std::size_t each = 8;
    std::array<std::vector<Candidate>, 33> m_byLength{};
};

class RepeatSearch {
public:
    RepeatSearch(Symbols symbols, std::uint32_t alphabet, const RepeatQuestion& question, const Progress& progress)
        : m_symbols(symbols), m_array(suffixArray(symbols, alphabet)), m_question(question), m_progress(progress),
          m_sorter(symbols.size())
    {
    }

    Result<BestRepeat> best()
    {
        if (m_progress.isCancelled()) return cancelledError();
        if (m_question.overlapping) takeMostOften();
        else lookAtRepeats();
        if (m_progress.isCancelled()) return cancelledError();
        if (m_length == 0) return BestRepeat{.work = m_work};
        const auto places = m_sorter.sorted(placesOf(m_repeat), m_repeat);
        BestRepeat best{m_length, {}, m_score, m_proven, m_work};
        if (m_question.overlapping) best.places.assign(places.begin(), places.end());
        else best.places = disjointPlaces(places, m_length);
        return best;
    }

private:
    std::span<const std::int32_t> placesOf(const Repeat& repeat) const
    {
        return std::span(m_array.order)
            .subspan(static_cast<std::size_t>(repeat.firstRow), static_cast<std::size_t>(repeat.places()));
    }

    void take(const Repeat& repeat, std::int32_t length, std::int64_t score)
    {
        m_repeat = repeat;
        m_length = length;
        m_score = score;
    }

    // Pieces that may overlap are as many for each length of a repeat: the longest is the best.
    void takeMostOften()
    {
        forEachRepeat(m_symbols, m_array, [&](const Repeat& repeat) {
            const std::int64_t score = std::int64_t{repeat.places()} * repeat.longest * repeat.longest;
            if (repeat.places() >= m_question.support && score > m_score) take(repeat, repeat.longest, score);
        });
    }

    // `support` disjoint pieces lie between the first and the last place, and all of them within that and one length.
    std::optional<Candidate> candidate(const Repeat& repeat) const
    {
        if (repeat.places() < m_question.support) return {};
        const std::int64_t span = repeat.lastPlace - repeat.firstPlace;
        const std::int64_t longest = std::min<std::int64_t>(repeat.longest, span / (m_question.support - 1));
        if (longest <= repeat.shorter) return {};
        const std::int64_t bound = std::min(repeat.places() * longest * longest, (span + longest) * longest);
        if (bound <= m_score) return {};
        Candidate found{repeat, bound};
        found.repeat.longest = static_cast<std::int32_t>(longest);
        return found;
    }

    void lookAtRepeats()
    {
        std::vector<Candidate> candidates;
        Favourites favourites;
        forEachRepeat(m_symbols, m_array, [&](const Repeat& repeat) {
            const std::optional<Candidate> found = candidate(repeat);
            if (!found) return;
            // A lower bound at once: single symbols are disjoint.
            if (repeat.shorter == 0 && repeat.places() > m_score) take(repeat, 1, repeat.places());
            candidates.push_back(*found);
            favourites.add(*found);
        });
        favourites.forEach([&](const Candidate& favourite) {
            if (m_work < m_question.budget / 2 && favourite.bound > m_score) m_work += lookAt(favourite.repeat);
        });
        std::make_heap(candidates.begin(), candidates.end());
        while (!candidates.empty() && candidates.front().bound > m_score) {
            if (m_work >= m_question.budget || m_progress.isCancelled()) {
                m_proven = false;
                return;
            }
            m_work += lookAt(candidates.front().repeat);
            std::pop_heap(candidates.begin(), candidates.end());
            candidates.pop_back();
        }
    }

    // What it cost.
    std::int64_t lookAt(const Repeat& repeat)
    {
        std::int64_t work = 2 * std::int64_t{repeat.places()};
        const auto places = m_sorter.sorted(placesOf(repeat), repeat);
        const LengthChoice choice = bestLength(places, repeat.shorter + 1, repeat.longest, m_question.support, m_score,
                                               work);
        if (choice.length > 0) take(repeat, choice.length, choice.score);
        return work;
    }

    Symbols m_symbols;
    SuffixArray m_array;
    RepeatQuestion m_question;
    const Progress& m_progress;
    PlaceSorter m_sorter;
    Repeat m_repeat{};
    std::int32_t m_length = 0;
    std::int64_t m_score = 0;
    bool m_proven = true;
    std::int64_t m_work = 0;
};

}  // namespace

Result<BestRepeat> bestRepeat(std::span<const std::uint32_t> symbols, std::uint32_t alphabet,
                              const RepeatQuestion& question, const Progress& progress)
{
    return RepeatSearch(symbols, alphabet, question, progress).best();
}

}  // namespace longpole
