// SPDX-License-Identifier: GPL-3.0-or-later
// How a rank goes through its source from one MPI call to the next: which places it comes to from elsewhere. All that
// is called from a place in a row is one visit, however many calls that are.
#pragma once

#include "core/store/tracestore.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Places are those of call paths from which functions are called that call MPI: of each path the outermost 16, so that
// deep paths of a hostile file do not multiply its calls. For any number of threads. 12 bytes for each call path.
class PlaceEntries {
public:
    explicit PlaceEntries(const TraceStore& store);

    // Calls visit(place) for the places around a call from `path` that are not around one from `before`, the innermost
    // first. noCallPath is around nothing.
    template <typename Visit>
    void entered(std::uint32_t before, std::uint32_t path, Visit visit) const
    {
        std::uint32_t in = innermost(path), out = innermost(before);
        while (in != out) {
            if (m_nodes[in].depth >= m_nodes[out].depth) {
                visit(m_nodes[in].path);
                in = m_nodes[in].outer;
            } else {
                out = m_nodes[out].outer;
            }
        }
    }
    // For all places around a call from `path`.
    template <typename Visit>
    void around(std::uint32_t path, Visit visit) const
    {
        entered(noCallPath, path, visit);
    }

private:
    struct Node {
        std::uint32_t path = noCallPath;
        std::uint32_t outer = 0;  // the next place around it
        std::uint32_t depth = 0;  // places from the outermost on; 0: it is none itself
    };
    std::uint32_t nodeOf(std::uint32_t path) const;
    std::uint32_t innermost(std::uint32_t path) const
    {
        const std::uint32_t node = nodeOf(path);
        return m_nodes[node].depth > 0 ? node : m_nodes[node].outer;
    }

    const TraceStore& m_store;
    std::vector<Node> m_nodes;  // node 0 is around all, then those of store.callPaths()
};

}  // namespace longpole
