// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/answerfolder.h"

#include "analysis/base/json.h"
#include "app/commandline/outputfile.h"
#include "core/base/mayneverend.h"
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

// Of a file; of one that was being replaced that of the earlier and of the newer one.
bool areHashes(const JsonValue& value)
{
    return isHash(value) || (value.is_array() && value.size() <= 2 && std::all_of(value.begin(), value.end(), isHash));
}

bool isListed(const JsonValue& list, const char* name, const std::string& hash)
{
    const auto known = list.find(name);
    if (known == list.end() || hash.empty()) return false;
    return known->is_array() ? std::find(known->begin(), known->end(), hash) != known->end() : *known == hash;
}

QString fileOf(const QString& folder, const char* name) { return QDir(folder).filePath(QLatin1String(name)); }

// The hash of each file that an analysis wrote; none if there is no such list.
JsonValue listIn(const QString& folder)
{
    constexpr qint64 most = 1 << 16;
    QFile file(fileOf(folder, listOfAnswers));
    if (!file.open(QIODevice::ReadOnly) || file.size() > most) return JsonValue::object();
    const std::optional<JsonValue> list = parseJson(file.read(most));
    const bool isList = list && list->is_object() && std::all_of(list->begin(), list->end(), areHashes);
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
    const QString ofList = fileOf(folder, listOfAnswers);
    if (const Result<> writable = checkWritable(ofList, {run}); !writable) return writable;
    const JsonValue list = listIn(folder);
    if (QFileInfo::exists(ofList) && list.empty())
        return Error{tr("This file is of no earlier analysis; it is left as it is."), ofList,
                     tr("Name another folder.")};
    for (const char* name : names) {
        const QString file = fileOf(folder, name);
        if (const Result<> writable = checkWritable(file, {run}); !writable) return writable;
        if (!QFileInfo::exists(file)) continue;
        if (!isListed(list, name, hashOf(file)))
            return Error{tr("This file is of no earlier analysis, or was changed since; it is left as it is."), file,
                         tr("Name another folder.")};
    }
    return Unit{};
}

Result<QString> beginAnswers(const QString& folder)
{
    const QString part = QDir(folder).filePath(QStringLiteral(".answers.part"));
    if (const QFileInfo there(part); there.isSymLink() || (there.exists() && !there.isDir()))
        return Error{tr("This is in the way of what is written."), part, tr("Name another folder.")};
    if (!QDir().mkpath(part)) return Error{tr("The folder cannot be made."), part, {}};
    return part;
}

Result<> publishAnswers(const QString& folder, const QString& part, std::span<const char* const> all,
                        std::span<const char* const> written)
{
    const QString ofList = fileOf(folder, listOfAnswers);
    JsonValue both = listIn(folder), newer = JsonValue::object();
    for (const char* name : written) {
        const QString file = fileOf(part, name);
        const std::string hash = hashOf(file);
        if (hash.empty()) return Error{tr("The file cannot be read."), file, {}};
        newer[name] = hash;
        const std::string earlier = hashOf(fileOf(folder, name));
        if (isListed(both, name, earlier) && earlier != hash) both[name] = {earlier, hash};
        else both[name] = hash;
    }
    if (const Result<> listed = writeNamedFile(ofList, dump(both)); !listed) return listed;
    // None of the earlier run stays beside those of this one, whenever this ends.
    for (const char* name : all) {
        const QString file = fileOf(folder, name);
        if (isFileHere(file) && !QFileInfo(file).isSymLink() && !QFile::remove(file))
            return Error{tr("The file is of an earlier analysis and cannot be removed."), file, {}};
    }
    for (const char* name : written)
        if (!QFile::rename(fileOf(part, name), fileOf(folder, name)))
            return Error{tr("The finished file could not be given its name."), fileOf(folder, name), {}};
    if (const Result<> listed = writeNamedFile(ofList, dump(newer)); !listed) return listed;
    endAnswers(part, all);
    return Unit{};
}

void endAnswers(const QString& part, std::span<const char* const> all)
{
    for (const QString& name : QDir(part).entryList(QDir::Files | QDir::Hidden | QDir::System))
        if (std::any_of(all.begin(), all.end(), [&](const char* ours) { return name.startsWith(QLatin1String(ours)); }))
            QFile::remove(QDir(part).filePath(name));
    QDir().rmdir(part);  // if nothing else is in it
}

}  // namespace longpole
