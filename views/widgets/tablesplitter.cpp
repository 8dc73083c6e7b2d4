// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/tablesplitter.h"

#include "views/widgets/tableview.h"

namespace longpole {

TableSplitter::TableSplitter(QWidget* parent) : QSplitter(Qt::Horizontal, parent)
{
    setHandleWidth(1);
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, [this] { m_moved = true; });
}

void TableSplitter::fit()
{
    if (m_moved) return;
    QList<int> sizes;
    int sum = 0;
    int shown = 0;
    for (int i = 0; i < count(); ++i) {
        const auto* table = qobject_cast<const TableView*>(widget(i));
        const bool hidden = widget(i)->isHidden();
        sizes.append(hidden ? 0 : table ? table->wantedWidth() : widget(i)->sizeHint().width());
        sum += sizes.back();
        shown += hidden ? 0 : 1;
    }
    const int rest = width() - sum - handleWidth() * std::max(0, shown - 1);
    for (int i = 0; shown > 0 && rest > 0 && i < count(); ++i)
        if (!widget(i)->isHidden()) sizes[i] += rest / shown;
    setSizes(sizes);  // if there is too little room, Qt takes from all in proportion
}

void TableSplitter::resizeEvent(QResizeEvent* event)
{
    QSplitter::resizeEvent(event);
    fit();
}

}  // namespace longpole
