// SPDX-License-Identifier: GPL-3.0-or-later
// A Projections run written by a test: text in, rows of the imported trace out, as lines of numbers.
#pragma once

#include "core/store/tracestore.h"
#include "core/trace/columns.h"
#include "importers/projections/import.h"

#include <QFile>
#include <QFileInfo>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <zlib.h>

#include <initializer_list>
#include <memory>

namespace longpole {

inline QByteArray gzipped(const QByteArray& bytes)
{
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    QByteArray out(static_cast<qsizetype>(deflateBound(&stream, static_cast<uLong>(bytes.size()))) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.constData()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(static_cast<qsizetype>(stream.total_out));
    deflateEnd(&stream);
    return out;
}

// The chares and entries that small runs use: 0 the thread dummy, 5 a 1-D array's, 6 a singleton's, 7 a 4-D array's.
inline QByteArray smallSymbols(int processors, const QByteArray& more = {}, const QByteArray& version = "11.0")
{
    return "PROJECTIONS_ID \nVERSION " + version + "\nTOTAL_PHASES 0\nMACHINE \"multicore-linux-x86_64\"\nPROCESSORS " +
           QByteArray::number(processors) +
           "\nCOMMANDLINE \"./small +p2\"\nTOTAL_CHARES 5\nTOTAL_EPS 8\nCHARE 0 \"dummy_thread_chare\" -1\n"
           "CHARE 1 \"CkArray\" -1\nCHARE 2 \"Line\" 1\nCHARE 3 \"Main\" -1\nCHARE 4 \"Hyper\" 4\n"
           "ENTRY CHARE 0 \"dummy_thread_ep\" 0 0\nENTRY CHARE 1 \"recvBroadcast(CkMessage* m)\" 1 0\n"
           "ENTRY CHARE 5 \"step(int n)\" 2 0\nENTRY CHARE 6 \"go()\" 3 -1\nENTRY CHARE 7 \"fold()\" 4 0\n" +
           more + "TOTAL_STATS 0\nEND\n";
}

class SmallRun {
public:
    SmallRun() { QVERIFY(m_folder.isValid()); }

    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString folder() const { return m_folder.path(); }
    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    void symbols(const QByteArray& text) const { write(QStringLiteral("p.sts"), text); }
    // Records only: the header is added.
    void log(int pe, const QByteArray& records) const
    {
        write(QStringLiteral("p.%1.log").arg(pe), "PROJECTIONS-RECORD 7\n" + records);
    }

    std::shared_ptr<const TraceStore> import(const ImportOptions& options = {},
                                             const ProjectionsLimits& limits = {}) const
    {
        const QString target = m_out.filePath(QStringLiteral("out.longpole"));
        const Result<ImportReport> report = importProjections(folder(), target, options, Progress(), limits);
        if (!report) {
            qInfo("%s", qPrintable(toText(report.error())));
            return nullptr;
        }
        Result<std::shared_ptr<const TraceStore>> store = TraceStore::open(target);
        return store ? *store : nullptr;
    }
    Result<ImportReport> tryImport(const QString& source, const ImportOptions& options = {}) const
    {
        return importProjections(source, m_out.filePath(QStringLiteral("tried.longpole")), options, Progress());
    }

private:
    QTemporaryDir m_folder;
    QTemporaryDir m_out;
};

// Rows of a kind on a track, one string each: the columns asked for (all if none are), blank-separated.
inline QStringList rowsOf(const TraceStore& store, ChunkKind kind, TrackId track,
                          std::initializer_list<std::size_t> columns = {})
{
    QStringList rows;
    for (const ChunkRef& ref : store.chunks(kind, track)) {
        const Result<std::shared_ptr<const Chunk>> chunk = store.read(ref);
        if (!chunk) return {QStringLiteral("unreadable")};
        for (std::uint32_t row = 0; row < ref.rows; ++row) {
            QStringList cells;
            if (columns.size() > 0) {
                for (const std::size_t column : columns) cells += QString::number((*chunk)->at(column, row));
            } else {
                for (const auto& column : (*chunk)->columns) cells += QString::number(column[row]);
            }
            rows += cells.join(u' ');
        }
    }
    return rows;
}

// "kind*count@place" of every issue, joined by "; ".
inline QString issuesOf(const TraceStore& store)
{
    QStringList issues;
    for (const Issue& issue : store.issues()) {
        issues += issue.kind + QStringLiteral("*") + QString::number(issue.count) + QStringLiteral("@") + issue.place;
    }
    return issues.join(QStringLiteral("; "));
}

}  // namespace longpole
