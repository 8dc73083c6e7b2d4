// SPDX-License-Identifier: GPL-3.0-or-later
// Real traces, imported once per test program into a temporary folder: those in tests/data, and larger ones where they
// lie beside the repository.
#pragma once

#include "core/store/tracestore.h"
#include "importers/common/importer.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <memory>

namespace longpole {

class RealTraces {
public:
    // Names of folders with event logs that importers recognise, from both places.
    static QStringList names()
    {
        QStringList found;
        for (const QString& root : roots())
            for (const QString& name : QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                if (!found.contains(name) && hasLogs(root % QLatin1Char('/') % name)) found << name;
        return found;
    }

    // The rows of a test that asks each of them.
    static void addRows()
    {
        QTest::addColumn<QString>("name");
        for (const QString& name : names()) QTest::newRow(qPrintable(name)) << name;
    }

    static bool has(const QString& name) { return !folder(name).isEmpty(); }

    // The source folder of a trace; empty if there is none.
    static QString folder(const QString& name)
    {
        for (const QString& root : roots())
            if (QString path = root % QLatin1Char('/') % name; QFileInfo(path).isDir()) return path;
        return {};
    }

    Result<std::shared_ptr<const TraceStore>> open(const QString& name)
    {
        if (const auto known = m_open.find(name); known != m_open.end()) return known->second;
        const QString source = folder(name);
        const Importer* importer = importerFor(source);
        if (importer == nullptr) return Error{QStringLiteral("no importer takes it"), source, QString()};
        const QString target = m_folder.filePath(QString(name).replace(QLatin1Char('/'), QLatin1Char('_'))
                                                 % QLatin1String(".longpole"));
        const Result<ImportReport> report = importer->import(source, target, ImportOptions{}, Progress{});
        if (!report) return report.error();
        Result<std::shared_ptr<const TraceStore>> store = TraceStore::open(target);
        if (store) m_open[name] = *store;
        return store;
    }

private:
    static bool hasLogs(const QString& folder)
    {
        QDirIterator logs(folder, {QStringLiteral("*.log"), QStringLiteral("*.log.gz")}, QDir::Files,
                          QDirIterator::Subdirectories);
        return logs.hasNext() && importerFor(folder) != nullptr;
    }

    static QStringList roots() { return {QStringLiteral(LONGPOLE_TEST_DATA), QStringLiteral(LONGPOLE_SHARED_TRACES)}; }

    QTemporaryDir m_folder;
    std::map<QString, std::shared_ptr<const TraceStore>> m_open;
};

}  // namespace longpole
