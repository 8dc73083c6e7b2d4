// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/answerfolder.h"

#include "analysis/base/json.h"
#include "app/commandline/outputfile.h"
#include "app/common/keptfile.h"
#include "app/common/openfolder.h"
#include "core/base/mayneverend.h"
#include "core/base/namedfile.h"
#include "core/base/partfile.h"
#include "core/base/translate.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

// Of the file's bytes; empty if it cannot be read.
std::string hashOf(const QString& path)
{
    QFile file;
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!openOwnFile(file, path) || !hash.addData(&file)) return {};
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

constexpr const char* mark = ".longpole-part";  // an empty file in the folder of what is being written: it is ours

bool isNumber(QStringView text)
{
    return !text.isEmpty() && std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
}

// A file that is written as `name`, or its own part file.
bool isOfName(const QString& file, const char* name)
{
    const QLatin1String ours(name), part(".part-");
    if (!file.startsWith(ours)) return false;
    const QStringView rest = QStringView(file).mid(ours.size());
    return rest.isEmpty() || (rest.startsWith(part) && isNumber(rest.mid(part.size())));
}

QString fileOf(const QString& folder, const char* name) { return QDir(folder).filePath(QLatin1String(name)); }

constexpr const char* partName = ".answers.part";

Error isInTheWay(const QString& file)
{
    return {tr("This is in the way of what is written."), file, tr("Name another folder.")};
}
Error cannotBeMade(const QString& folder) { return {tr("The folder cannot be made."), folder, {}}; }

// Opens the user's own folder of that name in one that is open, which nobody else may write in, and makes it if there
// is none. A link, or somebody else's, may be anything. `where` is what errors name.
Result<OpenFolder> ownFolder(int above, const char* name, const QString& where)
{
    if (::mkdirat(above, name, 0700) != 0 && errno != EEXIST) return cannotBeMade(where);
    OpenFolder folder = OpenFolder::ownIn(above, name);
    struct stat status {};
    const bool isOnlyOwn = folder.isValid() && ::fstat(folder.descriptor(), &status) == 0
                           && (status.st_mode & 022) == 0;
    if (!isOnlyOwn) return isInTheWay(where);
    return folder;
}

Error notOfAnalysis(const QString& file)
{
    return {tr("This file is of no earlier analysis, or was changed since; it is left as it is."), file,
            tr("Name another folder.")};
}

// The hash of each file that an analysis wrote; none if there is no such list.
JsonValue listIn(const QString& folder)
{
    constexpr qint64 most = 1 << 16;
    QFile file;
    if (!openOwnFile(file, fileOf(folder, listOfAnswers)) || file.size() > most) return JsonValue::object();
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
    if (isTaken(ofList) && (list.empty() || !isOwnFile(ofList)))
        return Error{tr("This file is of no earlier analysis; it is left as it is."), ofList,
                     tr("Name another folder.")};
    for (const char* name : names) {
        const QString file = fileOf(folder, name);
        if (const Result<> writable = checkWritable(file, {run}); !writable) return writable;
        if (!isTaken(file)) continue;
        if (!isOwnFile(file) || !isListed(list, name, hashOf(file))) return notOfAnalysis(file);
    }
    return Unit{};
}

Result<AnswersPart> AnswersPart::begin(const QString& folder, std::span<const char* const> all)
{
    const QByteArray name = QFile::encodeName(QDir::cleanPath(folder));
    OpenFolder lock(::open(name.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!lock.isValid() && errno == EACCES)
        return Error{tr("The folder cannot be read."), folder, tr("Make it readable, or name another folder.")};
    if (!lock.isValid() && (errno == ENOTDIR || errno == ELOOP))  // a link has come meanwhile
        return Error{tr("This is no folder, or a link."), folder, tr("Name another folder.")};
    if (!lock.isValid()) return Error{tr("The folder cannot be opened: %1.").arg(qt_error_string(errno)), folder, {}};
    if (!isOpenAt(lock.path(), lock.descriptor()))  // by name it could be another one at any time
        return Error{tr("Folders cannot be written to safely: /proc is not there."), folder,
                     tr("Mount /proc, or have the answers printed.")};
    // Without locks it is the user's to take care.
    if (::flock(lock.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return Error{tr("Another analysis writes into this folder."), folder,
                     tr("Wait for its end, or name another folder.")};
    const QString named = longpole::fileOf(folder, partName);
    Result<OpenFolder> own = ownFolder(lock.descriptor(), partName, named);
    if (!own) return own.error();
    AnswersPart part(std::move(lock), folder, all);
    part.m_part = std::move(*own);
    const bool isMarked = isFileHere(part.fileOf(mark));
    if (!isMarked && !QDir(part.m_part.path()).isEmpty(everything)) return isInTheWay(named);
    QFile marked(part.fileOf(mark));
    if (!isMarked && !marked.open(QIODevice::NewOnly)) return cannotBeMade(named);
    return Result<AnswersPart>(std::move(part));
}

AnswersPart::~AnswersPart()
{
    if (!m_part.isValid() || !isFileHere(fileOf(mark))) return;
    const QDir part(m_part.path());
    for (const QString& name : part.entryList(QDir::Files | QDir::Hidden | QDir::System))
        if (std::any_of(m_all.begin(), m_all.end(), [&](const char* ours) { return isOfName(name, ours); }))
            QFile::remove(part.filePath(name));
    if (QDir(m_part.path()).entryList(everything).size() == 1) QFile::remove(fileOf(mark));
    ::unlinkat(m_lock.descriptor(), partName, AT_REMOVEDIR);  // if nothing else is in it
}

QString AnswersPart::fileOf(const char* name) const { return longpole::fileOf(m_part.path(), name); }

Result<> AnswersPart::publish(std::span<const char* const> written)
{
    const QString into = m_lock.path(), ofList = longpole::fileOf(into, listOfAnswers);
    JsonValue both = listIn(into), newer = JsonValue::object();
    // Once more, of the folder that is open: it may not be the one that was looked at.
    if (isTaken(ofList) && !isOwnFile(ofList)) return notOfAnalysis(longpole::fileOf(m_folder, listOfAnswers));
    for (const char* name : m_all)
        if (const QString earlier = longpole::fileOf(into, name);
            isTaken(earlier) && (!isOwnFile(earlier) || !isListed(both, name, hashOf(earlier))))
            return notOfAnalysis(longpole::fileOf(m_folder, name));
    for (const char* name : written) {
        const QString earlier = longpole::fileOf(into, name);
        QFile file(fileOf(name));
        const std::string hash = hashOf(file.fileName()), before = hashOf(earlier);
        if (hash.empty()) return Error{tr("The file cannot be read."), file.fileName(), {}};
        newer[name] = hash;
        if (isListed(both, name, before) && before != hash) both[name] = {before, hash};
        else both[name] = hash;
        if (isFileHere(earlier) && file.open(QIODevice::ReadWrite))
            if (const auto rights = rightsToReplace(file.handle(), earlier)) ::fchmod(file.handle(), *rights);
    }
    if (const Result<> listed = writeNamedFile(ofList, dump(both)); !listed) return listed;
    // None of the earlier run stays beside those of this one, whenever this ends.
    for (const char* name : m_all) {
        const QString file = longpole::fileOf(into, name);
        if (isFileHere(file) && !QFileInfo(file).isSymLink() && !QFile::remove(file))
            return Error{tr("The file is of an earlier analysis and cannot be removed."),
                         longpole::fileOf(m_folder, name),
                         {}};
    }
    for (const char* name : written)
        if (!moveWithoutReplacing(fileOf(name), longpole::fileOf(into, name)))
            return Error{tr("The finished file could not be given its name."), longpole::fileOf(m_folder, name), {}};
    return writeNamedFile(ofList, dump(newer));
}

}  // namespace longpole
