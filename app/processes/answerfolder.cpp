// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/answerfolder.h"

#include "analysis/base/json.h"
#include "app/commandline/outputfile.h"
#include "core/base/namedfile.h"
#include "core/base/translate.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <optional>
#include <string>

namespace longpole {

namespace {

// Of the file's bytes; empty if it cannot be read.
std::string hashOf(const QString& path)
{
    QFile file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) return {};
    return hash.result().toHex().toStdString();
}

bool isHash(const JsonValue& value)
{
    constexpr std::size_t digits = 64;
    return value.is_string() && value.get_ref<const std::string&>().size() == digits
           && value.get_ref<const std::string&>().find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The hash of each file that an analysis wrote; none if there is no such list.
JsonValue listIn(const QString& folder)
{
    constexpr qint64 most = 1 << 16;
    QFile file(QDir(folder).filePath(QLatin1String(listOfAnswers)));
    if (!file.open(QIODevice::ReadOnly) || file.size() > most) return JsonValue::object();
    const std::optional<JsonValue> list = parseJson(file.read(most));
    const bool isList = list && list->is_object() && std::all_of(list->begin(), list->end(), isHash);
    return isList ? *list : JsonValue::object();
}

}  // namespace

Result<> checkAnswerFolder(const QString& folder, const QString& run, std::span<const char* const> names)
{
    // With a slash behind its name a link is what it leads to.
    if (const QFileInfo info(QDir::cleanPath(folder)); !folder.isEmpty() && info.isSymLink())
        return Error{tr("This is a link; it is left as it is."), folder,
                     tr("Name the folder itself: %1.").arg(info.symLinkTarget())};
    if (folder.isEmpty() || !QFileInfo::exists(folder)) return Unit{};
    const QString ofList = QDir(folder).filePath(QLatin1String(listOfAnswers));
    if (const Result<> writable = checkWritable(ofList, {run}); !writable) return writable;
    const JsonValue list = listIn(folder);
    if (QFileInfo::exists(ofList) && list.empty())
        return Error{tr("This file is of no earlier analysis; it is left as it is."), ofList,
                     tr("Name another folder.")};
    for (const char* name : names) {
        const QString file = QDir(folder).filePath(QLatin1String(name));
        if (const Result<> writable = checkWritable(file, {run}); !writable) return writable;
        if (!QFileInfo::exists(file)) continue;
        if (const auto known = list.find(name); known == list.end() || *known != hashOf(file))
            return Error{tr("This file is of no earlier analysis, or was changed since; it is left as it is."), file,
                         tr("Name another folder.")};
    }
    return Unit{};
}

Result<> listAnswers(const QString& folder, std::span<const char* const> names)
{
    JsonValue list = JsonValue::object();
    for (const char* name : names) {
        const QString file = QDir(folder).filePath(QLatin1String(name));
        std::string hash = hashOf(file);
        if (hash.empty()) return Error{tr("The file cannot be read."), file, {}};
        list[name] = std::move(hash);
    }
    return writeNamedFile(QDir(folder).filePath(QLatin1String(listOfAnswers)), dump(list));
}

}  // namespace longpole
