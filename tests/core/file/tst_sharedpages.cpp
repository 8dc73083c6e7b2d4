// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and chunks of which each is as long as the file, since they share its pages, do not take that much each.
#include "core/hostilestore.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"

#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

using namespace longpole;

namespace {

constexpr std::int64_t pageBytes = 16384;

// SQLite's variable-length number: seven bits a byte, the highest first.
QByteArray number(std::int64_t value)
{
    QByteArray bytes(1, static_cast<char>(value & 0x7f));
    while ((value >>= 7) > 0) bytes.prepend(static_cast<char>((value & 0x7f) | 0x80));
    return bytes;
}

template <typename Number>
QByteArray bigEndian(Number value)
{
    QByteArray bytes(sizeof value, 0);
    qToBigEndian(value, bytes.data());
    return bytes;
}

std::int64_t integerOf(const QString& path, const char* sql)
{
    Result<Database> database = Database::openImmutable(path);
    if (!database) return -1;
    const Result<std::int64_t> found = database->integer(sql);
    return found ? *found : -1;
}

// Replaces table `text` by a leaf (the file format of SQLite, 1.6) of seven rows, each nearly as long as the file: what
// does not lie in the leaf goes on in one page that leads to itself.
void loopTexts(const QString& path)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    const std::int64_t root = integerOf(path, "SELECT rootpage FROM sqlite_schema WHERE name = 'text'");
    const std::int64_t pages = bytes.size() / pageBytes, loop = pages + 1;
    QVERIFY(root > 1 && bytes.size() % pageBytes == 0);
    constexpr std::int64_t inLeaf = (pageBytes - 12) * 32 / 255 - 23, inPage = pageBytes - 4;
    const std::int64_t payload = inLeaf + inPage * (pages - 1);
    const auto headOf = [](std::int64_t text) -> QByteArray {
        const QByteArray types = QByteArray(1, 0) + number(13 + 2 * text);
        return number(types.size() + 1) + types;
    };
    const QByteArray headOfRow = headOf(payload - 6);  // three or four bytes hold the length of such a text
    const std::int64_t text = payload - headOfRow.size();
    QCOMPARE(headOf(text).size(), headOfRow.size());
    QByteArray leaf(pageBytes, 0), cells;
    constexpr int rows = 7;
    std::int64_t place = pageBytes;
    for (int row = 0; row < rows; ++row) {
        const QByteArray cell = number(payload) + number(row + 1) + headOf(text)
                                + QByteArray(inLeaf - headOfRow.size(), 'a') + bigEndian(quint32(loop));
        place -= cell.size();
        leaf.replace(place, cell.size(), cell);
        cells += bigEndian(quint16(place));
    }
    const QByteArray head = QByteArray(1, 13) + bigEndian(quint16(0)) + bigEndian(quint16(rows))
                            + bigEndian(quint16(place)) + QByteArray(1, 0) + cells;
    leaf.replace(0, head.size(), head);
    bytes.replace((root - 1) * pageBytes, pageBytes, leaf);
    bytes.replace(28, 4, bigEndian(quint32(loop)));  // the file's pages
    bytes += bigEndian(quint32(loop)) + QByteArray(inPage, 'a');
    QVERIFY(file.seek(0) && file.write(bytes) == bytes.size());
}

}  // namespace

class TestSharedPages : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_path = m_folder.filePath(QStringLiteral("made.longpole"));

private Q_SLOTS:
    void init()
    {
        QFile::remove(m_path);
        QVERIFY(writeSmallTrace(m_path).ok());
    }

    void textsAreNoLongerThanTheFile()
    {
        loopTexts(m_path);
        // SQLite itself finds nothing wrong with them.
        const std::int64_t longest = integerOf(m_path, "SELECT min(length(text)) FROM text");
        QVERIFY2(7 * longest > 5 * QFile(m_path).size(), qPrintable(QString::number(longest)));
        const auto opened = TraceStore::open(m_path);
        QVERIFY(!opened);
        QVERIFY2(opened.error().what.contains(QStringLiteral("table text has no end")),
                 qPrintable(opened.error().what));
    }

    // Smaller ones would leave the rows of a made file nothing of their own.
    void pagesHaveTheirSize()
    {
        QVERIFY(editStore(m_path, "PRAGMA locking_mode = NORMAL; PRAGMA page_size = 512; VACUUM").ok());
        QCOMPARE(integerOf(m_path, "PRAGMA page_size"), std::int64_t(-1));
        const auto opened = TraceStore::open(m_path);
        QVERIFY(!opened);
        QVERIFY2(opened.error().what.contains(QStringLiteral("its pages have another size")),
                 qPrintable(opened.error().what));
    }

    // SQLite parses the whole schema before anybody can look at it.
    void schemasAreShort()
    {
        const QByteArray comment = "/*" + QByteArray(100'000, '*') + "*/";
        QVERIFY(editStore(m_path, "CREATE TABLE long(a " + comment + ")").ok());
        QCOMPARE(integerOf(m_path, "SELECT count(*) FROM meta"), std::int64_t(-1));
        QVERIFY(!TraceStore::open(m_path));
    }

    // Rows of numbers alone are counted, too, over all tables.
    void rowsAreNoMoreThanTheirBytes()
    {
        Result<Database> database = Database::openImmutable(m_path);
        QVERIFY(database.ok());
        Result<ValueHasher> hasher = beginStamp(*database);
        QVERIFY(hasher.ok());
        std::int64_t left = maxTime;
        for (const TableSpec& table : tables(HasEvents::All))
            if (table.stamped) QVERIFY(scanTable(*database, table, *hasher, left).ok());
        const std::int64_t taken = maxTime - left;
        QVERIFY2(taken > 500 && taken < QFile(m_path).size(), qPrintable(QString::number(taken)));
        left = taken - 1;
        Result<> done = Unit{};
        for (const TableSpec& table : tables(HasEvents::All))
            if (table.stamped && done) done = scanTable(*database, table, *hasher, left);
        QVERIFY(!done);
        QVERIFY2(done.error().what.contains(QStringLiteral("has no end")), qPrintable(done.error().what));
    }

    // What no reader of the chunk would miss: frames of zstd that hold nothing.
    void chunksAreNoLongerThanTheirRows()
    {
        const auto added = [](std::uint32_t more) {
            return [more](std::span<const char> bytes, std::uint32_t) {
                std::vector<char> longer(bytes.begin(), bytes.end());
                const QByteArray head = QByteArray::fromHex("502a4d18");  // RFC 8878, 3.1.2
                longer.insert(longer.end(), head.begin(), head.end());
                for (int i = 0; i < 4; ++i) longer.push_back(static_cast<char>(more >> (8 * i) & 0xff));
                longer.insert(longer.end(), more, 0);
                return longer;
            };
        };
        const auto read = [this] {
            const auto store = TraceStore::open(m_path);
            return store && (*store)->read((*store)->chunks(ChunkKind::Task).front()).ok();
        };
        QVERIFY(replaceChunk(m_path, ChunkKind::Task, TrackId{10}, added(8)).ok());
        QVERIFY(read());
        QVERIFY(replaceChunk(m_path, ChunkKind::Task, TrackId{10}, added(1u << 20)).ok());
        QVERIFY(!read());
    }
};

LONGPOLE_TEST(TestSharedPages)
#include "tst_sharedpages.moc"
