// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/whatifpanel.h"

#include "analysis/base/naming.h"
#include "analysis/report/whatiftables.h"
#include "core/trace/format.h"
#include "views/path/sharetable.h"
#include "views/plots/plot.h"
#include "views/state/panelspec.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr int fullCost = 100;  // percent, on the slider
constexpr int mostCost = 200;
constexpr int leastCurve = 280;       // pixels
constexpr std::size_t mostDots = 24;  // a curve with more kinks than that is drawn without dots

double value(const Rational& number)
{
    return static_cast<double>(number.numerator) / static_cast<double>(number.denominator);
}

}  // namespace

WhatIfPanel::WhatIfPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    createWidgets();
    connect(&m_state, &ViewState::pathChanged, this, &WhatIfPanel::follow);
    connect(&m_state, &ViewState::graphChanged, this, &WhatIfPanel::follow);
    connect(&m_state, &ViewState::colourChanged, this, &WhatIfPanel::showRanking);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &WhatIfPanel::chooseSelected);
    connect(m_table, &TableView::exportFailed, this, &WhatIfPanel::exportFailed);
    connect(m_plot, &Plot::exportFailed, this, &WhatIfPanel::exportFailed);
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        m_answer.reset();
        showSummary();
        askAtSlider();
    });
    connect(m_plot, &Plot::markerMoved, this,
            [this](double x) { m_slider->setValue(static_cast<int>(std::lround(x * fullCost))); });
    follow();
}

void WhatIfPanel::createWidgets()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("muted"));
    m_summary->setContentsMargins(12, 6, 12, 4);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setWordWrap(true);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    layout->addWidget(m_summary);

    auto* parts = new SideBySide(this);
    m_table = new TableView(parts);
    m_table->setAccessibleName(m_state.store().words().say(tr("Gain of entry methods at no cost"),
                                                           tr("Gain of regions at no cost")));
    auto* right = new QWidget(parts);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 8, 4);
    column->setSpacing(2);
    m_plot = new Plot(right);
    m_plot->setAxes({m_state.store().words().say(tr("cost of the chosen entry methods"),
                                                 tr("cost of the chosen regions")),
                     PlotUnit::Factor},
                    {tr("path length"), PlotUnit::Time});
    m_plot->setMinimumHeight(70);
    column->addWidget(m_plot, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 0, 4, 0);
    auto* label = new QLabel(tr("at"), right);
    label->setObjectName(QStringLiteral("muted"));
    m_slider = new QSlider(Qt::Horizontal, right);
    m_slider->setRange(0, mostCost);
    m_slider->setPageStep(10);
    m_slider->setValue(0);
    m_slider->setAccessibleName(m_state.store().words().say(tr("Cost of the chosen entry methods in percent"),
                                                            tr("Cost of the chosen regions in percent")));
    m_slider->setToolTip(
        m_state.store().words().say(tr("What the chosen entry methods would cost, in percent of what they do"),
                                    tr("What the chosen regions would cost, in percent of what they do")));
    m_slider->setEnabled(!isPart());
    m_percent = new QLabel(right);
    m_percent->setMinimumWidth(m_percent->fontMetrics().horizontalAdvance(QStringLiteral("200 %")) + 4);
    row->addWidget(label);
    row->addWidget(m_slider, 1);
    row->addWidget(m_percent);
    column->addLayout(row);
    parts->addPart(m_table, tr("Gains"));
    parts->addPart(right, tr("Curve"), leastCurve);
    layout->addWidget(parts, 1);
}

void WhatIfPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale) rank();
}

void WhatIfPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_table != nullptr) {
        showRanking();
        showCurve();
    }
}

// The ranking is always of the whole run's path, but with the mode and edges of the path that the views show.
void WhatIfPanel::follow()
{
    const std::shared_ptr<const CriticalPath> shown = m_state.path();
    const bool isSame = shown && m_ranked && shown->mode == m_mode && shown->edges == m_edges;
    if (isSame && (m_state.graph() || isPart())) return;
    if (shown) {
        m_mode = shown->mode;
        m_edges = shown->edges;
    }
    m_ranking.cancel();
    m_curving.cancel();
    m_answering.cancel();
    m_ranked.reset();
    m_curve.reset();
    m_answer.reset();
    m_error.reset();
    m_stale = true;
    showRanking();
    showCurve();
    if (isVisible()) rank();
    else showSummary();
}

void WhatIfPanel::rank()
{
    if ((!m_state.graph() && !isPart()) || !m_state.path() || m_mode == PathMode::Sweep) {
        showSummary();
        return;
    }
    m_stale = false;
    m_ranking.ask(m_state.results(), ZeroingQuestion{model()}, [this](const Watch<ZeroingQuestion>::Answer& ranking) {
        if (ranking.ok()) m_ranked = *ranking;
        else m_error = ranking.error();
        showRanking();
        Q_EMIT answered();
    });
    showSummary();
}

void WhatIfPanel::showRanking()
{
    const std::shared_ptr<const EntryGains> ranked = m_ranked ? m_ranked : std::make_shared<const EntryGains>();
    const auto palette = m_state.palette(themeOf(*this));
    const auto answers = std::shared_ptr<const std::vector<WhatIfAnswer>>(ranked, &ranked->answers);
    double largest = 0;  // the longest bar is as wide as its column
    for (const WhatIfAnswer& answer : *answers)
        largest = std::max({largest, double(answer.gain), double(answer.share)});
    TableContent content = contentOf(whatIfTable(m_state.store(), ranked->length)
                                         .only({"entry", "gain_ns", "gain", "share_ns", "net_ns", "next_critical"}),
                                     answers, m_state.sharedStore());
    content["entry"].swatch = [palette, answers](std::size_t row) {
        return QColor(palette->entry((*answers)[row].question.entries.front()));
    };
    PanelColumn& shares = content["gain"];
    shares.title = tr("Gain / on path");
    shares.bars = [answers, largest](std::size_t row) {
        return std::pair(ratio(double((*answers)[row].gain), largest), ratio(double((*answers)[row].share), largest));
    };
    shares.text = [answers, length = double(ranked->length)](std::size_t row) {
        const WhatIfAnswer& answer = (*answers)[row];
        return sharePair(ratio(double(answer.gain), length), ratio(double(answer.share), length));
    };
    content["next_critical"].swatch = [palette, answers](std::size_t row) {
        const EntryId next = (*answers)[row].nextCritical;
        return next == noEntry ? QColor() : QColor(palette->entry(next));
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 60, 130, -1, -1, 90});
    if (m_ranked && !m_ranked->answers.empty() && m_chosen.empty()) m_table->selectRow(0);
    else if (m_ranked) choose(m_chosen);
    showSummary();
}

void WhatIfPanel::choose(std::vector<EntryId> entries)
{
    m_chosen = std::move(entries);
    m_curve.reset();
    m_answer.reset();
    if (m_ranked && !isPart()) {
        findCurve();
        askAtSlider();
    }
    showSummary();
}

void WhatIfPanel::chooseSelected()
{
    if (!m_ranked) return;
    std::vector<EntryId> entries;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows())
        if (const std::size_t at = m_table->table().contentRow(row.row()); at < m_ranked->answers.size())
            entries.push_back(m_ranked->answers[at].question.entries.front());
    std::sort(entries.begin(), entries.end());
    if (!entries.empty() && entries != m_chosen) choose(std::move(entries));
}

void WhatIfPanel::findCurve()
{
    m_curving.ask(m_state.results(), WhatIfCurveQuestion{model(), m_chosen, Rational{mostCost, fullCost}},
                  [this](const Watch<WhatIfCurveQuestion>::Answer& curve) {
                      if (curve.ok()) m_curve = *curve;
                      else m_error = curve.error();
                      showCurve();
                      Q_EMIT answered();
                  });
    showCurve();
}

void WhatIfPanel::showCurve()
{
    std::vector<PlotSeries> series;
    if (m_curve) {
        PlotSeries line{.name = namesOfChosen(),
                        .color = themeOf(*this).accent,
                        .x = {},
                        .y = {},
                        .hasDots = m_curve->points.size() <= mostDots};
        for (const WhatIfCurve::Point& point : m_curve->points) {
            line.x.push_back(value(point.factor));
            line.y.push_back(static_cast<double>(point.length));
        }
        series.push_back(std::move(line));
    }
    m_plot->setSeries(std::move(series), 0.0);
    m_plot->setLevel(m_ranked ? std::optional(static_cast<double>(m_ranked->length)) : std::nullopt);
    m_plot->setNotice(m_curving.isRunning() ? tr("Computing the curve …")
                      : isPart()            ? tr("The curve needs all events.")
                                            : QString());
    showSummary();
}

void WhatIfPanel::askAtSlider()
{
    if (!m_ranked || m_chosen.empty()) return;
    m_answering.ask(m_state.results(), WhatIfQuestion{model(), {{m_chosen, factor()}}},
                    [this](const Watch<WhatIfQuestion>::Answer& answers) {
                        if (answers.ok() && !(*answers)->empty()) m_answer = (*answers)->front();
                        showSummary();
                        Q_EMIT answered();
                    });
}

Rational WhatIfPanel::factor() const { return {m_slider->value(), fullCost}; }

QString WhatIfPanel::namesOfChosen() const
{
    if (m_chosen.size() == 1) return nameOfEntry(m_state.store(), m_chosen.front());
    return m_state.store().words().say(tr("%1 entry methods together"), tr("%1 regions together")).arg(m_chosen.size());
}

QString WhatIfPanel::gainOfChosen() const
{
    const auto isChosen = [this](const WhatIfAnswer& answer) { return answer.question.entries == m_chosen; };
    const auto found = std::find_if(m_ranked->answers.begin(), m_ranked->answers.end(), isChosen);
    if (found == m_ranked->answers.end())
        return tr("What several gain together needs all events: this trace has those of parts of the run.");
    QString text = tr("%1 at 0 %: at most %2 less (%3), path of the whole run %4 → %5")
                       .arg(namesOfChosen(), formatTime(found->gain),
                            formatShare(ratio(double(found->gain), double(m_ranked->length))),
                            formatTime(m_ranked->length), formatTime(found->net));
    if (found->nextCritical != noEntry)
        text += tr("; then %1 is critical").arg(nameOfEntry(m_state.store(), found->nextCritical));
    return text;
}

void WhatIfPanel::showSummary()
{
    m_percent->setText(tr("%1 %").arg(m_slider->value()));
    const auto say = [this](const QString& text) { m_summary->setText(text); };
    if (m_mode == PathMode::Sweep && m_state.path())
        return say(tr("The sweep is an approximation: what-if answers for the work path and the elapsed path."));
    if (m_error) return say(longpole::toText(*m_error));
    if (!m_ranked)
        return say(m_ranking.isRunning()
                       ? m_state.store().words().say(tr("Computing what each entry method would gain …"),
                                                     tr("Computing what each region would gain …"))
                       : QString());
    if (m_ranked->answers.empty()) return say(tr("There is no path: the trace holds no tasks."));
    if (isPart()) return say(gainOfChosen());
    if (!m_curve) return say({});
    const TimeNs then = m_curve->lengthAt(factor());
    m_plot->setMarker(value(factor()), formatTime(then));
    const TimeNs change = m_ranked->length - then;
    const double share = ratio(double(std::abs(change)), double(m_ranked->length));
    QString text = change >= 0 ? tr("%1 at %2 %: at most %3 less (%4), path of the whole run %5 → %6")
                               : tr("%1 at %2 %: %3 more (%4), path of the whole run %5 → %6");
    text = text.arg(namesOfChosen(), QString::number(m_slider->value()), formatTime(std::abs(change)),
                    formatShare(share), formatTime(m_ranked->length), formatTime(then));
    if (m_answer && m_answer->nextCritical != noEntry)
        text += tr("; then %1 is critical").arg(nameOfEntry(m_state.store(), m_answer->nextCritical));
    if (m_curve->isRough) text += tr("; the curve has too many corners, and is rough");
    say(text);
}

namespace panels {

extern const PanelSpec whatIf;
const PanelSpec whatIf{
    .id = "panel.whatif",
    .title = QT_TRANSLATE_NOOP("Actions", "What if"),
    .command = QT_TRANSLATE_NOOP("Actions", "&What if"),
    .question = QT_TRANSLATE_NOOP("Actions", "If code were faster?"),
    .tip = {QT_TRANSLATE_NOOP("Actions", "What the path would gain if entry methods cost less"),
            QT_TRANSLATE_NOOP("Actions", "What the path would gain if regions cost less")},
    .help = {QT_TRANSLATE_NOOP(
                 "Actions",
                 "By how much the path would be shorter if an entry method cost nothing, largest first, and the path's "
                 "length against the cost of those that are chosen. Where the curve turns flat another path has taken "
                 "over: work beyond that point gains nothing."),
             QT_TRANSLATE_NOOP("Actions",
                               "By how much the path would be shorter if a region cost nothing, largest first, and the "
                               "path's length against the cost of those that are chosen. Where the curve turns flat "
                               "another path has taken over: work beyond that point gains nothing.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "zeroing, speed up, optimize, gain, potential, causal profile, slack"),
    .group = PanelGroup::WhatIf,
    .open = true,
    .needs = PanelNeeds::Answers,
    .create = makePanel<WhatIfPanel>,
};

}  // namespace panels

}  // namespace longpole
