// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/toolrow.h"

#include "views/plots/hithistogram.h"
#include "views/widgets/elidedlabel.h"

#include <QAbstractItemView>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardItemModel>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace longpole {

namespace {

// In the order of the combo boxes.
constexpr EdgeLevel edgeLevels[] = {EdgeLevel::Messages, EdgeLevel::Merges, EdgeLevel::Order};
struct Colours {
    ColourMode mode;
    PaletteKind kind;
    friend bool operator==(const Colours&, const Colours&) = default;
};
// There is one entry for slack, whose colours do not depend on the kind of palette.
constexpr Colours colourModes[] = {{ColourMode::EntryMethod, PaletteKind::Calm},
                                   {ColourMode::Chare, PaletteKind::Calm},
                                   {ColourMode::Slack, PaletteKind::Calm},
                                   {ColourMode::EntryMethod, PaletteKind::OkabeIto},
                                   {ColourMode::Chare, PaletteKind::OkabeIto}};
constexpr ArrowMode arrowModes[] = {ArrowMode::None, ArrowMode::OneStep, ArrowMode::Chain, ArrowMode::Critical};

template <typename T, std::size_t n>
int positionOf(const T (&list)[n], T value)
{
    return static_cast<int>(std::find(std::begin(list), std::end(list), value) - std::begin(list));
}

}  // namespace

ToolRow::ToolRow(QWidget* parent) : QFrame(parent), m_modes(new QButtonGroup(this))
{
    setObjectName(QStringLiteral("toolRow"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(9);
    layout->setSizeConstraint(QLayout::SetNoConstraint);
    m_ofEvents = {addLabel(tr("Critical path")), addSegments(), addLabel(tr("edges"))};
    m_edges = addCombo(tr("Edges of the critical path"),
                       {edgesName(EdgeLevel::Messages), edgesName(EdgeLevel::Merges), edgesName(EdgeLevel::Order)});
    m_edges->setToolTip(edgesTip());
    addLabel(tr("colour"));
    m_colour = addCombo(tr("What colours mean"), colourTexts());
    m_colour->setToolTip(
        tr("slack: how much longer a task could take without lengthening the critical path\n"
           "Okabe-Ito: eight colours that colour-blind eyes tell apart"));
    // Wide enough for the usual choice, not for the longest: the rest of the row needs the room.
    m_colour->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_colour->setMinimumContentsLength(11);
    m_colour->view()->setMinimumWidth(
        m_colour->fontMetrics().horizontalAdvance(m_words.say(tr("entry method, Okabe-Ito"), tr("region, Okabe-Ito")))
        + 40);
    m_ofEvents.push_back(addLabel(tr("arrows")));
    m_arrows = addCombo(tr("Which arrows show"), {tr("none"), tr("one step"), tr("chain"), tr("critical")});
    m_arrows->setToolTip(tr("Messages of the selected task, its whole chain, or those of the critical path"));
    layout->addStretch(1);
    addFind();
    m_ofEvents.insert(m_ofEvents.end(), {m_edges, m_arrows, m_hits, m_find});
    connect(m_edges, &QComboBox::activated, this, [this](int i) { Q_EMIT edgesChosen(edgeLevels[i]); });
    connect(m_colour, &QComboBox::activated, this, [this](int i) {
        const bool hasKind = colourModes[i].mode != ColourMode::Slack;
        Q_EMIT colourChosen(colourModes[i].mode, hasKind ? colourModes[i].kind : m_kind);
    });
    connect(m_arrows, &QComboBox::activated, this, [this](int i) { Q_EMIT arrowsChosen(arrowModes[i]); });
}

QLabel* ToolRow::addLabel(const QString& text)
{
    auto* label = new QLabel(text, this);
    label->setObjectName(QStringLiteral("muted"));
    layout()->addWidget(label);
    m_labels.push_back(label);
    return label;
}

QSize ToolRow::minimumSizeHint() const
{
    QSize least = layout()->minimumSize();
    for (const QLabel* label : m_labels)
        if (!label->isHidden()) least.rwidth() -= label->minimumSizeHint().width() + layout()->spacing();
    if (!m_histogram->isHidden()) least.rwidth() -= m_histogram->width() + layout()->spacing();
    return least;
}

// The last labels go first: what a choice is about stands in its tooltip, too. The number of hits matters more than
// where they lie.
void ToolRow::fitLabels()
{
    const auto isOfEvents = [this](const QLabel* label) {
        return std::find(m_ofEvents.begin(), m_ofEvents.end(), label) != m_ofEvents.end();
    };
    for (QLabel* label : m_labels) label->setVisible(m_hasEvents || !isOfEvents(label));
    m_histogram->setVisible(m_histogram->hasHits());
    for (auto label = m_labels.rbegin(); label != m_labels.rend(); ++label) {
        layout()->invalidate();
        if (layout()->minimumSize().width() <= width()) return;
        (*label)->hide();
    }
    layout()->invalidate();
    if (layout()->minimumSize().width() > width()) m_histogram->hide();
}

void ToolRow::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    fitLabels();
}

QComboBox* ToolRow::addCombo(const QString& name, const QStringList& texts)
{
    auto* combo = new QComboBox(this);
    combo->addItems(texts);
    combo->setAccessibleName(name);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    combo->setFocusPolicy(Qt::TabFocus);  // after a choice by mouse the keys are the timeline's again
    layout()->addWidget(combo);
    return combo;
}

QWidget* ToolRow::addSegments()
{
    auto* frame = new QFrame(this);
    frame->setObjectName(QStringLiteral("segments"));
    auto* inner = new QHBoxLayout(frame);
    inner->setContentsMargins(1, 1, 1, 1);
    inner->setSpacing(0);
    const auto add = [&](PathMode mode, const QString& text, const QString& tip) {
        auto* button = new QPushButton(text, frame);
        button->setObjectName(QStringLiteral("segment"));
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(tip);
        m_modes->addButton(button, static_cast<int>(mode));
        inner->addWidget(button);
    };
    add(PathMode::Work, tr("Work"), tr("The longest chain of computation"));
    add(PathMode::Elapsed, tr("Elapsed"), tr("Backwards from the end: what each moment of the run waited for"));
    add(PathMode::Sweep, tr("Sweep"), tr("One sweep over time: what ran while everything else waited"));
    m_modes->button(0)->setChecked(true);
    connect(m_modes, &QButtonGroup::idClicked, this, [this](int id) { Q_EMIT modeChosen(static_cast<PathMode>(id)); });
    layout()->addWidget(frame);
    return frame;
}

QString ToolRow::edgesTip() const
{
    return m_words.say(
        tr("messages: a task waits for its message only\nmerges: also for reductions and buffered messages, "
           "recorded or inferred\norder: for its message, recorded merges and the task before it on its PE"),
        tr("messages: a task waits for its message only\nmerges: also for reductions and buffered messages, "
           "recorded or inferred\norder: for its message, recorded merges and the task before it on its rank"));
}

QStringList ToolRow::colourTexts() const
{
    return {m_words.say(tr("entry method"), tr("region")), m_words.say(tr("chare"), tr("group")), tr("slack"),
            m_words.say(tr("entry method, Okabe-Ito"), tr("region, Okabe-Ito")),
            m_words.say(tr("chare, Okabe-Ito"), tr("group, Okabe-Ito"))};
}

void ToolRow::speak(Vocabulary words)
{
    m_words = words;
    m_edges->setToolTip(edgesTip());
    const QStringList texts = colourTexts();
    for (int i = 0; i < texts.size(); ++i) m_colour->setItemText(i, texts[i]);
    m_find->setPlaceholderText(m_words.say(tr("Find entry method or /regex/"), tr("Find region or /regex/")));
}

void ToolRow::addFind()
{
    const auto historyButton = [this](const QString& text, const QString& tip) {
        auto* button = new QToolButton(this);
        button->setObjectName(QStringLiteral("flat"));
        button->setText(text);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        layout()->addWidget(button);
        return button;
    };
    m_back = historyButton(QStringLiteral("←"), tr("Back to the range before (Alt+Left)"));
    m_forward = historyButton(QStringLiteral("→"), tr("Forward again (Alt+Right)"));
    connect(m_back, &QToolButton::clicked, this, &ToolRow::backRequested);
    connect(m_forward, &QToolButton::clicked, this, &ToolRow::forwardRequested);
    m_hits = new ElidedLabel(this, 8);  // an error may be long, and must not widen the window
    m_hits->setObjectName(QStringLiteral("muted"));
    layout()->addWidget(m_hits);
    m_histogram = new HitHistogram(this);
    layout()->addWidget(m_histogram);
    m_find = new QLineEdit(this);
    m_find->setPlaceholderText(m_words.say(tr("Find entry method or /regex/"), tr("Find region or /regex/")));
    m_find->setAccessibleName(tr("Find"));
    m_find->setClearButtonEnabled(true);
    m_find->setMinimumWidth(170);
    m_find->setMaximumWidth(300);
    m_find->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_find->installEventFilter(this);
    static_cast<QHBoxLayout*>(layout())->addWidget(m_find, 2);
    connect(m_find, &QLineEdit::textChanged, this, &ToolRow::findChanged);
}

void ToolRow::setPathOptions(PathMode mode, EdgeLevel edges)
{
    m_modes->button(static_cast<int>(mode))->setChecked(true);
    // The elapsed path and the sweep always use the edges of the order on processors.
    m_edges->setEnabled(mode == PathMode::Work);
    m_edges->setCurrentIndex(positionOf(edgeLevels, mode == PathMode::Work ? edges : EdgeLevel::Order));
}

void ToolRow::setColour(ColourMode mode, PaletteKind kind)
{
    m_kind = kind;
    const Colours shown{mode, mode == ColourMode::Slack ? PaletteKind::Calm : kind};
    m_colour->setCurrentIndex(positionOf(colourModes, shown));
}

void ToolRow::setArrows(ArrowMode mode) { m_arrows->setCurrentIndex(positionOf(arrowModes, mode)); }

void ToolRow::setHistory(bool canGoBack, bool canGoForward)
{
    m_back->setEnabled(canGoBack);
    m_forward->setEnabled(canGoForward);
}

void ToolRow::setHits(const QString& text)
{
    m_hits->setObjectName(QStringLiteral("muted"));
    m_hits->style()->unpolish(m_hits);
    m_hits->style()->polish(m_hits);
    m_hits->setText(text);
    m_hits->setToolTip({});
    m_hits->setMinimumWidth(m_hits->sizeHint().width());  // half a number is none
    fitLabels();
}

void ToolRow::setFindError(const QString& text)
{
    if (text.isEmpty()) return;
    m_hits->setObjectName(QStringLiteral("errorText"));
    m_hits->style()->unpolish(m_hits);
    m_hits->style()->polish(m_hits);
    m_hits->setText(m_hits->fontMetrics().elidedText(text, Qt::ElideRight, 220));
    m_hits->setToolTip(text);
    m_hits->setMinimumWidth(0);
    fitLabels();
}

void ToolRow::setTraceThere(bool there)
{
    for (QWidget* widget : findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) widget->setEnabled(there);
}

void ToolRow::setEventsThere(bool there)
{
    m_hasEvents = there;
    for (QWidget* widget : m_ofEvents) widget->setVisible(there);
    fitLabels();
    const auto* colours = qobject_cast<const QStandardItemModel*>(m_colour->model());
    colours->item(positionOf(colourModes, Colours{ColourMode::Slack, PaletteKind::Calm}))->setEnabled(there);
}

bool ToolRow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_find && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            if (key->modifiers() & Qt::ShiftModifier) Q_EMIT findPrevious();
            else Q_EMIT findNext();
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_find->clear();
            Q_EMIT findLeft();
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace longpole
