// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for a file or a folder: the desktop's dialog, or Qt's own, which then reads no file to tell its kind.
#pragma once

#include <QFileIconProvider>
#include <QString>

class QWidget;

namespace longpole {

// Kinds of files by their names. Qt's own reads each file's beginning, in the window's thread: in /proc as root it
// waits for ever for /proc/kmsg, and on a slow disk for as long as that takes.
class NamedKinds : public QFileIconProvider {
public:
    QString type(const QFileInfo& file) const override;
    QIcon icon(const QFileInfo& file) const override;
    using QFileIconProvider::icon;
};

// Each returns an empty text if the user thought better of it. `path`: a folder, or the file that is proposed in one.
// `filters` as QFileDialog has them; `chosen`: the one that is chosen at first and afterwards.
QString askFileToOpen(QWidget* parent, const QString& title, const QString& path, const QString& filters = {});
QString askFileToSave(QWidget* parent, const QString& title, const QString& path, const QString& filters = {},
                      QString* chosen = nullptr);
QString askFolder(QWidget* parent, const QString& title, const QString& path);

}  // namespace longpole
