// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/tableoutput.h"

#include "app/output/jsonoutput.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t headRows = 1000;

bool isNumber(const QVariant& cell)
{
    switch (cell.typeId()) {
    case QMetaType::Int:
    case QMetaType::UInt:
    case QMetaType::LongLong:
    case QMetaType::ULongLong:
    case QMetaType::Double:
    case QMetaType::Float: return true;
    default: return false;
    }
}

QString plainText(const QVariant& cell)
{
    if (cell.typeId() == QMetaType::QByteArray)
        return QStringLiteral("x'") + QString::fromLatin1(cell.toByteArray().toHex()) + QLatin1Char('\'');
    if (cell.typeId() == QMetaType::Double)
        return QString::number(cell.toDouble(), 'g', QLocale::FloatingPointShortest);
    return cell.toString();
}

EntryId entryId(const QVariant& cell) { return EntryId{cell.toUInt()}; }

QString padded(const QString& text, qsizetype width, bool right)
{
    return right ? text.rightJustified(width) : text.leftJustified(width);
}

}  // namespace

QVariant entryCell(EntryId entry) { return entry == noEntry ? QVariant() : QVariant(index(entry)); }

bool isRightAligned(CellKind kind) { return kind != CellKind::Text && kind != CellKind::Entry; }

QString cellText(const QVariant& cell, CellKind kind, const TraceStore* store)
{
    if (!cell.isValid() || cell.isNull()) return {};
    switch (kind) {
    case CellKind::Time: return formatTime(cell.toLongLong());
    case CellKind::Count: return formatCount(cell.toLongLong());
    case CellKind::Share: return formatShare(cell.toDouble());
    case CellKind::Bytes: return formatBytes(cell.toLongLong());
    case CellKind::Entry: {
        if (!cell.canConvert<unsigned>()) return cell.toString();
        const Entry* entry = store ? store->entry(entryId(cell)) : nullptr;
        return entry ? onOneLine(entryName(*entry)) : QString();
    }
    case CellKind::Text: break;
    }
    return onOneLine(plainText(cell));
}

QString onOneLine(QString text)
{
    for (QChar& c : text)
        if (c.category() == QChar::Other_Control) c = QLatin1Char(' ');
    return text;
}

QString wrapped(const QString& text, qsizetype indent)
{
    constexpr qsizetype columns = 100;
    const QString margin(indent, QLatin1Char(' '));
    QString lines, line;
    for (const QString& word : onOneLine(text).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (!line.isEmpty() && indent + line.size() + 1 + word.size() > columns) {
            lines += margin + line + QLatin1Char('\n');
            line.clear();
        }
        line += line.isEmpty() ? word : QString(QLatin1Char(' ') + word);
    }
    return line.isEmpty() ? lines : QString(lines + margin + line + QLatin1Char('\n'));
}

QString csvField(const QString& text)
{
    const bool plain = std::none_of(text.begin(), text.end(), [](QChar c) {
        return c == QLatin1Char('"') || c == QLatin1Char(',') || c == QLatin1Char('\n') || c == QLatin1Char('\r');
    });
    if (plain && !text.startsWith(QLatin1Char(' ')) && !text.endsWith(QLatin1Char(' '))) return text;
    return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

TableWriter::TableWriter(Output& output, OutputFormat format, std::vector<FindingColumn> columns,
                         const TraceStore* store)
    : m_output(output), m_format(format), m_columns(std::move(columns)), m_store(store)
{
    if (m_format != OutputFormat::Csv) return;
    QStringList heads;
    for (const FindingColumn& column : m_columns) {
        if (column.kind == CellKind::Entry)
            heads << QString(column.id + QStringLiteral("_id")) << csvField(column.id)
                  << QString(column.id + QStringLiteral("_chare"));
        else heads << csvField(column.id);
    }
    m_going = m_output.write(QString(heads.join(QLatin1Char(',')) + QLatin1Char('\n')));
}

bool TableWriter::row(const std::vector<QVariant>& cells)
{
    if (!m_going) return false;
    switch (m_format) {
    case OutputFormat::Json: {
        JsonValue object = JsonValue::object();
        for (std::size_t i = 0; i < cells.size(); ++i)
            object[m_columns[i].id.toStdString()] = cellJson(cells[i], m_columns[i].kind, m_store);
        m_going = m_output.write((m_rows == 0 ? QByteArray("[\n  ") : QByteArray(",\n  "))
                                 + dump(object, -1).trimmed());
        break;
    }
    case OutputFormat::Csv: {
        QStringList fields;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (m_columns[i].kind != CellKind::Entry) {
                fields << csvField(plainText(cells[i]));
                continue;
            }
            const Entry* entry = m_store && !cells[i].isNull() ? m_store->entry(entryId(cells[i])) : nullptr;
            fields << (entry ? QString::number(index(entry->id)) : QString())
                   << csvField(entry ? entry->name : QString()) << csvField(entry ? entry->chare : QString());
        }
        m_going = m_output.write(QString(fields.join(QLatin1Char(',')) + QLatin1Char('\n')));
        break;
    }
    case OutputFormat::Text:
        if (m_headWritten) {
            writeText(cells);
            break;
        }
        m_head.push_back(cells);
        if (m_head.size() >= headRows) flushHead();
        break;
    }
    ++m_rows;
    return m_going;
}

void TableWriter::finish()
{
    if (m_format == OutputFormat::Text && !m_headWritten) flushHead();
    if (m_format == OutputFormat::Json && m_going)
        m_output.write(m_rows == 0 ? QByteArray("[]\n") : QByteArray("\n]\n"));
}

void TableWriter::flushHead()
{
    m_headWritten = true;
    m_widths.assign(m_columns.size(), 0);
    m_right.assign(m_columns.size(), true);
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        m_widths[i] = m_columns[i].title.size();
        bool numbers = false;
        for (const auto& cells : m_head) {
            m_widths[i] = std::max(m_widths[i], cellText(cells[i], m_columns[i].kind, m_store).size());
            if (isNumber(cells[i])) numbers = true;
            else if (!cells[i].isNull()) m_right[i] = false;
        }
        m_right[i] = isRightAligned(m_columns[i].kind)
                     || (m_columns[i].kind == CellKind::Text && m_right[i] && numbers);
    }
    QString titles;
    QString rule;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const bool last = i + 1 == m_columns.size();
        titles += padded(m_columns[i].title, last && !m_right[i] ? 0 : m_widths[i], m_right[i]);
        rule += QString(m_widths[i], QChar(0x2500));
        if (!last) {
            titles += QStringLiteral("  ");
            rule += QStringLiteral("  ");
        }
    }
    m_going = m_output.write(QString(titles + QLatin1Char('\n') + rule + QLatin1Char('\n')));
    for (const auto& cells : m_head) writeText(cells);
    m_head.clear();
}

void TableWriter::writeText(const std::vector<QVariant>& cells)
{
    QString text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool last = i + 1 == cells.size();
        text += padded(cellText(cells[i], m_columns[i].kind, m_store), last && !m_right[i] ? 0 : m_widths[i],
                       m_right[i]);
        if (!last) text += QStringLiteral("  ");
    }
    if (m_going) m_going = m_output.write(QString(text + QLatin1Char('\n')));
}

void writeTable(Output& output, OutputFormat format, const FindingTable& table, const TraceStore* store)
{
    TableWriter writer(output, format, table.columns, store);
    for (const auto& cells : table.rows)
        if (!writer.row(cells)) return;
    writer.finish();
    if (format == OutputFormat::Text && table.rowsOmitted > 0)
        output.write(tr("%1 more").arg(formatCount(table.rowsOmitted)) + QLatin1Char('\n'));
}

}  // namespace longpole
