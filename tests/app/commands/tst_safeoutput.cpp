// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a stranger's trace do nothing to whoever reads them: in a spreadsheet, on a terminal, in Markdown, SVG.
#include "app/commandline/cputime.h"
#include "app/program.h"
#include "app/unpacked.h"
#include "core/hostilestore.h"
#include "core/smalltrace.h"

#include "analysis/base/cells.h"
#include "app/output/output.h"
#include "app/output/tableoutput.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace longpole;
using namespace longpole::test;

class TestSafeOutput : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Program> m_program;
    QString m_trace;

    QString said(const QStringList& arguments) const
    {
        const Said said = (*m_program)(arguments);
        return said.code == 0 ? said.out : QStringLiteral("code %1: %2").arg(said.code).arg(said.error);
    }
    static void commandsNothing(const QString& text)
    {
        for (const QChar c : text) {
            const bool isControl = c.category() == QChar::Other_Control && c != QLatin1Char('\n');
            QVERIFY2(!isControl && c != QChar(0x202e) && c != QChar(0x2028),
                     qPrintable(QString::number(c.unicode(), 16)));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_program = std::make_unique<Program>(m_folder.path());
        m_trace = m_folder.filePath(QStringLiteral("t.longpole"));
        QVERIFY(writeSmallTrace(m_trace).ok());
        QVERIFY(
            editStore(
                m_trace,
                "UPDATE entry SET name = '=HYPERLINK(1) http://evil.example @all ' || char(27) || "
                "'[2J' || char(7) || char(65534) || char(8238) || '<img src=x>' WHERE id = 1;"
                "UPDATE entry SET chare = '+chare'; UPDATE meta SET value = char(27) || '[31mhttp://evil.example @all' "
                "WHERE key = 'program'")
                .ok());
    }

    // A long text makes its own line long, not each.
    void aLongTextIsAlone()
    {
        const QString target = m_folder.filePath(QStringLiteral("long.txt"));
        {
            auto output = Output::open(target);
            QVERIFY(output.ok());
            TableWriter writer(*output, OutputFormat::Text,
                               {{QStringLiteral("a"), QStringLiteral("a"), CellKind::Text},
                                {QStringLiteral("b"), QStringLiteral("b"), CellKind::Number}},
                               nullptr);
            for (int i = 0; i < 200; ++i)
                QVERIFY(writer.row({i == 3 ? QString(1'000'000, QLatin1Char('x')) : QStringLiteral("short"), i}));
            writer.finish();
            QVERIFY(output->finish().ok());
        }
        QFile file(target);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().split('\n');
        QCOMPARE(lines.size(), 203);  // with head, rule and the end of the last one
        QVERIFY(lines[5].size() > 1'000'000 && lines[5].endsWith('3'));
        for (const qsizetype other : {0, 4, 6, 201}) QVERIFY(lines[other].size() < 3000);
    }

    void cells_data()
    {
        QTest::addColumn<QByteArray>("csv");
        QTest::addColumn<QByteArray>("safe");
        const auto row = [](const char* csv, const char* safe) {
            QTest::newRow(csv) << QByteArray(csv) << QByteArray(safe);
        };
        row("a,b\n", "a,b\n");
        row("=1+1,b\n", "'=1+1,b\n");
        row("a,@x\n-y,+z\n", "a,'@x\n'-y,'+z\n");
        row("-1,-2.5,+3e4\n", "-1,-2.5,+3e4\n");
        row("\"=1,2\",\"a\"\"=b\"\n", "\"'=1,2\",\"a\"\"=b\"\n");
        row("\"a\n=b\",c\n", "\"a\n'=b\",c\n");
        row("1,x;=1+1,y\n", "1,x;'=1+1,y\n");
        row("1;-2\n", "1;'-2\n");
        row("\"x;\"\"=1,2\",y;z\n", "\"x;\"\"'=1,2\",y;z\n");
        row("x\t@y,a=b\n", "x\t'@y,a=b\n");
        row("\xef\xbc\x9d"
            "1,\"\xef\xbc\x8b"
            "1\",a;\xef\xbc\x8d"
            "1,\xef\xbc\xa0x,\xef\xbc\x8c\n",
            "'\xef\xbc\x9d"
            "1,\"'\xef\xbc\x8b"
            "1\",a;'\xef\xbc\x8d"
            "1,'\xef\xbc\xa0x,\xef\xbc\x8c\n");
        row("\"\"\"=1\"\"\"\n", "\"\"\"'=1\"\"\"\n");
        row("a,\r\n", "a,\r\n");
        row("\tx\n", "'\tx\n");
    }
    void cells()
    {
        QFETCH(QByteArray, csv);
        QFETCH(QByteArray, safe);
        QCOMPARE(safeCsv(csv), safe);
    }

    // CSV and JSON have names as they are, but on a terminal they command nothing.
    void tablesOnTerminals()
    {
        QCOMPARE(forTerminal("a,b\n\"x\033[2J\a\"\r\n"), QByteArray("a,b\n\"x [2J \" \n"));
        QCOMPARE(forTerminal("\xc2\x9b"
                             "1m\n\xc3\xbc"),
                 QByteArray(" 1m\n\xc3\xbc"));
        QCOMPARE(forTerminal(""), QByteArray());
        const QByteArray program = QByteArrayLiteral(LONGPOLE_PROGRAM);
        if (QStandardPaths::findExecutable(QStringLiteral("script")).isEmpty()) QSKIP("script is not installed");
        QProcess terminal;  // one that `script` makes
        terminal.start(QStringLiteral("script"),
                       {QStringLiteral("-qec"),
                        QStringLiteral("'%1' profile '%2' --csv").arg(QString::fromLocal8Bit(program), m_trace),
                        QStringLiteral("/dev/null")});
        QVERIFY(terminal.waitForFinished());
        const QByteArray shown = terminal.readAllStandardOutput();
        QVERIFY2(shown.contains("=HYPERLINK(1)"), shown.constData());
        QVERIFY2(!shown.contains("\033[2J"), shown.constData());
    }

    void spreadsheets()
    {
        const QString plain = said({QStringLiteral("profile"), m_trace, QStringLiteral("--csv")});
        QVERIFY2(plain.contains(QStringLiteral("=HYPERLINK")), qPrintable(plain));
        QVERIFY(!plain.contains(QStringLiteral("'=HYPERLINK")));
        const QString safe = said({QStringLiteral("profile"), m_trace, QStringLiteral("--csv"),
                                   QStringLiteral("--safe-csv")});
        QCOMPARE(safe.count(QStringLiteral("=HYPERLINK")), safe.count(QStringLiteral("'=HYPERLINK")));
        QVERIFY(safe.contains(QStringLiteral("'+chare")));
        const QString sql = said({QStringLiteral("sql"), m_trace, QStringLiteral("SELECT name, -1 AS n FROM entry"),
                                  QStringLiteral("--csv"), QStringLiteral("--safe-csv")});
        QVERIFY2(sql.contains(QStringLiteral("'=HYPERLINK")) && sql.contains(QStringLiteral(",-1")), qPrintable(sql));
    }

    void markdownLines_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("escaped");
        const auto row = [](const char* text, const char* escaped) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(escaped);
        };
        row("A::~A(int *) | `x`", "A::\\~A(int \\*) \\| \\`x\\`");
        row("f&lt;T&gt; &#8203;", "f&amp;lt;T&amp;gt; &amp;\\#&#8203;8203;");
        row("fixes #12", "fixes \\#&#8203;12");
        row("a\nb@c", "a b@&#8203;c");
        row("f$x$g", "f<span>&#36;</span>x<span>&#36;</span>g");
        row(":bug: a::b::c d::e 1:2", ":&#8203;bug: a::&#8203;b::c d::e 1:2");
        row(":+1: :a:b: ::", ":&#8203;+1: :&#8203;a:&#8203;b: ::");
        row("GH-12 gh-3 G-1 GH-x", "GH-&#8203;12 gh-&#8203;3 G-1 GH-x");
    }
    void markdownLines()
    {
        QFETCH(QString, text);
        QFETCH(QString, escaped);
        QCOMPARE(escapedMarkdown(text), escaped);
    }

    void html()
    {
        const QString file = m_folder.filePath(QStringLiteral("r.html"));
        QCOMPARE(said({QStringLiteral("report"), m_trace, QStringLiteral("-o"), file}), QString());
        const QString text = QString::fromUtf8(contentOf(file));
        QVERIFY(text.contains(QStringLiteral("evil.example")));
        for (const QChar c : text) {
            const bool isHarmful = c.category() == QChar::Other_Control && !QStringLiteral("\n\r\t").contains(c);
            QVERIFY2(!isHarmful && c != QChar(0x202e), qPrintable(QString::number(c.unicode(), 16)));
        }
    }

    void terminals_data()
    {
        QTest::addColumn<QStringList>("words");
        for (const char* command : {"info", "profile", "critical-path", "advise", "tree", "waits"})
            QTest::newRow(command) << QStringList{QLatin1String(command)};
    }
    void terminals()
    {
        QFETCH(QStringList, words);
        const Said said = (*m_program)(words + QStringList{m_trace});
        commandsNothing(said.out + said.error);
    }

    // Names of functions come from the programs that were recorded.
    void functions_data()
    {
        QTest::addColumn<QStringList>("words");
        for (const char* words :
             {"phases", "waits", "waits --causes", "waits --worst 3", "critical-path", "advise", "tree", "mpi-calls",
              "profile --by callpath", "profile --by calls", "near-critical", "info", "efficiency", "comm-matrix"})
            QTest::newRow(words) << QString::fromLatin1(words).split(QLatin1Char(' '));
    }
    void functions()
    {
        QFETCH(QStringList, words);
        const QString trace = m_folder.filePath(QStringLiteral("mpi.longpole"));
        if (!QFile::exists(trace)) {
            const QString older = QStringLiteral(LONGPOLE_TEST_DATA "/../older/halo.lprec/");
            const QString recording = m_folder.filePath(QStringLiteral("halo.lprec/"));
            QVERIFY(QDir().mkpath(recording));
            for (const QString& name : QDir(older).entryList(QDir::Files))
                QVERIFY(unpack(older + name, recording + name.chopped(3)));
            QCOMPARE((*m_program)({QStringLiteral("import"), recording, QStringLiteral("-o"), trace}).code, 0);
            const QByteArray hostile = " || char(27) || ']0;pwn' || char(7, 10, 13, 155, 8232, 8238)";
            QVERIFY(editStore(trace, "UPDATE call_path SET function = function" + hostile + ", file = file" + hostile
                                         + "; UPDATE region SET name = name" + hostile)
                        .ok());
        }
        const Said said = (*m_program)(words + QStringList{trace});
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QVERIFY(!said.out.isEmpty());
        commandsNothing(said.out + said.error);
        QVERIFY2(!said.out.contains(QStringLiteral("\n]0;pwn")), qPrintable(said.out));
    }

    void markdown()
    {
        const QString file = m_folder.filePath(QStringLiteral("r.md"));
        QCOMPARE(said({QStringLiteral("report"), m_trace, QStringLiteral("-o"), file}), QString());
        const QByteArray text = contentOf(file);
        QVERIFY(text.contains("evil.example"));
        QVERIFY(!text.contains("http://evil"));
        QVERIFY(!text.contains("@all"));
        QVERIFY(!text.contains('\x1b'));
    }

    void pictures()
    {
        const QString file = m_folder.filePath(QStringLiteral("p.svg"));
        const QString drawn = said({QStringLiteral("render"), m_trace, QStringLiteral("-o"), file});
        QVERIFY2(QFile::exists(file), qPrintable(drawn));
        QXmlStreamReader xml(contentOf(file));
        while (!xml.atEnd()) xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    }

    void memory()
    {
        const Said wrong = (*m_program)({QStringLiteral("info"), m_trace, QStringLiteral("--memory"),
                                         QStringLiteral("x")});
        QCOMPARE(wrong.code, 2);
        QVERIFY(wrong.error.contains(QStringLiteral("--memory")));
        const Said fine = (*m_program)({QStringLiteral("info"), m_trace, QStringLiteral("--memory=512M")});
        QCOMPARE(fine.code, 0);
    }

    void cpuTime()
    {
        const Said wrong = (*m_program)({QStringLiteral("info"), m_trace, QStringLiteral("--cpu-time"),
                                         QStringLiteral("x")});
        QCOMPARE(wrong.code, 2);
        QVERIFY(wrong.error.contains(QStringLiteral("--cpu-time")));
        QCOMPARE((*m_program)({QStringLiteral("info"), m_trace, QStringLiteral("--cpu-time=5m")}).code, 0);
        // By the input's size: a file counts by its own, a run by that of its files.
        QCOMPARE(cpuTimeFor({}).count(), 60);
        QCOMPARE(cpuTimeFor({QStringLiteral("/nowhere")}).count(), 60);
        const QString file = m_folder.filePath(QStringLiteral("large.longpole"));
        QFile large(file);
        QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(3'500'000));
        QCOMPARE(cpuTimeFor({file}).count(), 60 + 20);  // a hole, of which some pages count
        QVERIFY(large.write(QByteArray(3'500'000, 'x')) == 3'500'000 && large.flush());
        QCOMPARE(cpuTimeFor({file, QStringLiteral("0..1s")}).count(), 60 + 4 * 20);
        QCOMPARE(cpuTimeFor({file, file}).count(), 60 + 7 * 20);
        QVERIFY(large.remove());
    }

    // Values of all rows at once take ten times what their text does, and what each rank did by stage was kept twice.
    void memoryOfLongReports()
    {
        const QString calls = m_folder.filePath(QStringLiteral("calls.csv"));
        QByteArray lines = "rank,call,start_ns,end_ns,comm\n";
        for (int i = 0; i < 50'000; ++i)
            lines += "0,MPI_" + QByteArray::number(i) + ',' + QByteArray::number(i * 2) + ','
                     + QByteArray::number(i * 2 + 1) + ",-\n";
        QFile file(calls);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(lines) == lines.size());
        file.close();
        const QString trace = m_folder.filePath(QStringLiteral("calls.longpole"));
        QCOMPARE((*m_program)({QStringLiteral("import"), calls, QStringLiteral("-o"), trace}).code, 0);
        const Said said = (*m_program)({QStringLiteral("report"), trace, QStringLiteral("-o"),
                                        m_folder.filePath(QStringLiteral("calls.json")), QStringLiteral("--memory"),
                                        QStringLiteral("650M")});
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
    }

    // However many there are, what is said is the same.
    void threads()
    {
        const auto pathWith = [this](const QString& threads) {
            return (*m_program)({QStringLiteral("critical-path"), m_trace, QStringLiteral("--json"), threads});
        };
        const Said alone = pathWith(QStringLiteral("--threads=1"));
        QCOMPARE(alone.code, 0);
        const Said many = pathWith(QStringLiteral("--threads=7"));
        QCOMPARE(many.code, 0);
        QCOMPARE(many.out, alone.out);
        for (const char* number : {"0", "x", "-1", "1025", ""}) {
            const Said wrong = pathWith(QStringLiteral("--threads=") + QLatin1String(number));
            QCOMPARE(wrong.code, 2);
            QVERIFY2(wrong.error.contains(QStringLiteral("--threads takes a number")), qPrintable(wrong.error));
        }
    }
};

LONGPOLE_TEST(TestSafeOutput)
#include "tst_safeoutput.moc"
