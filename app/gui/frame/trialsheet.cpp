// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/trialsheet.h"

#include "views/widgets/filedialog.h"

#include <QCheckBox>
#include <QDir>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr int sheetWidth = 600;

QLabel* note(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

}  // namespace

TrialSheet::TrialSheet(QWidget* window)
    : Overlay(window), m_title(new QLabel(this)),
      m_copied(new QCheckBox(tr("Each run has a copy of this folder of its own"), this)),
      m_priorities(new QCheckBox(tr("The advised priorities"), this)),
      m_about(note(tr("A Charm++ program reads them if it is linked with Longpole's module: see Help > Documents, "
                      "Would priorities help?"),
                   this)),
      m_pairs(new QSpinBox(this)), m_sentence(note({}, this)), m_accept(new QPushButton(tr("Run"), this))
{
    m_title->setObjectName(QStringLiteral("panelTitle"));
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(7);
    m_command = addField(*grid, tr("Command"), QStringLiteral("mpirun -np 4 ./app input"),
                         tr("What runs the program. Words with blanks stand in double quotes; no shell reads it."));
    m_folder = addField(*grid, tr("Folder"), {}, tr("Where it runs"));
    auto* choose = new QPushButton(tr("Choose …"), this);
    choose->setAccessibleName(tr("Choose the folder"));
    grid->removeWidget(m_folder);
    grid->addWidget(m_folder, grid->rowCount() - 1, 1);
    grid->addWidget(choose, grid->rowCount() - 1, 2);
    grid->addWidget(m_copied, grid->rowCount(), 1, 1, 2);
    grid->addWidget(note(tr("What the changed runs have"), this), grid->rowCount(), 0, 1, 3);
    grid->addWidget(m_priorities, grid->rowCount(), 1, 1, 2);
    grid->addWidget(m_about, grid->rowCount(), 1, 1, 2);
    m_variables = addField(*grid, tr("Variables"), QStringLiteral("OMP_NUM_THREADS=2"),
                           tr("Variables of the environment, NAME=VALUE, separated by blanks"));
    m_versus = addField(*grid, tr("Other command"), tr("the same"),
                        tr("Another command for the changed runs: another build, another option"));
    m_versus->setAccessibleName(tr("Command of the changed runs"));
    auto* caption = new QLabel(tr("Pairs of runs"), this);
    caption->setBuddy(m_pairs);
    m_pairs->setRange(1, mostTrialPairs);
    m_pairs->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_pairs->setAccessibleName(tr("Pairs of runs"));
    m_pairs->setToolTip(tr("Runs with the change, and as many without it; fewer than 5 decide nothing"));
    const int last = grid->rowCount();
    grid->addWidget(caption, last, 0);
    grid->addWidget(m_pairs, last, 1, Qt::AlignLeft);
    constexpr int mostLines = 3;
    m_sentence->setMinimumHeight(mostLines * fontMetrics().lineSpacing());
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 14);
    layout->setSpacing(10);
    layout->addWidget(m_title);
    layout->addLayout(grid);
    layout->addWidget(m_sentence);
    layout->addWidget(m_accept, 0, Qt::AlignRight);
    connect(choose, &QPushButton::clicked, this, &TrialSheet::chooseFolder);
    for (QLineEdit* field : {m_command, m_folder, m_variables, m_versus}) {
        connect(field, &QLineEdit::textChanged, this, &TrialSheet::showSentence);
        connect(field, &QLineEdit::returnPressed, m_accept, &QPushButton::click);
    }
    for (QCheckBox* box : {m_copied, m_priorities}) connect(box, &QCheckBox::toggled, this, &TrialSheet::showSentence);
    connect(m_pairs, &QSpinBox::valueChanged, this, &TrialSheet::showSentence);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        const TrialChoice chosenNow = choice();
        close();
        Q_EMIT chosen(chosenNow);
    });
}

QLineEdit* TrialSheet::addField(QGridLayout& grid, const QString& caption, const QString& example, const QString& tip)
{
    auto* label = new QLabel(caption, this);
    auto* field = new QLineEdit(this);
    label->setBuddy(field);
    field->setAccessibleName(caption);
    field->setPlaceholderText(example);
    field->setToolTip(tip);
    const int row = grid.rowCount();
    grid.addWidget(label, row, 0);
    grid.addWidget(field, row, 1, 1, 2);
    return field;
}

void TrialSheet::ask(const QString& advice, const TrialChoice& choice, bool hasPriorities)
{
    m_hasPriorities = hasPriorities;
    m_title->setText(tr("Try it: %1").arg(advice));
    m_command->setText(choice.command);
    m_folder->setText(choice.folder);
    m_copied->setChecked(choice.copied);
    m_variables->setText(choice.variables);
    m_versus->setText(choice.versus);
    m_priorities->setChecked(choice.withPriorities);
    m_priorities->setVisible(hasPriorities);
    m_about->setVisible(hasPriorities);
    m_pairs->setValue(choice.pairs);
    showSentence();
    open();
}

TrialChoice TrialSheet::choice() const
{
    const QString folder = m_folder->text().trimmed();
    return {.command = m_command->text().trimmed(),
            .folder = folder.isEmpty() ? folder : QDir(folder).absolutePath(),  // also where it is kept for later
            .copied = m_copied->isChecked(),
            .variables = m_variables->text().trimmed(),
            .versus = m_versus->text().trimmed(),
            .withPriorities = m_priorities->isChecked(),
            .pairs = m_pairs->value()};
}

bool TrialSheet::givesPriorities() const { return m_hasPriorities && m_priorities->isChecked(); }

void TrialSheet::opened()
{
    m_command->setFocus();
    m_command->selectAll();
}

QSize TrialSheet::wanted() const { return {sheetWidth, layout()->totalHeightForWidth(sheetWidth)}; }

void TrialSheet::chooseFolder()
{
    const QString folder = askFolder(this, tr("Where the program runs"), m_folder->text());
    if (!folder.isEmpty()) m_folder->setText(folder);
}

// What will run; or what is still missing, where it cannot.
void TrialSheet::showSentence()
{
    const TrialChoice now = choice();
    const Result<QStringList> arguments = trialArguments(now, givesPriorities() ? QStringLiteral("/") : QString());
    m_accept->setEnabled(arguments.ok());
    m_sentence->setText(arguments ? trialSentence(now, givesPriorities()) : toText(arguments.error()));
}

}  // namespace longpole
