// SPDX-License-Identifier: GPL-3.0-or-later
// A damaged, cut, foreign or newer file gives an error or the same answers as the sound one: never a wrong number, a
// crash or a hang.
#include "core/file/schema.h"
#include "core/smalltrace.h"
#include "core/sql/sqlsession.h"
#include "core/store/tracestore.h"

#include "core/trace/columns.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <random>

#include <unistd.h>

using namespace longpole;

namespace {

bool writeContent(const QString& path, const QByteArray& content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(content) == content.size();
}

void addTables(QByteArray& out, const TraceStore& store)
{
    const auto add = [&out](const auto&... values) { ((out += QVariant(values).toString().toUtf8() + ' '), ...); };
    const TraceInfo& info = store.info();
    add(info.format, info.program, qint64(info.begin), qint64(info.end), qint64(info.busy), qint64(info.tasks));
    for (const Track& t : store.tracks())
        add(index(t.id), index(t.parent), int(t.kind), t.name, t.pe ? index(*t.pe) : 0u);
    for (const Processor& p : store.processors())
        add(index(p.pe), index(p.track), p.name, qint64(p.busy), qint64(p.idle), qint64(p.records), p.hasLog);
    for (const Chare& c : store.chares()) add(index(c.id), c.name, c.dimensions);
    for (const Entry& e : store.entries()) add(index(e.id), e.name, e.chare, int(e.kind), index(e.chareId));
    for (const Region& r : store.regions()) add(index(r.id), int(r.kind), qint64(r.number), r.name);
    for (const ProfileRow& p : store.profile()) add(index(p.pe), index(p.entry), qint64(p.time), qint64(p.bytes));
    for (const Issue& i : store.issues()) add(i.kind, qint64(i.count), i.place);
    add(store.text(7));
}

// Everything that the file says, as bytes; or nothing if any of it is an error.
QByteArray answers(const QString& path)
{
    const auto opened = TraceStore::open(path);
    if (!opened) return {};
    const TraceStore& store = **opened;
    QByteArray out;
    addTables(out, store);
    for (const ChunkSpec& spec : chunkSpecs())
        for (const ChunkRef& ref : store.chunks(spec.kind)) {
            const auto chunk = store.read(ref);
            if (!chunk) return {};
            out += QByteArray::number(index(ref.track)) + ',' + QByteArray::number(qint64(ref.firstRow)) + ':';
            for (const auto& column : (*chunk)->columns)
                for (const std::int64_t value : column) out += QByteArray::number(qint64(value)) + ' ';
        }
    const auto session = SqlSession::open(*opened);
    if (!session) return {};
    for (const char* query : {"SELECT * FROM task", "SELECT name FROM entry WHERE id = 1",
                              "SELECT name FROM processor WHERE pe = 1", "SELECT * FROM meta"}) {
        const auto take = [&out](std::span<const QVariant> cells) {
            for (const QVariant& cell : cells) out += cell.toString().toUtf8() + '|';
            return true;
        };
        if (!(*session)->run(
                QString::fromLatin1(query), [](const QStringList&) {}, take, Progress()))
            return {};
    }
    return out;
}

}  // namespace

class TestDamage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path;
    QByteArray m_sound;
    QByteArray m_answers;

private Q_SLOTS:
    void initTestCase()
    {
        m_path = m_folder.filePath(QStringLiteral("sound.longpole"));
        QVERIFY(writeSmallTrace(m_path).ok());
        m_sound = contentOf(m_path);
        m_answers = answers(m_path);
        QVERIFY(!m_answers.isEmpty());
    }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void everyByteFlipped_data()
    {
        QTest::addColumn<int>("flip");
        QTest::newRow("all bits") << 0xff;
        QTest::newRow("lowest bit") << 0x01;
    }
    // Bytes that stand in runs of zeros are tried in steps: they are unused space of a page.
    void everyByteFlipped()
    {
        QFETCH(int, flip);
        const QString path = m_folder.filePath(QStringLiteral("damaged.longpole"));
        QVERIFY(writeContent(path, m_sound));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite | QIODevice::Unbuffered));
        int errors = 0;
        for (qsizetype at = 0; at < m_sound.size(); ++at) {
            const bool unused = at > 8 && at + 8 < m_sound.size()
                                && QByteArrayView(m_sound).sliced(at - 8, 16) == QByteArray(16, '\0');
            if (unused && at % 509 != 0) continue;
            const char damaged = static_cast<char>(m_sound[at] ^ flip);
            file.seek(at);
            file.write(&damaged, 1);
            const QByteArray said = answers(path);
            QVERIFY2(said.isEmpty() || said == m_answers, qPrintable(QStringLiteral("byte %1").arg(at)));
            errors += said.isEmpty() ? 1 : 0;
            file.seek(at);
            file.write(m_sound.constData() + at, 1);
        }
        QVERIFY2(errors > 1000, qPrintable(QString::number(errors)));
        QCOMPARE(answers(path), m_answers);
    }

    // Several bytes at once: pointers between pages, lengths and text in ways that one flip does not reach; and pages
    // that stand in each other's place.
    void manyBytesDamaged()
    {
        const QString path = m_folder.filePath(QStringLiteral("damaged.longpole"));
        std::mt19937_64 random(9);
        int errors = 0;
        for (int round = 0; round < 400; ++round) {
            QByteArray damaged = m_sound;
            const qsizetype pages = damaged.size() / 16384;
            const auto below = [&random](qsizetype end) {
                return static_cast<qsizetype>(random() % static_cast<std::uint64_t>(end));
            };
            if (round % 4 == 0) damaged.replace(below(pages) * 16384, 16384, m_sound.mid(below(pages) * 16384, 16384));
            const qsizetype page = below(pages) * 16384;
            for (auto count = below(8); count > 0; --count)
                damaged[page + (round % 2 == 0 ? below(120) : below(16384))] = static_cast<char>(random());
            QVERIFY(writeContent(path, damaged));
            const QByteArray said = answers(path);
            QVERIFY2(said.isEmpty() || said == m_answers, qPrintable(QString::number(round)));
            errors += said.isEmpty() ? 1 : 0;
        }
        QVERIFY2(errors > 100, qPrintable(QString::number(errors)));
    }

    void cutFilesAreRefused()
    {
        const QString path = m_folder.filePath(QStringLiteral("cut.longpole"));
        for (qsizetype length = 0; length < m_sound.size(); length += length < 600 ? 1 : 997) {
            QVERIFY(writeContent(path, m_sound.left(length)));
            const auto opened = TraceStore::open(path);
            QVERIFY2(!opened, qPrintable(QString::number(length)));
            QVERIFY(!opened.error().what.isEmpty());
            QCOMPARE(opened.error().where, path);
        }
    }

    void anAppendedTailChangesNothing()
    {
        const QString path = m_folder.filePath(QStringLiteral("long.longpole"));
        QVERIFY(writeContent(path, m_sound + QByteArray(20000, 'x')));
        const QByteArray said = answers(path);
        QVERIFY(said.isEmpty() || said == m_answers);
    }

    void aNewerSchemaIsNamed()
    {
        const QString path = m_folder.filePath(QStringLiteral("newer.longpole"));
        QByteArray newer = m_sound;
        newer[63] = schemaVersion + 1;  // user_version, big-endian at offset 60
        QVERIFY(writeContent(path, newer));
        const auto opened = TraceStore::open(path);
        QVERIFY(!opened);
        QVERIFY2(opened.error().what.contains(QStringLiteral("version %1").arg(schemaVersion + 1))
                     && opened.error().what.contains(QStringLiteral("up to %1").arg(schemaVersion)),
                 qPrintable(opened.error().what));
        QVERIFY(!opened.error().hint.isEmpty());
    }

    // With a stamp of its own: what is refused is the version.
    void anOlderSchemaIsNamed()
    {
        const QString path = m_folder.filePath(QStringLiteral("older.longpole"));
        QVERIFY(writeContent(path, m_sound));
        {
            auto database = Database::createForBulk(path);
            QVERIFY(database);
            QVERIFY(database->execute("PRAGMA user_version = 3; DELETE FROM meta WHERE key = 'stamp'").ok());
            auto hasher = beginStamp(*database);
            QVERIFY(hasher);
            std::int64_t left = maxTime;
            for (const TableSpec& spec : tables(HasEvents::All))
                if (spec.stamped) QVERIFY(scanTable(*database, spec, *hasher, left).ok());
            const QByteArray insert = "INSERT INTO meta(key, value) VALUES('stamp', '" + hasher->hex().toLatin1()
                                      + "')";
            QVERIFY(database->execute(insert.constData()).ok());
        }
        const auto older = TraceStore::open(path);
        QVERIFY(!older);
        QVERIFY2(older.error().what.contains(QStringLiteral("version 3"))
                     && older.error().what.contains(QStringLiteral("version %1").arg(schemaVersion)),
                 qPrintable(older.error().what));
        QCOMPARE(older.error().where, path);
        QVERIFY(older.error().hint.contains(QStringLiteral("Import the trace again")));
    }

    void otherFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("PROJECTIONS-RECORD 3 11\n").repeated(4000);
        QTest::newRow("zeros") << QByteArray(100000, '\0');
        QTest::newRow("SQLite's first bytes") << QByteArray("SQLite format 3\0", 16) + QByteArray(16384, '\7');
    }
    void otherFilesAreRefused()
    {
        QFETCH(QByteArray, content);
        const QString path = m_folder.filePath(QStringLiteral("other.longpole"));
        QVERIFY(writeContent(path, content));
        QVERIFY(!TraceStore::open(path));
    }

    void aMissingFileIsSaid()
    {
        const auto opened = TraceStore::open(m_folder.filePath(QStringLiteral("nothing here")));
        QVERIFY(!opened);
        QCOMPARE(opened.error().what, QStringLiteral("There is no such file."));
    }

    void namesNeedNoEscaping()
    {
        const QString path = m_folder.filePath(QStringLiteral("100% \u00e4 #1?x=y&immutable=0 'q'.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        QCOMPARE(answers(path), m_answers);
    }

    void readOnlyFoldersWork()
    {
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("locked")));
        const QString folder = m_folder.filePath(QStringLiteral("locked"));
        const QString path = folder + QStringLiteral("/t.longpole");
        QVERIFY(QFile::copy(m_path, path));
        QFile::setPermissions(path, QFileDevice::ReadOwner);
        QFile::setPermissions(folder, QFileDevice::ReadOwner | QFileDevice::ExeOwner);
        QCOMPARE(answers(path), m_answers);
        QCOMPARE(contentOf(path), m_sound);
        QCOMPARE(QDir(folder).entryList(QDir::Files | QDir::Hidden).size(), 1);
        if (::geteuid() != 0) QVERIFY(!TraceWriter::create(path + QStringLiteral("2")));
        QFile::setPermissions(folder, QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    }

    void theSchemaIsSound()
    {
        const QString shell = QStandardPaths::findExecutable(QStringLiteral("sqlite3"));
        if (shell.isEmpty()) QSKIP("there is no sqlite3 shell");
        QProcess process;
        process.start(shell, {QStringLiteral("-batch"), m_path,
                              QStringLiteral("PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA page_size;"
                                             "PRAGMA user_version")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(QString::fromUtf8(process.readAllStandardError()), QString());
        QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()),
                 QStringLiteral("ok\n16384\n%1\n").arg(schemaVersion));
    }
};

LONGPOLE_TEST(TestDamage)
#include "tst_damage.moc"
