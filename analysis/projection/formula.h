// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas over attributes: "bytes_sent / tasks", "[user@Jacobi::compute] / user".
#pragma once

#include "analysis/projection/attribute.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <memory>
#include <span>
#include <vector>

namespace longpole {

// Numbers, + - * / ^, comparisons, ?:, parentheses, and the functions of muParser (min, max, abs, sqrt, log ...). Names
// of attributes stand as they are, or in brackets where they have other characters than letters, digits and _. A
// division by zero gives no value in that cell. evaluate() is thread-safe.
class Formula {
public:
    // Errors: what does not parse and where ("column 14"), an unknown attribute with the nearest names, nothing in it.
    static Result<std::shared_ptr<const Formula>> parse(const QString& text, const TraceStore& store);
    ~Formula();

    const QString& text() const;
    std::span<const Attribute> variables() const;  // plain ones, each once
    // `values`: of the variables. NaN where it is undefined. ~50 ns.
    double evaluate(std::span<const double> values) const;

private:
    class Private;
    explicit Formula(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> d;
};

}  // namespace longpole
