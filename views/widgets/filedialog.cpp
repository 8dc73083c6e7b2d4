// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/filedialog.h"

#include "core/base/mayneverend.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeDatabase>

#include <algorithm>

namespace longpole {

namespace {

// Dialogs ask what each name in a folder leads to. One that came from a stranger, with a link to another machine in it,
// is not what they begin with, but the user's own.
QString folderToShow(const QString& path)
{
    const QFileInfo file(path);
    const QDir folder(path.isEmpty() ? QDir::currentPath() : file.isDir() ? path : file.absolutePath());
    constexpr auto all = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
    const QStringList names = folder.entryList(all, QDir::Unsorted);
    const bool leadsAway = std::any_of(names.begin(), names.end(), [&folder](const QString& name) {
        return leadsToOtherHost(folder.absoluteFilePath(name));
    });
    return leadsAway ? QDir::homePath() : folder.absolutePath();
}

// The dialog reads what is written there: quotes as borders between several names, ~ as somebody's home.
QString nameToShow(QString name)
{
    name.replace(u'"', u'\'');
    if (name.startsWith(u'~')) name[0] = u'_';
    return name;
}

// The dialog has looked into no folder before this: it would read files there in its own way.
QString ask(QFileDialog& dialog, const QString& path, const QString& filters, QString* chosen)
{
    dialog.setDirectory(folderToShow(path));
    if (!filters.isEmpty()) dialog.setNameFilters(filters.split(QStringLiteral(";;")));
    if (chosen && !chosen->isEmpty()) dialog.selectNameFilter(*chosen);
    if (const QFileInfo file(path); !path.isEmpty() && !file.isDir()) dialog.selectFile(nameToShow(file.fileName()));
    const QString picked = dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
    if (chosen && !picked.isEmpty()) *chosen = dialog.selectedNameFilter();
    return picked;
}

}  // namespace

QEvent::Type ToBeWritten::kind()
{
    static const int registered = registerEventType();
    return static_cast<Type>(registered);
}

QString NamedKinds::type(const QFileInfo& file) const
{
    const QMimeDatabase known;
    return file.isDir() ? known.mimeTypeForName(QStringLiteral("inode/directory")).comment()
                        : known.mimeTypeForFile(file, QMimeDatabase::MatchExtension).comment();
}

QIcon NamedKinds::icon(const QFileInfo& file) const
{
    return icon(file.isDir() ? QFileIconProvider::Folder : QFileIconProvider::File);
}

QString askFileToOpen(QWidget* parent, const QString& title, const QString& path, const QString& filters)
{
    NamedKinds kinds;  // outlives the dialog
    QFileDialog dialog(parent, title);
    dialog.setIconProvider(&kinds);
    dialog.setFileMode(QFileDialog::ExistingFile);
    return ask(dialog, path, filters, nullptr);
}

bool mustStay(QWidget* parent, const QString& file)
{
    ToBeWritten question(file);
    question.ignore();
    for (QWidget* around = parent; around && !question.isAccepted(); around = around->parentWidget())
        QCoreApplication::sendEvent(around, &question);
    return question.isKept();
}

QString askFileToSave(QWidget* parent, const QString& title, const QString& path, const QString& filters,
                      QString* chosen)
{
    NamedKinds kinds;  // outlives the dialog
    QFileDialog dialog(parent, title);
    dialog.setIconProvider(&kinds);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    const QString picked = ask(dialog, path, filters, chosen);
    return picked.isEmpty() || mustStay(parent, picked) ? QString() : picked;
}

QString askFolder(QWidget* parent, const QString& title, const QString& path)
{
    NamedKinds kinds;  // outlives the dialog
    QFileDialog dialog(parent, title);
    dialog.setIconProvider(&kinds);
    dialog.setFileMode(QFileDialog::Directory);
    dialog.setOption(QFileDialog::ShowDirsOnly);
    return ask(dialog, path, {}, nullptr);
}

}  // namespace longpole
