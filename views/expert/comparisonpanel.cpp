// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/comparisonpanel.h"

#include "analysis/base/cells.h"
#include "analysis/compare/comparisonwords.h"
#include "analysis/report/comparisontables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/emptystate.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>

namespace longpole {

namespace {

constexpr std::size_t listed = 6;

QString paragraph(const QString& text)
{
    return text.isEmpty() ? QString() : QStringLiteral("<p style='margin:0 0 7px 0'>%1</p>").arg(text.toHtmlEscaped());
}

QString heading(const QString& text)
{
    return QStringLiteral("<p style='margin:4px 0 1px 0'><b>%1</b></p>").arg(text.toHtmlEscaped());
}

// A heading and one line for each of the first few methods, which `indices` has largest first, whose `size` is at least
// a thousandth of the longer run; empty if there is none.
QString list(const QString& title, const Comparison& c, const std::vector<std::size_t>& indices, auto size, auto text)
{
    const TimeNs least = std::max(c.a.duration(), c.b.duration()) / 1000;
    QStringList lines;
    for (const std::size_t i : indices) {
        if (size(c.methods[i]) < least) break;
        if (std::size_t(lines.size()) == listed) {
            lines << ComparisonPanel::tr("and %1 more, less each")
                         .arg(formatCount(std::int64_t(indices.size() - listed)));
            break;
        }
        lines << QString(onOneLine(methodName(c.methods[i].any())) + QStringLiteral("  ") + text(c.methods[i]))
                     .toHtmlEscaped();
    }
    if (lines.isEmpty()) return {};
    return heading(title)
           + QStringLiteral("<p style='margin:0 0 7px 0'>%1</p>").arg(lines.join(QStringLiteral("<br>")));
}

QString pathLists(const Comparison& c)
{
    const auto timeOf = [](bool inB) {
        return [inB](const ComparedMethod& m) { return inB ? m.b->onElapsedPath : m.a->onElapsedPath; };
    };
    const auto text = [&timeOf](bool inB, const RunFigures& run) {
        return [time = timeOf(inB), &run](const ComparedMethod& m) -> QString {
            const double share = run.duration() > 0 ? double(time(m)) / double(run.duration()) : 0;
            return formatTime(time(m)) + QStringLiteral(", ") + formatShare(share);
        };
    };
    return list(ComparisonPanel::tr("Entered the elapsed critical path"), c, c.entered, timeOf(true), text(true, c.b))
           + list(ComparisonPanel::tr("Left the elapsed critical path"), c, c.left, timeOf(false), text(false, c.a));
}

QString waitLists(const Comparison& c)
{
    if (c.a.info.vocabulary.ofRanks()) return {};  // what a rank waits lies before its tasks, not in a queue
    const auto change = [](const ComparedMethod& m) { return std::abs(waitsOf(m.b) - waitsOf(m.a)); };
    const auto text = [](const ComparedMethod& m) {
        return ComparisonPanel::tr("%1, from %2")
            .arg(signedText(waitsOf(m.b) - waitsOf(m.a), CellKind::Time), formatTime(waitsOf(m.a)));
    };
    const QString guess = c.a.estimated > 0 || c.b.estimated > 0 ? ComparisonPanel::tr(" (arrivals estimated)")
                                                                 : QString();
    return list(ComparisonPanel::tr("Critical tasks waited longer") + guess, c, c.waitsGained, change, text)
           + list(ComparisonPanel::tr("Critical tasks waited less") + guess, c, c.waitsLost, change, text);
}

QString adviceList(const Comparison& c)
{
    QString text;
    for (const AdviceCheck& checked : c.advice)
        if (checked.saysMuch()) text += paragraph(checked.advice.title + QStringLiteral(". ") + checked.text);
    if (text.isEmpty()) return {};
    return heading(ComparisonPanel::tr("Did the advice on A come true? B may differ for other reasons.")) + text;
}

}  // namespace

ComparisonPanel::ComparisonPanel(ViewState& state, ComparisonSource& source, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_source(source), m_parts(new SideBySide(this)),
      m_empty(new EmptyState(tr("What a change of the program brought: open the run made with it, or drop it here with "
                                "Shift. Both runs then stand one above the other, and this view says what differs."),
                             tr("Open another run …"), this)),
      m_table(new TableView(this)), m_figures(new TableView(this)), m_tenths(new TableView(this)),
      m_text(new QTextBrowser(this))
{
    m_table->setAccessibleName(m_state.store().words().say(tr("Entry methods by change"), tr("Regions by change")));
    m_figures->setAccessibleName(tr("Figures of both runs"));
    m_tenths->setAccessibleName(tr("How busy both runs were, by tenths of their time"));
    m_text->setAccessibleName(tr("What changed"));
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(10);
    constexpr int leastText = 260;
    m_parts->addPart(m_table, m_state.store().words().say(tr("Entry methods"), tr("Regions")));
    m_parts->addPart(m_text, tr("In words"), leastText);
    m_parts->addPart(m_figures, tr("Figures"));
    m_parts->addPart(m_tenths, tr("Tenths"));
    m_parts->setCompanion(m_text);
    body().addWidget(m_parts, 1);
    body().addWidget(m_empty, 1);
    connect(m_empty, &EmptyState::pressed, this, &ComparisonPanel::secondRequested);
    connect(m_table, &TableView::rowChosen, this, &ComparisonPanel::choose);
    for (const TableView* table : {m_table, m_figures, m_tenths})
        connect(table, &TableView::exportFailed, this, &ComparisonPanel::exportFailed);
    connect(&m_source, &ComparisonSource::changed, this, &ComparisonPanel::follow);
    connect(&m_state, &ViewState::colourChanged, this, &ComparisonPanel::showColours);
    showEmpty();
    outdate();
}

bool ComparisonPanel::begin()
{
    if (!m_source.second()) {
        QTimer::singleShot(0, this, [this] {
            if (!m_source.second()) setSummary({});
        });
        return false;
    }
    m_beginning = true;
    const bool begun = m_source.want();
    m_beginning = false;
    if (m_source.comparison()) QTimer::singleShot(0, this, &ComparisonPanel::follow);
    return begun;
}

void ComparisonPanel::stop()
{
    if (isComputing() && m_source.second()) m_source.cancel();
}

void ComparisonPanel::clear()
{
    m_shown.reset();
    showComparison();
}

void ComparisonPanel::showEmpty()
{
    m_parts->setVisible(m_source.second() != nullptr);
    m_empty->setVisible(m_source.second() == nullptr);
}

void ComparisonPanel::follow()
{
    if (m_beginning) return;
    showEmpty();
    if (m_source.comparison()) {
        if (m_source.comparison() == m_shown && !isComputing()) return;
        m_shown = m_source.comparison();
        showComparison();
        finish({}, durationSentence(*m_shown));
    } else if (m_source.error()) {
        if (isComputing()) finish(m_source.error(), {});
    } else if (m_shown || !isComputing()) {
        outdate();
    }
}

void ComparisonPanel::showComparison()
{
    const std::shared_ptr<const Comparison> c = m_shown ? m_shown : std::make_shared<const Comparison>();
    showMethods(c);
    showFigures(*c);
    QString html;
    if (m_shown) {
        for (const QString& note : c->notes) html += paragraph(note);
        html += paragraph(iterationSentence(*c)) + pathLists(*c) + waitLists(*c) + adviceList(*c);
    }
    m_text->setHtml(html);
}

void ComparisonPanel::showColours()
{
    if (m_shown) showMethods(m_shown);
}

void ComparisonPanel::showMethods(const std::shared_ptr<const Comparison>& c)
{
    if (const ViewState* second = m_source.second())
        connect(second, &ViewState::colourChanged, this, &ComparisonPanel::showColours, Qt::UniqueConnection);
    const auto paletteOf = [this](const ViewState& state) {
        return state.palette(themeOf(*this), m_state.paletteOptions());
    };
    const auto paletteA = paletteOf(m_state), paletteB = m_source.second() ? paletteOf(*m_source.second()) : paletteA;
    const Vocabulary words = m_state.store().words();
    TableContent content = contentOf(comparedMethodTable(words).only({"entry", "time_a_ns", "time_b_ns", "change_ns",
                                                                      "relative", "count_a", "count_b", "grain_a_ns",
                                                                      "grain_b_ns", "elapsed_path_a_ns",
                                                                      "elapsed_path_b_ns"}),
                                     std::shared_ptr<const std::vector<ComparedMethod>>(c, &c->methods), nullptr);
    content["entry"].title = words.say(tr("Entry method"), tr("Region"));
    if (c->perProcessor) {
        content["time_a_ns"].title = words.say(tr("A per PE"), tr("A per rank"));
        content["time_b_ns"].title = words.say(tr("B per PE"), tr("B per rank"));
    }
    content["entry"].swatch = [c, paletteA, paletteB](std::size_t row) {
        const ComparedMethod& m = c->methods[row];
        return QColor(m.a ? paletteA->entry(m.a->entry) : paletteB->entry(m.b->entry));
    };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 56, 56, 60, 54, -1, -1, -1, -1, 56, 56});
}

// The three tables of figures that `longpole compare` prints, as one table with a column that names them; and the
// tenths of both runs.
void ComparisonPanel::showFigures(const Comparison& c)
{
    const Vocabulary words = m_state.store().words();
    auto rows = std::make_shared<std::vector<FigureRow>>();
    auto kinds = std::make_shared<std::vector<QString>>();
    const auto add = [&](const QString& kind, const std::vector<FigureRow>& some) {
        rows->insert(rows->end(), some.begin(), some.end());
        kinds->resize(rows->size(), kind);
    };
    add(tr("run"), comparedFigures(c));
    add(tr("elapsed path"), comparedPathParts(c));
    add(words.say(tr("idle, mean of PEs"), tr("idle, mean of ranks")), comparedIdleCauses(c));
    TableContent content = contentOf(figureTable(words).only({"figure", "a", "share_a", "b", "share_b", "change",
                                                              "relative"}),
                                     std::shared_ptr<const std::vector<FigureRow>>(rows), nullptr);
    content.columns.insert(content.columns.begin() + 1,
                           {.key = QStringLiteral("of"),
                            .title = tr("Of"),
                            .value = [kinds = std::shared_ptr<const std::vector<QString>>(kinds)](
                                         std::size_t row) { return QVariant((*kinds)[row]); },
                            .meaning = tr("The run, its elapsed critical path, or what it waited for")});
    m_figures->setContent(std::move(content));
    m_figures->setColumnWidths({0, 80, 56, 50, 56, 50, 60, 54});
    // With a common phase, iterations are what is compared.
    const auto tenths = std::make_shared<const std::vector<TenthRow>>(c.phase ? std::vector<TenthRow>{}
                                                                              : comparedTenths(c));
    m_parts->setPartVisible(m_tenths, !tenths->empty());
    m_tenths->setContent(contentOf(tenthTable(words), tenths, nullptr));
    m_tenths->setColumnWidths({0, 56, 56, 56, 56});
}

// Filters by the row's entry method, which dims all others in both runs; choosing the row again ends that.
void ComparisonPanel::choose(std::size_t row)
{
    if (!m_shown || row >= m_shown->methods.size()) return;
    m_state.dimOthers(methodName(m_shown->methods[row].any()));
}

void ComparisonPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shown) showComparison();
}

namespace {

QWidget* makeComparison(PanelHost& host, QWidget* parent)
{
    auto* panel = new ComparisonPanel(host.state(), host.comparison(), parent);
    QObject::connect(panel, &ComparisonPanel::exportFailed, &host, &PanelHost::failed);
    QObject::connect(panel, &ComparisonPanel::secondRequested, &host, &PanelHost::secondRequested);
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec comparison;
const PanelSpec comparison{
    .id = "panel.comparison",
    .title = QT_TRANSLATE_NOOP("Actions", "Comparison"),
    .command = QT_TRANSLATE_NOOP("Actions", "Co&mparison"),
    .question = QT_TRANSLATE_NOOP("Actions", "What changed?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "What changed from this run, A, to the second one, B"),
    .help =
        {QT_TRANSLATE_NOOP(
             "Actions",
             "What changed from this run to the second one, the largest change first: entry methods, iterations, "
             "what entered and left the critical path, and what came of the advice. Figures has duration, messages, "
             "parts of the path and causes of idling of both. File > Compare with … opens the second run."),
         QT_TRANSLATE_NOOP("Actions",
                           "What changed from this run to the second one, the largest change first: regions, "
                           "iterations, what entered and left the critical path, and what came of the advice. "
                           "Figures has duration, messages, parts of the path and causes of idling of both. "
                           "File > Compare with … opens the second run.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "diff, regression, before and after, versions, two runs"),
    .group = PanelGroup::Compare,
    .create = makeComparison,
};

}  // namespace panels

}  // namespace longpole
