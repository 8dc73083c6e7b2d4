// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out work over time on the left, the concerns in the middle, and the chosen concern's evidence on the right.
#include "views/expert/speculativepanel.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "analysis/report/advicetables.h"
#include "core/base/timerange.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/expert/sharedexample.h"
#include "views/state/evidenceplace.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/scrolling.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t fewEvidence = 5;   // places that show before the rest is asked for
constexpr std::size_t mostMarks = 3000;  // more updates than that are not marked: marks could not be told apart

double share(TimeNs part, double whole) { return whole > 0 ? static_cast<double>(part) / whole : 0; }

}  // namespace

SpeculativePanel::SpeculativePanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_parts(new SideBySide(this)), m_variable(new QComboBox(this)),
      m_table(new TableView(this))
{
    m_variable->setAccessibleName(tr("Monotonic variable"));
    m_variable->hide();
    head().addWidget(m_variable);
    m_table->setAccessibleName(tr("Concerns about shared variables"));
    constexpr int leastPlot = 240, leastDetail = 220;
    m_parts->addPart(createPlot(), tr("Values"), leastPlot);
    m_parts->addPart(m_table, tr("Concerns"));
    m_parts->addPart(createDetail(), tr("The chosen one"), leastDetail);
    body().addWidget(m_parts, 1);
    m_empty = new SharedExample(this);
    m_empty->hide();
    body().addWidget(m_empty, 1);
    connect(m_variable, &QComboBox::activated, this, &SpeculativePanel::showSeries);
    connect(m_table, &TableView::rowChosen, this, &SpeculativePanel::chooseConcern);
    connect(m_table, &TableView::exportFailed, this, &SpeculativePanel::exportFailed);
    connect(m_plot, &PlotFrame::exportFailed, this, &SpeculativePanel::exportFailed);
    connect(&m_state, &ViewState::graphChanged, this, &SpeculativePanel::outdate);
    connect(&m_state, &ViewState::thresholdsChanged, this, &SpeculativePanel::outdate);
    connect(&m_state, &ViewState::colourChanged, this, &SpeculativePanel::showSeries);
    outdate();
}

QWidget* SpeculativePanel::createPlot()
{
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_readout = new QLabel(left);
    m_readout->setObjectName(QStringLiteral("muted"));
    m_readout->setTextFormat(Qt::RichText);
    m_readout->setContentsMargins(12, 0, 12, 2);
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_plot = new PlotStack(left);
    m_plot->setAxes({tr("time"), PlotUnit::Time},
                    {m_state.store().words().say(tr("share of PEs"), tr("share of ranks")), PlotUnit::Share});
    column->addWidget(m_readout);
    column->addWidget(m_plot, 1);
    connect(m_plot, &PlotFrame::hovered, this, [this](double x, double y) {
        const auto hit = m_plot->hitAt(x, y);
        showReadout(hit ? std::optional(hit->column) : std::nullopt);
    });
    connect(m_plot, &PlotFrame::left, this, [this] { showReadout({}); });
    connect(m_plot, &PlotFrame::clicked, this, [this](double x, double) { m_state.setMarked(part(x)); });
    connect(m_plot, &PlotFrame::doubleClicked, this, [this](double x, double) {
        if (!part(x).isEmpty()) m_state.setRange(part(x));
    });
    connect(m_plot, &PlotFrame::dragged, this, [this](const QRectF& area, bool isDone) {
        const TimeNs zero = m_state.store().info().begin;
        if (isDone) m_state.setMarked({zero + TimeNs(area.left()), zero + TimeNs(area.right())});
    });
    connect(&m_state, &ViewState::markedChanged, m_plot, [this] {
        const TimeRange marked = m_state.marked();
        const TimeNs zero = m_state.store().info().begin;
        if (marked.isEmpty()) m_plot->setBand({});
        else m_plot->setBand(PlotSpan{double(marked.begin - zero), double(marked.end - zero)});
    });
    return left;
}

QWidget* SpeculativePanel::createDetail()
{
    m_detail = new QScrollArea(this);
    speakAs(*m_detail, QAccessible::Pane);
    m_detail->setAccessibleName(tr("About the chosen case"));
    scrollDownOnly(*m_detail);
    return m_detail;
}

// Asks with the decision tree's thresholds, so that both judge alike.
bool SpeculativePanel::begin()
{
    if (!m_state.graph()) return false;
    m_job.ask(m_state.results(), SharedAccessQuestion{m_state.thresholds()},
              [this](const Watch<SharedAccessQuestion>::Answer& access) { accept(access); });
    return true;
}

void SpeculativePanel::stop() { m_job.cancel(); }

void SpeculativePanel::clear()
{
    m_access.reset();
    showAll();
}

void SpeculativePanel::accept(const Watch<SharedAccessQuestion>::Answer& access)
{
    if (!access) {
        finish(access.error(), {});
        return;
    }
    m_access = *access;
    showAll();
    finish({}, summary());
}

QString SpeculativePanel::summary() const
{
    if (!m_access->isRecorded) {
        return m_access->issues.empty()
                   ? tr("This trace says nothing about shared variables.")
                   : tr("The stats of this trace do not fit the convention: %1.").arg(m_access->issues.front().place);
    }
    const auto fired = std::ranges::count_if(m_access->concerns, &SharedConcern::fired);
    QString text = fired == 0
                       ? tr("No concern about shared variables")
                       : counted("%1 concerns about shared variables", "One concern about shared variables", fired);
    if (const SpeculativeSeries* const shown = series(); shown && shown->totalUser > 0)
        text += tr(" · %1 of the work was done before a better %2 came, %3 with the value it replaced")
                    .arg(formatShare(share(shown->total, double(shown->totalUser))), shown->variable,
                         shown->hasReads ? formatShare(share(shown->totalOutdated, double(shown->totalUser)))
                                         : tr("it is not known how much"));
    std::int64_t misfits = 0;
    for (const Issue& issue : m_access->issues) addSaturating(misfits, issue.count);
    if (misfits > 0)
        text += counted(" · %1 samples do not fit the convention", " · %1 sample does not fit the convention", misfits);
    return text;
}

void SpeculativePanel::showAll()
{
    const bool isEmpty = m_access && !m_access->isRecorded;
    m_parts->setVisible(!isEmpty);
    m_empty->setVisible(isEmpty);
    m_variable->clear();
    if (m_access)
        for (const SpeculativeSeries& one : m_access->speculative) m_variable->addItem(one.variable);
    m_variable->setVisible(m_variable->count() > 1);
    showSeries();
    m_chosen = 0;
    if (m_access)
        if (const auto first = std::ranges::find_if(m_access->concerns, &SharedConcern::fired);
            first != m_access->concerns.end())
            m_chosen = static_cast<std::size_t>(first - m_access->concerns.begin());
    showConcerns();
    chooseConcern(m_chosen);
}

const SpeculativeSeries* SpeculativePanel::series() const
{
    if (!m_access || m_access->speculative.empty()) return nullptr;
    return &m_access->speculative[static_cast<std::size_t>(std::max(0, m_variable->currentIndex()))];
}

// Layers from the bottom: 0 work on the old value, 1 other speculative work, 2 all other work.
QColor SpeculativePanel::colour(std::size_t layer) const
{
    const Theme& theme = themeOf(*this);
    const QColor work(mixed(theme.utilization.rgb(), theme.panel.rgb(), 0.45));
    if (layer == 0) return theme.warning;
    return layer == 1 ? QColor(mixed(theme.warning.rgb(), work.rgb(), 0.62)) : work;
}

void SpeculativePanel::showSeries()
{
    const SpeculativeSeries* const shown = series();
    PlotStack::Content content;
    std::optional<PlotStack::Course> course;
    if (shown) {
        const TimeNs zero = m_state.store().info().begin;
        const auto pes = static_cast<double>(m_state.store().info().processors);
        for (const TimeNs edge : shown->edges) content.edges.push_back(static_cast<double>(edge - zero));
        content.layers = {{tr("on the old value"), colour(0), {}},
                          {tr("speculative"), colour(1), {}},
                          {tr("other work"), colour(2), {}}};
        for (std::size_t i = 0; i < shown->user.size(); ++i) {
            const double room = pes * (content.edges[i + 1] - content.edges[i]);
            content.layers[0].values.push_back(share(shown->outdated[i], room));
            content.layers[1].values.push_back(share(shown->speculative[i] - shown->outdated[i], room));
            content.layers[2].values.push_back(share(shown->user[i] - shown->speculative[i], room));
        }
        content.most = 1;
        course = PlotStack::Course{.name = shown->variable,
                                   .color = themeOf(*this).text,
                                   .x = {},
                                   .y = {},
                                   .markX = {},
                                   .markY = {},
                                   .faintX = {},
                                   .faintY = {}};
        for (const SpeculativeSeries::Update& update : shown->best) {
            course->x.push_back(static_cast<double>(update.time - zero));
            course->y.push_back(update.value);
        }
        if (!course->x.empty()) course->x.push_back(content.edges.back());
        if (!course->y.empty()) course->y.push_back(course->y.back());
        for (const SpeculativeSeries::Update& update : shown->updates) {
            if (shown->updates.size() > mostMarks) break;
            (update.accepted ? course->markX : course->faintX).push_back(static_cast<double>(update.time - zero));
            (update.accepted ? course->markY : course->faintY).push_back(update.value);
        }
    }
    m_plot->setContent(std::move(content));
    m_plot->setCourse(std::move(course));
    m_readout->setToolTip(
        tr("speculative: done before a better value came to the PE; on old value: of that, by tasks that had read or "
           "offered the value it replaced"));
    m_plot->setNotice(m_access && !shown ? tr("No update of a monotonic variable is recorded") : QString());
    showReadout({});
}

TimeRange SpeculativePanel::part(double x) const
{
    const auto hit = m_plot->hitAt(x, 0);
    const SpeculativeSeries* const shown = series();
    return hit && shown ? TimeRange{shown->edges[hit->column], shown->edges[hit->column + 1]} : TimeRange{};
}

// Names the colours, or with `at` gives the times of that column of the plot.
void SpeculativePanel::showReadout(std::optional<std::size_t> at)
{
    const SpeculativeSeries* const shown = series();
    if (!shown) {
        m_readout->clear();
        return;
    }
    const auto entry = [&](std::size_t layer, const QString& name, TimeNs time) {
        return QStringLiteral("<span style='color:%1'>■</span> %2 &nbsp; ")
            .arg(colour(layer).name(), at ? formatTime(time) : onOneLine(name).toHtmlEscaped());
    };
    const std::size_t i = at.value_or(0);
    QString text = entry(2, tr("other"), shown->user[i] - shown->speculative[i])
                   + entry(1, tr("speculative"), shown->speculative[i] - shown->outdated[i]);
    if (shown->hasReads) text += entry(0, tr("on old value"), shown->outdated[i]);
    QString value = onOneLine(shown->variable).toHtmlEscaped();
    if (at) {
        const auto next = std::ranges::upper_bound(shown->best, shown->edges[*at + 1] - 1, {},
                                                   &SpeculativeSeries::Update::time);
        if (next != shown->best.begin()) value += u' ' % QString::number(std::prev(next)->value, 'g', 5);
    }
    m_readout->setText(text + QStringLiteral("— ") + value);
}

void SpeculativePanel::showConcerns()
{
    const std::shared_ptr<const SharedAccess> access = m_access ? m_access : std::make_shared<const SharedAccess>();
    const Theme& theme = themeOf(*this);
    TableContent content = contentOf(sharedConcernTable(m_state.store())
                                         .only({"concern", "variable", "verdict", "value", "threshold",
                                                "severity_pe_ns"}),
                                     std::shared_ptr<const std::vector<SharedConcern>>(access, &access->concerns),
                                     m_state.sharedStore());
    content["concern"].swatch = [access, fired = theme.warning, quiet = theme.gridLine](std::size_t row) {
        return access->concerns[row].fired ? fired : quiet;
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({120, 0, 50, 40, 40, 40});
    m_table->showRow(m_chosen);
}

void SpeculativePanel::chooseConcern(std::size_t row)
{
    m_chosen = row;
    m_evidence = nullptr;
    auto* page = new QWidget(m_detail);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 6, 12, 8);
    column->setSpacing(6);
    if (m_access && row < m_access->concerns.size()) {
        const SharedConcern& concern = m_access->concerns[row];
        auto* words = new LinkLabel(QString(), page);
        words->setWords(concern.text());
        column->addWidget(words);
        if (!concern.evidence.empty()) {
            m_evidence = new EvidenceList(concern.evidence, m_state.store().words(), m_state.store().info().begin,
                                          fewEvidence, page);
            connect(m_evidence, &EvidenceList::chosen, this,
                    [this](const Evidence& place) { showPlace(m_state, place); });
            column->addWidget(m_evidence);
        }
    }
    column->addStretch();
    m_detail->setWidget(page);  // deletes the page before it
}

void SpeculativePanel::changeEvent(QEvent* event)
{
    ComputedPanel::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || m_detail == nullptr) return;
    showSeries();
    showConcerns();  // the labels beside the table follow the palette by themselves
}

namespace panels {

extern const PanelSpec speculative;
const PanelSpec speculative{
    .id = "panel.speculative",
    .title = QT_TRANSLATE_NOOP("Actions", "Speculative work"),
    .command = QT_TRANSLATE_NOOP("Actions", "Spec&ulative work"),
    .question = QT_TRANSLATE_NOOP("Actions", "Which work was in vain?"),
    .tip = QT_TRANSLATE_NOOP("Actions",
                             "Work done before a better value came, and how the program shares its variables"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "Work that was done before a better value of a shared variable came, over time, and how the program "
        "shares its variables. Much of it early in the run says that the value should spread faster, or that "
        "less should be tried before it is there."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "wasted work, branch and bound, search, shared variables, pruning"),
    .group = PanelGroup::WhatIf,
    .needs = PanelNeeds::Queues,
    .create = makePanel<SpeculativePanel>,
};

}  // namespace panels

}  // namespace longpole
