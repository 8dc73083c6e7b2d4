// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of an open sheet: Enter presses a button of it, and single keys do nothing in the window behind it.
#include "app/gui/frame/reportsheet.h"

#include "support/testmain.h"

#include <QAction>
#include <QCheckBox>
#include <QMainWindow>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace longpole;

class TestGuiSheets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void enterPressesTheButton_data();
    void enterPressesTheButton();
    void keysStayInTheSheet();
    void escapeCloses();
    void cleanup() { m_window.reset(); }

private:
    QWidget& focused() const { return *m_window->focusWidget(); }

    std::unique_ptr<QMainWindow> m_window;
    ReportSheet* m_sheet = nullptr;
    QAction* m_mark = nullptr;
    QAction* m_export = nullptr;
};

void TestGuiSheets::init()
{
    m_window = std::make_unique<QMainWindow>();
    m_mark = m_window->addAction(QStringLiteral("Mark"), QKeySequence(Qt::Key_M));
    m_export = m_window->addAction(QStringLiteral("Export"), QKeySequence(Qt::CTRL | Qt::Key_E));
    m_sheet = new ReportSheet(m_window.get());
    m_window->resize(800, 600);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_sheet->ask(Vocabulary{}, {}, true, false);
}

void TestGuiSheets::enterPressesTheButton_data()
{
    QTest::addColumn<int>("key");
    QTest::addColumn<bool>("onBox");
    QTest::newRow("Return, on the button") << int(Qt::Key_Return) << false;
    QTest::newRow("Enter, on the button") << int(Qt::Key_Enter) << false;
    QTest::newRow("Return, on a box") << int(Qt::Key_Return) << true;
    QTest::newRow("Enter, on a box") << int(Qt::Key_Enter) << true;
}

void TestGuiSheets::enterPressesTheButton()
{
    QFETCH(int, key);
    QFETCH(bool, onBox);
    const QSignalSpy chosen(m_sheet, &ReportSheet::chosen);
    const auto* const button = qobject_cast<const QPushButton*>(&focused());
    QVERIFY(button != nullptr && button->isDefault());
    if (onBox) m_sheet->boxes().at(2)->setFocus();
    const bool wasChecked = m_sheet->boxes().at(2)->isChecked();
    QTest::keyClick(&focused(), Qt::Key(key), key == Qt::Key_Enter ? Qt::KeypadModifier : Qt::NoModifier);
    QCOMPARE(chosen.size(), 1);
    QVERIFY(!m_sheet->isVisible());
    QCOMPARE(m_sheet->boxes().at(2)->isChecked(), wasChecked);
    // A button that cannot be pressed is not.
    m_sheet->ask(Vocabulary{}, {}, true, false);
    for (QCheckBox* box : m_sheet->boxes()) box->setChecked(false);
    m_sheet->boxes().at(2)->setFocus();
    QTest::keyClick(&focused(), Qt::Key(key));
    QCOMPARE(chosen.size(), 1);
    QVERIFY(m_sheet->isVisible());
}

void TestGuiSheets::keysStayInTheSheet()
{
    const QSignalSpy marked(m_mark, &QAction::triggered), exported(m_export, &QAction::triggered);
    QTest::keyClick(&focused(), Qt::Key_M);
    m_sheet->boxes().at(2)->setFocus();
    QTest::keyClick(&focused(), Qt::Key_M);
    QCOMPARE(marked.size(), 0);
    const bool wasChecked = m_sheet->boxes().at(2)->isChecked();
    QTest::keyClick(&focused(), Qt::Key_Space);
    QCOMPARE(m_sheet->boxes().at(2)->isChecked(), !wasChecked);
    QTest::keyClick(&focused(), Qt::Key_E, Qt::ControlModifier);
    QCOMPARE(exported.size(), 1);
    m_sheet->close();
    QTest::keyClick(m_window.get(), Qt::Key_M);
    QCOMPARE(marked.size(), 1);
}

void TestGuiSheets::escapeCloses()
{
    QTest::keyClick(&focused(), Qt::Key_Escape);
    QVERIFY(!m_sheet->isVisible());
}

LONGPOLE_GUI_TEST(TestGuiSheets)
#include "tst_gui_sheets.moc"
