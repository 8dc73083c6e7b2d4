// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/sqlpanel.h"

#include "analysis/base/naming.h"
#include "analysis/waiting/sqltables.h"
#include "core/base/limits.h"
#include "core/sql/sqlsession.h"
#include "core/trace/format.h"
#include "views/state/panelspec.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>

namespace longpole {

namespace {

// What a cell takes: a text of the trace may stand in each row of an answer.
std::int64_t bytesOfCell(const QVariant& cell)
{
    const auto own = static_cast<std::int64_t>(sizeof(QVariant));
    if (cell.typeId() == QMetaType::QString) return own + std::int64_t{sizeof(QChar)} * cell.toString().size();
    return cell.typeId() == QMetaType::QByteArray ? own + cell.toByteArray().size() : own;
}

struct Example {
    Saying title;
    const char* sql;
};

const Example examples[] = {
    {QT_TRANSLATE_NOOP("longpole::SqlPanel", "Longest tasks"),
     "SELECT task, entry.name, (end_ns - begin_ns) AS duration_ns\n"
     "FROM task JOIN entry ON entry.id = task.entry ORDER BY duration_ns DESC LIMIT 50"},
    {{QT_TRANSLATE_NOOP("longpole::SqlPanel", "Time per entry method"),
      QT_TRANSLATE_NOOP("longpole::SqlPanel", "Time per region")},
     "SELECT entry.name, sum(count) AS tasks, sum(exclusive_ns) AS time_ns\n"
     "FROM profile JOIN entry ON entry.id = profile.entry GROUP BY entry.id ORDER BY time_ns DESC"},
    {{QT_TRANSLATE_NOOP("longpole::SqlPanel", "Idle time per PE"),
      QT_TRANSLATE_NOOP("longpole::SqlPanel", "Idle time per rank")},
     "SELECT pe, sum(end_ns - begin_ns) AS idle_ns FROM idle GROUP BY pe ORDER BY idle_ns DESC"},
    {QT_TRANSLATE_NOOP("longpole::SqlPanel", "Slowest messages"),
     "SELECT task, source, begin_ns - sent_ns AS latency_ns FROM task\n"
     "WHERE sent_ns IS NOT NULL ORDER BY latency_ns DESC LIMIT 50"},
    {QT_TRANSLATE_NOOP("longpole::SqlPanel", "About the trace"), "SELECT key, value FROM meta"},
};

}  // namespace

Result<SqlTable> runSql(const std::shared_ptr<Results>& results, const QString& sql, std::size_t limit,
                        const Progress& progress)
{
    const Result<std::unique_ptr<SqlSession>> session = SqlSession::open(results->sharedStore(),
                                                                         waitingTables(results));
    if (!session.ok()) return session.error();
    SqlTable table;
    const Result<> done = (*session)->run(
        sql, [&table](const QStringList& columns) { table.columns = columns; },
        [&table, limit, bytesLeft = limits::sqlAnswer.free](std::span<const QVariant> row) mutable {
            for (const QVariant& cell : row) bytesLeft -= bytesOfCell(cell);
            table.isCut = table.rows.size() == limit || bytesLeft < 0;
            if (!table.isCut) table.rows.emplace_back(row.begin(), row.end());
            return !table.isCut;
        },
        progress);
    if (!done.ok()) return done.error();
    return table;
}

Result<std::vector<SqlTableColumns>> sqlTables(const std::shared_ptr<Results>& results)
{
    const Result<std::unique_ptr<SqlSession>> session = SqlSession::open(results->sharedStore(),
                                                                         waitingTables(results));
    if (!session.ok()) return session.error();
    std::vector<SqlTableColumns> tables;
    for (const QString& name : (*session)->tables())
        if (!name.startsWith(QLatin1String("chunk"))) tables.push_back({name, (*session)->columnsOf(name)});
    return tables;
}

SqlPanel::SqlPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    layout->addWidget(split);
    split->addWidget(createQuestion(split));
    split->addWidget(createAnswer(split));
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({420, 640});
    connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
    connect(m_export, &QPushButton::clicked, m_table, &TableView::exportCsv);
    connect(m_plotted, &QPushButton::toggled, this, &SqlPanel::setPlotShown);
    connect(m_table, &TableView::exportFailed, this, &SqlPanel::exportFailed);
    connect(m_plot, &Plot::exportFailed, this, &SqlPanel::exportFailed);
    connect(m_table, &TableView::rowChosen, this, &SqlPanel::choose);
    connect(m_table, &TableView::rowActivated, this, [this](std::size_t row, int) { showRange(row); });
    for (QComboBox* choice : {m_x, m_y}) connect(choice, &QComboBox::activated, this, &SqlPanel::showPlot);
    connect(m_tables, &QMenu::aboutToShow, this, &SqlPanel::fillTables);
    connect(m_examples, &QComboBox::activated, this, [this](int index) {
        if (index == 0) return;
        m_editor->setPlainText(QLatin1String(examples[index - 1].sql));
        m_examples->setCurrentIndex(0);
        run();
    });
}

QWidget* SqlPanel::createQuestion(QWidget* parent)
{
    auto* left = new QWidget(parent);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(7);
    m_editor = new QPlainTextEdit(left);
    m_editor->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_editor->setAccessibleName(tr("SQL"));
    m_editor->setPlaceholderText(
        tr("SELECT … FROM task, message, idle, entry, processor, profile, issue, meta …\n"
           "Ctrl+Return runs it."));
    m_editor->setTabChangesFocus(true);
    m_editor->installEventFilter(this);
    setFocusProxy(m_editor);
    m_run = new QPushButton(tr("Run"), left);
    m_run->setToolTip(tr("Run the statement (Ctrl+Return)"));
    m_tables = new QMenu(left);
    auto* tables = new QPushButton(tr("Tables"), left);
    tables->setToolTip(tr("The tables of the trace and their columns"));
    tables->setMenu(m_tables);
    m_examples = new QComboBox(left);
    m_examples->addItem(tr("Examples"));
    for (const Example& example : examples) m_examples->addItem(tr(m_state.store().words().say(example.title)));
    m_examples->setAccessibleName(tr("Examples"));
    m_plotted = new QPushButton(tr("Plot"), left);
    m_plotted->setToolTip(tr("A column of figures over another"));
    m_plotted->setCheckable(true);
    m_export = new QPushButton(tr("Export CSV …"), left);
    for (QPushButton* needsRows : {m_plotted, m_export}) needsRows->setEnabled(false);
    auto* buttons = new QHBoxLayout;
    for (QWidget* each : std::initializer_list<QWidget*>{m_run, tables, m_examples, m_plotted, m_export})
        buttons->addWidget(each);
    buttons->addStretch();
    m_message = new QLabel(left);
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setObjectName(QStringLiteral("muted"));
    column->addWidget(m_editor, 1);
    column->addLayout(buttons);
    column->addWidget(m_message);
    return left;
}

QWidget* SqlPanel::createAnswer(QWidget* parent)
{
    m_pages = new QStackedWidget(parent);
    m_table = new TableView(m_pages);
    m_table->setAccessibleName(tr("Result"));
    auto* plotted = new QWidget(m_pages);
    m_y = new QComboBox(plotted);
    m_y->setAccessibleName(tr("Column that is plotted"));
    m_x = new QComboBox(plotted);
    m_x->setAccessibleName(tr("Column over which it is plotted"));
    auto* choices = new QHBoxLayout;
    choices->setContentsMargins(12, 8, 12, 0);
    choices->addWidget(m_y);
    choices->addWidget(new QLabel(tr("over"), plotted));
    choices->addWidget(m_x);
    choices->addStretch();
    m_plot = new Plot(plotted);
    m_plot->setAccessibleName(tr("Plot of the result"));
    auto* column = new QVBoxLayout(plotted);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(choices);
    column->addWidget(m_plot, 1);
    m_pages->addWidget(m_table);
    m_pages->addWidget(plotted);
    return m_pages;
}

// Asked once, as the menu is first opened.
void SqlPanel::fillTables()
{
    if (!m_tables->isEmpty()) return;
    m_tables->addAction(tr("Reading …"))->setEnabled(false);
    m_listing.start([results = m_state.results()](const Progress&) { return sqlTables(results); },
                    [this](Result<std::vector<SqlTableColumns>> found) {
                        m_tables->clear();
                        if (!found.ok()) return showError(found.error());
                        for (const SqlTableColumns& each : *found) {
                            QMenu* table = m_tables->addMenu(each.table);
                            table->addAction(tr("Show its first rows"), this, [this, name = each.table] {
                                m_editor->setPlainText(QStringLiteral("SELECT * FROM %1 LIMIT 100").arg(name));
                                run();
                            });
                            table->addSeparator();
                            for (const QString& name : each.columns)
                                table->addAction(name, this, [this, name] {
                                    m_editor->insertPlainText(name);
                                    m_editor->setFocus();
                                });
                        }
                    });
}

void SqlPanel::run()
{
    const QString sql = m_editor->toPlainText().trimmed();
    if (sql.isEmpty()) return;
    setMessage(tr("Running …"), false);
    m_run->setText(tr("Cancel"));
    m_running.start(
        [results = m_state.results(), sql](const Progress& progress) {
            return runSql(results, sql, std::size_t{limits::sqlRows.free}, progress);
        },
        [this](Result<SqlTable> table) {
            m_run->setText(tr("Run"));
            if (table.ok()) showTable(std::move(*table));
            else showError(table.error());
            Q_EMIT finished();
        });
}

void SqlPanel::cancel()
{
    m_running.cancel();
    m_run->setText(tr("Run"));
    setMessage(tr("Cancelled."), false);
    Q_EMIT finished();
}

void SqlPanel::showTable(SqlTable result)
{
    m_result = std::make_shared<const SqlTable>(std::move(result));
    SqlContent content = sqlContent(m_result, m_state.sharedStore());
    m_columns = std::move(content.columns);
    m_table->setContent(std::move(content.table));
    m_table->resizeColumnsToContents();
    m_export->setEnabled(true);
    offerColumns();
    const auto rows = static_cast<std::int64_t>(m_result->rows.size());
    setMessage(m_result->isCut ? tr("The first %1 rows; there are more.").arg(formatCount(rows))
               : rows == 1     ? tr("1 row")
                               : counted("%1 rows", "%1 row", rows),
               false);
}

// A task is shown where it ran.
void SqlPanel::choose(std::size_t row, int column)
{
    const auto task = taskIn(*m_result, m_state.store(), row, m_columns[static_cast<std::size_t>(column)]);
    if (!task || !m_state.store().task(*task).ok()) return;
    m_state.reveal(Selection{.task = *task, .message = {}});
}

// A row that has begin and end is a part of the run.
void SqlPanel::showRange(std::size_t row)
{
    const TimeRange range = intersection(rangeIn(*m_result, row), m_state.fullRange());
    if (range.isEmpty()) return;
    m_state.setRange(range);
    Q_EMIT timelineRequested();
}

// What was plotted is plotted again, as far as the new rows have it; else the last column over the first.
void SqlPanel::offerColumns()
{
    const std::vector<std::size_t> numeric = numericColumns(*m_result);
    const QString x = m_x->currentText(), y = m_y->currentText();
    m_x->clear();
    m_y->clear();
    m_x->addItem(tr("number of the row"), -1);
    for (const std::size_t column : numeric)
        for (QComboBox* choice : {m_x, m_y})
            choice->addItem(m_result->columns[static_cast<qsizetype>(column)], static_cast<int>(column));
    m_y->setCurrentIndex(m_y->findText(y) >= 0 ? m_y->findText(y) : m_y->count() - 1);
    m_x->setCurrentIndex(m_x->findText(x) >= 0 ? m_x->findText(x) : (numeric.size() > 1 ? 1 : 0));
    m_plotted->setEnabled(!numeric.empty() && !m_result->rows.empty());
    if (!m_plotted->isEnabled()) m_plotted->setChecked(false);
    showPlot();
}

void SqlPanel::showPlot()
{
    if (!m_result || m_y->currentIndex() < 0) return m_plot->setSeries({});
    const int x = m_x->currentData().toInt(), y = m_y->currentData().toInt();
    PlotSeries series = seriesOf(*m_result, x < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(x)),
                                 static_cast<std::size_t>(y), m_state.store().info().begin);
    series.color = themeOf(*this).utilization;
    m_plot->setAxes({m_x->currentText(), x < 0 ? PlotUnit::Number : unitOfColumn(m_x->currentText())},
                    {m_y->currentText(), unitOfColumn(m_y->currentText())});
    m_plot->setSeries({std::move(series)});
}

void SqlPanel::setPlotShown(bool shown)
{
    m_plotted->setChecked(shown);
    m_pages->setCurrentIndex(shown ? 1 : 0);
}

void SqlPanel::showError(const Error& error)
{
    setMessage(error.hint.isEmpty() ? error.what : error.what % QLatin1Char('\n') % error.hint, true);
}

void SqlPanel::setMessage(const QString& text, bool isError)
{
    m_message->setObjectName(isError ? QStringLiteral("errorText") : QStringLiteral("muted"));
    m_message->style()->unpolish(m_message);
    m_message->style()->polish(m_message);
    m_message->setText(text);
}

bool SqlPanel::eventFilter(QObject* watched, QEvent* event)
{
    // Ctrl+Return is the window's shortcut for the path, but in the editor it runs the statement.
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched == m_editor && isKey) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && (key->modifiers() & Qt::ControlModifier)) {
            if (event->type() == QEvent::KeyPress) run();
            event->accept();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

namespace {

QWidget* createSql(PanelHost& host, QWidget* parent)
{
    auto* panel = static_cast<SqlPanel*>(makePanel<SqlPanel>(host, parent));
    QObject::connect(panel, &SqlPanel::timelineRequested, &host, &PanelHost::timelineRequested);
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec sql;
const PanelSpec sql{
    .id = "panel.sql",
    .title = QT_TRANSLATE_NOOP("Actions", "SQL"),
    .command = QT_TRANSLATE_NOOP("Actions", "S&QL"),
    .question = QT_TRANSLATE_NOOP("Actions", "What else can I ask?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Ask the trace in SQL"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "Questions to the trace in SQL that only reads. Write a SELECT and run it; Tables lists what can be asked. "
        "Times "
        "stand beside their nanoseconds, a click on a task shows it, a double-click on a row with begin_ns and end_ns "
        "that part of the run. Plot draws a column over another."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "query, database, select, filter, export, custom"),
    .group = PanelGroup::Data,
    .create = createSql,
};

}  // namespace panels

}  // namespace longpole
