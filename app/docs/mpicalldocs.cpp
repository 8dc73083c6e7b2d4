// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docs/mpicalldocs.h"

#include "core/base/translate.h"
#include "recorder/format/calls.h"
#include "recorder/format/unrecorded.h"

#include <QStringList>

#include <array>

namespace longpole {

namespace {

struct ListedCall {
    const char* name;
    lp_call_class what;
};
#define LP_ROW(name, what, kind) ListedCall{#name, LP_CLASS_##what},
constexpr std::array listedCalls{LP_CALLS(LP_ROW)};
#undef LP_ROW

struct CallGroup {
    const char* title;
    const char* recorded;
    std::initializer_list<lp_call_class> classes;
};

const CallGroup callGroups[] = {
    {QT_TR_NOOP("Start and end"), QT_TR_NOOP("times"), {LP_CLASS_LIFETIME}},
    {QT_TR_NOOP("Point to point"),
     QT_TR_NOOP(
         "partner, tag, bytes, communicator; requests that are started and completed; failed tests and probes as "
         "loops"),
     {LP_CLASS_SEND, LP_CLASS_RECEIVE, LP_CLASS_SENDRECEIVE, LP_CLASS_START_SENDRECEIVE, LP_CLASS_PROBE,
      LP_CLASS_START_SEND, LP_CLASS_START_RECEIVE}},
    {QT_TR_NOOP("Persistent and partitioned requests"),
     QT_TR_NOOP("what they move at each start; of a partitioned send, when the last partition was ready"),
     {LP_CLASS_PREPARE, LP_CLASS_START}},
    {QT_TR_NOOP("Completion"), QT_TR_NOOP("the requests that were completed"), {LP_CLASS_COMPLETION}},
    {QT_TR_NOOP("Collective"),
     QT_TR_NOOP("root, communicator, bytes sent to others and received from others"),
     {LP_CLASS_COLLECTIVE, LP_CLASS_START_COLLECTIVE}},
    {QT_TR_NOOP("Communicators"),
     QT_TR_NOOP("members and neighbours"),
     {LP_CLASS_COMMUNICATOR, LP_CLASS_START_COMMUNICATOR}},
    {QT_TR_NOOP("One-sided"),
     QT_TR_NOOP("partner, bytes, window and its communicator; groups of epochs, and kinds of locks"),
     {LP_CLASS_ONE_SIDED}},
    {QT_TR_NOOP("Files"), QT_TR_NOOP("bytes"), {LP_CLASS_IO}},
    {QT_TR_NOOP("Others"), QT_TR_NOOP("times"), {LP_CLASS_OTHER}},
};

QString callsOf(const CallGroup& group)
{
    QStringList names;
    for (const ListedCall& call : listedCalls)
        if (std::find(group.classes.begin(), group.classes.end(), call.what) != group.classes.end())
            names << QString::fromUtf8(call.name);
    return names.join(QStringLiteral(", "));
}

}  // namespace

QString mpiCallsMarkdown()
{
    QString text = tr(
        "<!-- Written by script/generate from recorder/format. -->\n"
        "# Which MPI calls are recorded\n\n"
        "Each with begin, end, thread and call stack; names without `MPI_`. Calls with large counts (`_c`) "
        "are recorded as those without, where the MPI has them (MPICH 4). What is new in MPI 4 is recorded from C, "
        "C++ and Fortran; Open MPI 4 has persistent collective requests as `MPIX_`. Of sessions, the first that a "
        "program begins without MPI_Init and the last that it ends are recorded.\n\n"
        "| calls | | what is recorded |\n|---|---|---|\n");
    for (const CallGroup& group : callGroups)
        text += QStringLiteral("| %1 | %2 | %3 |\n").arg(tr(group.title), callsOf(group), tr(group.recorded));
    text += tr("\n## Not recorded\n\n| why | calls |\n|---|---|\n");
    for (const lp_unrecorded& group : lp_unrecorded_calls) {
        const QStringList names = QString::fromUtf8(group.calls).split(QLatin1Char(' '));
        text += QStringLiteral("| %1 | %2 |\n")
                    .arg(QString::fromUtf8(group.why),
                         QLatin1Char('`') + names.join(QStringLiteral("`, `")) + QLatin1Char('`'));
    }
    return text;
}

}  // namespace longpole
