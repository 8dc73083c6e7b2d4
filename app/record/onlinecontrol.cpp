// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/onlinecontrol.h"

#include "core/base/namedfile.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace longpole {

namespace {

constexpr qsizetype mostBytes = 1023;  // of names, as the recorder has room for
constexpr qsizetype mostNames = 64;

Result<> put(const QString& folder, const QByteArray& text)
{
    const QString path = QDir(folder).filePath(QStringLiteral("online.control"));
    // The folder may be a stranger's: a link in it would have another file overwritten.
    if (const QFileInfo there(path); there.isSymLink() || (there.exists() && !there.isFile()))
        return Error{tr("The program cannot be asked: this is a link, or no file."), path, tr("Remove it.")};
    ReplacingFile file(path);  // whole, whenever the program looks
    if (!file.begin() || file.write(text) != text.size() || !file.commit())
        return Error{tr("The program cannot be asked: %1.").arg(file.errorString()), path, {}};
    return Unit{};
}

}  // namespace

Result<> askForPath(const QString& folder, PathWish wish)
{
    return put(folder, wish == PathWish::Stop ? "stop\n" : "start\n");
}

Result<> askForProcedures(const QString& folder, const QStringList& names)
{
    const QByteArray all = names.join(QLatin1Char('\n')).toUtf8();
    if (names.size() > mostNames || all.size() > mostBytes || all.count('\n') > std::max<qsizetype>(names.size() - 1, 0)
        || all.contains('\0'))
        return Error{tr("These procedures cannot all be followed at once."), QString(), tr("Choose fewer, or others.")};
    QByteArray text("procedures\n");
    for (const QString& name : names) text += "procedure " + name.toUtf8() + '\n';
    return put(folder, text);
}

}  // namespace longpole
