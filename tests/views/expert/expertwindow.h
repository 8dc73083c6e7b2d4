// SPDX-License-Identifier: GPL-3.0-or-later
// The expert's panels over a drawn trace, with the answer that is made for it or what the expert really says.
#pragma once

#include "analysis/expert/expertquestions.h"
#include "analysis/graph/activitygraph.h"
#include "support/units.h"
#include "views/drawnstore.h"
#include "views/expert/advicepanel.h"
#include "views/expert/prioritypanel.h"
#include "views/expert/treepanel.h"
#include "views/madeexpert.h"
#include "views/plots/treecanvas.h"
#include "views/state/viewstate.h"

#include <QTest>

#include <memory>

namespace longpole {

inline constexpr TimeNs expertBegin = 5000 * us;

// 40 us on four PEs.
inline const QStringList expertRows{QStringLiteral("AAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAABBBB"),
                                    QStringLiteral("....CCCC....CCCC....CCCC....CCCC....CCCC"),
                                    QStringLiteral("DDDD....DDDD....DDDD....DDDD....DDDD...."),
                                    QStringLiteral("....BBBB....BBBB....BBBB....BBBB....BBBB")};

struct ExpertWindow {
    DrawnStore store;
    ViewState state;
    bool isMade = true;  // the answer is this one; else what the expert really says
    std::shared_ptr<const Expert> answer = madeExpert(expertBegin, 40 * us, 4);
    TreePanel tree;
    AdvicePanel advice;
    PriorityPanel priorities;

    ExpertWindow()
        : store(expertRows, DrawnStore::Options{.begin = expertBegin, .firstRecord = expertBegin}),
          state(store.shared()), tree(state), advice(state), priorities(state)
    {
        tree.resize(1100, 600);
        advice.resize(280, 700);
        priorities.resize(900, 300);
    }
    int computed() const { return state.results()->computed<ExpertQuestion>(); }
    void load()
    {
        if (isMade) state.results()->give(ExpertQuestion{}, answer);
        const auto graph = loadActivityGraph(state.store(), Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
    }
    void show()
    {
        load();
        for (QWidget* panel : std::initializer_list<QWidget*>{&tree, &advice, &priorities}) panel->show();
        QTRY_VERIFY(tree.isThere() && advice.isThere() && priorities.isThere());
    }
    TreeNode node(int i) const { return answer->tree.nodes[static_cast<std::size_t>(i)]; }
    QPoint middleOf(int node)
    {
        return tree.canvas().geometryOfTree().boxes[static_cast<std::size_t>(node)].rect.center().toPoint();
    }
};

}  // namespace longpole
