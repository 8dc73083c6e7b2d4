// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/gateoutput.h"

#include "analysis/report/experttables.h"
#include "app/output/tableoutput.h"

#include <algorithm>

namespace longpole {

void writeChecks(Output& output, std::span<const Check> checks)
{
    if (checks.empty()) return;
    output.write(tr("Can this run be judged?") + QLatin1Char('\n'));
    for (const Check& check : checks) {
        const QString mark = title(check.level);
        const QString line = wrapped(tr("%1: %2").arg(tr(specOf(check.id).title), check.says), 12);
        output.write(QStringLiteral("  ") + mark.leftJustified(10) + line.mid(12));
    }
    output.write(QByteArray("\n"));
}

}  // namespace longpole
