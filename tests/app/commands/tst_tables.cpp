// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that all answers come from: the reference in docs/ and the rows of the schemas say what they are now.
#include "analysis/report/tables.h"
#include "app/docs/tabledocs.h"
#include "app/program.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

}  // namespace

class TestTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void eachTableAndColumnSaysWhatItIs()
    {
        for (const ProgramKind kind : {ProgramKind::MessageDriven, ProgramKind::Mpi}) {
            QSet<QString> ids;
            for (const TableInfo& table : allTables(kind)) {
                QVERIFY2(!ids.contains(table.id), qPrintable(table.id));
                ids.insert(table.id);
                QSet<QString> keys;
                for (const Column& column : table.columns) {
                    const QByteArray place = (table.id + QLatin1Char('.') + column.key).toUtf8();
                    QVERIFY2(!keys.contains(column.key), place);
                    keys.insert(column.key);
                    QVERIFY2(!column.title.isEmpty() && !column.meaning.isEmpty(), place);
                    QVERIFY2(!column.meaning.endsWith(QLatin1Char('.')), place);
                    QVERIFY2(column.kind != CellKind::Rows || !column.items.empty(), place);
                }
            }
            QVERIFY(!ids.isEmpty());
        }
    }

    void referenceIsWhatTheProgramSays()
    {
        for (const char* what : {"tables", "checks", "commands"}) {
            const Said said = m_program({QStringLiteral("--generate"), QLatin1String(what)});
            QCOMPARE(said.code, 0);
            const QString file = QStringLiteral(LONGPOLE_DOCS "/reference/%1.md").arg(QLatin1String(what));
            QVERIFY2(said.out.toUtf8() == contentOf(file),
                     qPrintable(file + QStringLiteral(" is not what script/generate writes")));
        }
    }

    void schemasAreWhatTheTablesSay()
    {
        const QDir folder(QStringLiteral(LONGPOLE_SCHEMAS));
        for (const QString& name : folder.entryList({QStringLiteral("*.json")})) {
            const auto schema = parseJson(contentOf(folder.filePath(name)));
            QVERIFY2(schema, qPrintable(name));
            const auto filled = withTables(*schema);
            QVERIFY2(filled, qPrintable(name + QStringLiteral(" names a table or column that is not there")));
            QVERIFY2(*filled == *schema, qPrintable(name + QStringLiteral(" is not what script/generate writes")));
        }
    }

    void unknownColumnsAreRefused()
    {
        const auto commented = [](const char* comment) {
            return withTables({{"items", {{"$comment", comment}, {"description", "kept"}}}});
        };
        QVERIFY(!commented("columns of nothing"));
        QVERIFY(!commented("columns of waits: pattern colour"));
        const auto filled = commented("columns of waits: pattern count");
        QVERIFY(filled);
        const auto orNull = withTables({{"type", JsonValue::array({"object", "null"})},
                                        {"$comment", "columns of waits: pattern"}});
        QVERIFY(orNull && (*orNull)["type"].size() == 2 && (*orNull)["properties"].size() == 1);
        QCOMPARE((*filled)["items"]["properties"].size(), std::size_t(2));
        QVERIFY((*filled)["items"]["description"] == "kept");
        QVERIFY(commented("says something else")->at("items").size() == 2);
    }

private:
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestTables)
#include "tst_tables.moc"
