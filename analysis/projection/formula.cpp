// SPDX-License-Identifier: GPL-3.0-or-later
// Reads formulas with muParser; nothing of it, nor its exceptions, is seen outside.
#include "analysis/projection/formula.h"

#include "analysis/projection/stagequantity.h"
#include "core/base/translate.h"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>

namespace longpole {

class Formula::Private {
public:
    QString text;
    std::vector<Attribute> variables;
    mu::Parser parser;
    std::vector<double> values;  // what the parser's variables are bound to
    std::mutex lock;
};

namespace {

Error syntaxError(const QString& text, const QString& what, qsizetype position)
{
    return Error{.what = tr("The formula cannot be read at column %1: %2").arg(position + 1).arg(what),
                 .where = text,
                 .hint = tr("Write attributes with + - * / and parentheses, names with other characters in brackets: "
                            "[user@Jacobi::compute] / user.")};
}

// A name in the formula and where it stands.
struct Name {
    QString name;
    qsizetype begin = 0;
    qsizetype end = 0;
};

bool isNameStart(QChar c) { return c.isLetter() || c == QLatin1Char('_'); }
bool isNamePart(QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_'); }

Result<std::vector<Name>> namesIn(const QString& text)
{
    std::vector<Name> names;
    for (qsizetype at = 0; at < text.size();) {
        const QChar c = text[at];
        if (c == QLatin1Char('[')) {
            // Names of template instances hold brackets of their own.
            qsizetype end = at + 1;
            for (int depth = 1; end < text.size() && depth > 0; ++end) {
                if (text[end] == QLatin1Char('[')) ++depth;
                if (text[end] == QLatin1Char(']')) --depth;
            }
            if (text[end - 1] != QLatin1Char(']') || end - at < 3)
                return syntaxError(text, tr("a bracket is not closed"), at);
            names.push_back({text.mid(at + 1, end - at - 2), at, end});
            at = end;
        } else if (isNameStart(c)) {
            qsizetype end = at;
            while (end < text.size() && isNamePart(text[end])) ++end;
            qsizetype next = end;
            while (next < text.size() && text[next].isSpace()) ++next;
            const bool isFunction = next < text.size() && text[next] == QLatin1Char('(');
            if (!isFunction) names.push_back({text.mid(at, end - at), at, end});
            at = end;
        } else if (c.isDigit()) {  // "1e5" has no name in it
            while (at < text.size() && (isNamePart(text[at]) || text[at] == QLatin1Char('.'))) ++at;
        } else {
            ++at;
        }
    }
    return names;
}

// muParser's words are English; the ones that people meet are said in ours.
QString reasonOf(const mu::Parser::exception_type& error)
{
    switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF: return tr("it ends too early");
    case mu::ecMISSING_PARENS: return tr("a parenthesis is not closed");
    case mu::ecUNEXPECTED_PARENS: return tr("a parenthesis too many");
    case mu::ecUNASSIGNABLE_TOKEN: return tr("\"%1\" is not known").arg(QString::fromStdString(error.GetToken()));
    case mu::ecUNEXPECTED_OPERATOR: return tr("an operator stands where a value should");
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_VAR: return tr("an operator is missing");
    default: break;
    }
    return QString::fromStdString(error.GetMsg());
}

// A "=" that compares nothing; -1: none. muParser would take it for an assignment.
qsizetype assignmentIn(const QString& text)
{
    for (qsizetype at = 0; at < text.size(); ++at) {
        if (text[at] != QLatin1Char('=')) continue;
        if (at + 1 < text.size() && text[at + 1] == QLatin1Char('=')) ++at;
        else if (at == 0 || !QStringLiteral("<>!").contains(text[at - 1])) return at;
    }
    return -1;
}

// Where column `position` of the rewritten formula stands in the original.
qsizetype originalColumn(qsizetype position, const std::vector<Name>& names, const std::vector<qsizetype>& lengths)
{
    qsizetype shift = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const qsizetype begin = names[i].begin + shift;
        if (position < begin) break;
        if (position < begin + lengths[i]) return names[i].begin;
        shift += lengths[i] - (names[i].end - names[i].begin);
    }
    return position - shift;
}

}  // namespace

Formula::Formula(std::unique_ptr<Private> parts) : d(std::move(parts)) {}
Formula::~Formula() = default;
const QString& Formula::text() const { return d->text; }
std::span<const Attribute> Formula::variables() const { return d->variables; }

Result<std::shared_ptr<const Formula>> Formula::parse(const QString& text, const TraceStore& store)
{
    auto parts = std::make_unique<Private>();
    parts->text = text.trimmed();
    if (parts->text.isEmpty()) return syntaxError(parts->text, tr("there is nothing in it"), 0);
    if (const qsizetype at = assignmentIn(parts->text); at >= 0)
        return syntaxError(parts->text, tr("write == to compare"), at);
    const Result<std::vector<Name>> names = namesIn(parts->text);
    if (!names) return names.error();

    QString rewritten;
    std::vector<qsizetype> lengths;
    qsizetype last = 0;
    for (const Name& name : *names) {
        const Result<Attribute> attribute = parsePlainAttribute(name.name, store);
        if (!attribute) {
            Error error = attribute.error();
            error.where = tr("column %1 of %2").arg(name.begin + 1).arg(parts->text);
            return error;
        }
        const auto known = std::find(parts->variables.begin(), parts->variables.end(), *attribute);
        const auto number = known - parts->variables.begin();
        if (known == parts->variables.end()) parts->variables.push_back(*attribute);
        const QString variable = QStringLiteral("v%1").arg(number);
        rewritten += QStringView(parts->text).mid(last, name.begin - last).toString() + variable;
        lengths.push_back(variable.size());
        last = name.end;
    }
    rewritten += parts->text.mid(last);
    if (parts->variables.empty()) return syntaxError(parts->text, tr("it names no attribute"), 0);

    parts->values.assign(parts->variables.size(), 1.0);
    try {
        for (std::size_t i = 0; i < parts->values.size(); ++i)
            parts->parser.DefineVar(std::string("v").append(std::to_string(i)), &parts->values[i]);
        parts->parser.SetExpr(rewritten.toStdString());
        int results = 0;
        parts->parser.Eval(results);  // compiles it
        if (results != 1)
            return syntaxError(parts->text, tr("it has more than one result"), parts->text.indexOf(QLatin1Char(',')));
    } catch (const mu::Parser::exception_type& error) {
        const auto position = std::clamp<qsizetype>(static_cast<qsizetype>(error.GetPos()), 0, rewritten.size());
        return syntaxError(parts->text, reasonOf(error), originalColumn(position, *names, lengths));
    }
    return std::shared_ptr<const Formula>(new Formula(std::move(parts)));
}

double Formula::evaluate(std::span<const double> values) const
{
    for (const double value : values)
        if (!std::isfinite(value)) return undefinedValue;
    const std::lock_guard lock(d->lock);
    std::copy(values.begin(), values.end(), d->values.begin());
    try {
        const double value = d->parser.Eval();
        return std::isfinite(value) ? value : undefinedValue;
    } catch (const mu::Parser::exception_type&) {
        return undefinedValue;
    }
}

}  // namespace longpole
