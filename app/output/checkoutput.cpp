// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/checkoutput.h"

#include "analysis/base/json.h"
#include "analysis/compare/comparisonwords.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <QXmlStreamWriter>

#include <algorithm>

namespace longpole {

namespace {

// What a limit is about: "duration", "mean grain of Worker::bulk".
QString titleOf(Vocabulary words, const Limit& limit)
{
    const QString title = tr(words.say(specOf(limit.figure).title));
    return limit.entry.isEmpty() ? title : tr("%1 of %2").arg(title, onOneLine(limit.entry));
}

QString valueText(const std::optional<ExactFigure>& figure, const Limit& limit)
{
    if (!figure) return QStringLiteral("–");
    return cellText(QVariant::fromValue<qlonglong>(figure->rounded()), specOf(limit.figure).kind, nullptr);
}

double valueOf(const ExactFigure& figure)
{
    return double(figure.numerator) / double(std::max<std::int64_t>(1, figure.denominator));
}

QString changeText(const JudgedLimit& judged)
{
    if (!judged.baseline || !judged.run) return QStringLiteral("–");
    return relativeText(valueOf(*judged.baseline), valueOf(*judged.run));
}

QString verdictText(LimitVerdict verdict)
{
    switch (verdict) {
    case LimitVerdict::Kept: return tr("kept");
    case LimitVerdict::Crossed: return tr("CROSSED");
    case LimitVerdict::NotJudged: break;
    }
    return tr("not judged");
}

QString headline(const CheckAnswer& answer)
{
    const QString of = formatCount(std::int64_t(answer.limits.size()));
    const std::size_t crossed = answer.count(LimitVerdict::Crossed), unjudged = answer.count(LimitVerdict::NotJudged);
    QString text = crossed == 0 ? tr("no limit of %1 crossed").arg(of)
                                : tr("%1 of %2 limits crossed").arg(formatCount(std::int64_t(crossed)), of);
    if (unjudged > 0) text += tr(", %1 not judged").arg(formatCount(std::int64_t(unjudged)));
    const QString run = onOneLine(answer.run);
    return answer.baseline.isEmpty() ? tr("%1: %2").arg(run, text)
                                     : tr("%1 against %2: %3").arg(run, onOneLine(answer.baseline), text);
}

bool isByDefault(const CheckAnswer& answer)
{
    return std::none_of(answer.limits.begin(), answer.limits.end(),
                        [](const JudgedLimit& j) { return j.limit.isAsked; });
}

// Title, baseline, run, change, limit, verdict.
QStringList cellsOf(Vocabulary words, const JudgedLimit& judged)
{
    return {titleOf(words, judged.limit),
            valueText(judged.baseline, judged.limit),
            valueText(judged.run, judged.limit),
            changeText(judged),
            toText(judged.limit),
            verdictText(judged.verdict)};
}

QStringList titles() { return {tr("Limit on"), tr("baseline"), tr("run"), tr("change"), tr("limit"), tr("verdict")}; }

QString plainText(const CheckAnswer& answer)
{
    QString text = headline(answer) + QLatin1Char('\n');
    for (const QString& note : answer.notes) text += onOneLine(note) + QLatin1Char('\n');
    if (isByDefault(answer)) text += tr("No limits were given: these are the ones by default.") + QLatin1Char('\n');
    std::vector<QStringList> rows{titles()};
    for (const JudgedLimit& judged : answer.limits) rows.push_back(cellsOf(answer.words, judged));
    std::vector<qsizetype> widths(std::size_t(rows.front().size()));
    for (const QStringList& row : rows)
        for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[qsizetype(i)].size());
    text += QLatin1Char('\n');
    for (const QStringList& row : rows) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const QString& cell = row[qsizetype(i)];
            const bool isLast = i + 1 == widths.size();
            text += i == 0 ? cell.leftJustified(widths[i]) : isLast ? cell : cell.rightJustified(widths[i]);
            if (!isLast) text += QStringLiteral("  ");
        }
        text += QLatin1Char('\n');
    }
    for (const JudgedLimit& judged : answer.limits)
        if (!judged.note.isEmpty())
            text += titleOf(answer.words, judged.limit) + QStringLiteral(": ") + onOneLine(judged.note)
                    + QLatin1Char('\n');
    return text;
}

QString markdownCell(QString text)
{
    for (const char* c : {"\\", "|", "`", "*", "_", "<", ">", "[", "]"})
        text.replace(QLatin1String(c), QLatin1Char('\\') + QLatin1String(c));
    return onOneLine(text);
}

QString markdown(const CheckAnswer& answer)
{
    QString text = QStringLiteral("**longpole check:** ") + markdownCell(headline(answer)) + QStringLiteral("\n\n");
    for (const QString& note : answer.notes) text += QStringLiteral("> ") + markdownCell(note) + QStringLiteral("\n\n");
    text += QStringLiteral("| ") + titles().join(QStringLiteral(" | "))
            + QStringLiteral(" |\n|---|--:|--:|--:|--:|---|\n");
    for (const JudgedLimit& judged : answer.limits) {
        QStringList cells = cellsOf(answer.words, judged);
        for (QString& cell : cells) cell = markdownCell(cell);
        if (judged.verdict == LimitVerdict::Crossed) cells.back() = QStringLiteral("**%1**").arg(cells.back());
        if (!judged.note.isEmpty()) cells.back() += QStringLiteral(": ") + markdownCell(judged.note);
        text += QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    }
    if (isByDefault(answer))
        text += QLatin1Char('\n') + tr("No limits were given: these are the ones by default.") + QLatin1Char('\n');
    return text;
}

// XML has no control characters.
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
    for (const JudgedLimit& judged : answer.limits) {
        const QStringList cells = cellsOf(answer.words, judged);
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

JsonValue limitJson(const JudgedLimit& judged)
{
    const LimitSpec& spec = specOf(judged.limit.figure);
    const auto value = [](const std::optional<ExactFigure>& figure) {
        return figure ? JsonValue(figure->rounded()) : JsonValue(nullptr);
    };
    JsonValue relative = nullptr;
    if (judged.baseline && judged.run)
        if (const auto change = relativeChange(valueOf(*judged.baseline), valueOf(*judged.run))) relative = *change;
    return {{"figure", spec.id},
            {"entry", judged.limit.entry.isEmpty() ? JsonValue(nullptr) : judged.limit.entry},
            {"unit", spec.kind == CellKind::Time    ? "ns"
                     : spec.kind == CellKind::Bytes ? "bytes"
                                                    : "count"},
            {"baseline", value(judged.baseline)},
            {"run", value(judged.run)},
            {"relative", std::move(relative)},
            {"limit", toText(judged.limit)},
            {"by_default", !judged.limit.isAsked},
            {"verdict", name(judged.verdict)},
            {"note", judged.note}};
}

JsonValue checkJson(const CheckAnswer& answer)
{
    JsonValue notes = JsonValue::array(), limits = JsonValue::array();
    for (const QString& note : answer.notes) notes.push_back(note);
    for (const JudgedLimit& judged : answer.limits) limits.push_back(limitJson(judged));
    return {{"run", answer.run},
            {"baseline", answer.baseline.isEmpty() ? JsonValue(nullptr) : answer.baseline},
            {"crossed", answer.count(LimitVerdict::Crossed)},
            {"notes", std::move(notes)},
            {"limits", std::move(limits)}};
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

QByteArray checkText(const CheckAnswer& answer, CheckFormat format)
{
    switch (format) {
    case CheckFormat::Text: return plainText(answer).toUtf8();
    case CheckFormat::Markdown: return markdown(answer).toUtf8();
    case CheckFormat::Junit: return junit(answer);
    case CheckFormat::Json: break;
    }
    return dump(checkJson(answer));
}

}  // namespace longpole
