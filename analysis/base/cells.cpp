// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/cells.h"

#include "core/base/translate.h"

#include <QLocale>

#include <algorithm>
#include <array>

namespace longpole {

namespace {

bool isWorded(const QVariant& cell) { return cell.metaType() == QMetaType::fromType<WordedCell>(); }

}  // namespace

Cell textOrNone(const QString& text) { return text.isEmpty() ? Cell() : Cell(text); }

Cell readAs(const Cell& value, const QString& text) { return QVariant::fromValue(WordedCell{value, text}); }

QVariant rawValue(const QVariant& cell) { return isWorded(cell) ? cell.value<WordedCell>().value : cell; }

QString plainText(const QVariant& cell)
{
    if (isWorded(cell)) return plainText(rawValue(cell));
    if (cell.typeId() == QMetaType::QByteArray)
        return QStringLiteral("x'") + QString::fromLatin1(cell.toByteArray().toHex()) + QLatin1Char('\'');
    if (cell.typeId() == QMetaType::Double)
        return QString::number(cell.toDouble(), 'g', QLocale::FloatingPointShortest);
    return cell.toString();
}

QString cellText(const QVariant& cell, CellKind kind, const TraceStore* store)
{
    if (isWorded(cell)) return onOneLine(cell.value<WordedCell>().text);
    if (cell.isNull()) return kind == CellKind::Ratio ? QStringLiteral("-") : QString();
    constexpr TimeNs instantResolution = 1000;
    switch (kind) {
    case CellKind::Time: return formatTime(cell.toLongLong());
    case CellKind::Instant:
        return formatTimeAt(cell.toLongLong() - (store != nullptr ? store->info().begin : 0), instantResolution);
    case CellKind::Count: return formatCount(cell.toLongLong());
    case CellKind::Share: return formatShare(cell.toDouble());
    case CellKind::Ratio: return QString::number(cell.toDouble(), 'f', 3);
    case CellKind::Bytes: return formatBytes(cell.toLongLong());
    case CellKind::Entry:
    case CellKind::Code: return store != nullptr ? onOneLine(nameOfCode(*store, EntryId{cell.toUInt()})) : QString();
    case CellKind::Flag: return cell.toBool() ? tr("yes") : tr("no");
    case CellKind::Rows: return {};
    case CellKind::Text:
    case CellKind::Number: break;
    }
    return onOneLine(plainText(cell));
}

bool isRightAligned(CellKind kind)
{
    return kind != CellKind::Text && kind != CellKind::Entry && kind != CellKind::Code && kind != CellKind::Flag;
}

QString nameOfCode(const TraceStore& store, EntryId code)
{
    if (code == noEntry) return {};
    if (const Entry* const known = store.entry(code); known != nullptr && !known->name.isEmpty())
        return entryName(*known);
    if (const Region* const region = store.region(static_cast<RegionId>(index(code)))) return region->name;
    return tr("code %1").arg(index(code));
}

QString codeInWords(const TraceStore& store, EntryId code)
{
    QString name = nameOfCode(store, code);
    const bool isOwn = code == noEntry || !store.info().hasRanks()
                       || store.region(static_cast<RegionId>(index(code))) != nullptr;
    if (isOwn) return name;
    if (name.contains(QLatin1String(" to "))) return tr("the code from %1").arg(name);
    const bool isBeside = name.startsWith(QLatin1String("before ")) || name.startsWith(QLatin1String("after "));
    return isBeside ? tr("the code %1").arg(name) : name;
}

namespace {

// What a terminal obeys, XML forbids, ends a line, or turns the direction of what follows.
bool isHarmful(QChar c)
{
    const bool turns = (c >= QChar(0x202a) && c <= QChar(0x202e)) || (c >= QChar(0x2066) && c <= QChar(0x2069));
    const bool ends = c.category() == QChar::Separator_Line || c.category() == QChar::Separator_Paragraph;
    return c.category() == QChar::Other_Control || c.isSurrogate() || c.isNonCharacter() || turns || ends;
}

// Whether there is = + - or @, of which spreadsheets take those of full width for the same.
bool isFormulaSignAt(const QByteArray& csv, qsizetype at)
{
    static constexpr std::array signs{"=",           "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                      "\xef\xbc\xa0"};
    const QByteArrayView rest = QByteArrayView(csv).sliced(at);
    return std::any_of(signs.begin(), signs.end(), [rest](const char* sign) { return rest.startsWith(sign); });
}

// Whether the field from there on is a number, which a spreadsheet may have as it is.
bool isNumberAt(const QByteArray& csv, qsizetype at)
{
    qsizetype end = at;
    while (end < csv.size() && csv[end] != ',' && csv[end] != '\n' && csv[end] != '\r') ++end;
    bool isNumber = false;
    csv.mid(at, end - at).toDouble(&isNumber);
    return isNumber || end == at;  // a line's end
}

}  // namespace

QString onOneLine(QString text)
{
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool isPair = text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        if (isPair) ++i;
        else if (isHarmful(text[i])) text[i] = QLatin1Char(' ');
    }
    return text;
}

QString withoutAutolinks(QString markdown)
{
    markdown.replace(QStringLiteral("://"), QStringLiteral("&#58;//"));
    markdown.replace(QStringLiteral("www."), QStringLiteral("www&#46;"), Qt::CaseInsensitive);
    return markdown.replace(QLatin1Char('@'), QStringLiteral("@&#8203;"));
}

QByteArray safeCsv(const QByteArray& csv)
{
    QByteArray safe;
    safe.reserve(csv.size());
    bool isStart = true;  // of a field, whose quotes come first
    bool isPart = false;  // of a field, that is one of its own where a semicolon or a tab parts fields
    bool isQuoted = false;
    for (qsizetype i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (isStart || isPart) {
            const bool isFormula = isFormulaSignAt(csv, i) || (isStart && (c == '\t' || c == '\r'));
            const bool mayBeNumber = isStart && !isQuoted;
            if (isFormula && !(mayBeNumber && isNumberAt(csv, i))) safe += '\'';
        }
        if (c == '"') {
            isQuoted = !isQuoted;
        } else {
            isStart = !isQuoted && (c == ',' || c == '\n');
            isPart = c == ';' || c == '\t' || c == '\n' || c == '\r';  // quotes hold no line together there
        }
        safe += c;
    }
    return safe;
}

QString csvField(const QString& text)
{
    const bool plain = std::none_of(text.begin(), text.end(), [](QChar c) {
        return c == QLatin1Char('"') || c == QLatin1Char(',') || c == QLatin1Char('\n') || c == QLatin1Char('\r');
    });
    if (plain && !text.startsWith(QLatin1Char(' ')) && !text.endsWith(QLatin1Char(' '))) return text;
    return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

}  // namespace longpole
