// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/phasetables.h"

#include "analysis/report/phasetables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

QString pieceName(PhaseCut cut)
{
    switch (cut) {
    case PhaseCut::Iterations: return tr("iteration");
    case PhaseCut::Repeats: return tr("repeat");
    case PhaseCut::Instances: break;
    }
    return tr("occurrence");
}

TableContent phaseContent(const std::shared_ptr<const TraceStore>& store, const std::shared_ptr<const CutPhases>& cuts,
                          const SymbolLetters& letters)
{
    struct Shown {
        std::shared_ptr<const CutPhases> cuts;
        std::vector<PhaseRow> rows;  // of these
    };
    const auto shown = std::make_shared<const Shown>(Shown{cuts, phaseRows(*cuts)});
    const std::shared_ptr<const std::vector<PhaseRow>> rows(shown, &shown->rows);
    const auto phase = [rows](std::size_t row) -> const Phase& { return *(*rows)[row].phase; };
    TableContent content = contentOf(phaseTable(*store), rows, store);
    content["instances"].title = tr("Times × long");
    content["instances"].text = [phase](std::size_t row) {
        return tr("%1 × %2").arg(formatCount(qlonglong(phase(row).begins.size())),
                                 formatCount(qlonglong(phase(row).pattern.size())));
    };
    content["score"].text = [phase](std::size_t row) {
        const QString score = formatCount(phase(row).score);
        return phase(row).proven ? score : tr("%1, not proven").arg(score);
    };
    PanelColumn root{.key = QStringLiteral("root"),
                     .title = tr("What repeats"),
                     .value = [letters, phase](std::size_t row) {
                         constexpr std::size_t lettersShown = 14;
                         const Phase& one = phase(row);
                         const QString text = letters.text(std::span(one.pattern).first(one.rootLength), lettersShown);
                         if (one.rootLength == one.pattern.size()) return QVariant(text);
                         return QVariant(tr("%1, %2 times").arg(text, formatCount(one.rootInstances)));
                     }};
    PanelColumn pattern{.key = QStringLiteral("pattern"),
                        .title = tr("Pattern"),
                        .value = [letters, phase](std::size_t row) {
                            return QVariant(letters.text(phase(row).pattern, phase(row).pattern.size()));
                        }};
    content.columns.insert(content.columns.begin() + 1, std::move(root));
    content.columns.push_back(std::move(pattern));
    return content;
}

TableContent pieceContent(const std::shared_ptr<const TraceStore>& store, const std::shared_ptr<const CutRun>& run,
                          const Theme& theme)
{
    const std::shared_ptr<const std::vector<PhaseSpan>> spans(run, &run->spans);
    TableContent content = contentOf(phaseSpanTable(*store).only({"number", "begin_ns", "end_ns", "duration_ns",
                                                                  "deviation_ns", "slow"}),
                                     spans, store);
    content["number"].swatch = [spans, mark = theme.warning](std::size_t row) {
        return (*spans)[row].isSlow ? mark : QColor(Qt::transparent);
    };
    content["deviation_ns"].text = [spans](std::size_t row) {
        const TimeNs by = (*spans)[row].span.length() - (*spans)[row].median;
        if (by == 0) return QString();
        return QString((by > 0 ? QStringLiteral("+") : QStringLiteral("−")) + formatTime(std::abs(by)));
    };
    content["slow"].text = [spans](std::size_t row) { return (*spans)[row].isSlow ? tr("slow") : QString(); };
    return content;
}

}  // namespace longpole
