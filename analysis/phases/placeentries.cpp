// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/placeentries.h"

namespace longpole {

namespace {

constexpr std::uint32_t deepest = 16;

}  // namespace

PlaceEntries::PlaceEntries(const TraceStore& store) : m_store(store), m_nodes(store.callPaths().size() + 1)
{
    const std::span<const CallPath> paths = store.callPaths();
    std::vector<bool> calls(m_nodes.size(), false);
    for (const CallPath& path : paths) calls[nodeOf(path.parent)] = true;
    for (std::size_t i = 0; i < paths.size(); ++i) {  // callers have smaller numbers
        Node& node = m_nodes[i + 1];
        node.path = paths[i].id;
        node.outer = innermost(paths[i].parent);
        const std::uint32_t depth = m_nodes[node.outer].depth + 1;
        if (paths[i].isPlace && calls[i + 1] && depth <= deepest) node.depth = depth;
    }
}

std::uint32_t PlaceEntries::nodeOf(std::uint32_t path) const
{
    const std::span<const CallPath> paths = m_store.callPaths();
    if (path - 1 < paths.size() && paths[path - 1].id == path) return path;  // usually they are all there
    const CallPath* const at = m_store.callPath(path);
    return at == nullptr ? 0 : static_cast<std::uint32_t>(at - paths.data()) + 1;
}

}  // namespace longpole
