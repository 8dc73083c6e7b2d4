// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/graphoutput.h"

#include "analysis/report/pathtables.h"

namespace longpole {

JsonValue graphJson(const TraceStore& store, const Subgraph& graph)
{
    return {{"edges", name(graph.level)},
            {"tasks_omitted", graph.omitted},
            {"dependencies_omitted", graph.omittedEdges},
            {"tasks", rowsJson(graphTaskTable(store), graph.nodes, &store)},
            {"dependencies", rowsJson(dependencyTable(store), dependencies(graph), &store)}};
}

}  // namespace longpole
