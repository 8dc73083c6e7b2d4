// SPDX-License-Identifier: GPL-3.0-or-later
// The attributes that can be chosen, as a tree with check marks that follows the program's structure: the session's
// formulas, the system's attributes, chares with their entry methods, user events, statistics.
#pragma once

#include "analysis/projection/attribute.h"
#include "core/trace/vocabulary.h"

#include <QAbstractItemModel>
#include <QString>

#include <optional>
#include <vector>

namespace longpole {

class AttributeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    AttributeModel(const TraceStore& store, bool severalAtOnce, QObject* parent = nullptr);

    // In the order in which they were chosen. Without `severalAtOnce` there is one at most, and toggle() only replaces
    // it.
    const std::vector<Attribute>& chosen() const { return m_chosen; }
    void setChosen(std::vector<Attribute> chosen);
    void toggle(const QModelIndex& index);
    // Adds a formula as the first of the formulas' rows, or moves it there.
    void addFormula(const Attribute& formula);
    const std::optional<Attribute>& attributeAt(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void chosenChanged();

private:
    struct Item {
        QString title;
        std::optional<Attribute> attribute;
        QString missing;
        std::size_t parent = 0;
        std::vector<std::size_t> children{};
    };
    void add(const std::vector<AttributeNode>& nodes, std::size_t parent);
    std::size_t itemOf(const QModelIndex& index) const;
    QModelIndex indexOf(std::size_t item) const;
    bool isChosen(const Item& item) const;

    Vocabulary m_words;  // of the trace
    bool m_severalAtOnce;
    std::vector<Item> m_items;  // the first one is the root, the second one the formulas' heading
    std::vector<Attribute> m_chosen;
};

}  // namespace longpole
