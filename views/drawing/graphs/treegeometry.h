// SPDX-License-Identifier: GPL-3.0-or-later
// Where the questions of the decision tree stand: the first ones below each other, what follows from them in columns to
// the right, lines at right angles between them.
#pragma once

#include "analysis/expert/decisiontree.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace longpole {

struct TreeBox {
    QRectF rect;
    QRectF mark;       // the disc that says its letter and verdict
    QRectF question;   // two lines of words
    QRectF meter;      // the bar of its first test; empty: it has none
    QRectF figures;    // beside the meter, or what is said instead of one
    QRectF loss;       // the bar along its lower edge, as long as its share of the run
    double value = 0;  // of the first test, 0..1 of the meter
    double threshold = 0;
    int parent = -1;  // node
    int column = 0;
    bool isOnPath = false;  // or it leads there
};

struct TreeLine {
    std::vector<QPointF> points;  // from the parent's box to the child's
    int child = 0;
    bool isOnPath = false;
};

struct TreeGeometry {
    QSizeF size{0, 0};
    std::vector<TreeBox> boxes;   // as the tree's nodes
    std::vector<TreeLine> lines;  // by child
};

// Columns share `width` as long as words can be read in them; the picture is wider where they cannot. O(nodes^2).
TreeGeometry treeGeometry(const DecisionTree& tree, double width);

// A value and its threshold on a bar of length 1: shares as they are, others so that both have room.
struct MeterScale {
    double value = 0;
    double threshold = 0;
};
MeterScale meterScale(const NodeTest& test);

int treeNodeAt(const TreeGeometry& geometry, QPointF at);  // -1: none

// The node that an arrow key leads to from `node`: its neighbours in the column, its parent, the first of its children
// on the path (or the first). Itself where there is none.
enum class TreeStep : std::uint8_t { Up, Down, Parent, Child };
int treeStep(const TreeGeometry& geometry, int node, TreeStep step);

}  // namespace longpole
