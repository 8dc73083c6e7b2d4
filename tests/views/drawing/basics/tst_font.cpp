// SPDX-License-Identifier: GPL-3.0-or-later
// Names of methods in boxes that are too narrow for them.
#include "views/drawing/basics/font.h"

#include "support/testmain.h"

#include <QFontMetricsF>
#include <QTest>

using namespace longpole;

class FontTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theClassGivesWayBeforeTheMethod_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("room");  // as much as this text takes
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const char* room, const char* shown) {
            QTest::addRow("%s in %s", name, room)
                << QString::fromUtf8(name) << QString::fromUtf8(room) << QString::fromUtf8(shown);
        };
        row("RB2::red_ws", "RB2::red_ws", "RB2::red_ws");
        row("RB2::red_ws", "red_ws", "red_ws");
        row("RB2::red_ws(Msg* m)", "red_ws(Msg* m)", "red_ws(Msg* m)");
        row("Grid<int>::Cell::step", "step", "step");
    }
    void theClassGivesWayBeforeTheMethod()
    {
        QFETCH(QString, name);
        QFETCH(QString, room);
        const QFontMetricsF metrics(timelineFont(11));
        QTEST(withinRoom(name, metrics, metrics.horizontalAdvance(room) + 0.01), "shown");
    }
    void theMiddleOfAMethodGivesWay()
    {
        const QFontMetricsF metrics(timelineFont(11));
        for (const char* name : {"REDN::contribute_residual", "contribute_residual"}) {
            const double room = metrics.horizontalAdvance(QStringLiteral("contribute_residual")) * 0.8;
            const QString shown = withinRoom(QString::fromUtf8(name), metrics, room);
            QVERIFY2(shown.startsWith(QLatin1String("contr")) && shown.endsWith(QLatin1String("dual")),
                     qPrintable(shown));
            QVERIFY2(shown.contains(QChar(0x2026)), qPrintable(shown));
        }
        QVERIFY(!withinRoom(QStringLiteral("Odd::"), metrics, 15).isEmpty());
    }
    // Cut before they are measured, and still the same.
    void longNames()
    {
        const QFontMetricsF metrics(timelineFont(11));
        QString name;
        for (int i = 0; i < 300; ++i) name += QStringLiteral("il%1MW").arg(i);
        for (double room = 1; room < 400; room += 7)
            QCOMPARE(withinRoom(name, metrics, room), metrics.elidedText(name, Qt::ElideMiddle, room));
        for (const char* narrow : {"i", "l", "."}) {
            const QString text(400, QLatin1Char(*narrow));
            const double room = metrics.horizontalAdvance(text) + 0.01;
            QVERIFY(lettersWithin(metrics, room) >= text.size());
        }
    }
    void nothingIsWiderThanItsRoom()
    {
        const QFontMetricsF metrics(timelineFont(11));
        for (const char* name : {"RB2::contribute_residual", "MPI_Allreduce", "f(A::b<C>, D::e)"})
            for (double room = 20; room < 200; room += 3)
                QVERIFY(metrics.horizontalAdvance(withinRoom(QString::fromUtf8(name), metrics, room)) <= room + 0.01);
    }
};

LONGPOLE_GUI_TEST(FontTest)
#include "tst_font.moc"
