// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/tracesheet.h"

#include "analysis/base/naming.h"
#include "core/trace/format.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <string_view>

namespace longpole {

namespace {

// What answers to one kind of question take.
struct Kind {
    std::int64_t bytes = 0;
    std::int64_t answers = 0;
};

QLabel* addLabel(QVBoxLayout* layout, QWidget* parent, const char* name)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setMinimumWidth(420);
    layout->addWidget(label);
    return label;
}

}  // namespace

QStringList heldLines(const Results& results, std::size_t most)
{
    std::map<std::string_view, Kind> kinds;
    for (const HeldAnswer& answer : results.held()) {
        Kind& kind = kinds[answer.question];
        kind.bytes += answer.bytes;
        ++kind.answers;
    }
    std::vector<std::pair<std::string_view, Kind>> sorted(kinds.begin(), kinds.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
    QStringList lines;
    Kind others;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& [question, kind] = sorted[i];
        if (i >= most) {
            others.bytes += kind.bytes;
            others.answers += kind.answers;
            continue;
        }
        const QString name = QString::fromUtf8(question.data(), static_cast<qsizetype>(question.size()));
        lines << (kind.answers == 1
                      ? TraceSheet::tr("%1: %2").arg(name, formatBytes(kind.bytes))
                      : TraceSheet::tr("%1 (%2): %3").arg(name, formatCount(kind.answers), formatBytes(kind.bytes)));
    }
    if (others.answers > 0)
        lines << counted("%1 others: %2", "%1 other: %2", others.answers).arg(formatBytes(others.bytes));
    return lines;
}

TraceSheet::TraceSheet(QWidget* window) : Overlay(window)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 22, 28, 22);
    layout->setSpacing(10);
    m_name = addLabel(layout, this, "panelTitle");
    m_memory = addLabel(layout, this, "traceMemory");
    m_answers = addLabel(layout, this, "traceAnswers");
}

void TraceSheet::openFor(const Results& results)
{
    constexpr std::size_t most = 10;
    const TraceStore& store = results.store();
    const TraceInfo& info = store.info();
    m_name->setText(tr("%1: %2, %3")
                        .arg(info.source.isEmpty() ? store.path() : info.source, formatTime(info.duration()),
                             counted("%1 records", "%1 record", info.records)));
    m_memory->setText(tr("%1 in memory: answers, rows of the timeline, and %3 of decoded chunks. Answers that nobody "
                         "uses any more are kept up to %2.")
                          .arg(formatBytes(results.bytes()), formatBytes(results.capacity()),
                               formatBytes(store.cachedBytes())));
    m_answers->setText(heldLines(results, most).join(QLatin1Char('\n')));
    open();
}

}  // namespace longpole
