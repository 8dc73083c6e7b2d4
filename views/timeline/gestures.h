// SPDX-License-Identifier: GPL-3.0-or-later
// Turns mouse, wheel and keys on the timeline into changes of the view state and of the rows.
#pragma once

#include "views/state/navigationquestions.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"
#include "views/timeline/readout.h"
#include "views/timeline/rowmodel.h"
#include "views/timeline/timelinequestions.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPoint>
#include <QPointF>

#include <deque>
#include <functional>
#include <optional>

class QHelpEvent;
class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace longpole {

class TimelineCanvas;

// How a card at the cursor came: by resting on a thing, or by a click or a key, which keeps it and gives it links.
enum class CardRole : std::uint8_t { Hover, Kept };

class TimelineGestures : public QObject {
    Q_OBJECT
public:
    TimelineGestures(TimelineCanvas& canvas, ViewState& state, RowModel& rows);

    // Settings: whether the plain wheel zooms instead of scrolling, and a plain drag zooms instead of marking.
    void setWheelZooms(bool zooms) { m_wheelZooms = zooms; }
    void setDragZooms(bool zooms) { m_dragZooms = zooms; }

    void press(QMouseEvent& event);
    void move(QMouseEvent& event);
    void release(QMouseEvent& event);
    void doubleClick(QMouseEvent& event);
    void wheel(QWheelEvent& event);
    bool key(QKeyEvent& event);  // false: not ours
    void leave();
    void refresh();  // what the pointer is over has changed under it
    bool isUnderPointer() const { return m_cursor.has_value(); }
    void showToolTip(QHelpEvent& event);

    // What keys do, for menus too.
    void zoomAtCursor(double factor);
    void pan(double share);  // of the visible range
    void zoomToMarked();
    void centreSelection();
    void fitSelection();
    void wholeRun();
    // Selects the MPI call that the selected one waited for. Calls `otherwise` if there is none.
    void goToCulprit(std::function<void()> otherwise = {});
    void neighbour(int step);
    void neighbourOfEntry(int step);
    void alongMessage(int step);
    void alongPath(int step);
    void toggleRuler();
    void pinRowAtCursor();
    bool hasRuler() const { return m_rulerBegin.has_value(); }
    bool letGo();  // takes away the ruler, else the marked range; false: there was neither

    std::optional<TimelineHit> hitAt(QPointF position) const;

Q_SIGNALS:
    // The cursor rests on a task or an MPI call, or one was clicked, or a key went along its message: what is known of
    // it is wanted. `slack`: if the rows know it.
    void cardRequested(const longpole::Selection& thing, std::optional<longpole::TimeNs> slack, QPoint at,
                       longpole::CardRole role);
    void pressed();  // a button: a click or a drag begins
    void cursorMoved(QPoint at);
    void cursorLeft();
    void contextMenuRequested(const longpole::TimelineHit& hit, const QPoint& globalPosition);

private:
    enum class Drag { None, Mark, MarkBegin, MarkEnd, Pan, Box };

    bool letterKey(int key, Qt::KeyboardModifiers modifiers);
    bool positionKey(const QKeyEvent& event);
    std::optional<int> markedEdgeAt(double x) const;
    void updateCursor(QPointF position);
    void readOut(QPointF position);
    void say(const QString& text);
    // What lies there in words. An MPI call may have to be asked for: then `later` is called when its words are there.
    QString wordsAt(QPointF position, Watch<CallSentenceQuestion>& reading, std::function<void()> later);
    void showToolTip(QPoint position, QPoint globalPosition);
    void requestCard(const Selection& thing, QPoint position, CardRole role);
    void requestCardOfSelection();
    void finishBox(QPointF position);
    void click(QPointF position, std::function<void()> then = {});
    void choose(const Selection& thing, QPointF position);
    void openMenu(QPointF position, QPoint globalPosition);
    void go(Leading leading, int step, bool zoom = true, std::function<void()> otherwise = {});
    void showPlace(std::function<TimeRange(TimeRange)> fit);
    bool startsNewWheelGesture();
    TimeNs timeAt(double x) const;
    double cursorX() const;

    TimelineCanvas& m_canvas;
    ViewState& m_state;
    RowModel& m_rows;
    bool m_wheelZooms = false;
    bool m_dragZooms = false;
    Drag m_drag = Drag::None;
    bool m_moved = false;     // the press has become a drag
    bool m_recorded = false;  // the drag is in the history already
    QPointF m_pressed;
    TimeRange m_rangeAtPress;
    TimeRange m_markedAtPress;
    double m_scrollAtPress = 0;
    std::optional<QPointF> m_cursor;
    QString m_said;  // of what the pointer is over
    std::optional<TimeNs> m_rulerBegin;
    Watch<CallSentenceQuestion> m_reading;  // for the readout
    Watch<CallSentenceQuestion> m_readingForTip;
    Watch<ThingInPixelQuestion> m_finding;  // what was clicked
    Watch<NavigationQuestion> m_going;
    std::deque<std::function<void()>> m_steps;  // that wait for it
    Selection m_cardDue;                        // of this when it is on the screen
    Watch<PlaceQuestion> m_placing;
    QElapsedTimer m_lastWheel;
    QElapsedTimer m_lastF;
};

}  // namespace longpole
