// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions, broadcasts and gathers over a binomial tree: process p's parent is p without its lowest one bit.
#include "distributed/transport/transport.h"

#include "core/base/release.h"
#include "core/base/translate.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace longpole {

namespace {

constexpr std::uint16_t tagOfTrees = highestTag - 2;

struct GatheredHeading {
    std::uint64_t process = 0;
    std::uint64_t bytes = 0;
};

void append(Payload& to, std::uint64_t process, const Payload& bytes)
{
    const GatheredHeading heading{process, bytes.size()};
    const auto* first = reinterpret_cast<const std::byte*>(&heading);
    to.insert(to.end(), first, first + sizeof(heading));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// Process by process what append() made of it; false if it is damaged.
bool split(const Payload& gathered, std::vector<Payload>& into)
{
    std::size_t at = 0;
    while (at < gathered.size()) {
        GatheredHeading heading;
        if (gathered.size() - at < sizeof(heading)) return false;
        std::memcpy(&heading, gathered.data() + at, sizeof(heading));
        at += sizeof(heading);
        if (heading.process == 0 || heading.process >= into.size() || heading.bytes > gathered.size() - at)
            return false;
        const auto first = gathered.begin() + static_cast<std::ptrdiff_t>(at);
        into[heading.process].assign(first, first + static_cast<std::ptrdiff_t>(heading.bytes));
        at += heading.bytes;
    }
    return true;
}

}  // namespace

void Transport::sendInTree(int to, std::uint64_t number, Payload bytes)
{
    if (failed()) return;
    m_traffic.collectiveBytes += bytes.size();
    dispatch(to, tagOfTrees, number, std::move(bytes));
}

Payload Transport::takeInTree(int from, std::uint64_t number)
{
    const TreeKey key{number, from};
    waitFor(tagOfTrees, [&] { return m_tree.contains(key); });
    if (failed()) return {};
    return std::move(m_tree.extract(key).mapped());
}

// The nearest first: theirs are the smallest subtrees, which are done first.
std::vector<int> Transport::children() const
{
    std::vector<int> result;
    for (long long bit = 1; m_process + bit < m_processes && (m_process & bit) == 0; bit *= 2)
        result.push_back(static_cast<int>(m_process + bit));
    return result;
}

void Transport::reduce(std::span<std::byte> values, std::size_t element, const Merge& merge, Receiver receiver)
{
    assert(element > 0 && values.size() % element == 0);
    if (m_processes == 1 || failed()) return;
    const std::size_t block = std::max(element, m_limits.blockBytes / element * element);
    const std::uint64_t first = m_collectives;
    const std::size_t blocks = (values.size() + block - 1) / block;
    m_collectives += 2 * blocks;
    const auto part = [&](std::size_t i) {
        return values.subspan(i * block, std::min(block, values.size() - i * block));
    };
    const auto takePart = [&](int from, std::uint64_t number, std::size_t size) {
        Payload bytes = takeInTree(from, number);
        if (!failed() && bytes.size() != size)
            fail({.what = tr("Process %1 added up another number of values.").arg(from), .where = {}, .hint = {}});
        return bytes;
    };
    for (std::size_t i = 0; i < blocks; ++i) {
        for (const int child : children()) {
            const Payload bytes = takePart(child, first + i, part(i).size());
            if (failed()) return;
            merge(part(i).data(), bytes.data(), bytes.size() / element);
        }
        if (m_process != 0) sendInTree(parent(), first + i, Payload(part(i).begin(), part(i).end()));
    }
    if (receiver == Receiver::Root) return;
    for (std::size_t i = 0; i < blocks; ++i) {
        if (m_process != 0) {
            const Payload bytes = takePart(parent(), first + blocks + i, part(i).size());
            if (failed()) return;
            std::copy(bytes.begin(), bytes.end(), part(i).begin());
        }
        std::vector<int> below = children();
        std::reverse(below.begin(), below.end());  // the largest subtree first
        for (const int child : below) sendInTree(child, first + blocks + i, Payload(part(i).begin(), part(i).end()));
    }
}

Payload Transport::broadcast(Payload bytes)
{
    const std::uint64_t number = m_collectives++;
    if (failed()) return {};
    if (m_process != 0) bytes = takeInTree(parent(), number);
    std::vector<int> below = children();
    std::reverse(below.begin(), below.end());
    for (const int child : below) sendInTree(child, number, bytes);
    return bytes;
}

std::vector<Payload> Transport::gather(Payload bytes)
{
    const std::uint64_t number = m_collectives++;
    if (failed()) return {};
    if (m_process != 0) {
        Payload mine;
        append(mine, static_cast<std::uint64_t>(m_process), bytes);
        release(bytes);
        for (const int child : children()) {
            const Payload below = takeInTree(child, number);
            mine.insert(mine.end(), below.begin(), below.end());
        }
        sendInTree(parent(), number, std::move(mine));
        return {};
    }
    // Divided as it comes: all of it is never there twice.
    std::vector<Payload> all(static_cast<std::size_t>(m_processes));
    all.front() = std::move(bytes);
    for (const int child : children())
        if (const Payload below = takeInTree(child, number); !failed() && !split(below, all))
            fail({.what = tr("What the processes sent together is damaged."), .where = {}, .hint = {}});
    return failed() ? std::vector<Payload>() : all;
}

}  // namespace longpole
