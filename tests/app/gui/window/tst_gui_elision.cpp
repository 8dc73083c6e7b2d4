// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's views say is not cut: numbers are whole, names keep what tells them apart.
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/windowfixture.h"
#include "app/smalltrace.h"
#include "views/path/criticalpathpanel.h"
#include "views/timeline/legendbar.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"

#include <QComboBox>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTest>
#include <QToolButton>

using namespace longpole;
using namespace longpole::test;

class ElisionTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        shareCache();
        writeTrace(
            QStringLiteral("a-run-of-a-program-whose-name-says-its-whole-configuration-"
                           "molecular-dynamics-charm-8.0.0-verbs-smp-1024-pes-third-try.longpole"));
    }
    void init()
    {
        prepare();
        m_window = std::make_unique<MainWindow>(*m_settings);
    }
    void cleanup() { end(); }

    // Of two scales, too: ctest runs this test once more with QT_SCALE_FACTOR=2.
    void numbersAreWholeAndNamesAreNames_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QSize>("size");
        const std::pair<const char*, QString> traces[] = {{"long names", m_small},
                                                          {"a real run",
                                                           QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8")}};
        for (const auto& [name, path] : traces)
            for (const QSize size : {QSize(1280, 720), QSize(1440, 900), QSize(3840, 2160)})
                QTest::addRow("%s, %d x %d", name, size.width(), size.height()) << path << size;
    }
    void numbersAreWholeAndNamesAreNames()
    {
        QFETCH(QString, path);
        QFETCH(QSize, size);
        show(size);
        open(path);
        m_window->workspace()->state().reveal(Selection{.task = TaskId{ProcessorId{0}, 1}, .message = {}});
        int cells = 0, boxes = 0, colours = 0;
        for (const PanelSpec* spec : panelSpecs()) {
            m_window->showTab(QLatin1String(spec->id));
            QTest::qWait(60);
            const QString panel = QString::fromLatin1(spec->id);
            for (TableView* table : m_window->findChildren<TableView*>())
                if (table->isVisible()) cells += wholeCells(*table, panel);
            for (QComboBox* combo : m_window->findChildren<QComboBox*>()) boxes += isWhole(*combo, panel);
            for (LegendBar* legend : m_window->findChildren<LegendBar*>()) {
                if (!legend->isVisible()) continue;
                int found = 0;  // at first none: what the view shows is summed up on another thread
                QTRY_VERIFY((found = wholeColours(*legend, panel)) > 0);
                colours += found;
            }
        }
        QVERIFY2(cells > 20, qPrintable(QString::number(cells)));
        QVERIFY2(boxes > 20, qPrintable(QString::number(boxes)));
        QVERIFY2(colours > 0, qPrintable(QString::number(colours)));
        QVERIFY(steps() > 0);
    }

    void aNameLosesWhatAllShareThenItsMiddle()
    {
        TableView table;
        TableContent content;
        const QStringList names{QStringLiteral("Compute::Compute(CkMigrateMessage*)"),
                                QStringLiteral("Compute::ComputeEnergiesAndForces(ParticleDataMsg*)"),
                                QStringLiteral("Compute::ComputeVirial(ParticleDataMsg*)")};
        content.rows = 3;
        content.columns = {{.key = QStringLiteral("name"),
                            .title = QStringLiteral("Name"),
                            .value = [names](std::size_t row) { return QVariant(names[int(row)]); }},
                           {.key = QStringLiteral("share"),
                            .title = QStringLiteral("Share"),
                            .kind = CellKind::Share,
                            .value = [](std::size_t) { return QVariant(0.25); },
                            .bars = [](std::size_t) { return std::pair(0.25, 0.5); }}};
        table.setContent(content);
        table.setColumnWidths({0, 60});
        QCOMPARE(table.sharedPrefix(0), QStringLiteral("Compute::"));
        table.resize(600, 200);
        table.show();
        const int withBars = table.columnWidth(1);
        table.resize(260, 200);  // bars give way, the figure and the name do not
        QTRY_VERIFY(table.columnWidth(1) < withBars);
        QVERIFY(table.columnWidth(0) >= 18 * table.fontMetrics().averageCharWidth());
        QVERIFY(table.columnWidth(1) >= table.fontMetrics().horizontalAdvance(QStringLiteral("25.0 %")) + 16);
    }

private:
    // Counts the cells whose text is whole, or a name of at least 18 letters; fails on any other one.
    static int wholeCells(const TableView& table, const QString& panel)
    {
        const QFontMetrics metrics(table.font());
        int count = 0;
        for (int row = 0; row < std::min(40, table.model()->rowCount()); ++row)
            for (int column = 0; column < table.model()->columnCount(); ++column) {
                if (table.isColumnHidden(column)) continue;
                const QModelIndex cell = table.model()->index(row, column);
                const QString text = cell.data().toString();
                const bool isFigure = cell.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignRight;
                const int wanted = metrics.horizontalAdvance(text) + 16;
                const int letters = isFigure ? wanted : std::min(wanted, 18 * metrics.averageCharWidth());
                if (table.columnWidth(column) < letters)
                    QTest::qFail(qPrintable(QStringLiteral("%1: \"%2\" is cut").arg(panel, text)), __FILE__, __LINE__);
                ++count;
            }
        return count;
    }

    // 1 if the box shows all of what is chosen, or of a longer name 18 letters; fails if it does not.
    static int isWhole(const QComboBox& combo, const QString& panel)
    {
        if (!combo.isVisible() || combo.currentText().isEmpty()) return 0;
        QStyleOptionComboBox option;
        option.initFrom(&combo);
        option.editable = combo.isEditable();
        const QRect field = combo.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField,
                                                          &combo);
        const QFontMetrics metrics = combo.fontMetrics();
        const int icon = combo.itemIcon(combo.currentIndex()).isNull() ? 0 : combo.iconSize().width() + 4;
        const int least = std::min(metrics.horizontalAdvance(combo.currentText()), 18 * metrics.averageCharWidth());
        if (field.width() < least + icon)
            QTest::qFail(qPrintable(QStringLiteral("%1: the box \"%2\" is cut").arg(panel, combo.currentText())),
                         __FILE__, __LINE__);
        return 1;
    }

    // Counts the colours of the strip; each has its share whole, and its name unless the strip is full.
    static int wholeColours(const LegendBar& legend, const QString& panel)
    {
        int count = 0, end = 0;
        bool isElided = false;
        for (const QToolButton* button : legend.findChildren<QToolButton*>(QStringLiteral("legendItem"))) {
            if (!button->isVisible()) continue;
            ++count;
            end = std::max(end, button->geometry().right());
            const QString name = button->text().section(QStringLiteral("  "), 0, 0);
            isElided = isElided || name.contains(QChar(0x2026));
            const bool isName = !name.contains(QChar(0x2026)) || name.size() >= 18;
            if (!isName || button->width() < button->sizeHint().width())
                QTest::qFail(qPrintable(QStringLiteral("%1: the colour \"%2\" is cut").arg(panel, button->text())),
                             __FILE__, __LINE__);
        }
        if (isElided && legend.states().geometry().left() - end > 400)
            QTest::qFail(qPrintable(QStringLiteral("%1: a colour's name is cut beside an empty strip").arg(panel)),
                         __FILE__, __LINE__);
        return count;
    }

    // Rows of the path's table, whose cells were looked at.
    int steps() { return m_window->workspace()->panel<CriticalPathPanel>(panels::path.id).steps().model()->rowCount(); }
};

LONGPOLE_GUI_TEST(ElisionTest)
#include "tst_gui_elision.moc"
