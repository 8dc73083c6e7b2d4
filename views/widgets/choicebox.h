// SPDX-License-Identifier: GPL-3.0-or-later
// A box to choose one of a few texts, which says to hands and screen readers what is chosen.
#pragma once

#include <QComboBox>
#include <QStringList>
#include <QVariant>

namespace longpole {

inline QComboBox* choiceBox(const QStringList& texts, const QString& name, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    box->addItems(texts);
    box->setAccessibleName(name);
    box->setToolTip(name);
    return box;
}

// The small one in the head of a panel.
inline QComboBox* compactChoiceBox(const QStringList& texts, const QString& name, QWidget* parent)
{
    auto* box = choiceBox(texts, name, parent);
    box->setObjectName(QStringLiteral("compact"));
    return box;
}

// Adds a choice with a name that may be long: where it is, its middle is left out, and the tooltip has the whole.
inline void addNamed(QComboBox& box, const QString& text, const QVariant& data)
{
    constexpr int widest = 180;
    box.addItem(box.fontMetrics().elidedText(text, Qt::ElideMiddle, widest), data);
    box.setItemData(box.count() - 1, text, Qt::ToolTipRole);
}

}  // namespace longpole
