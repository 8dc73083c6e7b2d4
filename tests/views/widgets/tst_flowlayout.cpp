// SPDX-License-Identifier: GPL-3.0-or-later
// Controls keep their widths and take another line where there is no room for them.
#include "views/widgets/flowlayout.h"

#include "support/testmain.h"

#include <QCoreApplication>
#include <QTest>
#include <QVBoxLayout>
#include <QWidget>

#include <vector>

namespace longpole {

namespace {

class Control : public QWidget {
public:
    Control(int width, QSizePolicy::Policy policy, QWidget* parent) : QWidget(parent), m_width(width)
    {
        setSizePolicy(policy, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override { return {m_width, 20}; }

private:
    int m_width;
};

struct Controls {
    QWidget panel;
    QVBoxLayout* column = new QVBoxLayout(&panel);
    FlowLayout* flow = new FlowLayout(10, 4);
    QWidget* below = new QWidget(&panel);
    std::vector<Control*> made;

    explicit Controls(const std::vector<int>& widths)
    {
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        for (const int width : widths) add(width, QSizePolicy::Fixed);
        column->addLayout(flow);
        column->addWidget(below, 1);
    }
    void add(int width, QSizePolicy::Policy policy)
    {
        made.push_back(new Control(width, policy, &panel));
        flow->addWidget(made.back());
    }
    void showAt(int width)
    {
        panel.resize(width, 200);
        panel.show();
        QCoreApplication::processEvents();
    }
};

}  // namespace

class TestFlowLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneLineIsEnoughWhereThereIsRoom()
    {
        Controls controls({100, 60, 40});
        controls.showAt(220);
        QCOMPARE(controls.made[0]->geometry(), QRect(0, 0, 100, 20));
        QCOMPARE(controls.made[1]->geometry(), QRect(110, 0, 60, 20));
        QCOMPARE(controls.made[2]->geometry(), QRect(180, 0, 40, 20));
        QCOMPARE(controls.below->y(), 20);
    }

    void whatHasNoRoomTakesTheNextLine()
    {
        Controls controls({100, 60, 40});
        controls.showAt(219);
        QCOMPARE(controls.made[1]->geometry(), QRect(110, 0, 60, 20));
        QCOMPARE(controls.made[2]->geometry(), QRect(0, 24, 40, 20));
        QCOMPARE(controls.below->y(), 44);
    }

    void hiddenControlsTakeNoRoom()
    {
        Controls controls({100, 60, 40});
        controls.made[1]->hide();
        controls.showAt(150);
        QCOMPARE(controls.made[2]->geometry(), QRect(110, 0, 40, 20));
        controls.made[1]->show();
        QTRY_COMPARE(controls.made[2]->y(), 24);
    }

    void whatExpandsTakesTheRestOfItsLine()
    {
        Controls controls({100});
        controls.add(50, QSizePolicy::Expanding);
        controls.showAt(300);
        QCOMPARE(controls.made[1]->geometry(), QRect(110, 0, 190, 20));
        controls.made[1]->setMaximumWidth(120);
        QTRY_COMPARE(controls.made[1]->width(), 120);
    }

    void whatIsRemovedMakesRoom()
    {
        Controls controls({100, 60});
        delete controls.made[0];
        controls.showAt(100);
        QCOMPARE(controls.flow->count(), 1);
        QCOMPARE(controls.made[1]->geometry(), QRect(0, 0, 60, 20));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestFlowLayout)
#include "tst_flowlayout.moc"
