// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/answerfolder.h"

#include "analysis/base/json.h"
#include "app/commandline/outputfile.h"
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

constexpr const char* mark = ".longpole-part";  // an empty file in the folder of what is being written: it is ours

constexpr QDir::Filters everything = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;

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

// Leads to the folder that is open, whoever may have given its name to another one meanwhile; `otherwise` if none is.
QString pathOfOpen(int folder, const QString& otherwise)
{
    const QString open = QStringLiteral("/proc/self/fd/%1").arg(folder);
    return folder >= 0 && QFileInfo(open).isDir() ? open : otherwise;
}

// Opens the user's own folder of that name in one that is open, and makes it if there is none; -1: it is not his.
int ownFolder(int above, const char* name)
{
    if (::mkdirat(above, name, 0700) != 0 && errno != EEXIST) return -1;
    const int folder = ::openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status {};
    if (folder < 0 || (::fstat(folder, &status) == 0 && status.st_uid == ::geteuid())) return folder;
    ::close(folder);
    return -1;
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
    const int lock = ::open(name.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0 && errno != EACCES)  // a link has come meanwhile; what may not be read goes by its name
        return Error{tr("This is no folder, or a link."), folder, tr("Name another folder.")};
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(lock);
        return Error{tr("Another analysis writes into this folder."), folder,
                     tr("Wait for its end, or name another folder.")};
    }
    AnswersPart part(lock, folder, all);  // where there are no locks it is the user's to take care
    const QString named = longpole::fileOf(folder, partName);
    const Error isInTheWay{tr("This is in the way of what is written."), named, tr("Name another folder.")};
    if (lock >= 0) {
        part.m_part = ownFolder(lock, partName);
        // A link, or somebody else's: by name it may be anything.
        if (part.m_part < 0 && isTaken(named)) return isInTheWay;
        if (part.m_part < 0) return Error{tr("The folder cannot be made."), named, {}};
    } else if (!QDir().mkpath(named)) {
        return Error{tr("The folder cannot be made."), named, {}};
    }
    const auto isOurs = [&part] { return QDir(part.path()).isEmpty(everything) || isFileHere(part.fileOf(mark)); };
    if (!QFileInfo(named).isDir() || QFileInfo(named).isSymLink() || !isOurs()) return isInTheWay;
    QFile marked(part.fileOf(mark));
    if (!isFileHere(marked.fileName()) && !marked.open(QIODevice::NewOnly))
        return Error{tr("The folder cannot be made."), named, {}};
    return Result<AnswersPart>(std::move(part));
}

AnswersPart::~AnswersPart()
{
    if (m_folder.isEmpty()) return;
    if (isFileHere(fileOf(mark)) && (m_part >= 0 || !QFileInfo(path()).isSymLink())) {
        for (const QString& name : QDir(path()).entryList(QDir::Files | QDir::Hidden | QDir::System))
            if (std::any_of(m_all.begin(), m_all.end(), [&](const char* ours) { return isOfName(name, ours); }))
                QFile::remove(QDir(path()).filePath(name));
        if (QDir(path()).entryList(everything).size() == 1) QFile::remove(fileOf(mark));
        if (m_lock >= 0) ::unlinkat(m_lock, partName, AT_REMOVEDIR);  // if nothing else is in it
        else QDir().rmdir(path());
    }
    if (m_part >= 0) ::close(m_part);
    if (m_lock >= 0) ::close(m_lock);
}

QString AnswersPart::folder() const { return pathOfOpen(m_lock, m_folder); }
QString AnswersPart::path() const { return pathOfOpen(m_part, longpole::fileOf(folder(), partName)); }
QString AnswersPart::fileOf(const char* name) const { return longpole::fileOf(path(), name); }

Result<> AnswersPart::publish(std::span<const char* const> written)
{
    const QString into = folder(), ofList = longpole::fileOf(into, listOfAnswers);
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
