// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/checkoutput.h"

#include "analysis/report/comparisontables.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <QXmlStreamWriter>

#include <algorithm>

namespace longpole {

namespace {

bool isByDefault(const CheckAnswer& answer)
{
    return std::none_of(answer.limits.begin(), answer.limits.end(),
                        [](const JudgedLimit& j) { return j.limit.isAsked; });
}

constexpr auto defaultsNote = QT_TRANSLATE_NOOP("longpole", "No limits were given: these are the ones by default.");

Table<JudgedLimit> tableFor(const CheckAnswer& answer)
{
    return limitTable(answer.words).only({"subject", "baseline", "run", "relative", "limit", "verdict"});
}

QStringList textsOf(const Table<JudgedLimit>& table, const JudgedLimit& judged)
{
    QStringList texts;
    for (const TableColumn<JudgedLimit>& column : table.columns)
        texts << readText(column.cell(judged), column, nullptr);
    return texts;
}

void writeText(Output& output, const CheckAnswer& answer)
{
    QString text = headline(answer) + QLatin1Char('\n');
    for (const QString& note : answer.notes) text += onOneLine(note) + QLatin1Char('\n');
    if (isByDefault(answer)) text += tr(defaultsNote) + QLatin1Char('\n');
    output.write(QString(text + QLatin1Char('\n')));
    const Table<JudgedLimit> table = tableFor(answer);
    writeTable(output, OutputFormat::Text, table.data(answer.limits), nullptr);
    for (const JudgedLimit& judged : answer.limits)
        if (!judged.note.isEmpty())
            output.write(textsOf(table, judged).front() + QStringLiteral(": ") + onOneLine(judged.note)
                         + QLatin1Char('\n'));
}

QString markdown(const CheckAnswer& answer)
{
    QString text = QStringLiteral("**longpole check:** ") + escapedMarkdown(headline(answer)) + QStringLiteral("\n\n");
    for (const QString& note : answer.notes)
        text += QStringLiteral("> ") + escapedMarkdown(note) + QStringLiteral("\n\n");
    const Table<JudgedLimit> table = tableFor(answer);
    QStringList titles;
    for (const Column& column : table.columns) titles << column.title;
    text += QStringLiteral("| ") + titles.join(QStringLiteral(" | "))
            + QStringLiteral(" |\n|---|---:|---:|---:|---:|---|\n");
    for (const JudgedLimit& judged : answer.limits) {
        QStringList cells = textsOf(table, judged);
        for (QString& cell : cells) cell = escapedMarkdown(cell);
        if (judged.verdict == LimitVerdict::Crossed) cells.back() = QStringLiteral("**%1**").arg(cells.back());
        if (!judged.note.isEmpty()) cells.back() += QStringLiteral(": ") + escapedMarkdown(judged.note);
        text += QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    }
    if (isByDefault(answer)) text += QLatin1Char('\n') + tr(defaultsNote) + QLatin1Char('\n');
    return text;
}

// XML cannot contain control characters, which onOneLine() removes.
QString xmlText(const QString& text) { return onOneLine(text); }

QByteArray junit(const CheckAnswer& answer)
{
    QByteArray bytes;
    QXmlStreamWriter xml(&bytes);
    xml.setAutoFormatting(true);
    xml.writeStartDocument();
    xml.writeStartElement(QStringLiteral("testsuites"));
    xml.writeStartElement(QStringLiteral("testsuite"));
    const auto number = [](std::size_t value) { return QString::number(qulonglong(value)); };
    const std::size_t errors = answer.unjudgedOfAsked();
    xml.writeAttribute(QStringLiteral("name"), QStringLiteral("longpole check"));
    xml.writeAttribute(QStringLiteral("tests"), number(answer.limits.size()));
    xml.writeAttribute(QStringLiteral("failures"), number(answer.count(LimitVerdict::Crossed)));
    xml.writeAttribute(QStringLiteral("errors"), number(errors));
    xml.writeAttribute(QStringLiteral("skipped"), number(answer.count(LimitVerdict::NotJudged) - errors));
    const Table<JudgedLimit> table = tableFor(answer);
    for (const JudgedLimit& judged : answer.limits) {
        const QStringList cells = textsOf(table, judged);
        QString message = tr("%1, baseline %2, change %3, limit %4").arg(cells[2], cells[1], cells[3], cells[4]);
        if (!judged.note.isEmpty()) message += QStringLiteral("; ") + judged.note;
        xml.writeStartElement(QStringLiteral("testcase"));
        xml.writeAttribute(QStringLiteral("classname"),
                           xmlText(answer.program.isEmpty() ? answer.run : answer.program));
        xml.writeAttribute(QStringLiteral("name"), xmlText(cells[0] + QStringLiteral(" ") + cells[4]));
        if (judged.verdict != LimitVerdict::Kept) {
            const bool isCrossed = judged.verdict == LimitVerdict::Crossed;
            xml.writeStartElement(isCrossed              ? QStringLiteral("failure")
                                  : judged.limit.isAsked ? QStringLiteral("error")
                                                         : QStringLiteral("skipped"));
            xml.writeAttribute(QStringLiteral("message"), xmlText(message));
            xml.writeEndElement();
        } else {
            xml.writeTextElement(QStringLiteral("system-out"), xmlText(message));
        }
        xml.writeEndElement();
    }
    if (!answer.notes.isEmpty())
        xml.writeTextElement(QStringLiteral("system-out"), xmlText(answer.notes.join(QLatin1Char(' '))));
    xml.writeEndDocument();
    return bytes;
}

// What JSON and CSV have of each limit.
Table<JudgedLimit> limitsTable(const CheckAnswer& answer)
{
    return limitTable(answer.words)
        .only({"figure", "entry", "unit", "baseline", "run", "relative", "limit", "by_default", "verdict", "note"});
}

JsonValue checkJson(const CheckAnswer& answer)
{
    const auto limits = limitsTable(answer);
    return {{"run", answer.run},
            {"baseline", answer.baseline.isEmpty() ? JsonValue(nullptr) : JsonValue(answer.baseline)},
            {"crossed", answer.count(LimitVerdict::Crossed)},
            {"notes", answer.notes},
            {"limits", rowsJson(limits, answer.limits, nullptr)}};
}

}  // namespace

std::size_t CheckAnswer::count(LimitVerdict verdict) const
{
    return std::size_t(std::count_if(limits.begin(), limits.end(),
                                     [verdict](const JudgedLimit& judged) { return judged.verdict == verdict; }));
}

std::size_t CheckAnswer::unjudgedOfAsked() const
{
    return std::size_t(std::count_if(limits.begin(), limits.end(), [](const JudgedLimit& judged) {
        return judged.verdict == LimitVerdict::NotJudged && judged.limit.isAsked;
    }));
}

QString headline(const CheckAnswer& answer)
{
    const QString of = formatCount(std::int64_t(answer.limits.size()));
    const std::size_t crossed = answer.count(LimitVerdict::Crossed), unjudged = answer.count(LimitVerdict::NotJudged);
    const std::size_t kept = answer.limits.size() - unjudged;
    QString text = crossed > 0     ? tr("%1 of %2 limits crossed").arg(formatCount(std::int64_t(crossed)), of)
                   : unjudged == 0 ? tr("passed, %1 of %2 limits kept").arg(formatCount(std::int64_t(kept)), of)
                                   : tr("%1 of %2 limits kept").arg(formatCount(std::int64_t(kept)), of);
    if (unjudged > 0) text += tr(", %1 can't be judged").arg(formatCount(std::int64_t(unjudged)));
    const QString run = onOneLine(answer.run);
    return answer.baseline.isEmpty() ? tr("%1: %2").arg(run, text)
                                     : tr("%1 against %2: %3").arg(run, onOneLine(answer.baseline), text);
}

void writeCheck(Output& output, CheckFormat format, const CheckAnswer& answer)
{
    switch (format) {
    case CheckFormat::Text: writeText(output, answer); break;
    case CheckFormat::Markdown: output.write(markdown(answer)); break;
    case CheckFormat::Junit: output.write(junit(answer)); break;
    case CheckFormat::Csv:
        writeTable(output, OutputFormat::Csv, limitsTable(answer).data(answer.limits), nullptr);
        break;
    case CheckFormat::Json: output.write(dump(checkJson(answer))); break;
    }
}

}  // namespace longpole
