// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/tableoutput.h"

#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t headRows = 1000;
constexpr qsizetype headLetters = 4 << 20;
constexpr qsizetype widestColumn = 2048;  // which names fit; longer texts push what stands behind them aside

bool isNumber(const QVariant& worded)
{
    const QVariant cell = rawValue(worded);
    return cell.typeId() != QMetaType::QString && cell.typeId() != QMetaType::QByteArray && !cell.isNull();
}

QString padded(const QString& text, qsizetype width, bool right)
{
    return right ? text.rightJustified(width) : text.leftJustified(width);
}

// Whether GitHub reads a picture (":bug:") or the number of an issue ("#12", "GH-12") from this character on, or from
// the word before it. It looks for them when escapes and entities are gone.
bool isReference(QStringView line, qsizetype i)
{
    const auto at = [line](qsizetype place) { return place >= 0 && place < line.size() ? line[place] : QChar(); };
    switch (line[i].unicode()) {
    case '#': return at(i + 1).isDigit();
    case '-':
        return at(i + 1).isDigit() && at(i - 1).toLower() == QLatin1Char('h')
               && at(i - 2).toLower() == QLatin1Char('g');
    case ':': {
        qsizetype end = i + 1;
        while (at(end).isLetterOrNumber() || QStringLiteral("_+-").contains(at(end))) ++end;
        return end > i + 1 && at(end) == QLatin1Char(':');
    }
    default: return false;
    }
}

}  // namespace

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

TableWriter::TableWriter(Output& output, OutputFormat format, std::vector<Column> columns, const TraceStore* store)
    : m_output(output), m_format(format), m_columns(std::move(columns)), m_store(store)
{
    if (m_format == OutputFormat::Csv) m_going = m_output.write(QString(csvHeads(m_columns) + QLatin1Char('\n')));
}

bool TableWriter::row(const std::vector<QVariant>& cells)
{
    if (!m_going) return false;
    switch (m_format) {
    case OutputFormat::Json:
        m_going = m_output.write((m_rows == 0 ? QByteArray("[\n  ") : QByteArray(",\n  "))
                                 + dump(rowJson(cells, m_columns, m_store), -1).trimmed());
        break;
    case OutputFormat::Csv:
        m_going = m_output.write(QString(csvRow(cells, m_columns, m_store) + QLatin1Char('\n')));
        break;
    case OutputFormat::Text:
        if (m_headWritten) {
            writeText(cells);
            break;
        }
        m_head.push_back(cells);
        for (const QVariant& cell : cells)
            if (cell.typeId() == QMetaType::QString) m_headLetters += cell.toString().size();
        if (m_head.size() >= headRows || m_headLetters >= headLetters) flushHead();
        break;
    }
    ++m_rows;
    return m_going;
}

void TableWriter::finish()
{
    if (m_format == OutputFormat::Text && m_rows == 0 && !m_output.ifEmpty().isEmpty()) {
        m_output.write(QString(m_output.ifEmpty() + QLatin1Char('\n')));
        return;
    }
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
            m_widths[i] = std::max(m_widths[i], readText(cells[i], m_columns[i], m_store).size());
            if (isNumber(cells[i])) numbers = true;
            else if (!cells[i].isNull()) m_right[i] = false;
        }
        m_widths[i] = std::min(m_widths[i], widestColumn);
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
        text += padded(readText(cells[i], m_columns[i], m_store), last && !m_right[i] ? 0 : m_widths[i], m_right[i]);
        if (!last) text += QStringLiteral("  ");
    }
    if (m_going) m_going = m_output.write(QString(text + QLatin1Char('\n')));
}

void writeTable(Output& output, OutputFormat format, const TableData& table, const TraceStore* store)
{
    TableWriter writer(output, format, table.columns, store);
    for (const auto& cells : table.rows)
        if (!writer.row(cells)) return;
    writer.finish();
    if (format == OutputFormat::Text && table.rowsOmitted > 0)
        output.write(tr("%1 more").arg(formatCount(table.rowsOmitted)) + QLatin1Char('\n'));
}

QString escapedMarkdown(const QString& text)
{
    const QString line = onOneLine(text);
    QString result;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        // Between two of these there is mathematics, unless an element parts them.
        if (c == QLatin1Char('$')) {
            result += QStringLiteral("<span>&#36;</span>");
            continue;
        }
        if (QStringLiteral("\\`*_{}[]<>|#~").contains(c)) result += QLatin1Char('\\');
        result += c;
        if (c == QLatin1Char('&')) result += QStringLiteral("amp;");
        if (isReference(line, i)) result += QStringLiteral("&#8203;");
    }
    return withoutAutolinks(result);
}

}  // namespace longpole
