// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/sidebar.h"

#include "core/trace/format.h"
#include "views/widgets/scrolling.h"
#include "views/widgets/spoken.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

QPushButton* entryButton(const QString& name, const QString& text, const QString& count, QWidget* parent)
{
    auto* button = new QPushButton(parent);
    button->setObjectName(name);
    button->setAccessibleName(text);
    button->setFocusPolicy(Qt::TabFocus);  // after a click only the place that is open is marked
    auto* layout = new QHBoxLayout(button);
    layout->setContentsMargins(6, 0, 6, 0);
    auto* label = new QLabel(text, button);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* number = new QLabel(count, button);
    number->setObjectName(QStringLiteral("sideCount"));
    number->setAttribute(Qt::WA_TransparentForMouseEvents);
    layout->addWidget(label, 1);
    layout->addWidget(number);
    button->setMinimumHeight(label->sizeHint().height() + 11);
    return button;
}

}  // namespace

Sidebar::Sidebar(QWidget* parent) : QFrame(parent), m_entries(new QVBoxLayout), m_bookmarks(new QVBoxLayout)
{
    setObjectName(QStringLiteral("sidebar"));
    m_entries->setSpacing(1);
    m_bookmarks->setSpacing(1);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(8, 12, 8, 8);
    column->setSpacing(1);
    column->addLayout(m_entries);
    column->addLayout(m_bookmarks);
    column->addStretch();
    auto* area = new QScrollArea(this);
    speakAs(*area, QAccessible::Pane);
    area->setAccessibleName(tr("Views"));
    scrollDownOnly(*area);
    area->setWidget(page);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(area);
    setMinimumWidth(170);
}

QPushButton* Sidebar::addPlace(const QString& id, const QString& text, std::function<void()> chosen)
{
    m_adding = id;
    QPushButton* button = add(QStringLiteral("sidePlace"), id, text, std::move(chosen));
    button->setCheckable(true);
    return button;
}

void Sidebar::openPlace(const QString& id)
{
    for (int i = 0; i < m_entries->count(); ++i) {
        QWidget* button = m_entries->itemAt(i)->widget();
        const bool isOpen = button->property("place").toString() == id;
        if (button->objectName() == QLatin1String("sidePlace")) static_cast<QPushButton*>(button)->setChecked(isOpen);
        else button->setVisible(isOpen);
    }
}

QPushButton* Sidebar::addEntry(const QString& id, const QString& text, std::function<void()> chosen)
{
    return add(QStringLiteral("sideEntry"), id, text, std::move(chosen));
}

QPushButton* Sidebar::add(const QString& name, const QString& id, const QString& text, std::function<void()> chosen)
{
    QPushButton* button = entryButton(name, text, {}, this);
    button->setProperty("entry", id);
    button->setProperty("place", m_adding);
    connect(button, &QPushButton::clicked, this, std::move(chosen));
    m_entries->addWidget(button);
    // As wide as its longest words, in whatever language, up to a fifth of a common screen.
    constexpr int margins = 36;
    const int wanted = button->layout()->sizeHint().width() + margins;
    setMinimumWidth(std::max(minimumWidth(), std::min(wanted, 288)));
    return button;
}

QPushButton* Sidebar::find(const QString& id) const
{
    for (int i = 0; i < m_entries->count(); ++i)
        if (auto* button = qobject_cast<QPushButton*>(m_entries->itemAt(i)->widget()))
            if (button->property("entry").toString() == id) return button;
    return nullptr;
}

void Sidebar::setCount(const QString& id, const QString& count, bool isFinding) const
{
    QPushButton* button = find(id);
    if (!button) return;
    auto* label = button->findChild<QLabel*>(QStringLiteral("sideCount"));
    label->setText(count);
    if (label->property("finding").toBool() == isFinding) return;
    label->setProperty("finding", isFinding);
    label->style()->unpolish(label);
    label->style()->polish(label);
}

void Sidebar::setCurrent(const QString& id, bool current) const
{
    if (QPushButton* button = find(id)) {
        button->setCheckable(true);
        button->setChecked(current);
    }
}

void Sidebar::setBookmarks(const std::vector<Bookmark>& bookmarks, TimeNs zero)
{
    finishEditing();
    while (const QLayoutItem* item = m_bookmarks->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();  // not now: this may be called from its own menu
        }
        delete item;
    }
    if (bookmarks.empty()) return;
    auto* heading = new QLabel(tr("Bookmarks"), this);
    heading->setObjectName(QStringLiteral("sideHeading"));
    m_bookmarks->addWidget(heading);
    constexpr std::size_t mostRows = 200;  // more take long to place; all stand on the axis
    for (std::size_t i = 0; i < std::min(bookmarks.size(), mostRows); ++i) addBookmark(bookmarks[i], zero);
    if (bookmarks.size() <= mostRows) return;
    auto* rest = new QLabel(tr("%1 more").arg(formatCount(std::int64_t(bookmarks.size() - mostRows))), this);
    rest->setObjectName(QStringLiteral("muted"));
    m_bookmarks->addWidget(rest);
}

void Sidebar::addBookmark(const Bookmark& bookmark, TimeNs zero)
{
    constexpr qsizetype mostLetters = 200;  // more take long to measure, and no column has room for them
    const QString note = bookmark.note.isEmpty() ? tr("bookmark") : bookmark.note.left(mostLetters);
    const QString text = bookmark.number > 0 ? tr("%1 · %2").arg(bookmark.number).arg(note) : note;
    QPushButton* button = entryButton(QStringLiteral("sideEntry"), text,
                                      formatTime(saturatingSubtract(bookmark.range.begin, zero)), this);
    button->setToolTip(tr("Go to this range; right click to rename or remove"));
    connect(button, &QPushButton::clicked, this, [this, bookmark] { Q_EMIT bookmarkChosen(bookmark); });
    button->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(button, &QPushButton::customContextMenuRequested, this, [this, button, bookmark](const QPoint& at) {
        QMenu menu(button);
        menu.addAction(tr("Rename"), this, [this, button, bookmark] { editNote(bookmark, button); });
        menu.addAction(tr("Remove"), this, [this, bookmark] { Q_EMIT bookmarkRemoved(bookmark); });
        menu.exec(button->mapToGlobal(at));
    });
    m_bookmarks->addWidget(button);
}

void Sidebar::editNote(const Bookmark& bookmark, QWidget* row)
{
    finishEditing();
    m_editor = new QLineEdit(bookmark.note, row);
    m_editor->setAccessibleName(tr("Note of the bookmark"));
    m_editor->setMaxLength(longestNote);
    m_editor->setGeometry(row->rect());
    m_editor->show();
    m_editor->selectAll();
    m_editor->setFocus();
    connect(m_editor, &QLineEdit::editingFinished, this, [this, bookmark] {
        // It loses the focus once more when its row is hidden.
        QLineEdit* editor = std::exchange(m_editor, nullptr);
        if (!editor) return;
        Q_EMIT bookmarkRenamed(bookmark, editor->text());
    });
}

void Sidebar::finishEditing()
{
    if (m_editor) Q_EMIT m_editor->editingFinished();
}

}  // namespace longpole
