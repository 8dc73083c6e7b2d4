// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for a file or a folder: the desktop's dialog, or Qt's own, which then reads no file to tell its kind.
#pragma once

#include <QEvent>
#include <QFileIconProvider>
#include <QString>

#include <utility>

class QWidget;

namespace longpole {

// Asked of the widgets around a dialog, before a file is written that was chosen in it: whoever accepts it and keeps
// the file has said why.
class ToBeWritten : public QEvent {
public:
    explicit ToBeWritten(QString file) : QEvent(kind()), m_file(std::move(file)) {}
    static Type kind();

    const QString& file() const { return m_file; }
    void keep() { m_isKept = true; }
    bool isKept() const { return m_isKept; }

private:
    QString m_file;
    bool m_isKept = false;
};

// Asks the widgets around whether the file must stay as it is.
bool mustStay(QWidget* parent, const QString& file);

// Kinds of files by their names. Qt's own reads each file's beginning, in the window's thread: in /proc as root it
// waits for ever for /proc/kmsg, and on a slow disk for as long as that takes.
class NamedKinds : public QFileIconProvider {
public:
    QString type(const QFileInfo& file) const override;
    QIcon icon(const QFileInfo& file) const override;
    using QFileIconProvider::icon;
};

// Each returns an empty text if the user thought better of it, or the chosen file is kept. `path`: a folder, or the
// file that is proposed in one. `filters` as QFileDialog has them; `chosen`: the one that is chosen at first and
// afterwards.
QString askFileToOpen(QWidget* parent, const QString& title, const QString& path, const QString& filters = {});
QString askFileToSave(QWidget* parent, const QString& title, const QString& path, const QString& filters = {},
                      QString* chosen = nullptr);
QString askFolder(QWidget* parent, const QString& title, const QString& path);

}  // namespace longpole
