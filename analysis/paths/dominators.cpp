// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/dominators.h"

#include "analysis/base/bigarray.h"

namespace longpole {

namespace {

// A tree that grows from its root, in which any node's lowest common ancestor with another is found in O(log n): every
// node knows one ancestor far up, so far that steps along these and along parents are few.
class GrowingTree {
public:
    explicit GrowingTree(std::uint32_t nodes)
        : m_root(nodes), m_parent(bigArray<std::uint32_t>(nodes + std::size_t{1}, nodes)), m_jump(m_parent),
          m_depth(bigArray<std::uint32_t>(nodes + std::size_t{1}))
    {
    }

    std::uint32_t root() const { return m_root; }

    void add(std::uint32_t node, std::uint32_t parent)
    {
        const std::uint32_t up = m_jump[parent];
        m_parent[node] = parent;
        m_depth[node] = m_depth[parent] + 1;
        m_jump[node] = m_depth[parent] - m_depth[up] == m_depth[up] - m_depth[m_jump[up]] ? m_jump[up] : parent;
    }

    std::uint32_t commonAncestor(std::uint32_t a, std::uint32_t b) const
    {
        if (m_depth[a] < m_depth[b]) std::swap(a, b);
        while (m_depth[a] > m_depth[b]) a = m_depth[m_jump[a]] >= m_depth[b] ? m_jump[a] : m_parent[a];
        while (a != b) {
            const bool isFar = m_jump[a] != m_jump[b];
            a = isFar ? m_jump[a] : m_parent[a];
            b = isFar ? m_jump[b] : m_parent[b];
        }
        return a;
    }

    // The parents; noTask for the root's children.
    std::vector<std::uint32_t> parents() &&
    {
        m_parent.pop_back();
        for (std::uint32_t& parent : m_parent)
            if (parent == m_root) parent = noTask;
        return std::move(m_parent);
    }

private:
    std::uint32_t m_root;
    std::vector<std::uint32_t> m_parent, m_jump, m_depth;
};

}  // namespace

std::vector<std::uint32_t> immediateDominators(const ActivityGraph& graph, const Dependencies& edges,
                                               const Progress& progress)
{
    if (edges.merges.empty()) return graph.source;
    const auto size = static_cast<std::uint32_t>(graph.size());
    GrowingTree tree(size);
    auto merge = edges.merges.begin();
    for (std::uint32_t i = 0; i < size; ++i) {
        if (i % (1u << 16) == 0 && progress.isCancelled()) return {};
        std::uint32_t passed = graph.source[i];
        for (; merge != edges.merges.end() && merge->task == i; ++merge)
            passed = passed == noTask ? merge->source : tree.commonAncestor(passed, merge->source);
        tree.add(i, passed == noTask ? tree.root() : passed);
    }
    return std::move(tree).parents();
}

std::vector<TimeNs> dominatedWork(const ActivityGraph& graph, const std::vector<std::uint32_t>& dominators)
{
    std::vector<TimeNs> work = bigArray<TimeNs>(graph.size());
    for (auto i = static_cast<std::uint32_t>(graph.size()); i-- > 0;) {
        work[i] = saturatingAdd(work[i], graph.duration[i]);
        const std::uint32_t above = dominators[i];
        if (above != noTask) work[above] = saturatingAdd(work[above], work[i]);
    }
    return work;
}

}  // namespace longpole
