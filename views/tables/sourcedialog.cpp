// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/sourcedialog.h"

#include "views/state/sourcesettings.h"
#include "views/tables/editor.h"
#include "views/widgets/filedialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace longpole {

namespace {

QLabel* sentence(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

}  // namespace

SourceDialog::SourceDialog(SourceSettings& settings, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_folders(new QListWidget(this)), m_editor(new QComboBox(this)),
      m_remove(new QPushButton(tr("Remove"), this))
{
    setWindowTitle(tr("Sources and editor"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 14);
    layout->setSpacing(8);
    auto* caption = new QLabel(tr("&Folders in which sources lie"), this);
    caption->setBuddy(m_folders);
    m_folders->setAccessibleName(tr("Folders in which sources lie"));
    m_folders->addItems(settings.folders());
    m_folders->setMinimumSize(480, 90);
    auto* buttons = new QHBoxLayout;
    auto* add = new QPushButton(tr("Add …"), this);
    add->setAccessibleName(tr("Add a folder"));
    m_remove->setAccessibleName(tr("Remove the chosen folder"));
    buttons->addWidget(add);
    buttons->addWidget(m_remove);
    buttons->addStretch(1);
    auto* command = new QLabel(tr("&Editor"), this);
    command->setBuddy(m_editor);
    m_editor->setAccessibleName(tr("Command of the editor"));
    m_editor->setEditable(true);
    m_editor->addItems(editorExamples());
    m_editor->setEditText(settings.editor());
    m_editor->lineEdit()->setPlaceholderText(tr("the desktop's program for the file"));
    auto* ending = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    layout->addWidget(caption);
    layout->addWidget(m_folders, 1);
    layout->addLayout(buttons);
    layout->addWidget(
        sentence(tr("A file is looked for in them by the end of its recorded path. What lies there is read "
                    "without asking."),
                 this));
    layout->addSpacing(8);
    layout->addWidget(command);
    layout->addWidget(m_editor);
    layout->addWidget(
        sentence(tr("%f is the file, %l the line. Words with blanks stand in double quotes; no shell reads "
                    "the command. A program for the terminal needs one around it."),
                 this));
    layout->addWidget(ending);
    connect(add, &QPushButton::clicked, this, [this] {
        const QString folder = askFolder(this, tr("Folder of sources"), m_settings.folders().value(0));
        if (!folder.isEmpty()) addFolder(folder);
    });
    connect(m_remove, &QPushButton::clicked, this, &SourceDialog::removeChosen);
    connect(m_folders, &QListWidget::currentRowChanged, this, &SourceDialog::showWhetherAny);
    connect(ending, &QDialogButtonBox::accepted, this, &SourceDialog::accept);
    connect(ending, &QDialogButtonBox::rejected, this, &SourceDialog::reject);
    showWhetherAny();
}

void SourceDialog::addFolder(const QString& folder)
{
    m_folders->insertItem(0, folder);
    m_folders->setCurrentRow(0);
}

void SourceDialog::removeChosen() { delete m_folders->takeItem(m_folders->currentRow()); }

void SourceDialog::showWhetherAny() { m_remove->setEnabled(m_folders->currentRow() >= 0); }

void SourceDialog::accept()
{
    QStringList folders;
    for (int row = 0; row < m_folders->count(); ++row) folders.append(m_folders->item(row)->text());
    m_settings.set(folders, m_editor->currentText());
    QDialog::accept();
}

}  // namespace longpole
