// SPDX-License-Identifier: GPL-3.0-or-later
// The documents inside the program: every page opens, every link between them leads somewhere, every picture fits,
// every table is one.
#include "app/gui/frame/documents.h"

#include "support/testmain.h"

#include <QDirIterator>
#include <QImage>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QTest>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QTextTable>

using namespace longpole;

class TestGuiDocuments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPageOpens_data() { addPages(); }
    void everyPageOpens();
    void tablesAreTables_data() { addPages(); }
    void tablesAreTables();
    void linksLeadToHeadings();
    void windowFitsTheScreen();
    void contentsAndBack();

private:
    static void addPages();
};

void TestGuiDocuments::addPages()
{
    QTest::addColumn<QString>("page");
    QTest::addColumn<QColor>("base");
    const QString root = QStringLiteral(":/documents/");
    QDirIterator below(root, {QStringLiteral("*.md")}, QDir::Files, QDirIterator::Subdirectories);
    while (below.hasNext()) {
        const QString page = below.next().mid(root.size());
        QTest::addRow("%s, dark", qPrintable(page)) << page << QColor(Qt::black);
        QTest::addRow("%s, light", qPrintable(page)) << page << QColor(Qt::white);
    }
}

void TestGuiDocuments::everyPageOpens()
{
    QFETCH(QString, page);
    QFETCH(QColor, base);
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    DocumentView view;
    QPalette palette;
    palette.setColor(QPalette::Base, base);
    view.setPalette(palette);
    view.open(page);
    QCOMPARE(view.page(), page);
    QVERIFY(view.document()->begin().blockFormat().headingLevel() == 1);
    for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next())
        for (auto at = block.begin(); !at.atEnd(); ++at) {
            const QTextCharFormat format = at.fragment().charFormat();
            if (format.isImageFormat()) {
                const QUrl name = view.source().resolved(QUrl(format.toImageFormat().name()));
                const QImage picture = view.loadResource(QTextDocument::ImageResource, name).value<QImage>();
                QVERIFY2(!picture.isNull(), qPrintable(name.toString()));
                QVERIFY(picture.width() <= 760);
            }
            const QUrl link(format.anchorHref());
            if (link.isEmpty() || !link.isRelative() || link.path().isEmpty()) continue;
            const QString target = view.source().resolved(link).path();
            QVERIFY2(QFile::exists(QLatin1Char(':') + target), qPrintable(target));
        }
}

// To Qt a rule of two dashes is text, and so are the rows below it.
void TestGuiDocuments::tablesAreTables()
{
    QFETCH(QString, page);
    QFile file(QStringLiteral(":/documents/") + page);
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression rule(QStringLiteral(R"(^\|( ?:?-+:? ?\|)+$)"));
    qsizetype rules = 0;
    bool isCode = false;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("```"))) isCode = !isCode;
        if (!isCode && rule.match(line).hasMatch()) ++rules;
    }
    DocumentView view;
    view.open(page);
    qsizetype tables = 0;
    for (const QTextFrame* frame : view.document()->rootFrame()->childFrames())
        if (qobject_cast<const QTextTable*>(frame) != nullptr) ++tables;
    QCOMPARE(tables, rules);
    for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next())
        QVERIFY2(!rule.match(block.text()).hasMatch(), qPrintable(block.text()));
}

void TestGuiDocuments::windowFitsTheScreen()
{
    const Documents documents(nullptr);
    const QSize room = documents.screen()->availableSize();
    QVERIFY(documents.width() < room.width() && documents.height() < room.height());
}

void TestGuiDocuments::linksLeadToHeadings()
{
    QCOMPARE(headingAnchor(QStringLiteral("What `it` costs")), QStringLiteral("what-it-costs"));
    DocumentView view;
    view.resize(500, 300);
    view.show();
    view.open(QStringLiteral("docs/concepts/critical-paths.md"));
    view.setSource(QUrl(QStringLiteral("critical-paths.md#what-if")));
    QCOMPARE(view.textCursor().block().text(), QStringLiteral("What if"));
    QVERIFY(view.cursorRect().top() < view.height() / 2);
}

void TestGuiDocuments::contentsAndBack()
{
    Documents documents(nullptr);
    documents.open(QStringLiteral("docs/tutorial.md"));
    const auto buttons = documents.findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    QVERIFY(!buttons[1]->isEnabled());
    buttons[0]->click();
    QCOMPARE(documents.view().page(), QStringLiteral("docs/README.md"));
    buttons[1]->click();
    QCOMPARE(documents.view().page(), QStringLiteral("docs/tutorial.md"));
}

LONGPOLE_GUI_TEST(TestGuiDocuments)
#include "tst_gui_documents.moc"
