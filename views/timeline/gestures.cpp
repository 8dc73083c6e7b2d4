// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/gestures.h"

#include "views/drawing/basics/timecoordinates.h"
#include "views/timeline/canvas.h"

#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace longpole {

namespace {

constexpr double clickSlack = 4;  // pixels that the hand may move during a click
constexpr double edgeReach = 5;   // pixels beside the edge of the marked range where a drag moves it
constexpr double zoomStep = 0.8;  // of a notch of the wheel or a key
constexpr double panStep = 0.15;
constexpr int wheelGestureGap = 600;  // ms: after a longer pause zooming or panning is a new step of the history
constexpr int doubleKeyGap = 450;     // ms: two F within this time fit the selection

// X11's codes of the keys that bear these letters on a US keyboard.
enum Place : quint32 { PlaceW = 25, PlaceA = 38, PlaceS = 39, PlaceD = 40, PlaceZ = 52 };

// The words of the readout below each other, as a card has them.
QString belowEachOther(QString words) { return words.replace(QStringLiteral(" \u00b7 "), QStringLiteral("\n")); }

bool placesAreKnown()
{
    const QString platform = QGuiApplication::platformName();
    return platform == QLatin1String("xcb") || platform.startsWith(QLatin1String("wayland"));
}

}  // namespace

TimelineGestures::TimelineGestures(TimelineCanvas& canvas, ViewState& state, RowModel& rows)
    : m_canvas(canvas), m_state(state), m_rows(rows)
{
    // Queued: views scroll their rows first.
    connect(
        &state, &ViewState::revealed, this,
        [this] {
            if (std::exchange(m_cardDue, {}) == m_state.selection()) requestCardOfSelection();
        },
        Qt::QueuedConnection);
}

TimeNs TimelineGestures::timeAt(double x) const { return m_canvas.coordinates().time(x); }

double TimelineGestures::cursorX() const { return m_cursor ? m_cursor->x() : m_canvas.width() / 2.0; }

std::optional<TimelineHit> TimelineGestures::hitAt(QPointF position) const
{
    const std::optional<std::size_t> row = m_rows.rowAt(position.y());
    if (!row) return {};
    const TimelineRow& under = m_rows.rows()[*row];
    const auto x = std::floor(position.x());
    const TimeRange pixel{timeAt(x), std::max(timeAt(x) + 1, timeAt(x + 1))};
    return hitIn(under, m_canvas.dataOf(under).get(), pixel);
}

std::optional<int> TimelineGestures::markedEdgeAt(double x) const
{
    const TimeRange marked = m_state.marked();
    if (marked.isEmpty()) return {};
    const TimeCoordinates at = m_canvas.coordinates();
    if (std::abs(at.x(marked.end) - x) <= edgeReach) return 1;
    if (std::abs(at.x(marked.begin) - x) <= edgeReach) return 0;
    return {};
}

void TimelineGestures::press(QMouseEvent& event)
{
    Q_EMIT pressed();
    m_pressed = event.position();
    m_rangeAtPress = m_state.range();
    m_markedAtPress = m_state.marked();
    m_scrollAtPress = m_rows.scroll();
    m_moved = false;
    m_recorded = false;
    m_drag = Drag::None;
    const bool left = event.button() == Qt::LeftButton;
    if (event.button() == Qt::MiddleButton || (left && (event.modifiers() & Qt::ShiftModifier))) m_drag = Drag::Pan;
    else if (left && (event.modifiers() & Qt::ControlModifier)) m_drag = Drag::Box;
    else if (left) {
        const std::optional<int> edge = markedEdgeAt(m_pressed.x());
        m_drag = !edge ? Drag::Mark : *edge == 0 ? Drag::MarkBegin : Drag::MarkEnd;
    } else if (event.button() == Qt::RightButton) {
        openMenu(m_pressed, event.globalPosition().toPoint());
    }
}

// Of several tasks in the pixel the menu is the longest one's, which may have to be read first.
void TimelineGestures::openMenu(QPointF position, QPoint globalPosition)
{
    const std::optional<TimelineHit> hit = hitAt(position);
    if (!hit) return;
    const TimelineRow& under = m_rows.rows()[*m_rows.rowAt(position.y())];
    const auto open = [this, hit = *hit, globalPosition](TaskId task) {
        TimelineHit exact = hit;
        exact.task = task;
        exact.oneOfMany = !hit.task.isValid() && task.isValid() && hit.summary.tasks >= 1.5;
        Q_EMIT contextMenuRequested(exact, globalPosition);
    };
    if (hit->task.isValid() || hit->summary.busy <= 0 || !under.pe || under.kind == RowKind::Group)
        return open(hit->task);
    if (const auto there = thingIn(under, m_canvas.dataOf(under).get(), hit->pixel, true)) return open(there->task);
    m_finding.ask(m_state.results(), {under.track, *under.pe, hit->pixel, true},
                  [open](const Watch<ThingInPixelQuestion>::Answer& found) {
                      open(found.ok() ? (*found)->task : TaskId{});
                  });
}

void TimelineGestures::move(QMouseEvent& event)
{
    const QPointF position = event.position();
    m_cursor = position;
    Q_EMIT cursorMoved(position.toPoint());
    m_readingForTip.cancel();  // Qt hides the tip as the cursor moves
    if (m_drag != Drag::None && (position - m_pressed).manhattanLength() > clickSlack) m_moved = true;
    if (m_rulerBegin) {
        TimelineOverlay overlay;
        overlay.ruler = TimeRange{*m_rulerBegin, timeAt(position.x())};
        m_canvas.setOverlay(overlay);
    }
    if (m_drag == Drag::None || !m_moved) {
        updateCursor(position);
        readOut(position);
        return;
    }
    switch (m_drag) {
    case Drag::None: break;
    case Drag::Mark: {
        const TimeNs a = timeAt(m_pressed.x());
        const TimeNs b = timeAt(position.x());
        m_state.setMarked({std::min(a, b), std::max(a, b)});
        break;
    }
    case Drag::MarkBegin:
    case Drag::MarkEnd: {
        const TimeNs fixed = m_drag == Drag::MarkBegin ? m_markedAtPress.end : m_markedAtPress.begin;
        const TimeNs moved = timeAt(position.x());
        m_state.setMarked({std::min(fixed, moved), std::max(fixed, moved)});
        break;
    }
    case Drag::Pan: {
        const TimeCoordinates at{m_rangeAtPress, m_canvas.coordinates().width};
        m_state.setRange(panned(at, m_pressed.x() - position.x()), !m_recorded);
        m_recorded = true;
        m_rows.setScroll(m_scrollAtPress + m_pressed.y() - position.y());
        m_canvas.setCursor(Qt::ClosedHandCursor);
        break;
    }
    case Drag::Box: {
        TimelineOverlay overlay;
        overlay.zoomBox = QRectF(m_pressed, position).normalized();
        m_canvas.setOverlay(overlay);
        break;
    }
    }
}

void TimelineGestures::release(QMouseEvent& event)
{
    const Drag drag = m_drag;
    m_drag = Drag::None;
    if (drag == Drag::None) return;
    const QPointF position = event.position();
    if (!m_moved) {
        if (event.button() == Qt::LeftButton) click(position);
        m_canvas.setOverlay({});
        return;
    }
    if (drag == Drag::Box) finishBox(position);
    if (drag == Drag::Mark && m_dragZooms) zoomToMarked();
    updateCursor(position);
}

void TimelineGestures::finishBox(QPointF position)
{
    const QRectF box = QRectF(m_pressed, position).normalized();
    m_canvas.setOverlay({});
    if (box.width() > clickSlack) m_state.setRange({timeAt(box.left()), timeAt(box.right())});
    const std::optional<std::size_t> top = m_rows.rowAt(box.top());
    if (!top || box.height() < m_rows.rowHeight() / 2 || box.height() >= m_rows.viewportHeight() * 0.95) return;
    m_rows.setRowHeight(m_rows.rowHeight() * m_rows.viewportHeight() / box.height(), box.top());
    m_rows.setScroll(m_rows.scroll() + m_rows.boxOf(*top).top - m_rows.pinnedHeight());
}

// Selects what is there, which may have to be read first, and calls `then`.
void TimelineGestures::click(QPointF position, std::function<void()> then)
{
    m_finding.cancel();
    const auto act = [this, position, then = std::move(then)](const Selection& thing) {
        choose(thing, position);
        if (then) then();
    };
    const std::optional<std::size_t> row = m_rows.rowAt(position.y());
    if (!row) return act({});
    const TimelineRow& under = m_rows.rows()[*row];
    if (under.kind == RowKind::Group) return m_rows.toggleFold(under.track);
    if (!under.pe) return act({});
    const TimeNs begin = timeAt(std::floor(position.x()));
    const TimeRange pixel{begin, std::max(begin + 1, timeAt(std::floor(position.x()) + 1))};
    if (const auto there = thingIn(under, m_canvas.dataOf(under).get(), pixel)) return act(*there);
    m_finding.ask(m_state.results(), {under.track, *under.pe, pixel},
                  [act](const Watch<ThingInPixelQuestion>::Answer& found) { act(found.ok() ? **found : Selection{}); });
}

// A click where nothing is takes the marked range away; another one unselects.
void TimelineGestures::choose(const Selection& thing, QPointF position)
{
    if (!thing.isValid() && !m_state.marked().isEmpty()) m_state.setMarked({});
    else m_state.select(thing);
    requestCard(thing, position.toPoint(), CardRole::Kept);
}

// On an MPI call that waited: goes to the call that it waited for. Else zooms to what is there.
void TimelineGestures::doubleClick(QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton) return;
    click(event.position(), [this] {
        if (m_state.selection().isValid()) goToCulprit([this] { fitSelection(); });
    });
}

bool TimelineGestures::startsNewWheelGesture()
{
    const bool isNew = !m_lastWheel.isValid() || m_lastWheel.elapsed() > wheelGestureGap;
    m_lastWheel.start();
    return isNew;
}

void TimelineGestures::wheel(QWheelEvent& event)
{
    m_cursor = event.position();
    // With Alt some platforms turn the wheel sideways: whichever axis moved counts.
    const QPoint angle = event.angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    const bool control = event.modifiers() & Qt::ControlModifier;
    const bool shift = event.modifiers() & Qt::ShiftModifier;
    const TimeCoordinates at = m_canvas.coordinates();
    if (control && shift) {
        m_rows.setRowHeight(m_rows.rowHeight() * std::pow(1.15, notches), event.position().y());
    } else if (control || (m_wheelZooms && !shift)) {
        m_state.setRange(zoomed(at, event.position().x(), std::pow(zoomStep, notches)), startsNewWheelGesture());
    } else if (shift || (angle.y() == 0 && angle.x() != 0)) {
        m_state.setRange(panned(at, -notches * at.width * panStep / 2), startsNewWheelGesture());
    } else {
        const double pixels = event.pixelDelta().isNull() ? notches * std::max(48.0, m_rows.rowHeight())
                                                          : event.pixelDelta().y();
        m_rows.setScroll(m_rows.scroll() - pixels);
    }
    event.accept();
    readOut(event.position());
}

void TimelineGestures::zoomAtCursor(double factor)
{
    m_state.setRange(zoomed(m_canvas.coordinates(), cursorX(), factor), startsNewWheelGesture());
}

void TimelineGestures::pan(double share)
{
    const TimeCoordinates at = m_canvas.coordinates();
    m_state.setRange(panned(at, share * at.width), startsNewWheelGesture());
}

void TimelineGestures::zoomToMarked()
{
    const TimeRange marked = m_state.marked();
    if (marked.isEmpty()) return;
    m_state.setMarked({});
    m_state.setRange(marked);
}

void TimelineGestures::wholeRun() { m_state.setRange(m_state.wholeRange()); }

void TimelineGestures::toggleRuler()
{
    if (m_rulerBegin) m_rulerBegin.reset();
    else m_rulerBegin = timeAt(cursorX());
    TimelineOverlay overlay;
    if (m_rulerBegin) overlay.ruler = TimeRange{*m_rulerBegin, *m_rulerBegin};
    m_canvas.setOverlay(overlay);
}

bool TimelineGestures::letGo()
{
    if (m_rulerBegin) toggleRuler();
    else if (!m_state.marked().isEmpty()) m_state.setMarked({});
    else return false;
    return true;
}

void TimelineGestures::pinRowAtCursor()
{
    if (!m_cursor) return;
    if (const auto row = m_rows.rowAt(m_cursor->y())) m_rows.togglePin(m_rows.rows()[*row].track);
}

// By the key's place on the keyboard, so that W A S D lie together on any layout; by its letter where the platform does
// not tell the place.
bool TimelineGestures::positionKey(const QKeyEvent& event)
{
    static const bool known = placesAreKnown();
    const quint32 place = event.nativeScanCode();
    const auto is = [&](quint32 wanted, int letter) {
        return known && place != 0 ? place == wanted : event.key() == letter;
    };
    if (is(PlaceW, Qt::Key_W)) zoomAtCursor(zoomStep);
    else if (is(PlaceS, Qt::Key_S)) zoomAtCursor(1 / zoomStep);
    else if (is(PlaceA, Qt::Key_A)) pan(-panStep);
    else if (is(PlaceD, Qt::Key_D)) pan(panStep);
    else if (is(PlaceZ, Qt::Key_Z)) zoomToMarked();
    else return false;
    return true;
}

bool TimelineGestures::letterKey(int key, Qt::KeyboardModifiers modifiers)
{
    const bool shift = modifiers & Qt::ShiftModifier;
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_state.marked().isEmpty()) goToCulprit();
        else zoomToMarked();
        return true;
    case Qt::Key_Home: wholeRun(); return true;
    case Qt::Key_Left: neighbour(-1); return true;
    case Qt::Key_Right: neighbour(+1); return true;
    case Qt::Key_Up: m_rows.setScroll(m_rows.scroll() - m_rows.rowHeight()); return true;
    case Qt::Key_Down: m_rows.setScroll(m_rows.scroll() + m_rows.rowHeight()); return true;
    case Qt::Key_PageUp: m_rows.setScroll(m_rows.scroll() - m_rows.viewportHeight()); return true;
    case Qt::Key_PageDown: m_rows.setScroll(m_rows.scroll() + m_rows.viewportHeight()); return true;
    case Qt::Key_Comma: neighbourOfEntry(-1); return true;
    case Qt::Key_Period: neighbourOfEntry(+1); return true;
    case Qt::Key_BracketLeft: alongMessage(-1); return true;
    case Qt::Key_BracketRight: alongMessage(+1); return true;
    case Qt::Key_C: alongPath(shift ? -1 : +1); return true;
    case Qt::Key_M: toggleRuler(); return true;
    case Qt::Key_P: pinRowAtCursor(); return true;
    case Qt::Key_F:
        if (m_lastF.isValid() && m_lastF.elapsed() < doubleKeyGap) fitSelection();
        else centreSelection();
        m_lastF.start();
        return true;
    case Qt::Key_Escape:
        if (letGo()) return true;
        if (m_state.filterText().isEmpty()) m_state.select({});
        else m_state.setFilter({});
        return true;
    default: return false;
    }
}

bool TimelineGestures::key(QKeyEvent& event)
{
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const auto is = [&](Qt::KeyboardModifier modifier, int key) { return modifiers == modifier && event.key() == key; };
    bool isKnown = true;
    if (is(Qt::AltModifier, Qt::Key_Left) || is(Qt::ControlModifier, Qt::Key_Z)) m_state.undo();
    else if (is(Qt::AltModifier, Qt::Key_Right) || is(Qt::ControlModifier, Qt::Key_Y)) m_state.redo();
    else
        isKnown = (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) == 0
                  && ((modifiers == Qt::NoModifier && positionKey(event)) || letterKey(event.key(), modifiers));
    if (isKnown) event.accept();
    return isKnown;
}

void TimelineGestures::updateCursor(QPointF position)
{
    m_canvas.setCursor(markedEdgeAt(position.x()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

QString TimelineGestures::wordsAt(QPointF position, Watch<CallSentenceQuestion>& reading, std::function<void()> later)
{
    reading.cancel();
    const std::optional<TimelineHit> hit = hitAt(position);
    const std::optional<std::size_t> row = m_rows.rowAt(position.y());
    if (!hit || !row) return {};
    const TimelineRow& under = m_rows.rows()[*row];
    std::shared_ptr<const QString> call;
    if (hit->call.isValid()) {
        call = m_state.results()->peek(CallSentenceQuestion{hit->call});
        if (!call)
            reading.ask(m_state.results(), {hit->call},
                        [later = std::move(later)](const Watch<CallSentenceQuestion>::Answer& found) {
                            if (found.ok()) later();
                        });
    }
    return describe(m_state.store(), under, *hit, m_canvas.dataOf(under).get(), call.get());
}

void TimelineGestures::readOut(QPointF position)
{
    say(wordsAt(position, m_reading, [this, position] {
        if (m_cursor) readOut(position);
    }));
}

void TimelineGestures::say(const QString& text)
{
    m_said = text;
    Q_EMIT m_canvas.hovered(text);
}

void TimelineGestures::refresh()
{
    if (!m_cursor || (m_drag != Drag::None && m_moved)) return;
    const QString before = m_said;
    const QString now = wordsAt(*m_cursor, m_reading, [this] {
        if (m_cursor) readOut(*m_cursor);
    });
    if (now == before) return;
    m_readingForTip.cancel();
    if (QToolTip::isVisible()) QToolTip::hideText();  // it tells of what was here
    say(now);
}

void TimelineGestures::showToolTip(QHelpEvent& event) { showToolTip(event.pos(), event.globalPos()); }

void TimelineGestures::requestCard(const Selection& thing, QPoint position, CardRole role)
{
    if (!thing.task.isValid() && !thing.call.isValid()) return;
    const std::optional<TimelineHit> hit = hitAt(position);
    const std::optional<std::size_t> row = m_rows.rowAt(position.y());
    std::optional<TimeNs> slack;
    if (hit && row && thing.task.isValid() && hit->task == thing.task)
        if (const auto data = m_canvas.dataOf(m_rows.rows()[*row])) slack = leastSlack(*data, hit->pixel);
    Q_EMIT cardRequested(thing, slack, position, role);
}

// Where its row begins to show it.
void TimelineGestures::requestCardOfSelection()
{
    const std::optional<SelectedPlace>& place = m_state.revealedPlace();
    if (!place) return;
    std::optional<std::size_t> row = place->track == noTrack ? std::nullopt : m_rows.rowOf(place->track);
    if (!row) row = m_rows.rowOf(place->pe);
    if (!row) return;
    const RowBox box = m_rows.boxOf(*row);
    const double x = std::max(0.0, m_canvas.coordinates().x(place->range.begin));
    requestCard(m_state.selection(), QPointF(x + 1, box.top + box.height / 2).toPoint(), CardRole::Kept);
}

void TimelineGestures::showToolTip(QPoint position, QPoint globalPosition)
{
    if (m_drag != Drag::None) return;  // it would cover what is dragged over
    if (const std::optional<TimelineHit> hit = hitAt(position); hit && (hit->task.isValid() || hit->call.isValid())) {
        QToolTip::hideText();
        requestCard(hit->call.isValid() ? Selection{.call = hit->call} : Selection{.task = hit->task}, position,
                    CardRole::Hover);
        return;
    }
    const QString text = wordsAt(position, m_readingForTip,
                                 [this, position, globalPosition] { showToolTip(position, globalPosition); });
    if (text.isEmpty()) {
        QToolTip::hideText();
        return;
    }
    const QRect around(position - QPoint(1, 3), QSize(3, 7));
    QToolTip::showText(globalPosition, belowEachOther(text), &m_canvas, around);
}

void TimelineGestures::leave()
{
    m_cursor.reset();
    m_reading.cancel();
    m_readingForTip.cancel();
    Q_EMIT cursorLeft();
    say({});
}

}  // namespace longpole
