// SPDX-License-Identifier: GPL-3.0-or-later
// Hashing a run's files without reading all of them.
#include "importers/common/fingerprint.h"

#include "core/base/hash.h"
#include "core/base/mayneverend.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace longpole {
namespace {

void addSamples(QFile& file, std::int64_t size, ValueHasher& hasher)
{
    constexpr std::int64_t end = 1 << 20;
    constexpr std::int64_t block = 1 << 16;
    constexpr std::int64_t blocks = 64;
    if (size <= 2 * end + blocks * block) {
        hasher.addBlob(file.readAll());
        return;
    }
    hasher.addBlob(file.read(end));
    for (std::int64_t i = 0; i < blocks; ++i) {
        file.seek(end + (size - 2 * end - block) / (blocks - 1) * i);
        hasher.addBlob(file.read(block));
    }
    file.seek(size - end);
    hasher.addBlob(file.read(end));
}

}  // namespace

QString fingerprintOfFiles(const QString& folder, std::span<const QString> paths, FingerprintOf of,
                           const Progress& progress)
{
    ValueHasher hasher;
    const QDir base(folder);
    if (of == FingerprintOf::Place) {
        const QByteArray place = base.canonicalPath().toUtf8();
        hasher.addText({place.constData(), static_cast<std::size_t>(place.size())});
    }
    for (const QString& path : paths) {
        if (progress.isCancelled()) break;
        const QFileInfo info(path);
        const QByteArray name = base.relativeFilePath(path).toUtf8();
        hasher.addText({name.constData(), static_cast<std::size_t>(name.size())});
        hasher.addInteger(info.size());
        hasher.addInteger(info.lastModified().toMSecsSinceEpoch());
        if (of == FingerprintOf::Place) hasher.addInteger(info.metadataChangeTime().toMSecsSinceEpoch());
        QFile file(path);
        if (info.isFile() && !mayNeverEnd(path) && file.open(QIODevice::ReadOnly))
            addSamples(file, info.size(), hasher);
        else hasher.addNull();
    }
    return hasher.hex();
}

}  // namespace longpole
