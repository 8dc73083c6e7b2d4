// SPDX-License-Identifier: GPL-3.0-or-later
// Controls beside each other in as many lines as they need, so that none overlaps another or loses letters. One that
// wants to expand takes the rest of its line.
#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace longpole {

class FlowLayout : public QLayout {
public:
    // `spacing`: between the controls of a line, and between lines.
    FlowLayout(int spacing, int lineSpacing);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;

    Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;     // of one line
    QSize minimumSize() const override;  // of the widest control
    void setGeometry(const QRect& rect) override;

private:
    using Line = std::vector<QLayoutItem*>;
    std::vector<Line> linesOf(int width) const;
    int widthOf(const Line& line) const;
    void place(const Line& line, QPoint at, int width) const;

    std::vector<std::unique_ptr<QLayoutItem>> m_items;
    int m_lineSpacing;
};

}  // namespace longpole
