// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a view side by side: a table gets the width that its columns need, and an even part of the rest. Where they
// do not fit, one of them is shown, chosen by tabs above; a companion stays beside it while there is room for two.
#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

class QSplitter;
class QTabBar;

namespace longpole {

class TableView;

class SideBySide : public QWidget {
    Q_OBJECT
public:
    explicit SideBySide(QWidget* parent = nullptr);

    // `least`: the width below which a part that is no table is not readable, in pixels. A table, as a part or in one,
    // needs its wantedWidth().
    void addPart(QWidget* part, const QString& title, int least = 0);
    void setPartVisible(QWidget* part, bool visible);
    void choosePart(QWidget* part);  // to be the one that is shown where there is room for one
    // Where not all parts fit, this one stays, without a tab, beside the chosen one.
    void setCompanion(QWidget* part);
    // Whether only one part is shown, for lack of room.
    bool isNarrow() const { return m_room == Room::One; }
    // Always the same: whatever the parts need, none of them keeps the window from being made smaller.
    QSize minimumSizeHint() const override { return {80, 60}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Part {
        QWidget* widget = nullptr;
        const TableView* table = nullptr;  // its own, or the one in it; may be null
        QString title{};
        int least = 0;
        bool isThere = true;  // the view wants it shown
        bool isShown = true;  // and there is room, or it is chosen
        bool stays = false;   // the companion
    };

    enum class Room : std::uint8_t { One, Two, All };

    int widthOf(const Part& part) const;
    bool hasTab(const Part& part) const { return part.isThere && (m_room != Room::Two || !part.stays); }
    Room roomFor(const QList<int>& widths) const;
    void fit();
    void listTabs();
    void showParts();

    std::vector<Part> m_parts;
    QTabBar* m_tabs;
    QSplitter* m_splitter;
    Room m_room = Room::All;
    bool m_moved = false;  // the user has moved a handle
};

}  // namespace longpole
