// SPDX-License-Identifier: GPL-3.0-or-later
// The report in all its formats, with names that try to break out of each.
#include "analysis/asked.h"
#include "analysis/report/analyses.h"
#include "app/jsonschema.h"
#include "app/report/pdfpage.h"
#include "app/report/reportexport.h"
#include "app/smalltrace.h"

#include "support/testmain.h"

#include <QBuffer>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void htmlIsSelfContained();
    void htmlEscapesNames();
    void everyFindingIsThere_data();
    void everyFindingIsThere();
    void markdownEscapesNames();
    void jsonFitsItsSchema();
    void pdfIsAPdf();
    void pdfOfEndlessTexts();
    void itemsAreWritten_data();
    void itemsAreWritten();
    void notEvaluatedIsSaid_data();
    void notEvaluatedIsSaid();
    void longTablesContinue();
    void otherEndingsAreRefused();
    void cancelledLeavesTheOldReport();

private:
    QByteArray written(const QString& ending, const AnalysisResults& results);
    QByteArray written(const char* ending) { return written(QString::fromUtf8(ending), *m_results); }

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const AnalysisResults> m_results;
};

void TestReport::initTestCase()
{
    const QString file = m_folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(writeHostileTrace(file));
    auto store = TraceStore::open(file);
    QVERIFY2(store, qPrintable(store ? QString() : toText(store.error())));
    m_store = *store;
    auto results = asked(m_store, AnalysesQuestion{});
    QVERIFY(results);
    m_results = *results;
    QVERIFY(!m_results->findings.empty());
}

QByteArray TestReport::written(const QString& ending, const AnalysisResults& results)
{
    const QString name = m_folder.filePath(QStringLiteral("report.") + ending);
    const auto done = exportReport(*m_store, results, name, Progress{});
    if (!done) qCritical("%s", qPrintable(toText(done.error())));
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void TestReport::htmlIsSelfContained()
{
    const QString html = QString::fromUtf8(written("html"));
    QVERIFY(html.startsWith(QStringLiteral("<!DOCTYPE html>")));
    QVERIFY(html.contains(QStringLiteral("prefers-color-scheme: dark")));
    QVERIFY(html.contains(QStringLiteral("@media print")));
    static const QRegularExpression outside(QStringLiteral(R"((src|srcset|href)="(?!data:|#|longpole:/))"));
    QVERIFY(!html.contains(outside));
    QVERIFY(!html.contains(QStringLiteral("<script")));
    QCOMPARE(html.count(QStringLiteral("<section")), html.count(QStringLiteral("</section>")));
    QCOMPARE(html.count(QStringLiteral("<table")), html.count(QStringLiteral("</table>")));
    QCOMPARE(html.count(QStringLiteral("<tr>")), html.count(QStringLiteral("</tr>")));
}

void TestReport::htmlEscapesNames()
{
    const QString html = QString::fromUtf8(written("html"));
    QVERIFY(html.contains(QStringLiteral("run&lt;&quot;Größe&quot;, 'π'&gt; &amp; &lt;script&gt;")));
    QVERIFY(!html.contains(QStringLiteral("<\"Größe\"")));
}

void TestReport::everyFindingIsThere_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QString>("pattern");  // %1: the finding's title
    // Before the appendix, or in it under a smaller heading.
    QTest::newRow("html") << QStringLiteral("html") << QStringLiteral("<h[23]>%1</h[23]>");
    QTest::newRow("md") << QStringLiteral("md") << QStringLiteral("\n###? %1\n");
    QTest::newRow("json") << QStringLiteral("json") << QStringLiteral("\"title\": \"%1\"");
}

void TestReport::everyFindingIsThere()
{
    QFETCH(QString, ending);
    QFETCH(QString, pattern);
    const QString report = QString::fromUtf8(written(ending, *m_results));
    for (const Finding& finding : m_results->findings)
        QVERIFY2(report.contains(QRegularExpression(pattern.arg(finding.title))), qPrintable(finding.title));
}

void TestReport::markdownEscapesNames()
{
    const QString text = QString::fromUtf8(written("md"));
    QVERIFY(text.contains(QStringLiteral("run\\<\"Größe\", 'π'\\> &amp; \\<script\\>")));
    for (const QString& line : text.split(QLatin1Char('\n')))
        if (line.startsWith(QLatin1Char('|'))) QVERIFY2(line.endsWith(QLatin1Char('|')), qPrintable(line));
}

void TestReport::jsonFitsItsSchema()
{
    const QByteArray report = written("json");
    const std::string wrong = violation(report.toStdString(), "report");
    QVERIFY2(wrong.empty(), wrong.c_str());
    const json document = json::parse(report.toStdString());
    COMPARE_JSON(document.at("findings").size(), m_results->findings.size());
    COMPARE_JSON(document.at("trace").at("busy_ns"), json(13000));
    // It is put together from the text of its findings.
    QCOMPARE(report, QByteArray::fromStdString(nlohmann::ordered_json::parse(report.toStdString()).dump(2)) + '\n');
    for (const json& finding : document.at("findings"))
        if (finding.at("id") == "critical-path") QCOMPARE(finding.at("result").size(), std::size_t{4});
}

void TestReport::pdfIsAPdf()
{
    const QByteArray pdf = written("pdf");
    QVERIFY(pdf.startsWith("%PDF-"));
    QVERIFY(pdf.trimmed().endsWith("%%EOF"));
}

// A trace may say a command line of megabytes.
void TestReport::pdfOfEndlessTexts()
{
    const QString endless(2 << 20, QLatin1Char('a'));
    QElapsedTimer clock;
    clock.start();
    QBuffer buffer;
    QVERIFY(buffer.open(QIODevice::WriteOnly));
    const TaskLinks none;
    PdfPages pages(buffer, endless, endless, none);
    pages.paragraph(endless, PdfPages::Style::Body);
    pages.table({{QStringLiteral("text"), false, {}, {}}}, {{{endless, false, {}, {}}}});
    pages.finish();
    QVERIFY(clock.elapsed() < 2000);
    QVERIFY(buffer.data().startsWith("%PDF-"));
}

void TestReport::itemsAreWritten_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QStringList>("expected");  // in this order
    QTest::newRow("html") << QStringLiteral("html")
                          << QStringList{QStringLiteral("<h3>1. Split &lt;big&gt;</h3>"),
                                         QStringLiteral("<dt>Gain</dt>"),
                                         QStringLiteral("<dd>at most 3\u00a0ms</dd>"),
                                         QStringLiteral("<p>why</p>"),
                                         QStringLiteral("<li>PE 3</li>"),
                                         QStringLiteral("<h3>2. Other</h3>"),
                                         QStringLiteral("<h2>Appendix</h2>"),
                                         QStringLiteral("<pre>SELECT 1 &lt; 2</pre>")};
    QTest::newRow("md") << QStringLiteral("md")
                        << QStringList{QStringLiteral("### 1. Split \\<big\\>\n"),
                                       QStringLiteral("Gain: **at most 3 ms**"),
                                       QStringLiteral("\nwhy\n"),
                                       QStringLiteral("- PE 3\n"),
                                       QStringLiteral("### 2. Other"),
                                       QStringLiteral("\n## Appendix\n"),
                                       QStringLiteral("```sql\nSELECT 1 < 2\n```")};
    QTest::newRow("json") << QStringLiteral("json")
                          << QStringList{QStringLiteral("\"items\""), QStringLiteral("Split <big>"),
                                         QStringLiteral("Other")};
}

void TestReport::itemsAreWritten()
{
    QFETCH(QString, ending);
    QFETCH(QStringList, expected);
    AnalysisResults results;
    Finding finding;
    finding.id = QStringLiteral("advice");
    finding.title = QStringLiteral("Advice");
    FindingItem item;
    item.title = QStringLiteral("Split <big>");
    item.facts = {{QStringLiteral("Gain"), QStringLiteral("at most 3 ms")}};
    item.paragraphs << QStringLiteral("why");
    item.points << QStringLiteral("PE 3");
    item.sql = QStringLiteral("SELECT 1 < 2");
    finding.items = {item, {}};
    finding.items.back().title = QStringLiteral("Other");
    results.findings.push_back(finding);
    const QString report = QString::fromUtf8(written(ending, results));
    qsizetype at = 0;
    for (const QString& text : expected) {
        at = report.indexOf(text, at);
        QVERIFY2(at >= 0, qPrintable(text));
    }
    QVERIFY(written(QStringLiteral("pdf"), results).startsWith("%PDF-"));
}

void TestReport::notEvaluatedIsSaid_data()
{
    QTest::addColumn<QString>("ending");
    for (const char* ending : {"html", "md", "json"}) QTest::newRow(ending) << QString::fromUtf8(ending);
}

void TestReport::notEvaluatedIsSaid()
{
    QFETCH(QString, ending);
    AnalysisResults results;
    Finding finding;
    finding.id = QStringLiteral("shared");
    finding.title = QStringLiteral("Shared variables");
    finding.notEvaluated = QStringLiteral("the trace has no accesses");
    results.findings.push_back(finding);
    QVERIFY(written(ending, results).contains("the trace has no accesses"));
}

// A table of many pages, with a name that is wider than the page.
void TestReport::longTablesContinue()
{
    AnalysisResults results;
    Finding finding;
    finding.id = QStringLiteral("long");
    finding.title = QStringLiteral("Long");
    TableData table;
    table.columns = {{QStringLiteral("name"), QStringLiteral("Name"), CellKind::Text},
                     {QStringLiteral("time_ns"), QStringLiteral("Time"), CellKind::Time},
                     {QStringLiteral("share"), QStringLiteral("Share"), CellKind::Share}};
    for (int i = 0; i < 200; ++i) table.rows.push_back({QString(400, QLatin1Char('x')), qlonglong(i), 0.5});
    table.rowsOmitted = 1234;
    finding.tables.push_back(table);
    results.findings.push_back(finding);
    const QByteArray pdf = written(QStringLiteral("pdf"), results);
    const auto pages = pdf.count("/Type /Page\n") + pdf.count("/Type /Page ");
    QVERIFY2(pages > 10 && pages < 60, QByteArray::number(pages).constData());
    QVERIFY(QString::fromUtf8(written(QStringLiteral("html"), results)).contains(QStringLiteral("1\u202f234 more")));
}

void TestReport::otherEndingsAreRefused()
{
    const QString name = m_folder.filePath(QStringLiteral("report.docx"));
    const auto done = exportReport(*m_store, *m_results, name, Progress{});
    QVERIFY(!done);
    QCOMPARE(done.error().where, name);
    QVERIFY(!QFile::exists(name));
}

void TestReport::cancelledLeavesTheOldReport()
{
    const QByteArray before = written("html");
    const Progress progress;
    progress.cancel();
    const QString name = m_folder.filePath(QStringLiteral("report.html"));
    const auto done = exportReport(*m_store, *m_results, name, progress);
    QVERIFY(!done);
    QVERIFY(wasCancelled(done.error()));
    QFile file(name);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll() == before);
}

LONGPOLE_GUI_TEST(TestReport)
#include "tst_report.moc"
