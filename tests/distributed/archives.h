// SPDX-License-Identifier: GPL-3.0-or-later
// The OTF2 archives among the test data, as rows of a test, and each of them imported.
#pragma once

#include "core/store/tracestore.h"
#include "importers/common/importer.h"

#include <QDirIterator>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace longpole::test {

// A row for each, of the column "path".
inline void addArchives()
{
    QTest::addColumn<QString>("path");
    QDirIterator files(QStringLiteral(LONGPOLE_TEST_DATA "/otf2"), {QStringLiteral("*.otf2")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QTest::addRow("%s", qPrintable(QFileInfo(path).dir().dirName())) << path;
    }
}

// Null: it cannot be imported, nor opened. The file goes with the folder.
inline std::shared_ptr<const TraceStore> importedArchive(const QString& path, const QTemporaryDir& folder)
{
    const QString target = folder.filePath(QStringLiteral("run.longpole"));
    const Result<ImportReport> report = importerFor(path)->import(path, target, ImportOptions{}, Progress{});
    const auto store = report ? TraceStore::open(target) : Result<std::shared_ptr<const TraceStore>>(report.error());
    return store ? *store : nullptr;
}

}  // namespace longpole::test
