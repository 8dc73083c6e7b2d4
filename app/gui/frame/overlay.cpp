// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/overlay.h"

#include "views/widgets/spoken.h"

#include <QAction>
#include <QApplication>
#include <QCoreApplication>
#include <QGridLayout>
#include <QIcon>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPixmap>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

Overlay::Overlay(QWidget* window) : QFrame(window)
{
    setObjectName(QStringLiteral("overlay"));
    setAutoFillBackground(true);
    setFocusPolicy(Qt::StrongFocus);
    hide();
}

void Overlay::open()
{
    if (isVisible()) return;
    m_before = window()->focusWidget();
    place();
    show();
    raise();
    setFocus();
    qApp->installEventFilter(this);
    opened();
}

void Overlay::close()
{
    if (!isVisible()) return;
    qApp->removeEventFilter(this);
    hide();
    if (m_before) m_before->setFocus();
    m_before = nullptr;
}

void Overlay::place()
{
    const QSize room = parentWidget()->size() - QSize(40, 80);
    const QSize size = wanted().boundedTo(room);
    setGeometry(QRect(QPoint((parentWidget()->width() - size.width()) / 2, 56), size));
}

bool Overlay::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress && watched->isWidgetType()) {
        const auto* widget = static_cast<QWidget*>(watched);
        if (widget != this && !isAncestorOf(widget) && widget->window() == window()) {
            m_before = nullptr;  // the click itself moves the focus
            close();
        }
    }
    if (event->type() == QEvent::Resize && watched == parentWidget()) place();
    return QFrame::eventFilter(watched, event);
}

// Keeps Esc, which closes the sheet, and single keys from being shortcuts of the window behind it.
bool Overlay::event(QEvent* event)
{
    constexpr Qt::KeyboardModifiers ofCommands = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    if (event->type() == QEvent::ShortcutOverride
        && !static_cast<const QKeyEvent*>(event)->modifiers().testAnyFlags(ofCommands)) {
        event->accept();
        return true;
    }
    return QFrame::event(event);
}

// The focused button, else the sheet's default one; null if there is none.
QPushButton* Overlay::buttonOfEnter() const
{
    if (auto* focused = qobject_cast<QPushButton*>(window()->focusWidget()); focused && isAncestorOf(focused))
        return focused;
    const QList<QPushButton*> all = findChildren<QPushButton*>();
    const auto found = std::find_if(all.begin(), all.end(), [](const QPushButton* one) { return one->isDefault(); });
    return found == all.end() ? nullptr : *found;
}

void Overlay::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape: return close();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (QPushButton* button = buttonOfEnter()) return button->click();
        break;
    default: break;
    }
    QFrame::keyPressEvent(event);
}

CommandPalette::CommandPalette(QWidget* window, std::vector<QAction*> actions)
    : Overlay(window), m_actions(std::move(actions)), m_field(new QLineEdit(this)), m_list(new QListWidget(this))
{
    m_field->setPlaceholderText(tr("Type a command"));
    m_field->setAccessibleName(tr("Command"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
}

void CommandPalette::opened()
{
    m_field->clear();
    fill();
    m_field->setFocus();
}

namespace {

// What is looked for; a plural finds its singular.
QStringList soughtWords(const QString& typed)
{
    const QStringList empty = CommandPalette::tr(
                                  "a an the to of is are was do does did what which who whom how why "
                                  "where when it this and in on for my me i can with",
                                  "words that say nothing of what a question is about")
                                  .split(QLatin1Char(' '));
    QString plain = typed;
    for (QChar& letter : plain)
        if (QStringLiteral("?!,.").contains(letter)) letter = QLatin1Char(' ');
    const QStringList all = plain.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QStringList sought;
    for (const QString& word : all)
        if (!empty.contains(word, Qt::CaseInsensitive)) sought << word;
    if (sought.isEmpty()) sought = all;
    constexpr qsizetype shortest = 5;
    for (QString& word : sought)
        if (word.size() >= shortest && word.endsWith(QLatin1Char('s'), Qt::CaseInsensitive)) word.chop(1);
    return sought;
}

QString plainText(const QAction& action)
{
    QString text = action.text();
    return text.remove(QLatin1Char('&'));
}

QString keysOf(const QAction& action) { return action.shortcut().toString(QKeySequence::NativeText); }

// How many of the words an action has, and how prominently.
struct Fit {
    std::size_t action = 0;
    qsizetype words = 0;
    int weight = 0;
};

// Whether the text is called just so: "If code were faster?  ·  What if" is called both.
bool isCalled(const QString& text, const QString& typed)
{
    const QStringList names = text.split(QStringLiteral("·"));
    return std::any_of(names.begin(), names.end(), [&typed](const QString& name) {
        return name.trimmed().compare(typed, Qt::CaseInsensitive) == 0;
    });
}

Fit fitOf(std::size_t number, const QAction& action, const QString& typed, const QStringList& words)
{
    constexpr int itself = 100, asTyped = 20;
    const QString name = plainText(action), keys = keysOf(action);
    const std::pair<QString, int> texts[] = {{name, 8},
                                             {action.toolTip(), 4},
                                             {action.property(alsoCalledProperty).toString(), 5},
                                             {action.whatsThis(), 1}};
    Fit fit{.action = number};
    if (isCalled(name, typed)) fit.weight = itself;
    else if (typed.contains(QLatin1Char(' ')) && name.contains(typed, Qt::CaseInsensitive)) fit.weight = asTyped;
    for (const QString& word : words) {
        // Keys are typed as a whole: "if" is no part of Shift.
        if (!keys.isEmpty() && keys.compare(word, Qt::CaseInsensitive) == 0) {
            ++fit.words;
            fit.weight += itself;
            continue;
        }
        const auto* const found = std::find_if(std::begin(texts), std::end(texts), [&word](const auto& text) {
            return text.first.contains(word, Qt::CaseInsensitive);
        });
        if (found == std::end(texts)) continue;
        ++fit.words;
        fit.weight += found->second;
    }
    return fit;
}

}  // namespace

void CommandPalette::fill()
{
    const QString typed = m_field->text().simplified();
    const QStringList words = soughtWords(typed);
    std::vector<Fit> fits;
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        const QAction& action = *m_actions[i];
        if (!action.isEnabled() || action.menu()) continue;
        const Fit fit = fitOf(i, action, typed, words);
        if (fit.words > 0 || words.isEmpty()) fits.push_back(fit);
    }
    std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) {
        return std::pair(a.words, a.weight) > std::pair(b.words, b.weight);
    });
    const bool anyHasAll = !fits.empty() && fits.front().words == words.size();
    m_list->clear();
    if (fits.empty()) addLine(tr("No command has these words."));
    else if (!anyHasAll) addLine(tr("No command has all of these words. Some have part of them:"));
    for (const Fit& fit : fits) {
        if (anyHasAll && fit.words < words.size()) break;
        const QAction& action = *m_actions[fit.action];
        const QString keys = keysOf(action);
        auto* item = new QListWidgetItem(plainText(action), m_list);
        if (!keys.isEmpty()) item->setText(item->text() % QStringLiteral("    ") % keys);
        item->setToolTip(action.toolTip());
        item->setData(Qt::UserRole, QVariant::fromValue(fit.action));
    }
    m_list->setCurrentRow(fits.empty() || anyHasAll ? 0 : 1);
}

void CommandPalette::addLine(const QString& text) { (new QListWidgetItem(text, m_list))->setFlags(Qt::NoItemFlags); }

void CommandPalette::run()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !item->flags().testFlag(Qt::ItemIsEnabled)) return;
    QAction* action = m_actions[item->data(Qt::UserRole).value<std::size_t>()];
    close();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            const int last = m_list->count() - 1;
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1), 0,
                                             std::max(0, last)));
            return true;
        }
        if (key == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    return Overlay::eventFilter(watched, event);
}

KeyHelp::KeyHelp(QWidget* window, const std::vector<KeyLine>& lines) : Overlay(window)
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(16, 12, 8, 12);
    auto* title = new QLabel(tr("Keys and gestures"), this);
    title->setObjectName(QStringLiteral("panelTitle"));
    outer->addWidget(title);
    auto* area = new QScrollArea(this);
    speakAs(*area, QAccessible::Pane);
    area->setAccessibleName(tr("Keys"));
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* page = new QWidget(area);
    auto* grid = new QGridLayout(page);
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(5);
    const auto half = static_cast<int>((lines.size() + 1) / 2);
    for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
        const KeyLine& line = lines[static_cast<std::size_t>(i)];
        const int column = i < half ? 0 : 2;
        auto* keys = new QLabel(line.keys, page);
        keys->setTextFormat(Qt::PlainText);
        auto* text = new QLabel(line.text, page);
        text->setObjectName(QStringLiteral("muted"));
        grid->addWidget(keys, i % half, column);
        grid->addWidget(text, i % half, column + 1);
    }
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    grid->setRowStretch(half, 1);
    area->setWidget(page);
    outer->addWidget(area);
    // If the window has the room, all of it shows without scrolling.
    m_need = page->sizeHint() + QSize(60, 70);
}

AboutSheet::AboutSheet(QWidget* window) : Overlay(window)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 22, 28, 22);
    layout->setSpacing(10);
    auto* icon = new QLabel(this);
    icon->setPixmap(QIcon(QStringLiteral(":/icons/longpole.svg")).pixmap(72, 72));
    auto* name = new QLabel(tr("Longpole %1").arg(QCoreApplication::applicationVersion()), this);
    name->setObjectName(QStringLiteral("panelTitle"));
    auto* text = new QLabel(tr("Performance visualizer and expert for parallel programs.\n\n"
                               "Free software under the GNU General Public License, version 3 or later. It comes "
                               "with no warranty; you may share and change it under that licence.\n"
                               "https://www.gnu.org/licenses/gpl-3.0.html\n\n"
                               "Built with Qt %1, SQLite, zstd, ISA-L and xxHash.")
                                .arg(QLatin1String(qVersion())),
                            this);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setMinimumWidth(420);
    layout->addWidget(icon);
    layout->addWidget(name);
    layout->addWidget(text);
}

}  // namespace longpole
