// SPDX-License-Identifier: GPL-3.0-or-later
// The checks that come before all verdicts, as text.
#pragma once

#include "analysis/expert/checks.h"
#include "app/output/output.h"

#include <span>

namespace longpole {

void writeChecks(Output& output, std::span<const Check> checks);

}  // namespace longpole
