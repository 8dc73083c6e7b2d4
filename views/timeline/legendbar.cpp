// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/legendbar.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/timeline/canvas.h"
#include "views/timeline/colourmenu.h"
#include "views/widgets/plaintext.h"
#include "views/widgets/tableview.h"

#include <QCursor>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr std::size_t mostItems = 24;
constexpr int swatchSide = 11;
constexpr int sides = 8;  // left and right of the strip, and between its items

QPixmap swatch(qreal scale, const QColor& colour)
{
    QPixmap pixmap(QSize(swatchSide, swatchSide) * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(colour);
    return pixmap;
}

constexpr int gapToName = 5;

// With a gap behind it, since a button has little between its icon and its text.
constexpr QSize buttonIcon(swatchSide + gapToName - 1, swatchSide);
QIcon swatchIcon(QRgb colour, qreal scale)
{
    QPixmap pixmap(buttonIcon * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(Qt::transparent);
    QPainter(&pixmap).fillRect(0, 0, swatchSide, swatchSide, QColor::fromRgb(colour));
    return pixmap;
}

QRectF swatchBox(const LegendState& state, double left, double height)
{
    const double high = state.isBar ? 4 : swatchSide;
    return {left, std::floor((height - high) / 2), swatchSide, high};
}

QIcon swatchIcon(const LegendState& state, const Theme& theme, qreal scale)
{
    QPixmap pixmap = swatch(scale, Qt::transparent);
    QPainter painter(&pixmap);
    paintSwatch(painter, swatchBox(state, 0, swatchSide), state, theme);
    return pixmap;
}

// What is counted in columns of pixels changes a little with the width of the window.
QString shareText(const LegendItem& item)
{
    if (item.isExact) return formatShare(item.share);
    const int percent = qRound(item.share * 100);
    return percent > 0 ? QStringLiteral("≈ %1 %").arg(percent) : QStringLiteral("< 1 %");
}

QString shareSentence(const TraceStore& store, const LegendItem& item)
{
    if (!item.isExact)
        return tr("%1: about %2 of the time of the rows that show, counted in columns of pixels.")
            .arg(item.name, shareText(item).remove(QStringLiteral("≈ ")));
    const Vocabulary words = store.words();
    const QString sentence = item.isOfPart
                                 ? words.say(tr("%1: %2 of the time of all PEs in the part of the run that shows."),
                                             tr("%1: %2 of the time of all ranks in the part of the run that shows."))
                                 : words.say(tr("%1: %2 of the time of all PEs."),
                                             tr("%1: %2 of the time of all ranks."));
    return sentence.arg(item.name, shareText(item));
}

}  // namespace

void StateKey::setStates(std::vector<LegendState> states)
{
    m_states = std::move(states);
    QStringList names;
    for (const LegendState& state : m_states) names << state.text();
    setAccessibleName(tr("Other colours: %1").arg(names.join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

QRect StateKey::boxOf(std::size_t state) const
{
    int left = 0;
    for (std::size_t i = 0;; ++i) {
        const int width = swatchSide + gapToName + fontMetrics().horizontalAdvance(m_states[i].text());
        if (i == state) return {left, 0, width, height()};
        left += width + 2 * sides;
    }
}

int StateKey::widthOf(std::size_t count) const { return count == 0 ? 0 : boxOf(count - 1).right() + 1; }

std::size_t StateKey::fittingIn(int width) const
{
    std::size_t count = 0;
    while (count < m_states.size() && widthOf(count + 1) <= width) ++count;
    return count;
}

QSize StateKey::sizeHint() const { return {widthOf(m_states.size()), fontMetrics().height()}; }

void StateKey::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = themeOf(*this);
    for (std::size_t i = 0; i < fittingIn(width()); ++i) {
        const LegendState& state = m_states[i];
        const QRect box = boxOf(i);
        paintSwatch(painter, swatchBox(state, box.left(), height()), state, theme);
        painter.setPen(theme.mutedText);
        painter.drawText(box.adjusted(swatchSide + gapToName, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter, state.text());
    }
}

bool StateKey::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 0; i < m_states.size(); ++i)
        if (boxOf(i).contains(help->pos())) {
            QToolTip::showText(help->globalPos(), m_states[i].meaning, this, boxOf(i));
            return true;
        }
    QToolTip::hideText();
    return true;
}

LegendBar::LegendBar(ViewState& state, TimelineCanvas& canvas, QWidget* parent)
    : QFrame(parent), m_state(state), m_canvas(canvas), m_more(new QToolButton(this)), m_states(new StateKey(this))
{
    setObjectName(QStringLiteral("legendBar"));
    setAutoFillBackground(true);
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    m_more->setObjectName(QStringLiteral("flat"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->setToolTip(tr("What else shows"));
    // A list that is closed leaves its button as if the pointer were on it.
    connect(m_more->menu(), &QMenu::aboutToHide, m_more, [this] {
        m_more->setAttribute(Qt::WA_UnderMouse, m_more->rect().contains(m_more->mapFromGlobal(QCursor::pos())));
        m_more->update();
    });
    m_late.setSingleShot(true);
    m_late.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, &LegendBar::count);
    connect(&m_late, &QTimer::timeout, this, &LegendBar::countNow);
    connect(&canvas, &TimelineCanvas::frameBuilt, this, [this] {
        if (!m_settling.isActive()) m_settling.start();
    });
    connect(&state, &ViewState::filterChanged, this, &LegendBar::fill);
    connect(&state, &ViewState::colourChanged, this, [this] { m_settling.start(); });
}

void LegendBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_settling.start();
}

bool LegendBar::isWanted() const { return m_state.colour() != ColourMode::Slack && !m_state.store().entries().empty(); }

QSize LegendBar::sizeHint() const { return {200, fontMetrics().height() + 11}; }

void LegendBar::countNow()
{
    m_settling.stop();
    m_late.stop();
    const TimelineGeometry& geometry = m_canvas.shownGeometry();
    const TimeRange shown = intersection(geometry.at.range, m_state.store().info().range());
    const auto known = m_state.results()->peek(UsageQuestion{.range = shown});
    std::vector<LegendItem> items = exactLegendItems(geometry, m_state.store(), known.get(), mostItems);
    show(items.empty() ? legendItems(geometry, m_state.store(), mostItems) : std::move(items));
}

// Of a part of the run with so many records that their sum is there in no time, exactly.
void LegendBar::count()
{
    constexpr double mostRecords = 4e6;
    m_asked.cancel();
    const TimelineGeometry& geometry = m_canvas.shownGeometry();
    const TraceInfo& info = m_state.store().info();
    const TimeRange shown = intersection(geometry.at.range, info.range());
    const double share = static_cast<double>(shown.length())
                         / static_cast<double>(std::max<TimeNs>(1, info.duration()));
    const auto isCommThread = [](const Processor& processor) { return processor.kind == TrackKind::CommThread; };
    const bool isPart = shown != info.range() && showsAllProcessors(geometry, m_state.store())
                        && std::ranges::none_of(m_state.store().processors(), isCommThread);  // usage leaves them out
    if (!isPart || static_cast<double>(info.records) * share > mostRecords || !info.hasEvents()) return countNow();
    m_late.start();
    m_asked.ask(m_state.results(), {.range = shown}, [this](const Watch<UsageQuestion>::Answer&) { countNow(); });
}

void LegendBar::show(std::vector<LegendItem> items)
{
    m_items = std::move(items);
    const TimelineGeometry& geometry = m_canvas.shownGeometry();
    const TraceInfo& info = m_state.store().info();
    LegendRest rest = legendRest(geometry, m_state.store());
    const auto usage = m_state.results()->peek(UsageQuestion{.range = intersection(geometry.at.range, info.range())});
    setExactShares(rest, geometry, m_state.store(), usage.get());
    m_states->setStates(legendStates(themeOf(*this), rest));
    fill();
}

QToolButton* LegendBar::addButton(std::size_t item)
{
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("legendItem"));
    button->setCheckable(true);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize(buttonIcon);
    button->setFocusPolicy(Qt::TabFocus);
    button->installEventFilter(this);
    connect(button, &QToolButton::clicked, this, [this, item] { dimOthers(m_items[item].name); });
    return button;
}

void LegendBar::fill()
{
    while (m_buttons.size() < m_items.size()) m_buttons.push_back(addButton(m_buttons.size()));
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const LegendItem& item = m_items[i];
        QToolButton& button = *m_buttons[i];
        button.setIcon(swatchIcon(m_canvas.colours().entry(item.entry), devicePixelRatioF()));
        button.setToolTip(
            inLines(tr("%1 A click dims the rest; a click on the colour, or a right click, gives it another. "
                       "Dragged to another name, the two change colours.")
                        .arg(shareSentence(m_state.store(), item))));
        button.setAccessibleName(tr("%1, %2").arg(item.name, shareText(item)));
        button.setChecked(m_state.filterText() == item.name);
    }
    place();
}

// A long name loses its middle, unless the strip has room for it whole beside everything else.
void LegendBar::nameItems()
{
    const int most = std::max(18 * fontMetrics().averageCharWidth(), 220);
    int spare = width() - m_states->widthOf(m_states->states().size()) - 5 * sides;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const LegendItem& item = m_items[i];
        m_buttons[i]->setText(fontMetrics().elidedText(item.name, Qt::ElideMiddle, most) + QStringLiteral("  ")
                              + shareText(item));
        spare -= m_buttons[i]->sizeHint().width() + 2;
    }
    for (std::size_t i = 0; i < m_items.size() && spare > 0; ++i) {
        const LegendItem& item = m_items[i];
        const int more = fontMetrics().horizontalAdvance(item.name) - most;
        if (more <= 0 || more + sides > spare) continue;
        const int before = m_buttons[i]->sizeHint().width();
        m_buttons[i]->setText(item.name + QStringLiteral("  ") + shareText(item));
        spare -= m_buttons[i]->sizeHint().width() - before;
    }
}

// The width of the item's button if it is at most `room`, which a name may lose more of its middle for; else 0.
int LegendBar::shortenedTo(int room, std::size_t item)
{
    QToolButton& button = *m_buttons[item];
    const int need = button.sizeHint().width();
    if (need <= room) return need;
    const QString text = button.text();
    const QString end = QStringLiteral("  ") + shareText(m_items[item]);
    const int ofName = room - (need - fontMetrics().horizontalAdvance(text)) - fontMetrics().horizontalAdvance(end);
    if (ofName < 12 * fontMetrics().averageCharWidth()) return 0;
    button.setText(fontMetrics().elidedText(m_items[item].name, Qt::ElideMiddle, ofName) + end);
    const int shortened = button.sizeHint().width();
    if (shortened <= room) return shortened;
    button.setText(text);
    return 0;
}

// As many as have room beside the other colours, with most of what shows first; the rest is in the menu.
void LegendBar::place()
{
    nameItems();
    constexpr double mostOfStrip = 0.6;  // for the other colours, where the items need the rest
    m_more->setText(tr("+%1").arg(m_items.size() + m_states->states().size()));
    const int more = m_more->sizeHint().width() + sides;
    int ofItems = sides;
    for (std::size_t i = 0; i < m_items.size(); ++i) ofItems += m_buttons[i]->sizeHint().width() + 2;
    const int left = width() - ofItems - 2 * sides;
    const int most = std::max(static_cast<int>(mostOfStrip * width()), left);
    std::size_t states = m_states->fittingIn(most);
    if (states < m_states->states().size()) states = m_states->fittingIn(std::max(most - more, 0));
    const int room = m_states->widthOf(states);
    m_states->setGeometry(width() - room - sides, 2, room, height() - 4);
    const bool isCut = states < m_states->states().size();
    const int end = width() - room - 2 * sides;
    std::size_t shown = 0;
    int x = sides;
    for (; shown < m_items.size(); ++shown) {
        const bool isLast = !isCut && shown + 1 == m_items.size();
        const int need = shortenedTo(end - x - sides - (isLast ? 0 : more), shown);
        if (need == 0) break;
        m_buttons[shown]->setGeometry(x, 2, need, height() - 4);
        m_buttons[shown]->show();
        x += need + 2;
    }
    for (std::size_t i = shown; i < m_buttons.size(); ++i) m_buttons[i]->hide();
    listInMenu(shown, states);
    m_more->setText(tr("+%1").arg(m_items.size() - shown + m_states->states().size() - states));
    m_more->setGeometry(x, 2, more, height() - 4);
    m_more->setVisible(isCut || shown < m_items.size());
}

void LegendBar::listInMenu(std::size_t firstItem, std::size_t firstState)
{
    QMenu& menu = *m_more->menu();
    menu.clear();
    for (std::size_t i = firstItem; i < m_items.size(); ++i) {
        const QString name = m_items[i].name;
        menu.addAction(m_buttons[i]->icon(), m_buttons[i]->text(), this, [this, name] { dimOthers(name); });
    }
    const std::vector<LegendState>& states = m_states->states();
    if (firstState < states.size()) menu.addSeparator();
    for (std::size_t i = firstState; i < states.size(); ++i) {
        QAction* const action = menu.addAction(swatchIcon(states[i], themeOf(*this), devicePixelRatioF()),
                                               states[i].text());
        action->setToolTip(states[i].meaning);
        connect(action, &QAction::triggered, this,
                [this, meaning = states[i].meaning] { QToolTip::showText(QCursor::pos(), meaning, this); });
    }
}

void LegendBar::dimOthers(const QString& name) { m_state.dimOthers(name); }

void LegendBar::chooseColour(std::size_t item, const QPoint& at)
{
    const Entry* entry = m_state.store().entry(m_items[item].entry);
    if (!entry) return;
    QMenu menu(this);
    fillColourMenu(menu, m_state, colourName(*entry, m_state.paletteOptions().by));
    menu.exec(at);
}

void LegendBar::resizeEvent(QResizeEvent*) { place(); }

// Each gets the other's, as if chosen from the menu.
void LegendBar::swapColours(std::size_t a, std::size_t b)
{
    const Entry* one = m_state.store().entry(m_items[a].entry);
    const Entry* other = m_state.store().entry(m_items[b].entry);
    if (!one || !other) return;
    const ColourBy by = m_state.paletteOptions().by;
    const QString names[] = {colourName(*one, by), colourName(*other, by)};
    const QColor colours[] = {QColor::fromRgb(m_canvas.colours().entry(one->id)),
                              QColor::fromRgb(m_canvas.colours().entry(other->id))};
    if (names[0] == names[1] || colours[0] == colours[1]) return;
    m_state.askColour(names[0], colours[1]);
    m_state.askColour(names[1], colours[0]);
}

// A click on the swatch asks for a colour, a drag takes it to another name.
bool LegendBar::swatchEvent(QToolButton& button, std::size_t item, const QMouseEvent& mouse)
{
    if (mouse.type() == QEvent::MouseButtonPress) {
        m_isDragged = false;
        if (mouse.button() != Qt::LeftButton || mouse.position().x() >= swatchSide + 10) return false;
        m_held = item;
        return true;
    }
    if (m_held != item) return false;
    const QPoint at = button.mapTo(this, mouse.position().toPoint());
    if (mouse.type() == QEvent::MouseMove) {
        if (m_isDragged || button.rect().contains(mouse.position().toPoint())) return true;
        m_isDragged = true;
        button.setCursor(QCursor(swatch(devicePixelRatioF(), QColor(m_canvas.colours().entry(m_items[item].entry)))));
        return true;
    }
    m_held.reset();
    button.unsetCursor();
    if (!m_isDragged) chooseColour(item, button.mapToGlobal(QPoint(0, button.height())));
    for (std::size_t i = 0; m_isDragged && i < m_items.size(); ++i)
        if (i != item && m_buttons[i]->isVisible() && m_buttons[i]->geometry().contains(at)) {
            swapColours(item, i);
            break;
        }
    return true;
}

bool LegendBar::eventFilter(QObject* watched, QEvent* event)
{
    const bool isMouse = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseMove
                         || event->type() == QEvent::MouseButtonRelease;
    if (isMouse || event->type() == QEvent::ContextMenu) {
        auto* button = static_cast<QToolButton*>(watched);
        const auto item = static_cast<std::size_t>(std::find(m_buttons.begin(), m_buttons.end(), button)
                                                   - m_buttons.begin());
        if (item >= m_items.size()) return QFrame::eventFilter(watched, event);
        if (isMouse && swatchEvent(*button, item, *static_cast<QMouseEvent*>(event))) return true;
        if (!isMouse) {
            chooseColour(item, button->mapToGlobal(QPoint(0, button->height())));
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace longpole
