// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/projectionpanel.h"

#include "views/plots/frame.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace longpole {

ProjectionPanel::ProjectionPanel(ViewState& state, bool severalAttributes, QWidget* parent)
    : QWidget(parent), m_state(state), m_feed(state.projector()), m_bar(new StageBar(state, this)),
      m_picker(new AttributePicker(state.projector(), severalAttributes, this))
{
    createWidgets();
    connect(m_bar, &StageBar::changed, this, &ProjectionPanel::outdate);
    connect(m_picker, &AttributePicker::chosenChanged, this, &ProjectionPanel::outdate);
    connect(&m_feed, &ProjectionFeed::changed, this, [this] {
        showState();
        showAnswers();
    });
    connect(&m_feed, &ProjectionFeed::progressed, this, &ProjectionPanel::showState);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (m_feed.isWorking() || m_ownIsWorking) {
            m_feed.cancel();
            cancelOwn();
        } else {
            m_isOutdated = true;
            outdate();
        }
    });
    connect(m_pick, &QToolButton::toggled, m_picker, &QWidget::setVisible);
    connect(m_picker, &AttributePicker::chosenChanged, this, &ProjectionPanel::nameChosen);
    connect(&m_state, &ViewState::markedChanged, this, [this] { showMarked(); });
    for (const auto signal : {&ViewState::colourChanged, &ViewState::filterChanged})
        connect(&m_state, signal, this, [this] { recolour(); });
    connect(&m_state, &ViewState::taskFilterChanged, this, &ProjectionPanel::outdate);
    connect(&m_state, &ViewState::pathChanged, this, [this] {
        const std::vector<Attribute>& chosen = m_picker->chosen();
        if (std::any_of(chosen.begin(), chosen.end(), needsPath)) outdate();
    });
}

void ProjectionPanel::createWidgets()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_pick = new QToolButton(this);
    m_pick->setObjectName(QStringLiteral("flat"));
    m_pick->setText(tr("Attributes …"));
    m_pick->setToolTip(tr("The attributes of the program, and formulas over them"));
    m_pick->setCheckable(true);
    m_bar->addControl(m_pick);
    m_body = new QSplitter(Qt::Horizontal, this);
    m_body->setHandleWidth(1);
    m_body->setChildrenCollapsible(false);
    m_picker->setMinimumWidth(180);
    m_picker->hide();
    m_body->addWidget(m_picker);
    m_readout = new QLabel(this);
    m_readout->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_stateText = new QLabel(this);
    m_stateText->setObjectName(QStringLiteral("muted"));
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(120);
    m_progress->hide();
    m_cancel = new QPushButton(tr("Cancel"), this);
    m_cancel->setObjectName(QStringLiteral("link"));
    m_cancel->hide();
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 2, 12, 4);
    foot->setSpacing(10);
    foot->addWidget(m_readout, 1);
    foot->addWidget(m_stateText);
    foot->addWidget(m_progress);
    foot->addWidget(m_cancel);
    layout->addWidget(m_bar);
    layout->addWidget(m_body, 1);
    layout->addLayout(foot);
}

// Names the chosen attributes on the button, as far as there is room.
void ProjectionPanel::nameChosen()
{
    constexpr int room = 190;
    const std::vector<Attribute>& chosen = m_picker->chosen();
    QString text = tr("Attributes …");
    if (chosen.size() > 1) text = tr("%1 attributes …").arg(chosen.size());
    if (chosen.size() == 1) text = attributeTitle(chosen.front(), m_state.store()) + QStringLiteral(" …");
    m_pick->setText(m_pick->fontMetrics().elidedText(text, Qt::ElideMiddle, room));
}

QString ProjectionPanel::readout() const { return m_readout->text(); }
QString ProjectionPanel::stateText() const { return m_stateText->text(); }

void ProjectionPanel::setReadout(const QString& text) { m_readout->setText(text); }

void ProjectionPanel::adopt(PlotFrame& plot)
{
    connect(&plot, &PlotFrame::exportFailed, this, &ProjectionPanel::exportFailed);
    connect(&plot, &PlotFrame::left, this, [this] { setReadout({}); });
}

void ProjectionPanel::outdate()
{
    m_isOutdated = !isVisible();
    if (isVisible()) ask();
}

void ProjectionPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isOutdated) outdate();
}

void ProjectionPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_body != nullptr) recolour();
}

ProjectionQuestion ProjectionPanel::questionOf(std::vector<Attribute> attributes) const
{
    const std::optional<TaskFilter>& filter = m_state.taskFilter();
    return {.attributes = std::move(attributes),
            .stages = m_bar->stages(),
            .pes = m_bar->pes(),
            .kept = m_bar->kept(),
            .path = m_state.path(),
            .grain = filter ? std::optional(filter->grain) : std::nullopt};
}

bool ProjectionPanel::hasPath() const
{
    const std::vector<Attribute>& chosen = m_picker->chosen();
    return m_state.path() || std::none_of(chosen.begin(), chosen.end(), needsPath);
}

void ProjectionPanel::setOwnWork(bool isWorking, double fraction)
{
    if (isWorking && !m_ownIsWorking) m_ownSince.start();
    m_ownIsWorking = isWorking;
    m_ownFraction = fraction;
    showState();
}

void ProjectionPanel::setOwnState(const QString& text, bool isError)
{
    m_ownText = text;
    m_ownIsError = isError;
    showState();
}

bool ProjectionPanel::hasNoValue() const
{
    const auto isEmpty = [](const ProjectionPtr& one) {
        return one
               && std::all_of(one->values.begin(), one->values.end(), [](double value) { return std::isnan(value); });
    };
    return !m_feed.answers().empty() && std::all_of(m_feed.answers().begin(), m_feed.answers().end(), isEmpty);
}

void ProjectionPanel::showState()
{
    constexpr qint64 isLong = 500;  // ms
    const bool ownIsLong = m_ownIsWorking && m_ownSince.elapsed() >= isLong;
    const bool isLongWork = m_feed.takesLong() || ownIsLong;
    const bool isApproximate = std::any_of(m_feed.answers().begin(), m_feed.answers().end(),
                                           [](const ProjectionPtr& one) { return one && one->isApproximate; });
    QString text = m_ownText;
    bool isError = m_ownIsError;
    if (m_feed.error()) {
        text = longpole::toText(*m_feed.error());
        isError = true;
    } else if (text.isEmpty() && !hasPath()) {
        text = tr("There is no critical path yet; it comes with the loaded tasks.");
    } else if (text.isEmpty() && m_feed.isCancelled()) {
        text = isApproximate ? tr("≈ from the pyramid; not counted") : tr("Not counted.");
    } else if (text.isEmpty() && m_feed.isWorking()) {
        text = isApproximate ? tr("≈ sharpening") : tr("Counting …");
    } else if (text.isEmpty() && m_feed.isCoarse()) {
        text = isApproximate ? tr("≈ from the summary's intervals") : tr("exact");
    } else if (text.isEmpty() && m_feed.isExact() && hasNoValue()) {
        text = tr("No stage has a value: nothing was there to measure, or the formula divides by zero.");
    } else if (text.isEmpty() && m_feed.isExact()) {
        const bool isEstimated = std::any_of(m_feed.answers().begin(), m_feed.answers().end(),
                                             [](const ProjectionPtr& one) { return one && one->isEstimated; });
        text = isEstimated ? tr("exact, with estimated receive times") : tr("exact");
    }
    if (m_state.taskFilter() && !isError) text += tr(" · only tasks of the chosen durations");
    m_stateText->setObjectName(isError ? QStringLiteral("errorText") : QStringLiteral("muted"));
    m_stateText->setStyleSheet(m_stateText->styleSheet());  // styles the label by its new object name
    m_stateText->setText(text);
    m_progress->setVisible(isLongWork);
    m_progress->setValue(static_cast<int>(1000 * (ownIsLong ? m_ownFraction : m_feed.fraction())));
    m_cancel->setText(m_feed.isCancelled() ? tr("Count") : tr("Cancel"));
    m_cancel->setVisible(isLongWork || m_feed.isCancelled());
}

void ProjectionPanel::showInTimeline(TimeRange range, const std::vector<ProcessorId>& pes)
{
    const bool isMoved = range != m_state.range();
    m_state.setRange(range);
    m_state.setProcessors(pes, !isMoved);  // one undo step for both
    Q_EMIT timelineRequested();
}

}  // namespace longpole
