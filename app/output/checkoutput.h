// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of `longpole check` as text, as JSON, as a Markdown table for a pull request, as JUnit XML for a CI
// system.
#pragma once

#include "analysis/compare/limits.h"
#include "app/output/output.h"
#include "core/trace/vocabulary.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace longpole {

enum class CheckFormat : std::uint8_t { Text, Json, Markdown, Junit };

struct CheckAnswer {
    QString run{}, baseline{};  // names; no baseline: empty
    QString program{};
    Vocabulary words{};
    QStringList notes{};
    std::vector<JudgedLimit> limits{};
    bool isRunCut = false;  // its trace is not whole, so that keeping a limit proves nothing

    std::size_t count(LimitVerdict verdict) const;
    // Limits that were asked for and cannot be judged.
    std::size_t unjudgedOfAsked() const;
};

void writeCheck(Output& output, CheckFormat format, const CheckAnswer& answer);

}  // namespace longpole
