// SPDX-License-Identifier: GPL-3.0-or-later
// Where the questions of the decision tree stand: the trunk, a question after the other, in the first column; what
// follows from answers in columns right of it; and the lines at right angles that join them.
#pragma once

#include "analysis/expert/decisiontree.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace longpole {

struct TreeBox {
    QRectF rect;
    QRectF mark;       // the disc with its letter or verdict
    QRectF question;   // two lines of words
    QRectF meter;      // the bar of its first test; empty: it has no test, or was not judged
    QRectF figures;    // words beside the meter, or instead of it
    QRectF loss;       // a bar along the lower edge, as long as the node's share of the run
    double value = 0;  // of the first test, 0..1 of the meter; as is its threshold
    double threshold = 0;
    int parent = -1;  // index of a node; -1: none
    int column = 0;
    bool isOnPath = false;  // on the tree's path, or above a node that is
};

struct TreeLine {
    std::vector<QPointF> points{};  // from the parent's box to the child's
    int child = 0;                  // index of a node
    bool isOnPath = false;
};

struct TreeGeometry {
    QSizeF size{0, 0};
    std::vector<TreeBox> boxes;   // one for each of the tree's nodes
    std::vector<TreeLine> lines;  // in the order of their children
};

// Columns share `width` unless that makes them too narrow for words: then the picture is wider. O(nodes^2).
TreeGeometry treeGeometry(const DecisionTree& tree, double width);

// A value and its threshold on a bar of length 1: shares as they are, others so that the larger is at 0.8.
struct MeterScale {
    double value = 0;
    double threshold = 0;
};
MeterScale meterScale(const NodeTest& test);

int treeNodeAt(const TreeGeometry& geometry, QPointF at);  // -1: none

// The node that an arrow key leads to from `node`: the next one above or below in its column, its parent, or its first
// child on the path (else its first child). `node` itself where there is none.
enum class TreeStep : std::uint8_t { Up, Down, Parent, Child };
int treeStep(const TreeGeometry& geometry, int node, TreeStep step);

}  // namespace longpole
