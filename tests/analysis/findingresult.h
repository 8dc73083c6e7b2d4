// SPDX-License-Identifier: GPL-3.0-or-later
// What a finding writes for programs, read back.
#pragma once

#include "analysis/base/finding.h"

namespace longpole {

inline JsonValue resultOf(const Finding& finding)
{
    const Progress progress;
    JsonText text(progress);
    finding.writeResult(text);
    return JsonValue::parse(text.take().toStdString());
}

}  // namespace longpole
