// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses attributes: a tree of them with a search field, and a field for formulas over attributes.
#pragma once

#include "analysis/projection/attribute.h"
#include "views/state/projector.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace longpole {

class AttributeModel;

class AttributePicker : public QWidget {
    Q_OBJECT
public:
    AttributePicker(std::shared_ptr<Projector> projector, bool severalAtOnce, QWidget* parent = nullptr);

    const std::vector<Attribute>& chosen() const;
    void setChosen(std::vector<Attribute> chosen);
    // Chooses the formula that was typed and adds it to the session's. Of a wrong one the error shows below the field,
    // and the choice stays as it was.
    void enterFormula();
    AttributeModel& model() { return *m_model; }
    QTreeView& tree() { return *m_tree; }

Q_SIGNALS:
    void chosenChanged();

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void createWidgets();
    void search(const QString& text);
    void expandUsual();
    void click(const QModelIndex& index);
    void readFormulas();  // adds formulas of the session that other views have added
    void showError(const QString& text);

    std::shared_ptr<Projector> m_projector;
    AttributeModel* m_model;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_search = nullptr;
    QTreeView* m_tree = nullptr;
    QLineEdit* m_formula = nullptr;
    QLabel* m_error = nullptr;
};

}  // namespace longpole
