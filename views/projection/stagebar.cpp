// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/stagebar.h"

#include "analysis/base/naming.h"
#include "analysis/projection/formula.h"
#include "core/trace/format.h"
#include "views/state/stagecuts.h"
#include "views/state/viewstate.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/flowlayout.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace longpole {

namespace {

constexpr int sliderSteps = 400;
const QString equalCut = QStringLiteral("equal"), phaseCut = QStringLiteral("phases"),
              iterationCut = QStringLiteral("iterations");

int countAt(int position)
{
    return static_cast<int>(std::lround(std::pow(StageBar::mostOfSlider, static_cast<double>(position) / sliderSteps)));
}

int positionOf(std::size_t count)
{
    const double share = std::log(static_cast<double>(std::max<std::size_t>(1, count)))
                         / std::log(StageBar::mostOfSlider);
    return static_cast<int>(std::lround(sliderSteps * std::clamp(share, 0.0, 1.0)));
}

// Puts widgets into a group that a line break does not part.
QWidget* together(const std::initializer_list<QWidget*>& widgets, QWidget* parent)
{
    auto* group = new QWidget(parent);
    group->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    for (QWidget* widget : widgets) row->addWidget(widget);
    return group;
}

QLabel* words(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

QLineEdit* field(const QString& placeholder, const QString& name, int width, QWidget* parent)
{
    auto* edit = new QLineEdit(parent);
    edit->setPlaceholderText(placeholder);
    edit->setAccessibleName(name);
    edit->setToolTip(name);
    edit->setFixedWidth(width);
    return edit;
}

}  // namespace

QString conditionFormula(const QString& text)
{
    static const QRegularExpression percent(QStringLiteral(R"((\d+(?:\.\d*)?)\s*%)"));
    static const QRegularExpression time(QStringLiteral(R"((?<![\w.@])(\d+(?:\.\d*)?)\s*(ns|us|ms|s)\b)"));
    QString formula = text;
    formula.replace(percent, QStringLiteral("(\\1/100)"));
    for (QRegularExpressionMatch match = time.match(formula); match.hasMatch(); match = time.match(formula)) {
        const QString unit = match.captured(2);
        const char* factor = unit == QLatin1String("ns")   ? "1"
                             : unit == QLatin1String("us") ? "1000"
                             : unit == QLatin1String("ms") ? "1000000"
                                                           : "1000000000";
        formula.replace(match.capturedStart(), match.capturedLength(),
                        QStringLiteral("(%1*%2)").arg(match.captured(1), QLatin1String(factor)));
    }
    return formula;
}

StageBar::StageBar(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state), m_feed(state.projector())
{
    for (const Processor& processor : state.store().processors())
        if (processor.kind != TrackKind::CommThread) m_all.push_back(processor.pe);
    m_writtenPes = m_pes = m_all;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 5, 12, 4);
    layout->setSpacing(4);
    createFirstLine();
    createSecondLine();
    m_error = new QLabel(this);
    m_error->setObjectName(QStringLiteral("errorText"));
    m_error->setWordWrap(true);
    m_error->hide();
    layout->addLayout(m_first);
    layout->addWidget(m_second);
    layout->addWidget(m_error);
    connect(m_slider, &QSlider::valueChanged, this, &StageBar::useSlider);
    connect(m_count, &QLineEdit::editingFinished, this, &StageBar::useField);
    connect(m_cut, &QComboBox::activated, this, &StageBar::rebuild);
    connect(m_over, &QComboBox::activated, this, &StageBar::rebuild);
    connect(m_more, &QToolButton::toggled, m_second, &QWidget::setVisible);
    connect(m_stageSet, &QLineEdit::editingFinished, this, [this] {
        if (readStageSet()) choose();
    });
    connect(m_processorSet, &QLineEdit::editingFinished, this, [this] {
        if (readProcessors()) readCondition();
    });
    connect(m_condition, &QLineEdit::editingFinished, this, &StageBar::readCondition);
    connect(m_conditionOn, &QComboBox::activated, this, &StageBar::readCondition);
    connect(&m_feed, &ProjectionFeed::changed, this, &StageBar::acceptCondition);
    connect(&m_state, &ViewState::rangeChanged, this, [this] {
        if (over() == Over::Visible) rebuild();
    });
    connect(&m_state, &ViewState::processorsChanged, this, [this] {
        if (over() == Over::Visible && readProcessors()) readCondition();
    });
    const auto recut = [this] {
        if (m_cut->currentData() == iterationCut) rebuild();
    };
    connect(&m_state, &ViewState::phaseBandsChanged, this, recut);
    connect(&m_state, &ViewState::graphChanged, this, recut);
    connect(&m_state, &ViewState::markedChanged, this, [this] {
        if (over() == Over::Marked) rebuild();
    });
    rebuild();
}

void StageBar::createFirstLine()
{
    m_first = new FlowLayout(8, 4);
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setRange(0, sliderSteps);
    m_slider->setFixedWidth(100);
    m_slider->setAccessibleName(tr("Number of stages"));
    m_slider->setToolTip(tr("How many stages, 1 to %1").arg(mostOfSlider));
    m_count = field({}, tr("A number of stages (stages=100) or a timestep (500us)"), 128, this);
    m_each = words({}, this);
    m_cut = new QComboBox(this);
    m_cut->setAccessibleName(tr("What cuts stages"));
    addCuts();
    m_over = new QComboBox(this);
    m_over->addItems({tr("whole run"), tr("visible part"), tr("marked part")});
    m_over->setAccessibleName(tr("Range that is cut into stages"));
    m_more = new QToolButton(this);
    m_more->setObjectName(QStringLiteral("flat"));
    m_more->setText(tr("Choose …"));
    m_more->setToolTip(tr("Sets of stages, and of PEs or ranks, or those that meet a condition"));
    m_more->setCheckable(true);
    m_first->addWidget(together({m_slider, m_count, m_each}, this));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_cut, m_over, m_more}) m_first->addWidget(widget);
}

void StageBar::addControl(QWidget* control)
{
    m_first->removeWidget(m_more);
    m_first->addWidget(control);
    m_first->addWidget(m_more);
}

void StageBar::addCuts()
{
    m_cut->addItem(tr("equal stages"), equalCut);
    constexpr int most = 300;  // in a list that is read; programs have some dozens
    bool hasPhases = false;
    for (const RegionId id : stageEvents(m_state.store())) {
        const Region* region = m_state.store().region(id);
        if (region == nullptr) continue;
        if (region->kind == RegionKind::Phase) {
            if (!std::exchange(hasPhases, true)) m_cut->insertItem(1, tr("by phases"), phaseCut);
        } else if (m_cut->count() < most) {
            addNamed(*m_cut, tr("by %1").arg(region->name), index(id));
        }
    }
    if (m_state.store().hasEvents()) m_cut->addItem(tr("by iteration"), iterationCut);
    m_cut->setVisible(m_cut->count() > 1);
}

void StageBar::createSecondLine()
{
    m_second = new QWidget(this);
    auto* line = new FlowLayout(12, 4);
    m_second->setLayout(line);
    m_stageSet = field(tr("all"), tr("Stages, such as 1,3-9:3,11"), 110, m_second);
    m_processorSet = field(tr("all"), tr("PEs or ranks, such as 1,3-9:3,11"), 110, m_second);
    m_conditionOn = new QComboBox(m_second);
    m_conditionOn->addItems({m_state.store().words().say(tr("PEs"), tr("ranks")), tr("stages")});
    m_conditionOn->setAccessibleName(tr("What the condition chooses"));
    m_condition = field(tr("utilization < 60 %"), tr("A condition on attributes, in the words of formulas"), 190,
                        m_second);
    m_condition->setClearButtonEnabled(true);
    m_chosen = words({}, m_second);
    const QString rows = m_state.store().words().say(tr("PEs"), tr("ranks"));
    line->addWidget(together({words(tr("stages"), m_second), m_stageSet}, m_second));
    line->addWidget(together({words(rows, m_second), m_processorSet}, m_second));
    line->addWidget(together({words(tr("only"), m_second), m_conditionOn, words(tr("where"), m_second), m_condition},
                             m_second));
    line->addWidget(m_chosen);
    m_second->hide();
}

StageBar::Over StageBar::over() const { return static_cast<Over>(m_over->currentIndex()); }

TimeRange StageBar::range() const
{
    const TimeRange run = m_state.fullRange();
    TimeRange range = run;
    if (over() == Over::Visible) range = intersection(m_state.range(), run);
    if (over() == Over::Marked) range = intersection(m_state.marked(), run);
    return range.isEmpty() ? run : range;
}

void StageBar::useSlider()
{
    m_asked = QStringLiteral("stages=%1").arg(countAt(m_slider->value()));
    m_cut->setCurrentIndex(0);
    rebuild();
}

void StageBar::useField()
{
    if (m_count->text() == m_asked && m_faults.empty()) return;
    const Result<Stages> stages = parseStages(m_count->text(), range());
    if (!stages) {
        setFault(m_count, longpole::toText(stages.error()));
        return;
    }
    m_asked = m_count->text();
    m_cut->setCurrentIndex(0);
    rebuild();
}

void StageBar::rebuild()
{
    if (m_cut->currentData() != equalCut) {
        cutByProgram();
        return;
    }
    m_cutting.cancel();
    m_iterating.cancel();
    Result<Stages> stages = parseStages(m_asked, range());
    if (!stages) stages = equalStages(range(), 1);  // the timestep is longer than a range that was chosen since
    setFault(m_count, {});
    accept(std::move(*stages));
}

void StageBar::cutByProgram()
{
    const QVariant cut = m_cut->currentData();
    const std::vector<TimeRange>& iterations = m_state.phaseBands().ranges;
    if (cut == iterationCut && iterations.empty() && !m_state.graph()) return;  // called again on graphChanged
    m_cutting.cancel();
    m_iterating.cancel();
    if (cut != iterationCut) {
        StageCutQuestion question{.range = range()};
        if (cut != phaseCut) question.event = static_cast<RegionId>(cut.toUInt());
        m_cutting.ask(m_state.results(), question, [this](const Result<std::shared_ptr<const Stages>>& stages) {
            if (stages.ok()) acceptCut(**stages);
            else acceptCut(stages.error());
        });
    } else if (!iterations.empty()) {
        acceptCut(iterationStages(range(), iterations));
    } else {
        m_iterating.ask(m_state.results(), firstPhaseOf(modelOf(m_state.question())),
                        [this, range = range()](const Result<std::shared_ptr<const PathPhases>>& phases) {
                            acceptCut(phases.ok() ? stagesByIteration(**phases, range) : phases.error());
                        });
    }
}

void StageBar::acceptCut(Result<Stages> stages)
{
    setFault(m_count, stages.ok() ? QString() : longpole::toText(stages.error()));
    if (stages.ok()) accept(std::move(*stages));
}

void StageBar::accept(Stages stages)
{
    m_stages = std::move(stages);
    showCount();
    if (!readStageSet()) m_writtenStages.clear();
    readProcessors();
    readCondition();
}

void StageBar::showCount()
{
    const std::size_t count = m_stages.count();
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(positionOf(count));
    if (!m_count->hasFocus() || m_count->text() == m_asked) m_count->setText(m_asked);
    const QString each = formatTime(m_stages.range(0).length());
    const bool isCounted = m_cut->currentData() == equalCut && m_asked.startsWith(QLatin1String("stages"));
    if (isCounted) m_each->setText(tr("of %1").arg(each));
    else m_each->setText(counted("%1 stages", "%1 stage", static_cast<qint64>(count)));
}

bool StageBar::readStageSet()
{
    const auto set = parseStageSet(m_stageSet->text(), m_stages.count());
    setFault(m_stageSet, set.ok() ? QString() : longpole::toText(set.error()));
    if (!set) return false;
    m_writtenStages.assign(set->size() == m_stages.count() ? 0 : m_stages.count(), false);
    if (!m_writtenStages.empty())
        for (const std::size_t stage : *set) m_writtenStages[stage] = true;
    return true;
}

bool StageBar::readProcessors()
{
    const QString text = m_processorSet->text().trimmed();
    if (text.isEmpty()) {
        m_writtenPes = over() == Over::Visible && !m_state.processors().empty() ? m_state.processors() : m_all;
        setFault(m_processorSet, {});
        return true;
    }
    const auto last = m_all.empty() ? 0 : std::int64_t{index(m_all.back())} + 1;
    const auto set = parseProcessors(text, last);
    setFault(m_processorSet, set.ok() ? QString() : longpole::toText(set.error()));
    if (!set) return false;
    std::vector<ProcessorId> pes;
    std::set_intersection(set->begin(), set->end(), m_all.begin(), m_all.end(), std::back_inserter(pes));
    if (pes.empty()) {
        setFault(m_processorSet, m_state.store()
                                     .words()
                                     .say(tr("None of these PEs is in the trace (%1)."),
                                          tr("None of these ranks is in the trace (%1)."))
                                     .arg(text));
        return false;
    }
    m_writtenPes = std::move(pes);
    return true;
}

void StageBar::readCondition()
{
    const QString text = m_condition->text().trimmed();
    std::optional<Attribute> condition;
    if (!text.isEmpty()) {
        const Result<Attribute> read = parseAttribute(conditionFormula(text), m_state.store());
        setFault(m_condition, read ? QString() : longpole::toText(read.error()));
        if (!read) return choose();  // the last condition that could be read stays
        condition = *read;
    }
    m_meetsStages = m_conditionOn->currentIndex() == 1;
    m_meets.reset();
    setFault(m_condition, {});
    if (!condition) {
        m_feed.ask({});
        return choose();
    }
    m_feed.ask({.attributes = {*condition},
                .stages = m_meetsStages ? m_stages : equalStages(m_stages.whole(), 1),
                .pes = m_writtenPes,
                .path = m_state.path()});
}

void StageBar::acceptCondition()
{
    if (m_feed.question().attributes.empty()) return;
    if (m_feed.error()) setFault(m_condition, longpole::toText(*m_feed.error()));
    const ProjectionPtr answer = m_feed.answers().empty() ? nullptr : m_feed.answers().front();
    if (!answer) {
        if (!m_meets) choose();  // keeps all while the answer is not known
        return;
    }
    const std::vector<double>& values = m_meetsStages ? answer->perStage : answer->perProcessor;
    std::vector<bool> meets;
    meets.reserve(values.size());
    for (const double value : values) meets.push_back(!std::isnan(value) && value != 0);
    const bool isNone = std::find(meets.begin(), meets.end(), true) == meets.end();
    if (m_feed.isExact())
        setFault(m_condition, !isNone ? QString()
                              : m_meetsStages
                                  ? tr("No stage meets the condition; all are shown.")
                                  : m_state.store().words().say(tr("No PE meets the condition; all are shown."),
                                                                tr("No rank meets the condition; all are shown.")));
    if (m_meets == meets) return;
    m_meets = std::move(meets);
    choose();
}

void StageBar::choose()
{
    m_kept = m_writtenStages;
    m_pes = m_writtenPes;
    if (m_meets && std::find(m_meets->begin(), m_meets->end(), true) != m_meets->end()) {
        if (m_meetsStages && m_meets->size() == m_stages.count()) {
            if (m_kept.empty()) m_kept.assign(m_stages.count(), true);
            for (std::size_t i = 0; i < m_kept.size(); ++i) m_kept[i] = m_kept[i] && (*m_meets)[i];
        } else if (!m_meetsStages && m_meets->size() == m_pes.size()) {
            std::vector<ProcessorId> pes;
            for (std::size_t i = 0; i < m_pes.size(); ++i)
                if ((*m_meets)[i]) pes.push_back(m_pes[i]);
            m_pes = std::move(pes);
        }
    }
    m_chosen->setText(choiceText());
    Q_EMIT changed();
}

QString StageBar::choiceText() const
{
    const auto number = [](std::size_t count) { return formatCount(static_cast<std::int64_t>(count)); };
    QStringList parts;
    const auto kept = static_cast<std::size_t>(std::count(m_kept.begin(), m_kept.end(), true));
    if (!m_kept.empty()) parts << tr("%1 of %2 stages").arg(number(kept), number(m_kept.size()));
    if (m_pes.size() != m_all.size())
        parts << m_state.store()
                     .words()
                     .say(tr("%1 of %2 PEs"), tr("%1 of %2 ranks"))
                     .arg(number(m_pes.size()), number(m_all.size()));
    return parts.join(QStringLiteral(" · "));
}

// Each field has one fault at most; the one that was set last shows.
void StageBar::setFault(QLineEdit* field, const QString& text)
{
    std::erase_if(m_faults, [field](const Fault& fault) { return fault.field == field; });
    if (!text.isEmpty()) m_faults.push_back({field, text});
    m_error->setText(m_faults.empty() ? QString() : m_faults.back().text);
    m_error->setVisible(!m_faults.empty());
}

}  // namespace longpole
