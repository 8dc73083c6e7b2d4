// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/unjudgedcalls.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

namespace longpole {

UnjudgedCall unjudgedCall(const QString& name)
{
    static const QStringList meet{QStringLiteral("create"),   QStringLiteral("create_dynamic"),
                                  QStringLiteral("allocate"), QStringLiteral("allocate_shared"),
                                  QStringLiteral("fence"),    QStringLiteral("free")};
    static const QStringList accesses{QStringLiteral("put"),          QStringLiteral("get"),
                                      QStringLiteral("accumulate"),   QStringLiteral("get_accumulate"),
                                      QStringLiteral("fetch_and_op"), QStringLiteral("compare_and_swap"),
                                      QStringLiteral("rput"),         QStringLiteral("rget"),
                                      QStringLiteral("raccumulate"),  QStringLiteral("rget_accumulate")};
    QString call = name.toLower();
    if (call.startsWith(QLatin1String("pmpi_"))) call.remove(0, 1);
    if (!call.startsWith(QLatin1String("mpi_"))) return UnjudgedCall::None;
    call.remove(0, 4);
    while (call.endsWith(u'_')) call.chop(1);
    if (call.startsWith(QLatin1String("file_"))) return UnjudgedCall::File;
    if (call.startsWith(QLatin1String("win_")))
        return meet.contains(call.mid(4)) ? UnjudgedCall::None : UnjudgedCall::OneSided;
    return accesses.contains(call) ? UnjudgedCall::OneSided : UnjudgedCall::None;
}

UnjudgedTime& UnjudgedTime::operator+=(const UnjudgedTime& other)
{
    oneSided = saturatingAdd(oneSided, other.oneSided);
    files = saturatingAdd(files, other.files);
    return *this;
}

std::vector<QString> unjudgedSentences(const UnjudgedTime& time, TimeNs totalTime)
{
    std::vector<QString> sentences;
    const auto share = [totalTime](TimeNs part) {
        return formatShare(totalTime > 0 ? double(part) / double(totalTime) : 0.0);
    };
    if (time.oneSided > 0)
        sentences.push_back(tr("Cannot be judged: %1 in one-sided calls, %2 of the time. "
                               "What they wait for is not known.")
                                .arg(formatTime(time.oneSided), share(time.oneSided)));
    if (time.files > 0)
        sentences.push_back(tr("Cannot be judged: %1 in calls for files, %2 of the time. "
                               "What they wait for is not known.")
                                .arg(formatTime(time.files), share(time.files)));
    return sentences;
}

}  // namespace longpole
