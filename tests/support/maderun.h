// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a Projections run execution by execution, in microseconds, for tests that import it and analyse the trace.
#pragma once

#include "core/store/tracestore.h"
#include "importers/common/importer.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <vector>

namespace longpole {

// Chares: Line (array elements), Main, the run-time system's. Blocks are Structured Dagger's.
enum MadeEntry : int { Manager, Done, Rts, Ghost, Start, Bulk, Left, Right, Body, LeftBody, RightBody, Next };

class MadeRun {
public:
    struct Send {
        int time;
        int event;
        MadeEntry entry;
    };

    // Add an execution: run() of the message (creator, event), start() of a message whose sender is not known, block()
    // of a Structured Dagger block. The executions of a PE must be added in order.
    void run(int pe, int begin, int end, MadeEntry entry, int object, int creator, int event,
             std::initializer_list<Send> sends = {})
    {
        add(pe, begin, end, entry, object, creator, event, sends);
    }
    void start(int pe, int begin, int end, MadeEntry entry, int object, std::initializer_list<Send> sends = {})
    {
        add(pe, begin, end, entry, object, pe, 900'000 + m_unknown++, sends);
    }
    void block(int pe, int begin, int end, MadeEntry entry, int object, std::initializer_list<Send> sends = {})
    {
        add(pe, begin, end, entry, object, pe, -1, sends);
    }
    void merges(const QByteArray& text) { m_merges = text; }

    Result<std::shared_ptr<const TraceStore>> import() const
    {
        write(QStringLiteral("p.sts"), symbols());
        if (!m_merges.isEmpty()) write(QStringLiteral("p.merges"), m_merges);
        for (const auto& [pe, records] : m_logs)
            write(QStringLiteral("p.%1.log").arg(pe), "PROJECTIONS-RECORD 1\n6 0\n" + records + "7 100000\n");
        const QString target = m_folder.filePath(QStringLiteral("out.longpole"));
        const QString folder = m_folder.path();
        const Result<ImportReport> report = importerFor(folder)->import(folder, target, {}, Progress{});
        if (!report) return report.error();
        return TraceStore::open(target);
    }

private:
    static QByteArray chareOf(MadeEntry entry)
    {
        if (entry == Manager) return "1";
        if (entry == Rts) return "2";
        return entry == Done ? "3" : "4";
    }

    QByteArray symbols() const
    {
        QByteArray text = "VERSION 11.0\nPROCESSORS " + QByteArray::number(m_logs.rbegin()->first + 1)
                          + "\nCHARE 0 \"dummy_thread_chare\" -1\nCHARE 1 \"CkReductionMgr\" -1\nCHARE 2 \"SDAG\" -1\n"
                            "CHARE 3 \"Main\" -1\nCHARE 4 \"Line\" 1\n";
        const char* names[] = {"RecvMsg(CkReductionMsg* impl_msg)",
                               "redn_wrapper_done(CkReductionMsg *impl_msg)",
                               "SDAG_RTS",
                               "ghost(int n)",
                               "start()",
                               "bulk()",
                               "left()",
                               "right()",
                               "Line_body",
                               "Line_left",
                               "Line_right",
                               "Line_next"};
        int id = 0;
        for (const char* name : names) {
            text += "ENTRY CHARE " + QByteArray::number(id) + " \"" + name + "\" " + chareOf(MadeEntry(id)) + " 0\n";
            ++id;
        }
        return text + "END\n";
    }

    void add(int pe, int begin, int end, MadeEntry entry, int object, int creator, int event,
             std::initializer_list<Send> sends)
    {
        const auto number = [](int value) { return QByteArray::number(value); };
        const bool isArray = chareOf(entry) == "4";
        const QByteArray type = event == -1 ? "65535" : "21";
        const QByteArray key = " " + number(event) + " " + number(creator) + " ";
        QByteArray& log = m_logs[pe];
        log += "2 " + type + " " + number(entry) + " " + number(begin) + key + "80 0 "
               + (isArray ? number(object) : "0 0 0 " + number(entry == Rts ? object : 0)) + " 0\n";
        for (const Send& send : sends)
            log += "1 21 " + number(send.entry) + " " + number(send.time) + " " + number(send.event) + " " + number(pe)
                   + " 80 0\n";
        log += "3 0 " + number(entry) + " " + number(end) + key + "0 0\n";
    }

    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(bytes);
    }

    QTemporaryDir m_folder;
    std::map<int, QByteArray> m_logs;
    QByteArray m_merges;
    int m_unknown = 0;
};

}  // namespace longpole
