// SPDX-License-Identifier: GPL-3.0-or-later
// The strip below the rows that says what the colours mean: the entry methods with most of what shows, with their share
// of it, and at the right what is no task: idle time and overhead, or the parts of MPI calls, and lines over them. A
// click on one dims the rest, a click on its colour gives it another, and two change colours when one is dragged to the
// other.
#pragma once

#include "analysis/projection/stagequestions.h"
#include "views/drawing/timeline/legend.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QFrame>
#include <QTimer>

#include <cstddef>
#include <optional>
#include <vector>

class QMouseEvent;
class QToolButton;

namespace longpole {

class TimelineCanvas;

// The colours that stand for something else than entry methods, each with its name; a tooltip says what it is.
class StateKey : public QWidget {
    Q_OBJECT
public:
    explicit StateKey(QWidget* parent) : QWidget(parent) {}

    const std::vector<LegendState>& states() const { return m_states; }
    void setStates(std::vector<LegendState> states);
    QSize sizeHint() const override;
    // How many of them, the first ones, stand in `width` whole; only these are painted.
    std::size_t fittingIn(int width) const;
    int widthOf(std::size_t count) const;  // of the first ones

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect boxOf(std::size_t state) const;  // of its swatch and name
    std::vector<LegendState> m_states;
};

class LegendBar : public QFrame {
    Q_OBJECT
public:
    LegendBar(ViewState& state, TimelineCanvas& canvas, QWidget* parent = nullptr);

    bool isWanted() const;  // not while colours mean slack, which has a strip of its own
    // What shows, with most of it first.
    const std::vector<LegendItem>& items() const { return m_items; }
    const StateKey& states() const { return *m_states; }
    // At once instead of a little after the frame: exactly if that is known, else from what is drawn.
    void countNow();
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void count();
    void show(std::vector<LegendItem> items);
    void fill();
    void nameItems();
    void place();
    int shortenedTo(int room, std::size_t item);
    void listInMenu(std::size_t firstItem, std::size_t firstState);
    QToolButton* addButton(std::size_t item);
    void chooseColour(std::size_t item, const QPoint& at);
    void dimOthers(const QString& name);
    bool swatchEvent(QToolButton& button, std::size_t item, const QMouseEvent& mouse);  // true: it was the swatch's
    void swapColours(std::size_t a, std::size_t b);

    ViewState& m_state;
    TimelineCanvas& m_canvas;
    std::vector<LegendItem> m_items;
    std::vector<QToolButton*> m_buttons;  // of the items, in their order
    std::optional<std::size_t> m_held;    // the item whose swatch is pressed
    bool m_isDragged = false;             // and has been moved
    QToolButton* m_more;                  // a menu of those that have no room, and of the other colours without
    StateKey* m_states;
    QTimer m_settling;
    QTimer m_late;  // when an exact answer takes too long to wait for
    Watch<UsageQuestion> m_asked;
};

}  // namespace longpole
