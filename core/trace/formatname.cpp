// SPDX-License-Identifier: GPL-3.0-or-later
// Ids, entry methods and objects as people read and write them (core/trace/format.h).
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {
namespace {

QString pairText(std::uint32_t pe, std::uint32_t row)
{
    return QString::number(pe) + QLatin1Char(':') + QString::number(row);
}

// Where the argument list of "recv<(int)3>(Msg*)" begins: the first parenthesis outside of template brackets that is
// not the name of operator(). The name's length if there is none.
qsizetype argumentList(const QString& name)
{
    const qsizetype oper = name.indexOf(QLatin1String("operator"));
    qsizetype at = oper < 0 ? 0 : oper + 8;
    if (oper >= 0) {
        if (QStringView(name).mid(at).startsWith(QLatin1String("()"))) at += 2;
        while (at < name.size() && QStringLiteral("<>=-").contains(name[at])) ++at;
    }
    int depth = 0;
    for (; at < name.size(); ++at) {
        if (name[at] == QLatin1Char('<')) ++depth;
        if (name[at] == QLatin1Char('>')) --depth;
        if (name[at] == QLatin1Char('(') && depth <= 0 && at > 0) return at;
    }
    return name.size();
}

}  // namespace

QString toText(TaskId id) { return pairText(index(id.pe), id.index); }
QString toText(MessageId id) { return pairText(index(id.pe), id.index); }

Result<TaskId> parseTaskId(const QString& text)
{
    const QStringView trimmed = QStringView(text).trimmed();
    const qsizetype colon = trimmed.indexOf(QLatin1Char(':'));
    const auto isNumber = [](QStringView part) {
        return !part.isEmpty()
               && std::ranges::all_of(part, [](QChar c) { return c >= QLatin1Char('0') && c <= QLatin1Char('9'); });
    };
    bool peFits = false;
    bool rowFits = false;
    const QStringView pe = colon < 0 ? QStringView() : trimmed.left(colon);
    const QStringView row = colon < 0 ? QStringView() : trimmed.mid(colon + 1);
    const TaskId id{static_cast<ProcessorId>(pe.toUInt(&peFits)), row.toUInt(&rowFits)};
    if (!isNumber(pe) || !isNumber(row) || !peFits || !rowFits || !id.isValid())
        return Error{.what = tr("\"%1\" is not a task.").arg(text),
                     .where = text,
                     .hint = tr("Write PE:INDEX, for example 3:1207.")};
    return id;
}

QString entryName(const Entry& entry, bool brief)
{
    QString name = brief ? entry.name.left(argumentList(entry.name)).trimmed() : entry.name;
    const QString prefix = entry.chare + QStringLiteral("::");
    if (entry.chare.isEmpty() || name.startsWith(prefix)) return name;
    return prefix + name;
}

QString objectName(const Chare& chare, std::span<const std::int64_t> objectIndex)
{
    std::size_t shown = std::min<std::size_t>(objectIndex.size(), chare.dimensions > 0
                                                                      ? static_cast<std::size_t>(chare.dimensions)
                                                                      : objectIndex.size());
    if (chare.dimensions <= 0)
        while (shown > 0 && objectIndex[shown - 1] == 0) --shown;
    if (shown == 0) return chare.name;
    QString text = chare.name + QLatin1Char('[');
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0) text += QLatin1Char(',');
        text += QString::number(objectIndex[i]);
    }
    return text + QLatin1Char(']');
}

}  // namespace longpole
