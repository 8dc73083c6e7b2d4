// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/sqlpanel.h"

#include "analysis/waiting/sqltables.h"
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
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStyle>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr std::size_t rowLimit = 100'000;  // of the panel's table

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
        [&table, limit](std::span<const QVariant> row) {
            table.isCut = table.rows.size() == limit;
            if (!table.isCut) table.rows.emplace_back(row.begin(), row.end());
            return !table.isCut;
        },
        progress);
    if (!done.ok()) return done.error();
    return table;
}

SqlPanel::SqlPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    createWidgets();
    connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
    connect(m_export, &QPushButton::clicked, m_table, &TableView::exportCsv);
    connect(m_table, &TableView::exportFailed, this, &SqlPanel::exportFailed);
    connect(m_examples, &QComboBox::activated, this, [this](int index) {
        if (index == 0) return;
        m_editor->setPlainText(QLatin1String(examples[index - 1].sql));
        m_examples->setCurrentIndex(0);
        run();
    });
}

void SqlPanel::createWidgets()
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    layout->addWidget(split);

    auto* left = new QWidget(split);
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
    auto* buttons = new QHBoxLayout;
    m_run = new QPushButton(tr("Run"), left);
    m_run->setToolTip(tr("Run the statement (Ctrl+Return)"));
    m_examples = new QComboBox(left);
    m_examples->addItem(tr("Examples"));
    for (const Example& example : examples) m_examples->addItem(tr(m_state.store().words().say(example.title)));
    m_examples->setAccessibleName(tr("Examples"));
    m_export = new QPushButton(tr("Export CSV …"), left);
    m_export->setEnabled(false);
    buttons->addWidget(m_run);
    buttons->addWidget(m_examples);
    buttons->addWidget(m_export);
    buttons->addStretch();
    m_message = new QLabel(left);
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setObjectName(QStringLiteral("muted"));
    column->addWidget(m_editor, 1);
    column->addLayout(buttons);
    column->addWidget(m_message);

    m_table = new TableView(split);
    m_table->setAccessibleName(tr("Result"));
    split->addWidget(left);
    split->addWidget(m_table);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({420, 640});
}

QString SqlPanel::message() const { return m_message->text(); }

void SqlPanel::run()
{
    const QString sql = m_editor->toPlainText().trimmed();
    if (sql.isEmpty()) return;
    setMessage(tr("Running …"), false);
    m_run->setText(tr("Cancel"));
    m_running.start([results = m_state.results(),
                     sql](const Progress& progress) { return runSql(results, sql, rowLimit, progress); },
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
    const auto table = std::make_shared<const SqlTable>(std::move(result));
    TableContent content;
    content.rows = table->rows.size();
    for (std::size_t i = 0; i < static_cast<std::size_t>(table->columns.size()); ++i) {
        const bool isNumber = !table->rows.empty() && table->rows.front()[i].typeId() != QMetaType::QString;
        const QString& name = table->columns[static_cast<qsizetype>(i)];
        content.columns.push_back({.key = name,
                                   .title = name,
                                   .kind = isNumber ? CellKind::Number : CellKind::Text,
                                   .value = [table, i](std::size_t row) { return table->rows[row][i]; }});
    }
    m_table->setContent(std::move(content));
    m_table->resizeColumnsToContents();
    m_export->setEnabled(true);
    const auto rows = static_cast<std::int64_t>(table->rows.size());
    setMessage(table->isCut ? tr("The first %1 rows; there are more.").arg(formatCount(rows))
               : rows == 1  ? tr("1 row")
                            : tr("%1 rows").arg(formatCount(rows)),
               false);
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
        "Questions to the trace in SQL that only reads. Write a SELECT and run it; sqlite_master lists the "
        "tables, pragma_table_info('task') the columns of one."),
    .group = PanelGroup::Data,
    .create = makePanel<SqlPanel>,
};

}  // namespace panels

}  // namespace longpole
