// SPDX-License-Identifier: GPL-3.0-or-later
// longpole upgrade: files that earlier versions wrote (tests/older) answer as the same run analysed today, or say
// what their version not among the answers; every schema there was leads to today's; what is no file of ours is
// refused.
#include "app/jsonschema.h"
#include "app/processes/answers.h"
#include "app/program.h"
#include "app/unpacked.h"

#include "core/file/olderschemas.h"
#include "core/file/schema.h"
#include "core/file/sqlite.h"
#include "core/manyprocessors.h"
#include "core/store/tracestore.h"
#include "core/store/upgrade.h"
#include "importers/madeframes.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <string>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString older = QStringLiteral(LONGPOLE_TEST_DATA "/../older/");

bool write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

// The modules that a frame lists, with `program` in the place of the one that was recorded.
QByteArray movedModules(const QByteArray& payload, const QByteArray& program)
{
    QByteArray moved;
    for (qsizetype at = 0; at < payload.size();) {
        lp_module module{};
        std::memcpy(&module, payload.constData() + at, sizeof module);
        at += qsizetype(sizeof module);
        QByteArray path = payload.mid(at, module.path_length);
        at += paddedTo(path, 8).size();
        const QByteArray buildId = paddedTo(payload.mid(at, module.build_id_length), 8);
        at += buildId.size();
        if (path == "/tmp/halo/halo") path = program;
        module.path_length = static_cast<std::uint32_t>(path.size());
        moved += bytesOf(module) + paddedTo(path, 8) + buildId;
    }
    return moved;
}

// Lets a rank's file say that its program lies there.
void moveProgram(const QString& rank, const QString& program)
{
    const QByteArray bytes = contentOf(rank);
    QByteArray moved = bytes.left(LP_FIRST_FRAME);
    for (qsizetype at = LP_FIRST_FRAME; at < bytes.size();) {
        lp_frame frame{};
        std::memcpy(&frame, bytes.constData() + at, sizeof frame);
        QCOMPARE(std::uint64_t(frame.magic), std::uint64_t(LP_FRAME_MAGIC));
        const QByteArray whole = bytes.mid(at, qsizetype(lp_frame_size(frame.length)));
        moved += frame.kind != LP_MODULES
                     ? whole
                     : frameOf(LP_MODULES, movedModules(whole.mid(sizeof frame, qsizetype(frame.length)),
                                                        QFile::encodeName(program)));
        at += whole.size();
    }
    QVERIFY(write(rank, moved));
}

Result<> stamp(Database& database, std::span<const TableSpec> tables)
{
    Result<ValueHasher> hasher = beginStamp(database);
    if (!hasher) return hasher.error();
    std::int64_t left = maxTime;
    for (const TableSpec& table : tables)
        if (table.stamped)
            if (const Result<> scanned = scanTable(database, table, *hasher, left); !scanned) return scanned;
    const QByteArray insert = "INSERT INTO meta(key, value) VALUES('stamp', '" + hasher->hex().toLatin1() + "')";
    return database.execute(insert.constData());
}

// The rows of a file of today in the tables of an older schema, which `spoil` may change before the stamp is made.
Result<> writeAs(const OlderSchema& schema, const QString& today, const QString& path, const QByteArray& spoil = {})
{
    Result<Database> database = Database::createForBulk(path);
    if (!database) return database.error();
    QByteArray sql = "ATTACH '" + QFile::encodeName(today) + "' AS today; ";
    sql += "PRAGMA main.application_id = " + QByteArray::number(qint64{applicationId});
    sql += "; PRAGMA main.user_version = " + QByteArray::number(qint64{schema.version}) + "; ";
    for (const TableSpec& table : schema.tables) sql.append(table.ddl).append("; ");
    if (const Result<> made = database->execute(sql.constData()); !made) return made;
    const Result<std::int64_t> part = database->integer("SELECT value FROM today.meta WHERE key = 'part'");
    for (const TableSpec& table : schema.tables) {
        const bool isOfParts = QByteArray(table.name).startsWith("result") || QByteArray(table.name) == "kept";
        if (isOfParts && *part == 0) continue;
        QByteArray columns;
        Result<Statement> info = database->prepare(std::string("SELECT name FROM pragma_table_info('") + table.name
                                                   + "', 'main')");
        if (!info) return info.error();
        while (*info->step()) columns += (columns.isEmpty() ? "" : ", ") + info->string(0).toUtf8();
        const QByteArray copy = QByteArray("INSERT INTO main.") + table.name + "(" + columns + ") SELECT " + columns
                                + " FROM today." + table.name + " ORDER BY rowid";
        if (const Result<> copied = database->execute(copy.constData()); !copied) return copied;
    }
    if (const Result<> done = database->execute("DELETE FROM main.meta WHERE key = 'stamp'; DETACH today"); !done)
        return done;
    if (const Result<> done = database->execute(spoil.constData()); !done) return done;
    if (const Result<> done = stamp(*database, schema.tables); !done) return done;
    return database->close();
}

}  // namespace

class TestUpgrade : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        QVERIFY(QDir().mkpath(recording()));
        for (const QString& name : QDir(older + QStringLiteral("halo.lprec")).entryList(QDir::Files))
            QVERIFY(unpack(older + QStringLiteral("halo.lprec/") + name,
                           recording() + QLatin1Char('/') + name.chopped(3)));
        // Its functions have names where the program is; it must not lie where it lay.
        QVERIFY(unpack(older + QStringLiteral("halo.gz"), m_folder.filePath(QStringLiteral("halo"))));
        for (const QFileInfo& rank : QDir(recording()).entryInfoList({QStringLiteral("rank-*")}))
            moveProgram(rank.filePath(), m_folder.filePath(QStringLiteral("halo")));
        const Said part = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("-o"), today(true),
                                     QStringLiteral("--keep"), QStringLiteral("2K")});
        QCOMPARE(part.error, QString());
        QCOMPARE(m_program({QStringLiteral("import"), recording(), QStringLiteral("-o"), today(false)}).code, 0);
        QVERIFY((*TraceStore::open(today(true)))->info().isPart());
    }

    // Files that were written by the programs of their time.
    void answersAsToday_data()
    {
        QTest::addColumn<bool>("isPart");
        QTest::addColumn<QStringList>("lacking");  // first words of commands that are not answered
        QTest::newRow("whole13") << false << QStringList();
        QTest::newRow("kept13") << true << words("phases advise tree profile");
        QTest::newRow("kept14") << true << words("profile");
        QTest::newRow("whole15") << false << QStringList();
        QTest::newRow("kept15") << true << QStringList();
    }
    void answersAsToday()
    {
        QFETCH(bool, isPart);
        QFETCH(QStringList, lacking);
        const QString old = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag())
                                              + QStringLiteral(".longpole"));
        QVERIFY(unpack(older + QFileInfo(old).fileName() + QStringLiteral(".gz"), old));
        const QByteArray before = contentOf(old);
        const Said refused = m_program({QStringLiteral("info"), old});
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.error.contains(QStringLiteral("longpole upgrade")), qPrintable(refused.error));

        const QString upgraded = m_folder.filePath(QStringLiteral("upgraded.longpole"));
        const Said said = m_program({QStringLiteral("upgrade"), old, QStringLiteral("-o"), upgraded});
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
        QVERIFY(contentOf(old) == before);
        for (const QString& command : lacking) QVERIFY2(said.out.contains(command), qPrintable(said.out));
        QCOMPARE(said.out.contains(QStringLiteral("no answer")), !lacking.isEmpty());
        // Earlier versions kept what the last rank waits in a collective call as not sent yet.
        const bool haveMovedCauses = isPart && !lacking.contains(QStringLiteral("tree"));
        for (AnswerFile& file : answerFiles())
            if (haveMovedCauses && file.command.front() == QLatin1String("tree")) compareCauses(file, upgraded);
            else compare(file, upgraded, today(isPart), lacking);
    }

    // Of every schema there was, with the rows of today: what it holds is answered as today.
    void everySchemaLeadsHere_data()
    {
        QTest::addColumn<std::size_t>("number");
        QTest::addColumn<bool>("isPart");
        for (std::size_t i = 0; i < olderSchemas().size(); ++i) {
            QTest::addRow("schema %d, %zu", int(olderSchemas()[i].version), i) << i << false;
            if (olderSchemas()[i].has("kept"))
                QTest::addRow("schema %d, %zu, parts", int(olderSchemas()[i].version), i) << i << true;
        }
    }
    void everySchemaLeadsHere()
    {
        QFETCH(std::size_t, number);
        QFETCH(bool, isPart);
        const OlderSchema& schema = olderSchemas()[number];
        const QString old = m_folder.filePath(QStringLiteral("made.longpole"));
        QFile::remove(old);
        const Result<> made = writeAs(schema, today(isPart), old);
        QVERIFY2(made.ok(), made ? "" : qPrintable(made.error().what));
        const Result<Upgrade> upgrade = upgradeTrace(old, old, {});
        QVERIFY2(upgrade.ok(), upgrade ? "" : qPrintable(upgrade.error().what));
        QCOMPARE(upgrade->from, schema.version);
        if (!isPart) {
            QVERIFY(contentOf(old) == contentOf(today(false)));  // nothing is lost, and nothing else is there
            return;
        }
        const auto store = TraceStore::open(old);
        const auto wanted = TraceStore::open(today(true));
        QVERIFY(store.ok() && wanted.ok());
        QVERIFY((*store)->kept().size() == (*wanted)->kept().size());
        for (std::size_t i = 0; i < answerTables; ++i) {
            const auto table = static_cast<AnswerTable>(i);
            // What advice is about is that of the older version's advice.
            const bool isThere = schema.has(answerSpec(table).name) && table != AnswerTable::AdvicePlace;
            QCOMPARE((*store)->answers().lacks(table), !isThere);
            QCOMPARE(upgrade->lacking[i], !isThere);
            std::vector<std::int64_t> rows = (*wanted)->answers().values[i];
            if (table == AnswerTable::Run && !schema.has("result_elapsed_step"))
                rows[RunColumn::ElapsedPe] = rows[RunColumn::ElapsedTask] = -1;
            if (table == AnswerTable::WorstWait && schema.version == 11)
                for (std::size_t at = WorstWaitColumn::CulpritPath; at < rows.size(); at += WorstWaitColumn::Count)
                    rows[at] = 0;
            QCOMPARE((*store)->answers().values[i], isThere ? rows : std::vector<std::int64_t>());
        }
        for (AnswerFile& file : answerFiles())
            if (schema.version != 11 || file.command.front() != QLatin1String("waits"))  // without the culprit's place
                compare(file, old, today(true), lackingOf(schema));
        // A report says what it can, but for the elapsed path, without which it is none.
        const Said report = m_program({QStringLiteral("report"), old, QStringLiteral("-o"),
                                       m_folder.filePath(QStringLiteral("r.md"))});
        QCOMPARE(report.code, schema.has("result_elapsed_step") ? 0 : 3);
        QCOMPARE(report.error.contains(QStringLiteral("not among the answers")), report.code != 0);
    }

    // The sums of blocks of processors, which no older schema had, are made as an import makes them.
    void sumsOfManyProcessorsAreAdded()
    {
        const QString now = m_folder.filePath(QStringLiteral("many.longpole"));
        QVERIFY(writeManyProcessors(now, 600, 50, 1).ok());
        const QString old = m_folder.filePath(QStringLiteral("many-old.longpole"));
        const OlderSchema* last = nullptr;  // of traces with all events
        for (const OlderSchema& one : olderSchemas())
            if (one.version == schemaVersion - 1 && !one.has("kept")) last = &one;
        QVERIFY(last != nullptr);
        const Result<> made = writeAs(*last, now, old,
                                      "DELETE FROM chunk_data WHERE id IN (SELECT id FROM chunk WHERE track BETWEEN "
                                      "2147483648 AND 4294967294); DELETE FROM chunk WHERE track BETWEEN 2147483648 "
                                      "AND 4294967294");
        QVERIFY2(made.ok(), made ? "" : qPrintable(made.error().what));
        const Result<Upgrade> upgrade = upgradeTrace(old, old, {});
        QVERIFY2(upgrade.ok(), upgrade ? "" : qPrintable(upgrade.error().what));
        QVERIFY(contentOf(old) == contentOf(now));
        // One that says it has them already is none of an older version.
        QVERIFY(QFile::remove(old) && writeAs(*last, now, old).ok());
        QVERIFY(!upgradeTrace(old, old, {}));
    }

    void takesThePlaceOfTheOldOne()
    {
        const QString file = m_folder.filePath(QStringLiteral("place.longpole"));
        QVERIFY(unpack(older + QStringLiteral("kept13.longpole.gz"), file));
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
        const QString link = m_folder.filePath(QStringLiteral("link.longpole"));
        QVERIFY(QFile::link(file, link));
        const QByteArray before = contentOf(file);
        const Said refused = m_program({QStringLiteral("upgrade"), link});
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.error.contains(QStringLiteral("link")), qPrintable(refused.error));
        QVERIFY(contentOf(file) == before);
        const Said onto = m_program({QStringLiteral("upgrade"), file, QStringLiteral("-o"), file});
        QVERIFY(onto.code != 0);
        QVERIFY(contentOf(file) == before);

        // What goes along is done before the old file is gone, or that stays.
        const auto refuses = [](const Upgrade& both) -> Result<> { return Error{both.stampAfter, {}, {}}; };
        const Result<Upgrade> ended = upgradeTrace(file, file, {}, refuses);
        QVERIFY(!ended.ok() && !ended.error().what.isEmpty());
        QVERIFY(contentOf(file) == before);
        QVERIFY(QDir(m_folder.path()).entryList({QStringLiteral("place.longpole.part*")}).isEmpty());

        // What the user has added to the older file is added to the newer one.
        const Result<Upgrade> tried = upgradeTrace(file, m_folder.filePath(QStringLiteral("tried.longpole")), {});
        QVERIFY(tried.ok() && tried->stampBefore != tried->stampAfter);
        const auto sideFile = [this](const QString& stamp) {
            return m_folder.filePath(QStringLiteral("cache/longpole/side/%1.json").arg(stamp));
        };
        QVERIFY(QDir().mkpath(QFileInfo(sideFile(tried->stampBefore)).path()));
        QFile added(sideFile(tried->stampBefore));
        QVERIFY(added.open(QIODevice::WriteOnly) && added.write("bookmarks") > 0);
        added.close();
        QCOMPARE(m_program({QStringLiteral("upgrade"), file}).code, 0);
        QCOMPARE(contentOf(sideFile(tried->stampAfter)), QByteArray("bookmarks"));
        QVERIFY(TraceStore::open(file).ok());
        QVERIFY(QFileInfo(link).isSymLink());
        QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther), QFile::ReadGroup);
        // Once more there is nothing to do; with -o it is the same file.
        const QByteArray after = contentOf(file);
        const QDateTime changed = QFileInfo(file).lastModified();
        const Said again = m_program({QStringLiteral("upgrade"), file});
        QCOMPARE(again.code, 0);
        QVERIFY2(again.out.contains(QStringLiteral("already")), qPrintable(again.out));
        QCOMPARE(QFileInfo(file).lastModified(), changed);
        const QString copy = m_folder.filePath(QStringLiteral("copy.longpole"));
        QCOMPARE(m_program({QStringLiteral("upgrade"), file, QStringLiteral("-o"), copy}).code, 0);
        QVERIFY(contentOf(copy) == after);
        QVERIFY((*TraceStore::open(copy))->answers().lacks(AnswerTable::Loop));
    }

    // Nothing is written, and what there was stays.
    void refusesWhatIsNoFileOfOurs_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const QString old = m_folder.filePath(QStringLiteral("sound.longpole"));
        QVERIFY(unpack(older + QStringLiteral("kept13.longpole.gz"), old));
        const QByteArray sound = contentOf(old);
        for (const qsizetype size : {qsizetype(0), qsizetype(50), qsizetype(16384), sound.size() / 2, sound.size() - 1})
            QTest::addRow("cut at %lld", qint64(size)) << sound.first(size) << QString();
        const auto withVersion = [&](int version) {
            QByteArray other = sound;
            other[63] = static_cast<char>(version);
            return other;
        };
        QTest::newRow("newer") << withVersion(99) << QStringLiteral("newer");
        QTest::newRow("too old") << withVersion(9) << QStringLiteral("again");
        QTest::newRow("schema 0") << withVersion(0) << QStringLiteral("damaged");
        QTest::newRow("another schema") << withVersion(14) << QStringLiteral("damaged");
        QTest::newRow("none of ours") << QByteArray("SQLite format 3, or so") << QString();
        QByteArray flipped = sound;  // a chunk's bytes
        const qsizetype blob = flipped.indexOf("\x28\xb5\x2f\xfd");
        QVERIFY(blob > 0);
        flipped[blob + 12] = static_cast<char>(flipped[blob + 12] ^ 64);
        QTest::newRow("a bit of a chunk") << flipped << QStringLiteral("damaged");
        QByteArray named = sound;  // a name
        named.replace("MPI_Barrier", "MPI_Carrier");
        QTest::newRow("a name") << named << QStringLiteral("stamp");
        QByteArray tables = sound;
        tables.replace("exclusive_ns INTEGER NOT NULL", "exclusive_ns INTEGER NOT  NUL");
        QTest::newRow("another table") << tables << QString();
    }
    void refusesWhatIsNoFileOfOurs()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const QString file = m_folder.filePath(QStringLiteral("bad.longpole"));
        QVERIFY(write(file, bytes));
        isRefused(file, says);
    }

    // With a stamp that is right, as somebody makes it who means it.
    void refusesContradictions_data()
    {
        QTest::addColumn<QByteArray>("spoil");
        QTest::newRow("a view") << QByteArray("CREATE VIEW v AS SELECT 1");
        QTest::newRow("a trigger") << QByteArray("CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END");
        QTest::newRow("an index") << QByteArray("CREATE INDEX i ON track(name)");
        QTest::newRow("a table") << QByteArray("CREATE TABLE task(a)");
        QTest::newRow("a missing table") << QByteArray("DROP TABLE result_near_step");
        QTest::newRow("no part, but answers") << QByteArray("UPDATE meta SET value = 0 WHERE key = 'part'");
        QTest::newRow("answers that are text") << QByteArray("UPDATE result_slack SET slack_ns = 'x'");
        QTest::newRow("a track without processor") << QByteArray("UPDATE processor SET track = 77");
        QTest::newRow("a chunk of other rows") << QByteArray("UPDATE chunk SET first_row = 1 WHERE kind = 'entry_bin'");
        QTest::newRow("a chunk that is not there") << QByteArray("DELETE FROM chunk_data WHERE id = 1");
        QTest::newRow("lacks what nobody knows") << QByteArray("INSERT INTO meta VALUES('lacks', 'result_none')");
        QTest::newRow("lacks what is there") << QByteArray("INSERT INTO meta VALUES('lacks', 'result_slack')");
        QTest::newRow("times without end")
            << QByteArray("UPDATE meta SET value = 9000000000000000000 WHERE key = 'end_ns'");
    }
    void refusesContradictions()
    {
        QFETCH(QByteArray, spoil);
        const QString file = m_folder.filePath(QStringLiteral("spoilt.longpole"));
        QFile::remove(file);
        const OlderSchema* schema = nullptr;
        for (const OlderSchema& one : olderSchemas())
            if (one.version == 13) schema = &one;
        const Result<> made = writeAs(*schema, today(true), file, spoil);
        if (!made) {  // the stamp cannot be made over a table that is not there
            QVERIFY(spoil.startsWith("DROP"));
        }
        isRefused(file, {});
    }

private:
    QString recording() const { return m_folder.filePath(QStringLiteral("halo.lprec")); }
    QString today(bool isPart) const
    {
        return m_folder.filePath(isPart ? QStringLiteral("part.longpole") : QStringLiteral("all.longpole"));
    }
    static QStringList lackingOf(const OlderSchema& schema)
    {
        QStringList lacking;
        if (!schema.has("result_elapsed_step")) lacking << words("elapsed-path.json wait-causes.json");
        if (!schema.has("result_near_path")) lacking << words("near-critical");
        if (!schema.has("result_loop")) lacking << words("phases");
        if (!schema.has("result_advice")) lacking << words("advise tree");
        if (!schema.has("result_region_call")) lacking << words("profile");
        return lacking;
    }
    // The same answer, or that its version has none.
    void compare(const AnswerFile& file, const QString& upgraded, const QString& wanted,
                 const QStringList& lacking) const
    {
        const Said said = m_program(file.call(upgraded));
        Said expected = m_program(file.call(wanted));
        const bool isLacking = lacking.contains(file.name) || lacking.contains(file.command.front());
        QCOMPARE(said.error.contains(QStringLiteral("not among the answers")), isLacking);
        if (isLacking) {
            QCOMPARE(said.code, 3);
            return;
        }
        expected.error.replace(wanted, upgraded);
        QCOMPARE(withoutSource(said.error), withoutSource(expected.error));
        QCOMPARE(withoutSource(said.out), withoutSource(expected.out));
        QCOMPARE(said.code, expected.code);
    }
    // The same tree, and as much idle time, some of which has another cause.
    void compareCauses(const AnswerFile& file, const QString& upgraded) const
    {
        const auto answered = [&](const QString& trace) {
            return json::parse(m_program(file.call(trace)).out.toStdString());
        };
        json old = answered(upgraded), now = answered(today(true));
        const auto moved = [](const json& tree, const char* cause) {
            return tree["idle_causes"]["total"][cause].get<std::int64_t>();
        };
        QVERIFY(moved(old, "imbalance_ns") > moved(now, "imbalance_ns"));
        QCOMPARE(moved(old, "imbalance_ns") + moved(old, "synchronization_ns"),
                 moved(now, "imbalance_ns") + moved(now, "synchronization_ns"));
        for (json* tree : {&old, &now}) {
            tree->erase("idle_causes");
            for (json& node : (*tree)["nodes"])
                for (const char* figure : {"why", "value", "tests"}) node.erase(figure);
        }
        QVERIFY(old == now);
    }
    // The recording lay elsewhere when the old file was made.
    static QString withoutSource(QString text)
    {
        return text.replace(QRegularExpression(QStringLiteral("[^\" (]*/halo.lprec")), QStringLiteral("halo.lprec"));
    }
    void isRefused(const QString& file, const QString& says) const
    {
        const QByteArray before = contentOf(file);
        const QString target = m_folder.filePath(QStringLiteral("none.longpole"));
        for (const QStringList& call : {QStringList{QStringLiteral("upgrade"), file},
                                        QStringList{QStringLiteral("upgrade"), file, QStringLiteral("-o"), target}}) {
            const Said said = m_program(call);
            QVERIFY2(said.code == 3, qPrintable(said.out + said.error));
            QVERIFY2(said.error.contains(says), qPrintable(said.error));
            QVERIFY(said.error.startsWith(QStringLiteral("longpole: ")));
            QVERIFY(contentOf(file) == before);
            QVERIFY(!QFile::exists(target));
        }
        const QStringList left = QDir(m_folder.path())
                                     .entryList({QStringLiteral("*.part-*")}, QDir::Files | QDir::Hidden);
        QCOMPARE(left, QStringList());
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestUpgrade)
#include "tst_upgrade.moc"
