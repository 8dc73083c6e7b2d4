// SPDX-License-Identifier: GPL-3.0-or-later
// Asks in which folders the program's sources lie, and which editor opens a line of them.
#pragma once

#include <QDialog>

class QComboBox;
class QListWidget;
class QPushButton;

namespace longpole {

class SourceSettings;

class SourceDialog : public QDialog {
    Q_OBJECT
public:
    // `settings` gets what was chosen when the dialog is accepted; it outlives the dialog.
    explicit SourceDialog(SourceSettings& settings, QWidget* parent = nullptr);

    QListWidget& folders() { return *m_folders; }
    QComboBox& editor() { return *m_editor; }
    void addFolder(const QString& folder);
    void removeChosen();
    void accept() override;

private:
    void showWhetherAny();

    SourceSettings& m_settings;
    QListWidget* m_folders;
    QComboBox* m_editor;
    QPushButton* m_remove;
};

}  // namespace longpole
