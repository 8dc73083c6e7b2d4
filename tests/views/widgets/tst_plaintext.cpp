// SPDX-License-Identifier: GPL-3.0-or-later
// No label, tooltip or message box takes a name of a trace for HTML.
#include "views/widgets/plaintext.h"

#include "support/testmain.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QMessageBox>
#include <QTest>
#include <QToolTip>
#include <QVBoxLayout>

using namespace longpole;

namespace {

// Reading it would never end.
const QString hostile = QStringLiteral("<img src=\"/dev/zero\"> & <b>name</b>");

QLabel* tip()
{
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (widget->inherits("QTipLabel")) return qobject_cast<QLabel*>(widget);
    return nullptr;
}

}  // namespace

class TestPlainText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_guard = std::make_unique<PlainText>(*qobject_cast<QApplication*>(qApp)); }
    void cleanupTestCase() { m_guard.reset(); }

    void labels()
    {
        QWidget window;
        auto* const layout = new QVBoxLayout(&window);
        auto* const guessing = new QLabel(hostile, &window);
        auto* const ours = new QLabel(&window);
        ours->setTextFormat(Qt::RichText);
        ours->setText(QStringLiteral("<b>ours</b>"));
        layout->addWidget(guessing);
        layout->addWidget(ours);
        QVERIFY(guessing->sizeHint().width() > 100);  // as text: the tags are part of it
        window.show();
        QCOMPARE(guessing->textFormat(), Qt::PlainText);
        QCOMPARE(guessing->text(), hostile);
        QCOMPARE(ours->textFormat(), Qt::RichText);
    }

    void toolTips()
    {
        QWidget window;
        window.resize(100, 100);
        window.show();
        for (int round = 0; round < 2; ++round) {  // made, and reused
            QToolTip::showText(window.mapToGlobal(QPoint(10 + round, 10)), hostile + QString::number(round), &window);
            QVERIFY(tip() != nullptr);
            QCOMPARE(tip()->textFormat(), Qt::PlainText);
            QCOMPARE(tip()->text(), hostile + QString::number(round));
        }
        QToolTip::hideText();
    }

    // A million letters, as a command line may have: their begin is shown.
    void endlessTips()
    {
        QWidget window;
        window.resize(100, 100);
        window.setToolTip(QStringLiteral("begin") + QString(1'000'000, QLatin1Char('x')));
        window.show();
        QHelpEvent event(QEvent::ToolTip, QPoint(10, 10), window.mapToGlobal(QPoint(10, 10)));
        QCoreApplication::sendEvent(&window, &event);
        QVERIFY(tip() != nullptr && tip()->isVisible());
        QVERIFY(tip()->text().startsWith(QStringLiteral("beginx")));
        QVERIFY2(tip()->text().size() < 3000 && tip()->width() < 3000, qPrintable(QString::number(tip()->width())));
        QToolTip::hideText();
    }

    void messageBoxes()
    {
        QMessageBox box(QMessageBox::Warning, QStringLiteral("title"), hostile);
        box.setInformativeText(hostile);
        box.show();
        const QList<QLabel*> labels = box.findChildren<QLabel*>();
        QVERIFY(labels.size() >= 2);
        for (const QLabel* label : labels) QVERIFY(label->textFormat() != Qt::AutoText);
    }

    void longTips()
    {
        const QString sentence = QStringLiteral("a sentence of many words ").repeated(20).trimmed();
        const QStringList lines = inLines(sentence).split(QLatin1Char('\n'));
        QVERIFY(lines.size() > 4);
        for (const QString& line : lines) QVERIFY(line.size() <= 80);
        QCOMPARE(lines.join(QLatin1Char(' ')), sentence);
        QCOMPARE(inLines(QString()), QString());
    }

private:
    std::unique_ptr<PlainText> m_guard;
};

LONGPOLE_GUI_TEST(TestPlainText)
#include "tst_plaintext.moc"
