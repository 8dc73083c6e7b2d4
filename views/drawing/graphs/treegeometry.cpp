// SPDX-License-Identifier: GPL-3.0-or-later
// A parent stands at the height of its first child. The roots of the tree and what follows from them stand below each
// other.
#include "views/drawing/graphs/treegeometry.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double treeMargin = 16;
constexpr double columnGap = 36;
constexpr double siblingGap = 8;
constexpr double familyGap = 18;  // between children of different parents
constexpr double trunkGap = 22;
constexpr double leastWidth = 218;
constexpr double mostWidth = 340;
constexpr double boxHeight = 70;
constexpr double markSize = 23;

class TreeLayout {
public:
    TreeLayout(const DecisionTree& tree, double width) : m_tree(tree)
    {
        m_geometry.boxes.resize(tree.nodes.size());
        m_children.resize(tree.nodes.size());
        findParents();
        findColumns();
        const double room = width - 2 * treeMargin - (m_columns - 1) * columnGap;
        m_width = std::clamp(std::floor(room / m_columns), leastWidth, mostWidth);
    }

    TreeGeometry place()
    {
        double top = treeMargin;
        for (std::size_t i = 0; i < m_tree.nodes.size(); ++i)
            if (m_geometry.boxes[i].parent < 0) {
                m_trunkTop = top;
                top = placeFamily(static_cast<int>(i), top) + familyGap;
            }
        for (std::size_t i = 0; i < m_tree.nodes.size(); ++i) {
            furnish(i);
            if (m_geometry.boxes[i].parent >= 0) drawLine(static_cast<int>(i));
        }
        double bottom = 0;
        for (const TreeBox& box : m_geometry.boxes) bottom = std::max(bottom, box.rect.bottom());
        m_geometry.size = {2 * treeMargin + m_columns * m_width + (m_columns - 1) * columnGap, bottom + treeMargin};
        return std::move(m_geometry);
    }

private:
    TreeBox& box(int node) { return m_geometry.boxes[static_cast<std::size_t>(node)]; }
    const std::vector<int>& children(int node) const { return m_children[static_cast<std::size_t>(node)]; }

    // Only a node that stands earlier in the list can be a parent: whatever the tree says, there is no circle.
    void findParents()
    {
        for (std::size_t i = 0; i < m_tree.nodes.size(); ++i) {
            const TreeNode& node = m_tree.nodes[i];
            TreeBox& own = m_geometry.boxes[i];
            for (std::size_t before = 0; before < i && own.parent < 0 && !node.parent.isEmpty(); ++before)
                if (m_tree.nodes[before].id == node.parent) own.parent = static_cast<int>(before);
            if (own.parent >= 0) m_children[static_cast<std::size_t>(own.parent)].push_back(static_cast<int>(i));
            if (std::find(m_tree.path.begin(), m_tree.path.end(), node.id) == m_tree.path.end()) continue;
            for (int above = static_cast<int>(i); above >= 0; above = box(above).parent) box(above).isOnPath = true;
        }
    }

    // The trunk goes from a root on as long as each question has one child.
    bool isTrunk(int node)
    {
        for (int above = box(node).parent; above >= 0; above = box(above).parent)
            if (children(above).size() != 1) return false;
        return true;
    }

    void findColumns()
    {
        for (int i = 0; i < static_cast<int>(m_geometry.boxes.size()); ++i) {
            const int parent = box(i).parent;
            box(i).column = parent < 0 ? 0 : box(parent).column + (isTrunk(i) ? 0 : 1);
            m_columns = std::max(m_columns, box(i).column + 1);
        }
    }

    // Places a node at `top` and all that follows from it; returns where they end. In the column beside the trunk boxes
    // begin at the height of the trunk's first question.
    double placeFamily(int node, double top)
    {
        const double left = treeMargin + box(node).column * (m_width + columnGap);
        box(node).rect = {left, top, m_width, boxHeight};
        double bottom = top + boxHeight;
        double next = isTrunk(node) ? m_trunkTop : top;
        bool wasFamily = false;
        for (const int child : children(node)) {
            if (box(child).column == box(node).column) {
                bottom = placeFamily(child, bottom + trunkGap);
                continue;
            }
            const bool isFamily = !children(child).empty();
            if (child != children(node).front()) next += isFamily || wasFamily ? familyGap : siblingGap;
            next = placeFamily(child, next);
            wasFamily = isFamily;
        }
        return std::max(bottom, next);
    }

    void furnish(std::size_t i)
    {
        const TreeNode& node = m_tree.nodes[i];
        TreeBox& own = m_geometry.boxes[i];
        const QRectF inner = own.rect.adjusted(11, 8, -11, -8);
        own.mark = {inner.left(), inner.top() + 2, markSize, markSize};
        const double left = own.mark.right() + 9;
        own.question = {left, inner.top() - 1, inner.right() - left, 31};
        const double middle = inner.bottom() - 9;
        own.figures = {left, middle - 8, inner.right() - left, 16};
        if (node.tests.empty() || node.verdict == Verdict::NotJudged) {
            own.meter = {};
        } else {
            own.meter = {left, middle - 2.5, std::floor((inner.right() - left) * 0.26), 5};
            own.figures.setLeft(own.meter.right() + 9);
            const MeterScale scale = meterScale(node.tests.front());
            own.value = scale.value;
            own.threshold = scale.threshold;
        }
        const double share = std::isfinite(node.share) ? std::clamp(node.share, 0.0, 1.0) : 0.0;
        own.loss = {own.rect.left(), own.rect.bottom() - 3, own.rect.width() * share, 3};
    }

    void drawLine(int child)
    {
        const TreeBox& to = box(child);
        const TreeBox& from = box(to.parent);
        TreeLine line{.child = child, .isOnPath = to.isOnPath && from.isOnPath};
        const double y = to.mark.center().y();
        if (to.column == from.column) {
            const double x = to.mark.center().x();
            line.points = {{x, from.rect.bottom()}, {x, to.rect.top()}};
        } else {
            const double turn = from.rect.right() + columnGap / 2;
            const QPointF begin(from.rect.right(), from.mark.center().y());
            if (begin.y() == y) line.points = {begin, {to.rect.left(), y}};
            else line.points = {begin, {turn, begin.y()}, {turn, y}, {to.rect.left(), y}};
        }
        m_geometry.lines.push_back(std::move(line));
    }

    const DecisionTree& m_tree;
    TreeGeometry m_geometry;
    std::vector<std::vector<int>> m_children;
    int m_columns = 1;
    double m_trunkTop = treeMargin;
    double m_width = leastWidth;
};

int neighbour(const TreeGeometry& geometry, int node, bool below)
{
    const TreeBox& from = geometry.boxes[static_cast<std::size_t>(node)];
    int best = node;
    for (std::size_t i = 0; i < geometry.boxes.size(); ++i) {
        const QRectF& rect = geometry.boxes[i].rect;
        if (geometry.boxes[i].column != from.column) continue;
        const QRectF& known = geometry.boxes[static_cast<std::size_t>(best)].rect;
        if (below ? rect.top() > from.rect.top() && (best == node || rect.top() < known.top())
                  : rect.top() < from.rect.top() && (best == node || rect.top() > known.top()))
            best = static_cast<int>(i);
    }
    return best;
}

}  // namespace

TreeGeometry treeGeometry(const DecisionTree& tree, double width)
{
    if (tree.nodes.empty()) return {};
    return TreeLayout(tree, width).place();
}

MeterScale meterScale(const NodeTest& test)
{
    const double value = std::isfinite(test.value) ? std::max(0.0, test.value) : 0.0;
    const double threshold = std::isfinite(test.threshold) ? std::max(0.0, test.threshold) : 0.0;
    const double most = std::max(value, threshold);
    const double whole = test.kind == MetricKind::Share && most <= 1 ? 1.0 : most * 1.25;
    if (whole <= 0) return {};
    return {value / whole, threshold / whole};
}

int treeNodeAt(const TreeGeometry& geometry, QPointF at)
{
    for (std::size_t i = 0; i < geometry.boxes.size(); ++i)
        if (geometry.boxes[i].rect.contains(at)) return static_cast<int>(i);
    return -1;
}

int treeStep(const TreeGeometry& geometry, int node, TreeStep step)
{
    if (node < 0 || node >= static_cast<int>(geometry.boxes.size())) return geometry.boxes.empty() ? -1 : 0;
    if (step == TreeStep::Up || step == TreeStep::Down) return neighbour(geometry, node, step == TreeStep::Down);
    if (step == TreeStep::Parent) {
        const int parent = geometry.boxes[static_cast<std::size_t>(node)].parent;
        return parent < 0 ? node : parent;
    }
    int found = node;
    for (std::size_t i = 0; i < geometry.boxes.size(); ++i) {
        const TreeBox& box = geometry.boxes[i];
        if (box.parent != node) continue;
        if (box.isOnPath) return static_cast<int>(i);
        if (found == node) found = static_cast<int>(i);
    }
    return found;
}

}  // namespace longpole
