// SPDX-License-Identifier: GPL-3.0-or-later
// The program's one table: sorting, filtering, copying and exporting rows that are functions.
#include "views/widgets/tablemodel.h"

#include "support/testmain.h"

#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QTest>

using namespace longpole;

namespace {

struct Fruit {
    QString name;
    qlonglong grams;
    double share;
};

// One row without a weight.
TableContent fruits()
{
    static const std::vector<Fruit> list{{QStringLiteral("pear"), 900, 0.3},
                                         {QStringLiteral("fig, \"dried\""), 30, 0.1},
                                         {QStringLiteral("apple"), 120, 0.4},
                                         {QStringLiteral("plum"), -1, 0.2}};
    TableContent content;
    content.rows = list.size();
    content.columns = {
        {.key = QStringLiteral("name"),
         .title = QStringLiteral("Name"),
         .value = [](std::size_t row) { return QVariant(list[row].name); }},
        {.key = QStringLiteral("grams"),
         .title = QStringLiteral("Weight"),
         .kind = CellKind::Count,
         .value = [](std::size_t row) { return list[row].grams < 0 ? QVariant() : QVariant(list[row].grams); }},
        {.key = QStringLiteral("share"),
         .title = QStringLiteral("Share"),
         .kind = CellKind::Share,
         .value = [](std::size_t row) { return QVariant(list[row].share); }},
        {.key = QStringLiteral("bars"),
         .title = QStringLiteral("Bars"),
         .kind = CellKind::Share,
         .value = [](std::size_t row) { return QVariant(list[row].share); },
         .bars = [](std::size_t row) { return std::pair(list[row].share, 0.5); },
         .text = [](std::size_t) { return QStringLiteral("p / 50"); }},
    };
    return content;
}

QString names(const TableModel& model)
{
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row)
        list.append(model.index(row, 0).data().toString().section(QLatin1Char(','), 0, 0));
    return list.join(QLatin1Char(' '));
}

}  // namespace

class TableModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void sorts_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<bool>("ascending");
        QTest::addColumn<QString>("expected");
        QTest::newRow("by name") << 0 << true << QStringLiteral("apple fig pear plum");
        QTest::newRow("by name, down") << 0 << false << QStringLiteral("plum pear fig apple");
        QTest::newRow("numbers as numbers, empty last") << 1 << true << QStringLiteral("fig apple pear plum");
        QTest::newRow("by share") << 2 << true << QStringLiteral("fig plum pear apple");
        QTest::newRow("bars by their first share") << 3 << false << QStringLiteral("apple pear plum fig");
        QTest::newRow("as given") << -1 << true << QStringLiteral("pear fig apple plum");
    }
    void sorts()
    {
        QFETCH(int, column);
        QFETCH(bool, ascending);
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setContent(fruits());
        model.sort(column, ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
        QTEST(names(model), "expected");
    }

    // Not by their ids, which nobody sees.
    void sortsEntryMethodsByName()
    {
        TableModel model;
        TableContent content = fruits();
        content.columns.push_back({.key = QStringLiteral("entry"),
                                   .title = QStringLiteral("Entry"),
                                   .kind = CellKind::Entry,
                                   .value = [](std::size_t row) {
                                       return row == 3 ? QVariant() : QVariant(int(row));
                                   }});
        content["entry"].text = [name = content["name"].value](std::size_t row) { return name(row).toString(); };
        model.setContent(std::move(content));
        model.sort(4, Qt::AscendingOrder);
        QCOMPARE(names(model), QStringLiteral("apple fig pear plum"));
    }

    void keepsTheCurrentRowWhileSorting()
    {
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setContent(fruits());
        const QPersistentModelIndex apple = model.index(2, 0);
        model.sort(0, Qt::AscendingOrder);
        QCOMPARE(apple.row(), 0);
        QCOMPARE(apple.data().toString(), QStringLiteral("apple"));
        QCOMPARE(model.rowOf(2), 0);
        QCOMPARE(model.contentRow(0), std::size_t(2));
    }

    void filtersAnyColumn()
    {
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setContent(fruits());
        model.setFilter(QStringLiteral("PL"));
        QCOMPARE(names(model), QStringLiteral("apple plum"));
        model.sort(0, Qt::DescendingOrder);
        QCOMPARE(names(model), QStringLiteral("plum apple"));
        QCOMPARE(model.rowOf(0), -1);
        model.setFilter(QStringLiteral("900"));
        QCOMPARE(names(model), QStringLiteral("pear"));
        model.setFilter({});
        QCOMPARE(model.rowCount(), 4);
    }

    void exportsCsvWithRawValues()
    {
        TableModel model;
        model.setContent(fruits());
        QCOMPARE(model.toCsv(), QByteArray("name,grams,share,bars\r\n"
                                           "pear,900,0.3,0.3\r\n"
                                           "\"fig, \"\"dried\"\"\",30,0.1,0.1\r\n"
                                           "apple,120,0.4,0.4\r\n"
                                           "plum,,0.2,0.2\r\n"));
        model.setFilter(QStringLiteral("pear"));
        QCOMPARE(model.toCsv(), QByteArray("name,grams,share,bars\r\npear,900,0.3,0.3\r\n"));
    }

    void copiesTextAsReadAndJsonAsRaw()
    {
        TableModel model;
        model.setContent(fruits());
        QCOMPARE(model.toText({0, 3}), QStringLiteral("pear\t900\t30.0 %\tp / 50\nplum\t\t20.0 %\tp / 50\n"));
        QCOMPARE(dump(model.toJson({1}), -1),
                 QByteArray("[{\"name\":\"fig, \\\"dried\\\"\",\"grams\":30,\"share\":0.1,\"bars\":0.1}]\n"));
    }

    // A note of a megabyte took seconds to measure, each time that it was painted.
    void longTextsShowTheirBegin()
    {
        const QString text = QString(1'000'000, QLatin1Char('m')) % QLatin1Char('z');
        TableContent content = fruits();
        content["name"].value = [text](std::size_t) { return QVariant(text); };
        content["bars"].text = [text](std::size_t) { return text; };
        TableModel model;
        model.setContent(std::move(content));
        for (const int column : {0, 3}) {
            const QString shown = model.index(0, column).data().toString();
            QCOMPARE(shown, QString(text.left(1024) % QChar(0x2026)));
            QCOMPARE(model.index(0, column).data(TableModel::WholeTextRole).toString(), text);
        }
        QCOMPARE(model.index(0, 0).data(Qt::ToolTipRole), model.index(0, 0).data());
        QCOMPARE(model.toText({0}), QString(text % QStringLiteral("\t900\t30.0 %\t") % text % QLatin1Char('\n')));
        QVERIFY(model.toCsv({0}).contains(text.toUtf8()));
        model.setFilter(QStringLiteral("mz"));
        QCOMPARE(model.rowCount(), 4);
    }

    void newColumnsForgetTheSortOrder()
    {
        TableModel model;
        model.setContent(fruits());
        const QString unsorted = names(model);
        model.sort(1, Qt::AscendingOrder);
        const QString sorted = names(model);
        QVERIFY(sorted != unsorted);
        model.setContent(fruits());
        QCOMPARE(names(model), sorted);
        TableContent other = fruits();
        other.columns.pop_back();
        model.setContent(other);
        QCOMPARE(names(model), QStringLiteral("pear fig apple plum"));
    }

    void showsBarsThroughRoles()
    {
        TableModel model;
        model.setContent(fruits());
        const QModelIndex bars = model.index(2, 3);
        QCOMPARE(bars.data(TableModel::BarsRole).toDouble(), 0.4);
        QCOMPARE(bars.data(TableModel::SecondBarRole).toDouble(), 0.5);
        QVERIFY(!model.index(2, 0).data(TableModel::BarsRole).isValid());
    }
};

LONGPOLE_GUI_TEST(TableModelTest)
#include "tst_gui_tablemodel.moc"
