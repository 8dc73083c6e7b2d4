// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/graphoutput.h"

#include "app/output/pathoutput.h"
#include "core/trace/format.h"

namespace longpole {

JsonValue graphJson(const TraceStore& store, const Subgraph& graph)
{
    JsonValue tasks = JsonValue::array();
    for (const Subgraph::Node& node : graph.nodes)
        tasks.push_back({{"task", toText(node.id)},
                         {"pe", index(node.id.pe)},
                         {"entry", entryJson(store, node.entry)},
                         {"begin_ns", node.begin},
                         {"end_ns", node.end},
                         {"length_ns", node.length},
                         {"on_path", node.onPath}});
    JsonValue dependencies = JsonValue::array();
    for (const Subgraph::Edge& edge : graph.edges)
        dependencies.push_back({{"source", toText(graph.nodes[edge.source].id)},
                                {"target", toText(graph.nodes[edge.target].id)},
                                {"kind", name(edge.kind)},
                                {"offset_ns", edge.offset},
                                {"length_ns", edge.length},
                                {"on_path", edge.onPath}});
    return {{"edges", name(graph.level)},
            {"tasks_omitted", graph.omitted},
            {"tasks", tasks},
            {"dependencies", dependencies}};
}

}  // namespace longpole
