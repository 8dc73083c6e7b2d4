// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/sourcefile.h"

#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <algorithm>

namespace longpole {

namespace {

constexpr int linesAround = 2000;
constexpr qsizetype mostLetters = 1000;  // of a line
constexpr qsizetype mostParts = 64;      // of a recorded path that are looked for

// `known`: the folder that the user has chosen himself, behind which links lead to no other machine.
bool isOrdinary(const QString& path, const QString& known)
{
    struct stat status {};
    return whereLeads(path, known) == Leads::Here && ::stat(QFile::encodeName(path).constData(), &status) == 0
           && S_ISREG(status.st_mode);
}

Error refused(const QString& what, const QString& path)
{
    return Error{what, path, tr("Choose the folder in which the sources lie.")};
}

// All bytes of an ordinary file. A pipe or device is not even opened, and one that has come meanwhile is not waited
// for.
Result<QByteArray> bytesOfFile(const QString& path, std::int64_t& modified)
{
    if (!isOrdinary(path, QFileInfo(path).path())) return refused(tr("It is no ordinary file."), path);
    const int file = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return refused(tr("It cannot be read: %1.").arg(qt_error_string(errno)), path);
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(file);
        return refused(tr("It is no ordinary file."), path);
    }
    modified = status.st_mtime;
    if (status.st_size > mostSourceBytes) {
        ::close(file);
        return refused(tr("It has %1, which is too much for a source.").arg(formatBytes(status.st_size)), path);
    }
    QByteArray bytes(static_cast<qsizetype>(status.st_size), Qt::Uninitialized);
    qsizetype size = 0;
    while (size < bytes.size()) {
        const ssize_t got = ::read(file, bytes.data() + size, static_cast<std::size_t>(bytes.size() - size));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size += got;
    }
    ::close(file);
    bytes.truncate(size);
    return bytes;
}

// UTF-8, or Latin-1 where it is none, as old sources are.
QString decoded(const QByteArray& bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(bytes);
    return decoder.hasError() ? QString::fromLatin1(bytes) : text;
}

// A line that shows as one, whatever is in it.
QString shown(QStringView line)
{
    if (line.endsWith(QLatin1Char('\r'))) line.chop(1);
    QString text = line.left(mostLetters).toString();
    for (QChar& c : text) {
        const bool breaks = c == QChar::LineSeparator || c == QChar::ParagraphSeparator || c.unicode() == 0xfdd0
                            || c.unicode() == 0xfdd1;
        if (breaks || (c.category() == QChar::Other_Control && c != QLatin1Char('\t'))) c = QChar::ReplacementCharacter;
    }
    if (line.size() > mostLetters) text += QChar(0x2026);
    return text;
}

}  // namespace

QString namedFile(const QString& recorded)
{
    if (recorded.contains(QChar(0)) || !recorded.startsWith(QLatin1Char('/')) || !otherHostOf(recorded).isEmpty())
        return {};
    const QString path = QDir::cleanPath(recorded);
    for (const char* folder : {"/proc/", "/sys/", "/dev/"})
        if (path.startsWith(QLatin1String(folder))) return {};
    return path.startsWith(QLatin1String("//")) || path == QLatin1String("/") ? QString() : path;
}

QString fileInFolders(const QStringList& folders, const QString& recorded)
{
    if (recorded.contains(QChar(0))) return {};
    QStringList parts = QDir::cleanPath(recorded).split(QLatin1Char('/'), Qt::SkipEmptyParts);
    parts.removeAll(QStringLiteral(".."));  // no path leads out of the user's folders
    parts.removeAll(QStringLiteral("."));
    for (qsizetype first = std::max<qsizetype>(0, parts.size() - mostParts); first < parts.size(); ++first) {
        const QString end = parts.mid(first).join(QLatin1Char('/'));
        for (const QString& folder : folders) {
            const QString path = QDir::cleanPath(folder % QLatin1Char('/') % end);
            if (isOrdinary(path, folder)) return path;
        }
    }
    return {};
}

Result<SourceText> readSource(const QString& path, int line)
{
    std::int64_t modified = 0;
    const Result<QByteArray> bytes = bytesOfFile(path, modified);
    if (!bytes) return bytes.error();
    if (bytes->contains('\0')) return refused(tr("It is no text."), path);
    const QString text = decoded(*bytes);
    SourceText source{.path = path, .text = {}};
    source.first = std::max(1, line - linesAround);
    QStringList kept;
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype found = text.indexOf(QLatin1Char('\n'), at);
        const qsizetype end = found < 0 ? text.size() : found;
        ++source.lines;
        if (source.lines >= source.first && source.lines < source.first + 2 * linesAround)
            kept.append(shown(QStringView(text).mid(at, end - at)));
        at = end + 1;
    }
    if (source.first > source.lines) source.first = std::max(1, source.lines);
    source.text = kept.join(QLatin1Char('\n'));
    source.modified = modified;
    return source;
}

SourceFound findSource(const SourceWish& wish)
{
    SourceFound found;
    found.path = fileInFolders(wish.folders, wish.recorded);
    if (found.path.isEmpty()) {
        found.path = namedFile(wish.recorded);
        if (found.path.isEmpty()) return found;
        if (!wish.allowed.contains(QFileInfo(found.path).path())) {
            found.state = SourceState::Unasked;
            return found;
        }
        if (const Leads leads = whereLeads(found.path, {}); leads != Leads::Here) {
            found.state = SourceState::Refused;
            found.error = refused(leads == Leads::ToOtherHost ? tr("A link on its way leads to another machine.")
                                                              : tr("It is no ordinary file."),
                                  found.path);
            return found;
        }
        if (!QFileInfo::exists(found.path)) return found;
    }
    Result<SourceText> text = readSource(found.path, wish.line);
    if (!text) {
        found.state = SourceState::Refused;
        found.error = text.error();
        return found;
    }
    found.state = SourceState::There;
    found.text = std::move(*text);
    return found;
}

}  // namespace longpole
