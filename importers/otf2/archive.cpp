// SPDX-License-Identifier: GPL-3.0-or-later
// Finding the files of an OTF2 archive: NAME.otf2 (the anchor), NAME.def, and NAME/<location>.def and .evt.
#include "importers/otf2/archive.h"

#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "importers/common/fingerprint.h"
#include "importers/common/folderfiles.h"
#include "importers/otf2/import.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace longpole {
namespace {

constexpr QLatin1String anchorEnding(".otf2");

// Whether a file begins as an anchor does: with a chunk's kind and endianness, then the archive's magic.
bool startsLikeAnchor(const QString& path)
{
    QFile file(path);
    return !mayNeverEnd(path) && file.open(QIODevice::ReadOnly) && file.read(6).mid(2) == QByteArrayView("OTF2");
}

bool isAnchor(const QFileInfo& file)
{
    return file.fileName().endsWith(anchorEnding) || startsLikeAnchor(file.filePath());
}

bool isPart(const QFileInfo& file)
{
    return file.suffix() == QLatin1String("def") || file.suffix() == QLatin1String("evt");
}

// The number of "17.evt".
std::optional<std::uint64_t> locationOf(const QFileInfo& file)
{
    bool isNumber = false;
    const std::uint64_t number = file.completeBaseName().toULongLong(&isNumber);
    return isNumber && isPart(file) ? std::optional(number) : std::nullopt;
}

QStringList anchorsIn(const QString& folder)
{
    QStringList anchors;
    for (const QFileInfo& file : filesIn(folder))
        if (file.fileName().endsWith(anchorEnding)) anchors += file.absoluteFilePath();
    return anchors;
}

// The anchor that a .def or .evt file, or a folder of these, belongs to; empty if there is none.
QString anchorOfPart(const QFileInfo& part)
{
    const QFileInfo folder(part.isDir() ? part.absoluteFilePath() : part.absolutePath());
    const QString besideIt(part.absolutePath() + u'/' + part.completeBaseName() + anchorEnding);
    if (part.isFile() && isFileHere(besideIt)) return besideIt;
    const QString above(folder.absoluteFilePath() + anchorEnding);
    return isFileHere(above) ? above : QString();
}

// Where the anchor of the archive at `path` is; there may be none, or several.
QStringList anchorsOf(const QString& path)
{
    const QFileInfo file(path);
    if (file.isDir()) {
        const QStringList inside = anchorsIn(file.absoluteFilePath());
        if (!inside.isEmpty()) return inside;
        const QString above = anchorOfPart(QFileInfo(QDir(path).absolutePath()));
        return above.isEmpty() ? QStringList() : QStringList(above);
    }
    if (!file.isFile()) return {};
    if (isAnchor(file)) return {file.absoluteFilePath()};
    const QString anchor = isPart(file) ? anchorOfPart(file) : QString();
    return anchor.isEmpty() ? QStringList() : QStringList(anchor);
}

// Location files that lack the anchor, which would say what they are.
bool holdsLocations(const QString& folder)
{
    const QFileInfoList files = filesIn(folder);
    return std::any_of(files.begin(), files.end(), [](const QFileInfo& file) { return locationOf(file).has_value(); });
}

Error noAnchor(const QString& path)
{
    return Error{.what = tr("The anchor file of this OTF2 archive (NAME.otf2) is missing."),
                 .where = path,
                 .hint = tr("It lies beside NAME.def and the folder NAME.")};
}

}  // namespace

QString Otf2Archive::eventsOf(std::uint64_t location) const
{
    return folder + u'/' + QString::number(location) + QStringLiteral(".evt");
}

QString Otf2Archive::definitionsOf(std::uint64_t location) const
{
    return folder + u'/' + QString::number(location) + QStringLiteral(".def");
}

std::vector<QString> Otf2Archive::files() const
{
    std::vector<std::pair<std::uint64_t, QString>> parts;
    for (const QFileInfo& file : filesIn(folder)) {
        if (const auto location = locationOf(file)) parts.emplace_back(*location, file.absoluteFilePath());
    }
    std::sort(parts.begin(), parts.end());
    std::vector<QString> files{anchor};
    if (QFileInfo(definitions).isFile()) files.push_back(definitions);
    for (auto& [location, path] : parts) files.push_back(std::move(path));
    return files;
}

Result<Otf2Archive> findOtf2Archive(const QString& path)
{
    const QStringList anchors = anchorsOf(path);
    if (anchors.isEmpty()) return noAnchor(path);
    if (anchors.size() > 1) {
        return Error{.what = tr("This folder holds %1 OTF2 archives.").arg(anchors.size()),
                     .where = path,
                     .hint = tr("Name the anchor file of one, e.g. %1.").arg(anchors.front())};
    }
    const QFileInfo anchor(anchors.front());
    if (!anchor.isReadable()) {
        return Error{.what = tr("The anchor file cannot be read."),
                     .where = anchor.filePath(),
                     .hint = tr("Check its permissions.")};
    }
    const QString name = anchor.completeBaseName();
    const QString base(anchor.absolutePath() + u'/' + name), definitions = base + QStringLiteral(".def");
    // The library opens files by itself. A folder that is elsewhere is not even listed.
    QString elsewhere = leadsToOtherHost(definitions) ? definitions : QString();
    if (elsewhere.isEmpty()) elsewhere = leadsToOtherHost(base) ? base : linkToOtherHostIn(base);
    if (!elsewhere.isEmpty())
        return Error{.what = tr("A link in this archive leads to another machine."),
                     .where = elsewhere,
                     .hint = tr("Copy what it leads to, if you trust the archive.")};
    const bool isNamedAfterFormat = name == QLatin1String("traces");  // what Score-P calls every archive
    return Otf2Archive{.anchor = anchor.absoluteFilePath(),
                       .definitions = definitions,
                       .folder = base,
                       .program = isNamedAfterFormat ? QFileInfo(anchor.absolutePath()).fileName() : name};
}

bool looksLikeOtf2(const QString& path)
{
    if (!anchorsOf(path).isEmpty()) return true;
    const QFileInfo file(path);
    return file.isDir() ? holdsLocations(path) : locationOf(file).has_value();
}

Result<QString> fingerprintOtf2(const QString& path, FingerprintOf of) { return fingerprintOtf2(path, of, Progress()); }

Result<QString> fingerprintOtf2(const QString& path, FingerprintOf of, const Progress& progress)
{
    const Result<Otf2Archive> archive = findOtf2Archive(path);
    if (!archive) return archive.error();
    return fingerprintOfFiles(QFileInfo(archive->anchor).absolutePath(), archive->files(), of, progress);
}

extern const Importer otf2Importer;  // registry.cpp lists it
const Importer otf2Importer{
    .id = "otf2",
    .title = QT_TRANSLATE_NOOP("longpole", "OTF2 archives"),
    .patterns = "*.otf2",
    .reads = QT_TRANSLATE_NOOP("longpole",
                               "regions and MPI records of programs that ran under Score-P, TAU, Extrae and others"),
    .document = "docs/formats/otf2.md",
    .version = 1,
    .probe = probeOtf2,
    .fingerprint = fingerprintOtf2,
    .import = importOtf2,
};

}  // namespace longpole
