// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/live/livepage.h"

#include "analysis/base/naming.h"
#include "app/common/runname.h"
#include "app/output/onlineoutput.h"
#include "app/record/onlinecontrol.h"
#include "app/record/recordingfolder.h"
#include "core/base/mayneverend.h"
#include "core/trace/format.h"
#include "views/plots/plot.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/tableview.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSet>
#include <QSplitter>
#include <QVBoxLayout>

#include <functional>
#include <memory>

namespace longpole {

namespace {

constexpr int lookEvery = 500;           // ms
constexpr qint64 askStateEvery = 2000;   // ms
constexpr qint64 bytesAtOnce = 1 << 20;  // which takes some ten ms
constexpr std::size_t mostLines = 6;     // in the plot of shares

constexpr const char* samplesName = "online.jsonl";

double part(TimeNs some, TimeNs whole)
{
    return whole > 0 ? static_cast<double>(some) / static_cast<double>(whole) : 0;
}

QVariant cellOf(TimeNs time) { return QVariant::fromValue(static_cast<qlonglong>(time)); }

// Two columns: a row's time on the path, and that as a share of the path's length.
void addShares(TableContent& content, TimeNs length, const std::function<TimeNs(std::size_t)>& shareOf)
{
    content.columns.push_back({.key = QStringLiteral("share_ns"),
                               .title = LivePage::tr("On the path"),
                               .kind = CellKind::Time,
                               .value = [shareOf](std::size_t row) { return cellOf(shareOf(row)); },
                               .meaning = LivePage::tr("Its time on the path")});
    content.columns.push_back({.key = QStringLiteral("share"),
                               .title = LivePage::tr("Share"),
                               .kind = CellKind::Share,
                               .value = [shareOf, length](std::size_t row) { return part(shareOf(row), length); },
                               .meaning = LivePage::tr("Its part of the path")});
}

QWidget* titled(const QString& title, QWidget* content, QWidget* aside)
{
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(4);
    auto* head = new QHBoxLayout;
    auto* label = new QLabel(title, box);
    label->setObjectName(QStringLiteral("panelTitle"));
    head->addWidget(label, 1);
    if (aside) head->addWidget(aside);
    layout->addLayout(head);
    layout->addWidget(content, 1);
    if (content->accessibleName().isEmpty()) content->setAccessibleName(title);
    return box;
}

}  // namespace

bool isLive(const QString& path)
{
    const QFileInfo info(path);
    if (info.isFile()) return info.fileName() == QLatin1String(samplesName);
    const QString samples = QDir(path).filePath(QLatin1String(samplesName));
    if (!info.isDir() || mayNeverEnd(samples) || !QFileInfo(samples).isFile()) return false;
    const FollowedRun run = followedRun(path);
    // On another machine a run goes on as long as there is no index.
    return run.state == RunState::Running || !run.hasTrace
           || (run.state == RunState::Unknown && !recordedFolder(path).hasIndex);
}

LivePage::LivePage(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    createHead(*layout);
    createParts(*layout);
    m_timer.setInterval(lookEvery);
    connect(&m_timer, &QTimer::timeout, this, &LivePage::read);
}

void LivePage::createHead(QVBoxLayout& layout)
{
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 8, 12, 2);
    head->setSpacing(10);
    m_name = new ElidedLabel(this);
    m_name->setObjectName(QStringLiteral("panelTitle"));
    m_state = new QLabel(this);
    m_state->setObjectName(QStringLiteral("muted"));
    m_stop = new QPushButton(this);
    m_open = new QPushButton(this);
    auto* close = new QPushButton(tr("Close"), this);
    close->setToolTip(tr("Back to the start page; the program runs on"));
    head->addWidget(m_name);
    head->addWidget(m_state);
    head->addStretch(1);
    for (QPushButton* button : {m_stop, m_open, close}) head->addWidget(button);
    layout.addLayout(head);
    const auto line = [&](const char* name) {
        auto* label = new QLabel(this);
        label->setObjectName(QLatin1String(name));
        label->setContentsMargins(12, 2, 12, 4);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setTextFormat(Qt::PlainText);
        layout.addWidget(label);
        return label;
    };
    m_sentence = line("verdict");
    m_doubt = line("muted");
    connect(m_stop, &QPushButton::clicked, this, &LivePage::stopOrStart);
    connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(m_folder); });
    connect(close, &QPushButton::clicked, this, &LivePage::closeRequested);
}

void LivePage::createParts(QVBoxLayout& layout)
{
    m_lengths = new Plot(this);
    m_lengths->setAxes({tr("time of the run"), PlotUnit::Time}, {tr("path up to then"), PlotUnit::Time});
    m_shares = new Plot(this);
    m_shares->setAxes({tr("time of the run"), PlotUnit::Time}, {tr("part of the path"), PlotUnit::Share});
    m_by = compactChoiceBox({tr("by procedure"), tr("by rank")}, tr("What the parts of the path are of"), this);
    connect(m_by, &QComboBox::activated, this, &LivePage::showPlots);
    m_procedures = new TableView(this);
    m_procedures->setAccessibleName(tr("Procedures on the path"));
    m_ranks = new TableView(this);
    m_ranks->setAccessibleName(tr("Ranks on the path"));
    m_follow = new QPushButton(tr("Follow gain"), this);
    m_follow->setToolTip(tr("How long the path were without the selected procedures, from now on"));
    connect(m_follow, &QPushButton::clicked, this, &LivePage::followSelected);
    for (TableView* table : {m_procedures, m_ranks}) {
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        connect(table, &TableView::exportFailed, this, &LivePage::failed);
    }
    for (Plot* plot : {m_lengths, m_shares}) connect(plot, &Plot::exportFailed, this, &LivePage::failed);

    auto* left = new QSplitter(Qt::Vertical);
    left->addWidget(titled(tr("Length of the path, beside the time of the run"), m_lengths, nullptr));
    left->addWidget(titled(tr("What the path consisted of"), m_shares, m_by));
    auto* right = new QSplitter(Qt::Vertical);
    right->addWidget(titled(tr("Procedures"), m_procedures, m_follow));
    right->addWidget(titled(tr("Ranks with most of it"), m_ranks, nullptr));
    right->setStretchFactor(0, 2);
    right->setStretchFactor(1, 1);
    auto* parts = new QSplitter(Qt::Horizontal, this);
    parts->addWidget(left);
    parts->addWidget(right);
    for (QSplitter* splitter : {left, right, parts}) splitter->setChildrenCollapsible(false);
    layout.addWidget(parts, 1);
}

Result<> LivePage::watch(const QString& run)
{
    auto samples = OnlineSamples::open(run);
    if (!samples) return samples.error();
    m_folder = runFolder(run);
    m_samples = std::move(*samples);
    m_last.reset();
    m_series.clear();
    m_colours.clear();
    m_procedures->clearSelection();
    m_sinceState.invalidate();
    m_sinceSample.start();
    m_name->setText(runNameWithFolder(m_folder));
    read();
    if (m_samples) m_timer.start();
    showAll();
    return Unit{};
}

void LivePage::leave()
{
    m_timer.stop();
    m_samples.reset();
}

void LivePage::read()
{
    if (!m_samples) return;
    const bool wantsState = !m_sinceState.isValid() || m_sinceState.elapsed() > askStateEvery;
    if (wantsState) {
        m_run = followedRun(m_folder);
        m_sinceState.start();
    }
    // What came before the program ended is read after it was seen to have ended.
    Result<std::vector<OnlineSample>> found = m_samples->read(bytesAtOnce);
    if (!found) {
        leave();
        Q_EMIT failed(found.error());
        return;
    }
    for (const OnlineSample& sample : *found) m_series.add(sample);
    m_timer.setInterval(m_samples->isBehind() ? 0 : lookEvery);
    const bool isOver = m_run.state == RunState::Ended || m_run.state == RunState::Gone;
    if (!found->empty()) {
        m_last = std::move(found->back());
        m_sinceSample.start();
        if (!m_samples->isBehind() || m_last->isFinal) showAll();
    } else if (wantsState) {
        showState();
    }
    if ((m_last && m_last->isFinal && isOver) || (isOver && found->empty())) {
        leave();
        showAll();
    }
}

QString LivePage::stateText() const
{
    const QString beside = tr("last sample %1 ago").arg(formatTime(m_sinceSample.elapsed() / 1000 * 1'000'000'000));
    if (m_last && m_last->isFinal) return tr("has ended");
    switch (m_run.state) {
    case RunState::Ended: return tr("ended without MPI_Finalize");
    case RunState::Gone: return tr("is gone: killed, or its machine went down");
    case RunState::Running:
        if (!m_last) return tr("runs; no sample yet");
        return m_last->isStopped ? tr("runs; its path is stopped") : tr("runs");
    case RunState::Unknown: break;
    }
    return m_last && m_sinceSample.elapsed() > 60'000 ? tr("on another machine; %1").arg(beside)
                                                      : tr("on another machine");
}

QString LivePage::sentence() const
{
    if (!m_last) return tr("The first sample comes when all ranks have met often enough.");
    return sampleText(*m_last).trimmed();
}

QString LivePage::doubt() const
{
    if (!m_last) return {};
    const QString own = tr("Following it took %1 of all ranks together, with waiting for each other.")
                            .arg(formatTime(m_last->own));
    return QString(own % QLatin1Char(' ') % doubtText(*m_last).replace(QLatin1Char('\n'), QLatin1Char(' '))).trimmed();
}

LiveBy LivePage::by() const { return m_by->currentIndex() == 1 ? LiveBy::Rank : LiveBy::Procedure; }

void LivePage::showAll()
{
    if (m_last) {
        std::vector<NameToColour> names;
        for (const OnlineProcedure& row : m_last->procedures)
            names.push_back({.name = row.name, .isLarge = names.size() < mostLines});
        for (const OnlineRank& row : m_last->ranks) names.push_back({.name = rankName(row.rank), .isLarge = false});
        // A name keeps the colour that it has.
        m_colours.insert(m_known.begin(), m_known.end());
        m_colours = colourNumbers(names, paletteColours(PaletteKind::Calm), m_colours);
    }
    showState();
    showPlots();
    showProcedures();
    showRanks();
}

void LivePage::showState()
{
    m_state->setText(stateText());
    m_sentence->setText(sentence());
    m_doubt->setText(doubt());
    m_doubt->setVisible(m_last.has_value());
    const bool goesOn = isWatching() && m_run.state != RunState::Ended && m_run.state != RunState::Gone
                        && !(m_last && m_last->isFinal);
    const bool isStopped = m_last && m_last->isStopped;
    m_stop->setText(isStopped ? tr("Start the path") : tr("Stop the path"));
    m_stop->setToolTip(isStopped ? tr("Counts what comes from now on")
                                 : tr("Leaves out what comes until it is started again; the program runs on"));
    m_stop->setVisible(goesOn);
    m_follow->setVisible(goesOn);
    m_open->setVisible(m_run.hasTrace);
    m_open->setText(goesOn ? tr("Open what is recorded so far") : tr("Open the recording"));
}

QColor LivePage::colourOf(const QString& name) const
{
    const auto found = m_colours.find(name);
    const std::span<const QRgb> colours = paletteColours(PaletteKind::Calm);
    return found == m_colours.end() ? themeOf(*this).mutedText : QColor(colours[found->second]);
}

void LivePage::showPlots()
{
    const std::vector<double> times = m_series.times();
    const QString notice = m_last ? QString() : tr("No sample yet");
    std::vector<PlotSeries> lengths, shares;
    if (m_last) {
        lengths.push_back({.name = tr("time that was followed"),
                           .color = themeOf(*this).faintText,
                           .x = times,
                           .y = m_series.covered()});
        lengths.push_back({.name = tr("path"), .color = themeOf(*this).accent, .x = times, .y = m_series.lengths()});
        for (const QString& name : m_series.largest(by(), mostLines))
            shares.push_back({.name = name, .color = colourOf(name), .x = times, .y = m_series.shares(by(), name)});
    }
    for (std::vector<PlotSeries>* all : {&lengths, &shares})
        for (PlotSeries& one : *all) one.hasDots = times.size() < 2;
    m_lengths->setSeries(std::move(lengths), 0.0);
    m_shares->setSeries(std::move(shares), 0.0);
    m_lengths->setNotice(notice);
    m_shares->setNotice(notice);
}

void LivePage::showProcedures()
{
    const auto rows = std::make_shared<const std::vector<OnlineProcedure>>(m_last ? m_last->procedures
                                                                                  : std::vector<OnlineProcedure>());
    const TimeNs length = m_last ? m_last->length : 0;
    std::map<QString, QColor> colours;
    for (const OnlineProcedure& row : *rows) colours[row.name] = colourOf(row.name);
    TableContent content{.columns = {}, .rows = rows->size()};
    content.columns.push_back({.key = QStringLiteral("name"),
                               .title = tr("Procedure"),
                               .value = [rows](std::size_t row) { return QVariant(onOneLine((*rows)[row].name)); },
                               .swatch = [rows, colours](std::size_t row) { return colours.at((*rows)[row].name); },
                               .meaning = tr("A region or function, or the MPI calls around the code")});
    addShares(content, length, [rows](std::size_t row) { return (*rows)[row].share; });
    content.columns.push_back({.key = QStringLiteral("cpu_ns"),
                               .title = tr("All ranks"),
                               .kind = CellKind::Time,
                               .value = [rows](std::size_t row) { return cellOf((*rows)[row].cpu); },
                               .meaning = tr("Its time on all ranks together")});
    content.columns.push_back({.key = QStringLiteral("gain_ns"),
                               .title = tr("Gain"),
                               .kind = CellKind::Time,
                               .value =
                                   [rows, length](std::size_t row) {
                                       const std::optional<TimeNs>& net = (*rows)[row].net;
                                       return net ? cellOf(length - *net) : QVariant();
                                   },
                               .meaning = tr("What the path were shorter if it cost nothing, since that is followed")});
    const QStringList selected = selectedProcedures();
    m_listed.clear();
    for (const OnlineProcedure& row : *rows) m_listed << row.name;
    m_procedures->setContent(std::move(content));
    m_procedures->setColumnWidths({0, 60, 46, 60, 56});
    selectProcedures(selected);
}

QStringList LivePage::selectedProcedures() const
{
    QStringList names;
    for (const QModelIndex& index : m_procedures->selectionModel()->selectedRows())
        names << m_listed[static_cast<qsizetype>(m_procedures->table().contentRow(index.row()))];
    return names;
}

// As far as they are listed: a table that gets new content forgets what was selected.
void LivePage::selectProcedures(const QStringList& names)
{
    const TableModel& model = m_procedures->table();
    const QSet<QString> wanted(names.begin(), names.end());
    QItemSelection selection;
    for (qsizetype row = 0; row < m_listed.size(); ++row) {
        const QModelIndex index = model.index(model.rowOf(static_cast<std::size_t>(row)), 0);
        if (index.isValid() && wanted.contains(m_listed[row])) selection.select(index, index);
    }
    m_procedures->selectionModel()->select(selection, QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

void LivePage::showRanks()
{
    const auto rows = std::make_shared<const std::vector<OnlineRank>>(m_last ? m_last->ranks
                                                                             : std::vector<OnlineRank>());
    std::map<std::int64_t, QColor> colours;
    for (const OnlineRank& row : *rows) colours[row.rank] = colourOf(rankName(row.rank));
    TableContent content{.columns = {}, .rows = rows->size()};
    content.columns.push_back({.key = QStringLiteral("rank"),
                               .title = tr("Rank"),
                               .kind = CellKind::Number,
                               .value = [rows](std::size_t row) { return QVariant(qlonglong((*rows)[row].rank)); },
                               .swatch = [rows, colours](std::size_t row) { return colours.at((*rows)[row].rank); },
                               .meaning = tr("The rank in MPI_COMM_WORLD")});
    addShares(content, m_last ? m_last->length : 0, [rows](std::size_t row) { return (*rows)[row].share; });
    m_ranks->setContent(std::move(content));
    m_ranks->setColumnWidths({60, 0, 60});
}

void LivePage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_ranks != nullptr) showAll();
}

void LivePage::tell(const Result<>& done, const QString& text)
{
    if (done) Q_EMIT asked(text);
    else Q_EMIT failed(done.error());
}

void LivePage::stopOrStart()
{
    const bool isStopped = m_last && m_last->isStopped;
    tell(askForPath(m_folder, isStopped ? PathWish::Start : PathWish::Stop),
         tr("Asked for: the program looks once a second, when all ranks meet."));
}

void LivePage::followSelected()
{
    const QStringList names = selectedProcedures();
    if (names.isEmpty()) {
        Q_EMIT asked(tr("Select procedures in the table first."));
        return;
    }
    tell(askForProcedures(m_folder, names), tr("Asked for: their gains are followed from the next time on when all "
                                               "ranks meet."));
}

}  // namespace longpole
