// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/streamingpanel.h"

#include "analysis/base/naming.h"
#include "analysis/report/whatiftables.h"
#include "core/trace/format.h"
#include "views/plots/plot.h"
#include "views/state/panelspec.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

constexpr std::size_t procedureChoices[] = {4, 8, 16};
constexpr TimeNs samples = 300;  // evenly over the range

}  // namespace

StreamingPanel::StreamingPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    createWidgets();
    connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
    connect(m_procedures, &QComboBox::activated, this, &StreamingPanel::run);
    connect(m_shares, &QComboBox::activated, this, &StreamingPanel::run);
    connect(m_table, &TableView::exportFailed, this, &StreamingPanel::exportFailed);
    connect(m_plot, &Plot::exportFailed, this, &StreamingPanel::exportFailed);
    connect(&m_state, &ViewState::colourChanged, this, &StreamingPanel::showResult);
    connect(&m_state, &ViewState::markedChanged, this, &StreamingPanel::showSummary);
    m_progress.setInterval(100);
    connect(&m_progress, &QTimer::timeout, this, &StreamingPanel::showProgress);
    showResult();
}

void StreamingPanel::createWidgets()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 5, 12, 4);
    head->setSpacing(8);
    const auto addLabel = [&](const QString& text) {
        auto* label = new QLabel(text, this);
        label->setObjectName(QStringLiteral("muted"));
        head->addWidget(label);
        return label;
    };
    addLabel(tr("busiest"));
    m_procedures = new QComboBox(this);
    for (const std::size_t count : procedureChoices) m_procedures->addItem(QString::number(count));
    m_procedures->setCurrentIndex(1);
    m_procedures->setAccessibleName(m_state.store().words().say(tr("How many entry methods to follow"),
                                                                tr("How many regions to follow")));
    head->addWidget(m_procedures);
    addLabel(m_state.store().words().say(tr("entry methods, shares"), tr("regions, shares")));
    m_shares = new QComboBox(this);
    m_shares->addItems({tr("exclusive"), tr("inclusive")});
    m_shares->setAccessibleName(tr("Whose time nested tasks are"));
    m_shares->setToolTip(tr("exclusive: time of nested tasks is theirs; inclusive: also of what they lie in"));
    head->addWidget(m_shares);
    m_run = new QPushButton(this);
    m_run->setToolTip(tr("One pass over the marked range, or the run, that needs no graph"));
    head->addWidget(m_run);
    m_summary = addLabel({});
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_summary->setWordWrap(true);  // why it cannot run is a sentence or two
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    head->setStretchFactor(m_summary, 1);
    layout->addLayout(head);
    constexpr int leastPlot = 280;
    auto* parts = new SideBySide(this);
    m_table = new TableView(parts);
    m_table->setAccessibleName(tr("Shares of the streamed path"));
    m_plot = new Plot(parts);
    m_plot->setAxes({tr("time"), PlotUnit::Time}, {tr("path up to then"), PlotUnit::Time});
    parts->addPart(m_table, tr("Shares"));
    parts->addPart(m_plot, tr("Growth"), leastPlot);
    layout->addWidget(parts, 1);
}

StreamingRequest StreamingPanel::request() const
{
    const TimeRange range = m_state.marked().isEmpty() ? m_state.fullRange() : m_state.marked();
    const std::size_t most = procedureChoices[static_cast<std::size_t>(std::max(0, m_procedures->currentIndex()))];
    return {.procedures = oneByOne(busiestEntries(m_state.store(), most)),
            .shares = m_shares->currentIndex() == 1 ? ShareKind::Inclusive : ShareKind::Exclusive,
            .ties = TieRule::MessageWins,
            .zeroing = true,
            .sampleEvery = std::max<TimeNs>(1, range.length() / samples),
            .range = range};
}

void StreamingPanel::run()
{
    m_asked = request();
    m_error.reset();
    m_progress.start();
    m_running.ask(m_state.results(), StreamingQuestion{m_asked},
                  [this](const Watch<StreamingQuestion>::Answer& result) { accept(result); });
    showSummary();
}

void StreamingPanel::cancel()
{
    m_running.cancel();
    m_progress.stop();
    showSummary();
}

void StreamingPanel::accept(const Watch<StreamingQuestion>::Answer& result)
{
    m_progress.stop();
    if (result.ok()) {
        m_result = *result;
        m_answered = m_asked;
    } else {
        m_error = result.error();
    }
    showResult();
    Q_EMIT finished();
}

void StreamingPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_wasShown) return;
    m_wasShown = true;
    run();
}

void StreamingPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_plot != nullptr) showResult();
}

void StreamingPanel::showResult()
{
    showTable();
    showPlot();
    showSummary();
}

void StreamingPanel::showTable()
{
    const auto palette = m_state.palette(themeOf(*this));
    std::vector<StreamedShare> rows;
    if (m_result) rows = streamedShares(m_state.store(), m_answered, *m_result);
    const auto shares = std::make_shared<const std::vector<StreamedShare>>(std::move(rows));
    TableContent content = contentOf(streamedShareTable(m_state.store()).only({"entry", "time_ns", "share", "gain_ns"}),
                                     shares, m_state.sharedStore());
    content["entry"].text = [shares](std::size_t row) { return (*shares)[row].name; };
    content["entry"].swatch = [palette, shares](std::size_t row) {
        const EntryId entry = (*shares)[row].key.entry;
        return entry == noEntry ? QColor() : QColor(palette->entry(entry));
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 60, 50, 60});
}

void StreamingPanel::showPlot()
{
    std::vector<PlotSeries> series;
    if (m_result && !m_result->samples.empty()) {
        const std::shared_ptr<const Palette> palette = m_state.palette(themeOf(*this));
        const TimeNs zero = m_state.store().info().begin;
        const auto add = [&](const QString& name, const QColor& color, auto valueOf) {
            PlotSeries one{.name = name, .color = color, .x = {}, .y = {}};
            for (const StreamingSample& sample : m_result->samples) {
                one.x.push_back(static_cast<double>(sample.time - zero));
                one.y.push_back(static_cast<double>(valueOf(sample)));
            }
            series.push_back(std::move(one));
        };
        add(tr("path"), themeOf(*this).accent, [](const StreamingSample& sample) { return sample.length; });
        for (std::size_t p = 0; p < m_answered.procedures.size(); ++p)
            if (m_result->shares[p] > m_result->length / 100)
                add(nameOfEntry(m_state.store(), m_answered.procedures[p].front()),
                    QColor(palette->entry(m_answered.procedures[p].front())),
                    [p](const StreamingSample& sample) { return sample.shares[p]; });
    }
    m_plot->setSeries(std::move(series), 0.0);
    m_plot->setNotice(m_result || isRunning() ? QString() : tr("Not computed yet"));
}

void StreamingPanel::showProgress()
{
    if (isRunning()) showSummary();
}

void StreamingPanel::showSummary()
{
    m_run->setText(isRunning() ? tr("Stop") : m_state.marked().isEmpty() ? tr("Run") : tr("Run on marked range"));
    const QString objectName = m_error ? QStringLiteral("errorText") : QStringLiteral("muted");
    m_summary->setObjectName(objectName);
    if (isRunning()) {
        m_summary->setText(tr("One pass over the trace: %1").arg(formatShare(m_running.fraction())));
        return;
    }
    if (m_error) {
        m_summary->setText(longpole::toText(*m_error));
        return;
    }
    if (!m_result) {
        m_summary->setText({});
        return;
    }
    const StreamingResult& result = *m_result;
    QString text = tr("%1 of %2 · %3 samples · at most %4 messages in flight")
                       .arg(formatTime(result.length), formatTime(result.duration),
                            formatCount(static_cast<std::int64_t>(result.samples.size())),
                            formatCount(result.mostInFlight));
    const TimeNs followed = std::accumulate(result.shares.begin(), result.shares.end(), TimeNs{0}, saturatingAdd);
    if (m_answered.shares == ShareKind::Exclusive && followed < result.length / 2)
        text += m_state.store()
                    .words()
                    .say(tr(" · these entry methods hold only %1 of the path: follow more"),
                         tr(" · these regions hold only %1 of the path: follow more"))
                    .arg(formatShare(ratio(double(followed), double(result.length))));
    if (result.lost > 0)
        text += counted(" · %1 messages could not be followed", " · %1 message could not be followed", result.lost);
    m_summary->setText(text);
}

namespace panels {

extern const PanelSpec streaming;
const PanelSpec streaming{
    .id = "panel.streaming",
    .title = QT_TRANSLATE_NOOP("Actions", "Streaming"),
    .command = QT_TRANSLATE_NOOP("Actions", "St&reaming"),
    .question = QT_TRANSLATE_NOOP("Actions", "How did the path grow?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "The path as it grew, by the algorithm that runs beside a program"),
    .help = {QT_TRANSLATE_NOOP(
                 "Actions",
                 "How the critical path grew with the run, as an algorithm beside the running program sees it, with "
                 "what each entry method has of it and what it would gain. Run computes it; where a share rises "
                 "steeply, that entry method decides the length of the run."),
             QT_TRANSLATE_NOOP("Actions",
                               "How the critical path grew with the run, as an algorithm beside the running program "
                               "sees it, with what each region has of it and what it would gain. Run computes it; "
                               "where a share rises steeply, that region decides the length of the run.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "on-line, growth, Hollingsworth, memory bound"),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<StreamingPanel>,
};

}  // namespace panels

}  // namespace longpole
