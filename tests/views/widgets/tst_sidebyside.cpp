// SPDX-License-Identifier: GPL-3.0-or-later
// Parts stand side by side while each has the room it needs; else one of them shows, and tabs lead to the others.
#include "views/widgets/emptystate.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>

#include <algorithm>

namespace longpole {

namespace {

TableContent contentWith(const QString& name, const QString& figure)
{
    TableContent content;
    content.rows = 1;
    content.columns = {{.key = QStringLiteral("name"),
                        .title = QStringLiteral("Entry method"),
                        .value = [name](std::size_t) { return QVariant(name); }},
                       {.key = QStringLiteral("figure"),
                        .title = QStringLiteral("Of path / of all busy"),
                        .value = [figure](std::size_t) { return QVariant(figure); }}};
    return content;
}

struct Sides {
    SideBySide parts;
    TableView left;
    TableView right;
    QLabel picture;

    Sides()
    {
        for (TableView* table : {&left, &right}) {
            table->setContent(contentWith(QStringLiteral("Main::run"), QStringLiteral("1.000 ms")));
            table->setColumnWidths({0, 60});
        }
        parts.addPart(&left, QStringLiteral("Profile"));
        parts.addPart(&right, QStringLiteral("Steps"));
        parts.addPart(&picture, QStringLiteral("Curve"), 200);
        parts.show();
    }
    ~Sides()
    {
        for (QWidget* part :
             {static_cast<QWidget*>(&left), static_cast<QWidget*>(&right), static_cast<QWidget*>(&picture)})
            part->setParent(nullptr);
    }
    QTabBar& tabs() { return *parts.findChild<QTabBar*>(); }
    int needed() const { return left.wantedWidth() + right.wantedWidth() + 200 + 2; }
    void setWidth(int width)
    {
        parts.resize(width, 200);
        QCoreApplication::processEvents();
    }
    QString shown()
    {
        QStringList names;
        if (left.isVisible()) names << QStringLiteral("Profile");
        if (right.isVisible()) names << QStringLiteral("Steps");
        if (picture.isVisible()) names << QStringLiteral("Curve");
        return names.join(QLatin1Char(' '));
    }
};

}  // namespace

class TestSideBySide : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allShowWhereTheyFit()
    {
        Sides sides;
        sides.setWidth(sides.needed() + 90);
        QCOMPARE(sides.shown(), QStringLiteral("Profile Steps Curve"));
        QVERIFY(!sides.parts.isNarrow());
        QVERIFY(!sides.tabs().isVisible());
        for (const TableView* table : {&sides.left, &sides.right}) QVERIFY(table->width() >= table->wantedWidth());
        QVERIFY(sides.picture.width() >= 200);
    }

    void oneShowsWhereTheyDoNot()
    {
        Sides sides;
        sides.setWidth(sides.needed() - 1);
        QVERIFY(sides.parts.isNarrow());
        QCOMPARE(sides.shown(), QStringLiteral("Profile"));
        QVERIFY(sides.tabs().isVisible());
        QCOMPARE(sides.tabs().count(), 3);
        sides.tabs().setCurrentIndex(1);
        QCOMPARE(sides.shown(), QStringLiteral("Steps"));
        sides.setWidth(sides.needed());
        QCOMPARE(sides.shown(), QStringLiteral("Profile Steps Curve"));
        QVERIFY(!sides.tabs().isVisible());
        sides.setWidth(200);
        QCOMPARE(sides.shown(), QStringLiteral("Steps"));  // the chosen tab is remembered
    }

    // Words that say what the tables mean stay beside the one that is chosen, as long as there is room for two.
    void aCompanionStaysBesideTheChosenOne()
    {
        Sides sides;
        sides.parts.setCompanion(&sides.picture);
        const int two = std::max(sides.left.wantedWidth(), sides.right.wantedWidth()) + 200 + 1;
        sides.setWidth(sides.needed() - 1);
        QCOMPARE(sides.shown(), QStringLiteral("Profile Curve"));
        QCOMPARE(sides.tabs().count(), 2);
        sides.tabs().setCurrentIndex(1);
        QCOMPARE(sides.shown(), QStringLiteral("Steps Curve"));
        QVERIFY(sides.right.width() >= sides.right.wantedWidth() && sides.picture.width() >= 200);
        QVERIFY(!sides.parts.isNarrow());
        sides.setWidth(two - 1);
        QVERIFY(sides.parts.isNarrow());
        QCOMPARE(sides.shown(), QStringLiteral("Steps"));
        QCOMPARE(sides.tabs().count(), 3);
        sides.setWidth(two);
        QCOMPARE(sides.shown(), QStringLiteral("Steps Curve"));
        sides.parts.setPartVisible(&sides.left, false);  // both that are left fit
        QCOMPARE(sides.shown(), QStringLiteral("Steps Curve"));
        QVERIFY(!sides.tabs().isVisible());
        sides.setWidth(sides.needed());
        sides.parts.setPartVisible(&sides.left, true);
        QCOMPARE(sides.shown(), QStringLiteral("Profile Steps Curve"));
    }

    void namesAreWholeBeforeAnythingElseTakesMore()
    {
        Sides sides;
        const QString name = QStringLiteral("REDN::contribute_residual_of_a_long_name");
        sides.left.setContent(contentWith(name, QStringLiteral("1.000 ms")));
        const int more = sides.left.wholeWidth() - sides.left.wantedWidth();
        QVERIFY(more > 20);
        sides.setWidth(sides.needed() + more + 4);
        QVERIFY(!sides.parts.isNarrow());
        QVERIFY(sides.left.columnWidth(0) > QFontMetrics(sides.left.font()).horizontalAdvance(name));
    }

    void longerContentNeedsMoreRoom()
    {
        Sides sides;
        sides.setWidth(sides.needed() + 10);
        QVERIFY(!sides.parts.isNarrow());
        sides.right.setContent(contentWith(QStringLiteral("Main::run"), QString(60, QLatin1Char('8'))));
        QVERIFY(sides.parts.isNarrow());
        sides.right.setContent(contentWith(QStringLiteral("Main::run"), QStringLiteral("1.000 ms")));
        QVERIFY(!sides.parts.isNarrow());
    }

    // A part that the view has no use for takes no room and has no tab.
    void absentPartsTakeNoRoom()
    {
        Sides sides;
        sides.setWidth(sides.needed() - 1);
        sides.parts.setPartVisible(&sides.left, false);
        QCOMPARE(sides.shown(), QStringLiteral("Steps Curve"));
        QVERIFY(!sides.parts.isNarrow());
        sides.setWidth(210);
        QCOMPARE(sides.tabs().count(), 2);
        QCOMPARE(sides.shown(), QStringLiteral("Steps"));
        sides.parts.setPartVisible(&sides.right, false);
        QCOMPARE(sides.shown(), QStringLiteral("Curve"));
        QVERIFY(!sides.tabs().isVisible());  // nothing to choose from
    }

    // Where there is no room for its bars either, a column keeps its heading.
    void headingsAreNotCut()
    {
        TableView table;
        TableContent content = contentWith(QStringLiteral("Main::run"), QStringLiteral("25.2 / 7.9 %"));
        content["figure"].bars = [](std::size_t) { return std::pair(0.5, 0.25); };
        table.setContent(std::move(content));
        table.setColumnWidths({0, 60});
        table.resize(120, 100);
        table.show();
        QCoreApplication::processEvents();
        const QString title = table.model()->headerData(1, Qt::Horizontal).toString();
        QVERIFY(table.columnWidth(1) > QFontMetrics(table.font()).horizontalAdvance(title));
    }

    void anEmptyStateHasOneButton()
    {
        EmptyState empty(QStringLiteral("What would be here"), QStringLiteral("Go there"));
        QCOMPARE(empty.findChildren<QPushButton*>().size(), 1);
        QCOMPARE(empty.findChild<QLabel*>()->text(), QStringLiteral("What would be here"));
        QSignalSpy pressed(&empty, &EmptyState::pressed);
        empty.button().click();
        QCOMPARE(pressed.count(), 1);
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestSideBySide)
#include "tst_sidebyside.moc"
