// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of one rank that a test writes byte by byte, and what it may cost at most to import them.
#pragma once

#include "core/store/tracestore.h"
#include "importers/madeframes.h"
#include "importers/recording/import.h"
#include "recorder/format/calls.h"
#include "recorder/format/recording.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <memory>

#include <sys/resource.h>

namespace longpole::test {

class RecordingBombs {
protected:
    static long largest()  // that this process ever was, kB
    {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    }

    // The processor time that this process has had, which does not depend on what else the machine does, ms.
    static long spent()
    {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000;
    }

    static QByteArray regionFrame(std::uint32_t number, const QByteArray& name)
    {
        return frameOf(LP_REGION, bytesOf(number) + name);
    }

    static QByteArray region(lp_record_type type, std::uint32_t number, std::int64_t time)
    {
        lp_region_record record{};
        record.type = type;
        record.region = number;
        record.time = time;
        return bytesOf(record);
    }

    static QByteArray call(lp_call_id id, std::int64_t begin, std::int64_t end, std::uint32_t stack = 0)
    {
        lp_call_record record{};
        record.type = LP_CALL_RECORD;
        record.call = id;
        record.comm = LP_NO_COMM;
        record.peer = -1;
        record.begin = begin;
        record.end = end;
        record.stack = stack;
        return bytesOf(record);
    }

    QString recording(const QByteArray& frames, std::uint32_t version = LP_FORMAT_VERSION)
    {
        const QString folder = m_folder.filePath(QStringLiteral("r%1").arg(++m_number));
        lp_header header = bombHeader(0, 1);
        header.version = version;
        QFile file(folder + QStringLiteral("/rank-000000.lprank"));
        if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly)) return {};
        return file.write(rankFile(header, frames)) > 0 ? folder : QString();
    }
    std::shared_ptr<const TraceStore> imported(const QString& folder) const
    {
        const QString target = folder + QStringLiteral(".longpole");
        const Result<ImportReport> report = importRecording(folder, target, {}, Progress());
        if (!report) return nullptr;
        const auto store = TraceStore::open(target);
        return store ? *store : nullptr;
    }

    void remember()
    {
        m_before = largest();
        m_spent = spent();
    }
    // Sanitizers included: what the files are made for takes gigabytes or minutes.
    void verifyCost() const
    {
        QVERIFY2(spent() - m_spent < 20'000, qPrintable(QString::number(spent() - m_spent)));
        QVERIFY2(largest() - m_before < 600'000, qPrintable(QString::number(largest() - m_before)));
    }

    QTemporaryDir m_folder;
    long m_before = 0;
    long m_spent = 0;
    int m_number = 0;
};

}  // namespace longpole::test
