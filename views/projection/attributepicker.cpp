// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/attributepicker.h"

#include "analysis/projection/formula.h"
#include "views/projection/attributemodel.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace longpole {

AttributePicker::AttributePicker(std::shared_ptr<Projector> projector, bool severalAtOnce, QWidget* parent)
    : QWidget(parent), m_projector(std::move(projector)),
      m_model(new AttributeModel(m_projector->store(), severalAtOnce, this)), m_shown(new QSortFilterProxyModel(this))
{
    m_shown->setSourceModel(m_model);
    m_shown->setRecursiveFilteringEnabled(true);
    m_shown->setAutoAcceptChildRows(true);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    createWidgets();
    readFormulas();
    expandUsual();
    connect(m_model, &AttributeModel::chosenChanged, this, &AttributePicker::chosenChanged);
    connect(m_search, &QLineEdit::textChanged, this, &AttributePicker::search);
    connect(m_tree, &QTreeView::clicked, this, &AttributePicker::click);
    connect(m_formula, &QLineEdit::returnPressed, this, &AttributePicker::enterFormula);
    connect(m_formula, &QLineEdit::textEdited, this, [this] { showError({}); });
}

void AttributePicker::createWidgets()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 6);
    layout->setSpacing(5);
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Search attributes"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Search attributes"));
    m_tree = new QTreeView(this);
    m_tree->setModel(m_shown);
    m_tree->setHeaderHidden(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setIndentation(14);
    m_tree->setUniformRowHeights(true);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setAccessibleName(tr("Attributes of the program"));
    m_tree->installEventFilter(this);
    m_formula = new QLineEdit(this);
    m_formula->setPlaceholderText(tr("Formula: bytes_sent / tasks"));
    m_formula->setClearButtonEnabled(true);
    m_formula->setAccessibleName(tr("Formula over attributes"));
    m_formula->setToolTip(m_projector->store().words().say(
        tr("Names of attributes, numbers, + - * / ^, comparisons, parentheses, min, max, abs, sqrt, "
           "log; [user@Chare::entry] restricts an attribute to an entry method. Enter shows it."),
        tr("Names of attributes, numbers, + - * / ^, comparisons, parentheses, min, max, abs, sqrt, log; "
           "[user@Group::entry] restricts an attribute to a region. Enter shows it.")));
    m_error = new QLabel(this);
    m_error->setObjectName(QStringLiteral("errorText"));
    m_error->setWordWrap(true);
    m_error->hide();
    layout->addWidget(m_search);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_formula);
    layout->addWidget(m_error);
}

const std::vector<Attribute>& AttributePicker::chosen() const { return m_model->chosen(); }

void AttributePicker::setChosen(std::vector<Attribute> chosen) { m_model->setChosen(std::move(chosen)); }

void AttributePicker::showError(const QString& text)
{
    m_error->setText(text);
    m_error->setVisible(!text.isEmpty());
}

void AttributePicker::search(const QString& text)
{
    m_shown->setFilterFixedString(text);
    if (text.isEmpty()) expandUsual();
    else m_tree->expandAll();
}

// Unfolds the first level of the tree and folds all below it.
void AttributePicker::expandUsual()
{
    m_tree->collapseAll();
    for (int row = 0; row < m_shown->rowCount(); ++row) m_tree->expand(m_shown->index(row, 0));
}

void AttributePicker::click(const QModelIndex& index)
{
    const QModelIndex source = m_shown->mapToSource(index);
    if (m_model->attributeAt(source)) m_model->toggle(source);
    else m_tree->setExpanded(index, !m_tree->isExpanded(index));
}

bool AttributePicker::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_tree && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter)
            && m_tree->currentIndex().isValid()) {
            click(m_tree->currentIndex());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void AttributePicker::enterFormula()
{
    const QString text = m_formula->text().trimmed();
    if (text.isEmpty()) return;
    const Result<Attribute> parsed = parseAttribute(text, m_projector->store());
    if (!parsed) {
        const Error& error = parsed.error();
        showError(longpole::toText(error));
        return;
    }
    showError({});
    if (parsed->formula) {
        m_projector->rememberFormula(text);
        m_model->addFormula(*parsed);
        m_tree->expand(m_shown->mapFromSource(m_model->index(0, 0)));
    } else if (const QString missing = whyMissing(*parsed->spec, m_projector->store()); !missing.isEmpty()) {
        showError(missing);
        return;
    }
    std::vector<Attribute> chosen = m_model->chosen();
    if (std::find(chosen.begin(), chosen.end(), *parsed) == chosen.end()) chosen.insert(chosen.begin(), *parsed);
    m_model->setChosen(std::move(chosen));
}

void AttributePicker::readFormulas()
{
    const QStringList& texts = m_projector->formulas();
    for (auto text = texts.crbegin(); text != texts.crend(); ++text)
        if (const auto formula = Formula::parse(*text, m_projector->store()))
            m_model->addFormula(Attribute{.spec = nullptr, .subject = {}, .formula = *formula});
}

void AttributePicker::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    readFormulas();
}

}  // namespace longpole
