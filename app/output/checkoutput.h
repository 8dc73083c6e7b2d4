// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of `longpole check` as text, as JSON, as a Markdown table for a pull request, and as JUnit XML for a CI
// system.
#pragma once

#include "analysis/compare/limits.h"
#include "app/output/output.h"
#include "core/trace/vocabulary.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace longpole {

enum class CheckFormat : std::uint8_t { Text, Json, Csv, Markdown, Junit };

struct CheckAnswer {
    QString run{}, baseline{};  // names of the traces; `baseline` is empty if there is none
    QString program{};
    Vocabulary words{};
    QStringList notes{};
    std::vector<JudgedLimit> limits{};
    bool isRunCut = false;  // a trace, of the run or the baseline, is not whole: keeping a limit proves nothing

    std::size_t count(LimitVerdict verdict) const;
    // How many limits that the user gave cannot be judged.
    std::size_t unjudgedOfAsked() const;
};

// "after against before: 1 of 2 limits crossed".
QString headline(const CheckAnswer& answer);

void writeCheck(Output& output, CheckFormat format, const CheckAnswer& answer);

}  // namespace longpole
