// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/attributemodel.h"

#include "analysis/projection/formula.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t root = 0;
constexpr std::size_t formulas = 1;

}  // namespace

AttributeModel::AttributeModel(const TraceStore& store, bool severalAtOnce, QObject* parent)
    : QAbstractItemModel(parent), m_words(store.words()), m_severalAtOnce(severalAtOnce)
{
    m_items.push_back({});
    m_items.push_back({.title = tr("Formulas"), .attribute = {}, .missing = {}});
    m_items[root].children.push_back(formulas);
    add(attributeTree(store), root);
}

void AttributeModel::add(const std::vector<AttributeNode>& nodes, std::size_t parent)
{
    for (const AttributeNode& node : nodes) {
        const std::size_t item = m_items.size();
        m_items.push_back({node.title, node.attribute, node.missing, parent});
        m_items[parent].children.push_back(item);
        add(node.children, item);
    }
}

std::size_t AttributeModel::itemOf(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<std::size_t>(index.internalId()) : root;
}

bool AttributeModel::isChosen(const Item& item) const
{
    return item.attribute && std::find(m_chosen.begin(), m_chosen.end(), *item.attribute) != m_chosen.end();
}

const std::optional<Attribute>& AttributeModel::attributeAt(const QModelIndex& index) const
{
    return m_items[itemOf(index)].attribute;
}

void AttributeModel::setChosen(std::vector<Attribute> chosen)
{
    if (!m_severalAtOnce && chosen.size() > 1) chosen.resize(1);
    if (m_chosen == chosen) return;
    const std::vector<Attribute> before = std::exchange(m_chosen, std::move(chosen));
    const auto isIn = [](const std::vector<Attribute>& all, const Attribute& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    for (std::size_t item = 0; item < m_items.size(); ++item) {
        const std::optional<Attribute>& its = m_items[item].attribute;
        if (!its || isIn(before, *its) == isIn(m_chosen, *its)) continue;
        const QModelIndex index = indexOf(item);
        Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    }
    Q_EMIT chosenChanged();
}

void AttributeModel::toggle(const QModelIndex& index)
{
    const Item& item = m_items[itemOf(index)];
    if (!item.attribute || !item.missing.isEmpty()) return;
    std::vector<Attribute> chosen = m_chosen;
    if (!m_severalAtOnce) chosen = {*item.attribute};
    else if (isChosen(item)) chosen.erase(std::find(chosen.begin(), chosen.end(), *item.attribute));
    else chosen.push_back(*item.attribute);
    setChosen(std::move(chosen));
}

void AttributeModel::addFormula(const Attribute& formula)
{
    std::vector<std::size_t>& rows = m_items[formulas].children;
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](std::size_t item) { return *m_items[item].attribute == formula; });
    if (found == rows.begin() && !rows.empty()) return;
    const QModelIndex heading = index(0, 0);
    if (found != rows.end()) {
        const auto row = static_cast<int>(found - rows.begin());
        beginMoveRows(heading, row, row, heading, 0);
        std::rotate(rows.begin(), found, found + 1);
        endMoveRows();
        return;
    }
    beginInsertRows(heading, 0, 0);
    const std::size_t item = m_items.size();
    m_items.push_back({formula.formula->text(), formula, {}, formulas});
    m_items[formulas].children.insert(m_items[formulas].children.begin(), item);
    endInsertRows();
}

QModelIndex AttributeModel::index(int row, int column, const QModelIndex& parent) const
{
    const std::vector<std::size_t>& children = m_items[itemOf(parent)].children;
    if (column != 0 || row < 0 || static_cast<std::size_t>(row) >= children.size()) return {};
    return createIndex(row, column, static_cast<quintptr>(children[static_cast<std::size_t>(row)]));
}

QModelIndex AttributeModel::indexOf(std::size_t item) const
{
    if (item == root) return {};
    const std::size_t parent = m_items[item].parent;
    const std::vector<std::size_t>& siblings = m_items[parent].children;
    const auto place = parent == formulas ? std::find(siblings.begin(), siblings.end(), item)  // the newest first
                                          : std::lower_bound(siblings.begin(), siblings.end(), item);
    return createIndex(static_cast<int>(place - siblings.begin()), 0, static_cast<quintptr>(item));
}

QModelIndex AttributeModel::parent(const QModelIndex& child) const
{
    return child.isValid() ? indexOf(m_items[itemOf(child)].parent) : QModelIndex();
}

int AttributeModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(m_items[itemOf(parent)].children.size());
}

int AttributeModel::columnCount(const QModelIndex&) const { return 1; }

QVariant AttributeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) return {};
    const Item& item = m_items[itemOf(index)];
    switch (role) {
    case Qt::DisplayRole: return item.missing.isEmpty() ? item.title : tr("%1 · %2").arg(item.title, item.missing);
    case Qt::ToolTipRole:
        if (!item.missing.isEmpty()) return item.missing;
        if (item.attribute && item.attribute->spec)
            return QCoreApplication::translate("Attributes", m_words.say(item.attribute->spec->explanation));
        return {};
    case Qt::CheckStateRole:
        if (!item.attribute) return {};
        return static_cast<int>(isChosen(item) ? Qt::Checked : Qt::Unchecked);
    default: return {};
    }
}

bool AttributeModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const Item& item = m_items[itemOf(index)];
    if (role != Qt::CheckStateRole || !item.attribute || !item.missing.isEmpty()) return false;
    if (isChosen(item) != (value.toInt() == Qt::Checked)) toggle(index);
    return true;
}

Qt::ItemFlags AttributeModel::flags(const QModelIndex& index) const
{
    if (!index.isValid() || !m_items[itemOf(index)].missing.isEmpty()) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

}  // namespace longpole
