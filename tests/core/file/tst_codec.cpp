// SPDX-License-Identifier: GPL-3.0-or-later
// Columns survive their bytes, whatever their values; bytes that no encoder made are refused without harm.
#include "core/file/codec.h"
#include "core/file/columncoding.h"

#include "core/trace/columns.h"
#include "support/testmain.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace longpole;

namespace {

constexpr TrackId track{7};

using Columns = std::vector<std::vector<std::int64_t>>;

std::vector<std::int64_t> numbers(const StoredColumn& column) { return {column.begin(), column.end()}; }

std::vector<char> encodeColumns(ChunkKind kind, const Columns& columns, Packing packing = Packing::Compressed)
{
    const std::size_t rows = columns[0].size();
    std::vector<std::int64_t> values;
    for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
    return encodeChunk(kind, track, values, rows, static_cast<std::uint32_t>(rows), packing);
}

// Every column of the kind has these values.
Columns allColumns(ChunkKind kind, const std::vector<std::int64_t>& values)
{
    return Columns(chunkSpec(kind).columns.size(), values);
}

std::vector<std::int64_t> generated(std::size_t rows, const std::function<std::int64_t(std::size_t)>& value)
{
    std::vector<std::int64_t> values;
    for (std::size_t row = 0; row < rows; ++row) values.push_back(value(row));
    return values;
}

}  // namespace

Q_DECLARE_METATYPE(std::vector<std::int64_t>)

class TestCodec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void valuesSurvive_data()
    {
        QTest::addColumn<std::vector<std::int64_t>>("values");
        std::mt19937_64 random(3);
        using Values = std::vector<std::int64_t>;
        const auto row = [](const char* name, const Values& values) { QTest::newRow(name) << values; };
        row("zero", {0});
        row("one value", {42});
        row("one of ten bytes", {minTime});  // the first chunk of a thread has no room left of others
        row("least and largest", {minTime, maxTime, minTime, 0, maxTime, -1, 1, minTime + 1, maxTime - 1});
        row("constant", generated(8192, [](std::size_t) { return std::int64_t{-5}; }));
        row("constant step", generated(8192, [](std::size_t i) { return static_cast<std::int64_t>(i) * 1000 + 17; }));
        row("constant but the last", generated(100, [](std::size_t i) { return std::int64_t{i == 99}; }));
        row("huge times", generated(100, [](std::size_t i) {
                return 1'700'000'000'000'000'000 + static_cast<std::int64_t>(i * i * 12345);
            }));
        row("one byte each", generated(1000, [](std::size_t i) { return static_cast<std::int64_t>(i * 7 % 64); }));
        row("every length", generated(1000, [](std::size_t i) {
                return static_cast<std::int64_t>((~std::uint64_t{0} >> (i % 64)) ^ i);
            }));
        row("all bits", generated(5000, [&](std::size_t) { return static_cast<std::int64_t>(random()); }));
        row("mixed lengths", generated(maxStoredRows, [&](std::size_t) {
                return static_cast<std::int64_t>(random() >> (random() % 64));
            }));
        for (int length = 1; length <= 10; ++length) {
            // Zigzag values of exactly `length` bytes, alone and in numbers that leave every remainder by eight.
            const std::uint64_t bit = length == 1 ? 0 : std::uint64_t{1} << (7 * (length - 1) - 1);
            const auto smallest = static_cast<std::int64_t>(bit);
            QTest::addRow("%d bytes", length)
                << generated(std::size_t{20} + static_cast<std::size_t>(length),
                             [&](std::size_t i) { return smallest + static_cast<std::int64_t>(i % 2); });
        }
    }
    void valuesSurvive()
    {
        QFETCH(std::vector<std::int64_t>, values);
        for (const Packing packing : {Packing::Compressed, Packing::Quick}) {
            for (const ChunkSpec& spec : chunkSpecs()) {
                const std::vector<char> bytes = encodeColumns(spec.kind, allColumns(spec.kind, values), packing);
                const auto chunk = decodeChunk(bytes, spec.kind, track, static_cast<std::uint32_t>(values.size()));
                QVERIFY(chunk.has_value());
                QCOMPARE(chunk->columns.size(), spec.columns.size());
                for (const auto& column : chunk->columns) QCOMPARE(numbers(column), values);
            }
        }
    }

    void doublesSurviveBitForBit()
    {
        using Limits = std::numeric_limits<double>;
        std::vector<std::int64_t> bits;
        for (const double value : {0.0, -0.0, 1.0, -2.5, 1e300, 1e-310, Limits::infinity(), -Limits::infinity(),
                                   Limits::quiet_NaN(), Limits::denorm_min(), Limits::max(), 0.1})
            bits.push_back(std::bit_cast<std::int64_t>(value));
        bits.push_back(0x7ff0000000000001);  // a signalling NaN
        const auto bytes = encodeColumns(ChunkKind::Counter, allColumns(ChunkKind::Counter, bits));
        const auto chunk = decodeChunk(bytes, ChunkKind::Counter, track, static_cast<std::uint32_t>(bits.size()));
        QVERIFY(chunk.has_value());
        QCOMPARE(numbers(chunk->columns[CounterColumn::Value]), bits);
    }

    void onlyWantedColumnsAreDecoded()
    {
        Columns columns;
        for (std::int64_t c = 0; c < TaskColumn::Count; ++c)
            columns.push_back(generated(300, [c](std::size_t i) {
                return c * 1000 + static_cast<std::int64_t>(i * i % 91);
            }));
        const auto bytes = encodeColumns(ChunkKind::Task, columns);
        for (const std::uint32_t wanted : {0u, 1u, 0x8001u, 0x5555u, 0xffffffffu}) {
            const auto chunk = decodeChunk(bytes, ChunkKind::Task, track, 300, wanted);
            QVERIFY(chunk.has_value());
            for (std::size_t c = 0; c < columns.size(); ++c)
                QCOMPARE(numbers(chunk->columns[c]), (wanted >> c & 1) != 0 ? columns[c] : std::vector<std::int64_t>());
        }
    }

    // Of every length, of random ones, and cut: both ways to read them say the same.
    void joinedAsOneByOne()
    {
        std::mt19937_64 random(7);
        for (int trial = 0; trial < 3000; ++trial) {
            const auto rows = static_cast<std::uint32_t>(1 + random() % 200);
            const int most = static_cast<int>(1 + random() % 64), least = trial % 3 == 0 ? most : 1;
            std::vector<std::int64_t> values(rows);
            for (std::int64_t& value : values) {
                const int bits = least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
                value = static_cast<std::int64_t>(random() >> (64 - bits));
            }
            for (const Coding coding : {Coding::Plain, Coding::Delta, Coding::Double}) {
                std::vector<std::uint8_t> bytes(std::max<std::size_t>(rows, 2) * maxVarint);
                const EncodedColumn encoded = encodeColumn(coding, values.data(), rows, bytes.data());
                bytes.resize(static_cast<std::size_t>(encoded.end - bytes.data()));
                std::vector<std::int64_t> joined(rows), single(rows);
                QVERIFY(decodeColumn(coding, encoded.even, bytes, joined.data(), rows));
                QVERIFY(decodeColumn(coding, encoded.even, bytes, single.data(), rows, false));
                QCOMPARE(joined, values);
                QCOMPARE(single, values);
                bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
                if (trial % 2 == 0) bytes.resize(bytes.size() - 1);
                const bool isRead = decodeColumn(coding, encoded.even, bytes, joined.data(), rows);
                QCOMPARE(decodeColumn(coding, encoded.even, bytes, single.data(), rows, false), isRead);
                if (isRead) QCOMPARE(joined, single);
            }
        }
    }

    void constantColumnsCostBytes()
    {
        const std::vector<std::int64_t> zeros(8192, 0);
        const auto bytes = encodeColumns(ChunkKind::Task, allColumns(ChunkKind::Task, zeros));
        QVERIFY2(bytes.size() < 60, qPrintable(QString::number(bytes.size())));
    }

    void anotherChunkIsRefused()
    {
        const auto bytes = encodeColumns(ChunkKind::Idle, allColumns(ChunkKind::Idle, {1, 2, 3}));
        QVERIFY(decodeChunk(bytes, ChunkKind::Idle, track, 3).has_value());
        QVERIFY(!decodeChunk(bytes, ChunkKind::Task, track, 3));
        QVERIFY(!decodeChunk(bytes, ChunkKind::Idle, TrackId{8}, 3));
        QVERIFY(!decodeChunk(bytes, ChunkKind::Idle, track, 2));
        QVERIFY(!decodeChunk(bytes, ChunkKind::Idle, track, 4));
        QVERIFY(!decodeChunk(bytes, ChunkKind::Idle, track, 0));
        QVERIFY(!decodeChunk(bytes, ChunkKind::Idle, track, maxStoredRows + 1));
    }

    void truncatedBytesAreRefused()
    {
        const auto values = generated(200, [](std::size_t i) { return static_cast<std::int64_t>(i * i * 77777); });
        const auto bytes = encodeColumns(ChunkKind::Interval, allColumns(ChunkKind::Interval, values));
        for (std::size_t length = 0; length < bytes.size(); ++length)
            QVERIFY(!decodeChunk({bytes.data(), length}, ChunkKind::Interval, track, 200));
    }

    // A wrong byte is found by the chunk's hash before it is decoded; here only memory safety counts (ASan).
    void damagedBytesDoNoHarm()
    {
        const auto values = generated(200, [](std::size_t i) { return static_cast<std::int64_t>(i * i * 77777); });
        const auto bytes = encodeColumns(ChunkKind::Interval, allColumns(ChunkKind::Interval, values));
        int refused = 0;
        for (std::size_t at = 0; at < bytes.size(); ++at)
            for (const char flip : {'\x01', '\x80', '\xff'}) {
                std::vector<char> damaged = bytes;
                damaged[at] = static_cast<char>(damaged[at] ^ flip);
                const auto chunk = decodeChunk(damaged, ChunkKind::Interval, track, 200);
                refused += chunk ? 0 : 1;
                if (chunk) QCOMPARE(chunk->columns[0].size(), std::size_t{200});
            }
        QVERIFY(refused > 0);
    }

    void randomBytesAreRefused()
    {
        std::mt19937_64 random(5);
        for (int i = 0; i < 20000; ++i) {
            std::vector<char> bytes(random() % 300);
            for (char& byte : bytes) byte = static_cast<char>(random());
            if (bytes.size() > 4 && i % 2 == 0) {  // past zstd's magic number
                const std::uint32_t magic = 0xfd2fb528;
                std::memcpy(bytes.data(), &magic, sizeof magic);
            }
            QVERIFY(!decodeChunk(bytes, ChunkKind::Message, track, 100));
        }
    }
};

LONGPOLE_TEST(TestCodec)
#include "tst_codec.moc"
