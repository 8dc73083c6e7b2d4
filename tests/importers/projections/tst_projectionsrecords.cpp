// SPDX-License-Identifier: GPL-3.0-or-later
// Records of every version and type, as text and binary; notes in both forms; what is malformed.
#include "importers/projections/log.h"
#include "importers/projections/records.h"
#include "importers/smallrun.h"

#include "support/testmain.h"

#include <QRegularExpression>

#include <cmath>

using namespace longpole;

namespace {

RecordLayout layoutOf(const QByteArray& version, const QByteArray& more = {})
{
    ImportLog log;
    return RecordLayout::of(parseSymbols(smallSymbols(1, more, version), log));
}

Decoded decode(const QByteArray& line, LogRecord& record, const RecordLayout& layout)
{
    return decodeText({line.constData(), static_cast<std::size_t>(line.size())}, layout, record);
}

template <typename T>
void put(QByteArray& bytes, T value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

class TestProjectionsRecords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Records 1, 2, 3 and 20 as each version writes them.
    void versions_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("creation");
        QTest::addColumn<QByteArray>("broadcast");
        QTest::addColumn<QByteArray>("begin");
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("duration");
        QTest::addColumn<int>("index1");
        QTest::addColumn<int>("cpu");
        const auto row = [](const char* version, const char* creation, const char* broadcast, const char* begin,
                            const char* end, int bytes, int duration, int index1, int cpu) {
            QTest::newRow(version) << QByteArray(version) << QByteArray(creation) << QByteArray(broadcast)
                                   << QByteArray(begin) << QByteArray(end) << bytes << duration << index1 << cpu;
        };
        row("1.0", "1 21 5 70 8 0", "20 21 5 70 8 0 4", "2 21 5 71 8 0", "3 0 5 75 8 0", 0, 0, 0, -1);
        row("3.0", "1 21 5 70 8 0 112", "20 21 5 70 8 0 112 4", "2 21 5 71 8 0 112", "3 0 5 75 8 0 0", 112, 0, 0, -1);
        row("4.0", "1 21 5 70 8 0 112", "20 21 5 70 8 0 112 4", "2 21 5 71 8 0 112 60 6 7 8", "3 0 5 75 8 0 0", 112, 0,
            7, -1);
        row("5.0", "1 21 5 70 8 0 112 2", "20 21 5 70 8 0 112 2 4", "2 21 5 71 8 0 112 60 6 7 8", "3 0 5 75 8 0 0", 112,
            2000, 7, -1);
        row("6.5", "1 21 5 70 8 0 112 2", "20 21 5 70 8 0 112 2 4", "2 21 5 71 8 0 112 60 6 7 8 900",
            "3 0 5 75 8 0 0 903", 112, 2000, 7, 900000);
        row("6.6", "1 21 5 70 8 0 112 2", "20 21 5 70 8 0 112 2 4", "2 21 5 71 8 0 112 60 6 7 8 900",
            "3 0 5 75 8 0 0 903", 112, 2000, 7, 900000);
        row("8.0", "1 21 5 70 8 0 112 2", "20 21 5 70 8 0 112 2 4", "2 21 5 71 8 0 112 60 6 7 8 9 900",
            "3 0 5 75 8 0 0 903", 112, 2000, 7, 900000);
        // Entry 5 belongs to an array of one dimension.
        row("9.0", "1 21 5 70 8 0 112 2", "20 21 5 70 8 0 112 2 4", "2 21 5 71 8 0 112 60 6 900", "3 0 5 75 8 0 0 903",
            112, 2000, 0, 900000);
        row("11.0", "1 21 5 70 8 0 112 2", "20 21 5 70 8 0 112 2 4 surplus", "2 21 5 71 8 0 112 60 6 900",
            "3 0 5 75 8 0 0 903", 112, 2000, 0, 900000);
    }
    void versions()
    {
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, creation);
        QFETCH(QByteArray, broadcast);
        QFETCH(QByteArray, begin);
        QFETCH(QByteArray, end);
        RecordLayout layout = layoutOf("11.0");
        ImportLog log;
        ProjectionsSymbols symbols = parseSymbols(smallSymbols(1), log);
        symbols.versionNumber = version.toDouble();
        layout = RecordLayout::of(symbols);
        LogRecord record;
        QCOMPARE(decode(creation, record, layout), Decoded::Record);
        QCOMPARE(record.type, RecordType::Creation);
        QCOMPARE(record.time, 70000);
        QCOMPARE(record.event, 8);
        QTEST(static_cast<int>(record.bytes), "bytes");
        QTEST(static_cast<int>(record.sendDuration), "duration");
        QCOMPARE(decode(broadcast, record, layout), Decoded::Record);
        QCOMPARE(record.value, 4);
        QCOMPARE(decode(begin, record, layout), Decoded::Record);
        QCOMPARE(record.entry, 5u);
        QCOMPARE(record.time, 71000);
        QCOMPARE(record.index[0], version.toDouble() >= 4 ? 6 : 0);
        QTEST(record.index[1], "index1");
        QTEST(static_cast<int>(record.cpu), "cpu");
        QCOMPARE(decode(end, record, layout), Decoded::Record);
        QCOMPARE(record.time, 75000);
        QCOMPARE(record.cpu, version.toDouble() >= 6.5 ? 903000 : -1);
        // A line that ends too early is no record, whatever the version.
        for (const QByteArray& line : {creation, broadcast, begin, end}) {
            if (line.endsWith("surplus")) continue;
            QCOMPARE(decode(line.first(line.lastIndexOf(' ')), record, layout), Decoded::Malformed);
        }
    }

    // Symbols that no .sts gives.
    void layoutOfMoreThanARecordHolds()
    {
        ProjectionsSymbols symbols;
        symbols.papiCounters = 400;
        symbols.chares[1] = {QStringLiteral("Line"), 255};
        symbols.entries[5] = {QStringLiteral("step"), 1};
        const RecordLayout layout = RecordLayout::of(symbols);
        QCOMPARE(layout.papiCounters, mostPapiCounters);
        QCOMPARE(int(layout.indices[5]), 6);
    }

    void dimensions()
    {
        const RecordLayout layout = layoutOf("11.0");
        LogRecord record;
        QCOMPARE(decode("2 4 6 71 8 0 112 0 1 2 3 4 900", record, layout), Decoded::Record);  // no dimensions: four
        QCOMPARE(record.indices, 4);
        QCOMPARE(record.index[3], 4);
        QCOMPARE(record.cpu, 900000);
        QCOMPARE(decode("2 4 7 71 8 0 112 0 -1 2 3 4 900", record, layout), Decoded::Record);
        QCOMPARE(record.index[0], -1);
        // An entry that the .sts lacks: what the line holds decides.
        QCOMPARE(decode("2 4 99 71 8 0 112 0 5 6 900", record, layout), Decoded::Record);
        QCOMPARE(record.indices, 2);
        QCOMPARE(record.index[1], 6);
        QCOMPARE(record.cpu, 900000);
        QCOMPARE(decode("2 4 99 71 8 0 112 0 1 2 3 4 5 6 900", record, layout), Decoded::Record);
        QCOMPARE(record.index[5], 6);
        QCOMPARE(decode("2 4 99 71 8 0 112 0 1 2 3 4 5 6 7 900", record, layout), Decoded::Malformed);
    }

    void papi()
    {
        const RecordLayout layout = layoutOf("11.0", "TOTAL_PAPI_EVENTS 2\nPAPI_EVENT 0 A\nPAPI_EVENT 1 B\n");
        LogRecord record;
        QCOMPARE(decode("2 4 5 71 8 0 112 0 6 900 1000 -7", record, layout), Decoded::Record);
        QCOMPARE(record.papiValues, 2);
        QCOMPARE(record.papi[0], 1000);
        QCOMPARE(record.papi[1], -7);
        QCOMPARE(decode("3 0 5 75 8 0 0 903 2000", record, layout), Decoded::Malformed);
    }

    void numbers()
    {
        const RecordLayout layout = layoutOf("11.0");
        LogRecord record;
        QCOMPARE(decode("14 18446744073709551613 0", record, layout), Decoded::Record);  // -3
        QCOMPARE(record.time, -1);
        QCOMPARE(decode("14 9223372036854775807 0", record, layout), Decoded::Record);
        QCOMPARE(record.time, -1);
        QCOMPARE(decode("14 99999999999999999999999999 0", record, layout), Decoded::Record);
        QCOMPARE(record.time, -1);
        QCOMPARE(decode("14 4611686018427387 0", record, layout), Decoded::Record);
        QCOMPARE(record.time, -1);
        QCOMPARE(decode("14 4611686018427386 0", record, layout), Decoded::Record);
        QCOMPARE(record.time, 4611686018427386000);
        QCOMPARE(decode("1 4 70000 70 8 0 112 2", record, layout), Decoded::EntryOutOfRange);
        QCOMPARE(decode("1 4 -1 70 8 0 112 2", record, layout), Decoded::EntryOutOfRange);
        QCOMPARE(decode("13 -5 70 8 0", record, layout), Decoded::NumberOutOfRange);
        QCOMPARE(decode("13 300000000 70 8 0", record, layout), Decoded::NumberOutOfRange);
        QCOMPARE(decode("33 1 2", record, layout), Decoded::Unknown);
        QCOMPARE(decode("97 1 2", record, layout), Decoded::Unknown);
        QCOMPARE(decode("4000000000 1 2", record, layout), Decoded::Unknown);
        QCOMPARE(decode("-2 1 2", record, layout), Decoded::Unknown);
        for (const char* bad : {"", " ", "x", "14", "14 x", "14 1x 0", "2 4 5", "14 -", "hello world",
                                "1 4 5 7e1 8 0 112 2", "1 65536 5 70 8 0 112 2", "1 4 5 70 99999999999 0 112 2"}) {
            QCOMPARE(decode(bad, record, layout), Decoded::Malformed);
        }
    }

    void statistics()
    {
        const RecordLayout layout = layoutOf("11.0");
        LogRecord record;
        QCOMPARE(decode("32 338973 -1 1e-05 1 3", record, layout), Decoded::Record);
        QCOMPARE(record.number, 1e-05);
        QCOMPARE(record.userTime, -1.0);
        QCOMPARE(record.entry, 3u);
        QCOMPARE(decode("32 338973 0.125 -1.5e+300 1 7", record, layout), Decoded::Record);
        QCOMPARE(record.number, -1.5e300);
        QCOMPARE(record.userTime, 0.125);
        QCOMPARE(decode("32 338973 inf -nan 1 7", record, layout), Decoded::Record);
        QVERIFY(std::isnan(record.number));
        QVERIFY(std::isinf(record.userTime));
    }

    void notes_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("6.x") << QByteArray("28 7 5 hello") << QByteArray("hello");
        QTest::newRow("7.0") << QByteArray("28 7 5hello") << QByteArray("hello");
        QTest::newRow("7.0, text begins with a digit") << QByteArray("28 7 112 apples, 3") << QByteArray("2 apples, 3");
        QTest::newRow("7.0, digits first") << QByteArray("28 7 1212 apples, 3") << QByteArray("12 apples, 3");
        QTest::newRow("both fit: the longest length") << QByteArray("28 7 11") << QByteArray("1");
        QTest::newRow("empty") << QByteArray("28 7 0") << QByteArray();
        QTest::newRow("wrong length") << QByteArray("28 7 9hello") << QByteArray("-");
    }
    void notes()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, text);
        LogRecord record;
        const Decoded decoded = decode(line, record, layoutOf("11.0"));
        if (text == "-") {
            QCOMPARE(decoded, Decoded::Malformed);
            return;
        }
        QCOMPARE(decoded, Decoded::Record);
        QCOMPARE(QByteArray(record.text.data(), static_cast<qsizetype>(record.text.size())), text);
        QByteArray bracketed = line;
        bracketed.replace(0, 4, "29 7 9 20");
        QCOMPARE(decode(bracketed, record, layoutOf("11.0")), Decoded::Record);
        QCOMPARE(record.endTime, 9000);
        QCOMPARE(record.entry, 20u);
        QCOMPARE(record.text.size(), static_cast<std::size_t>(text.size()));
    }

    // Binary records that no real trace here has: an array of four dimensions, a multicast of each form, notes,
    // statistics.
    void binary()
    {
        const RecordLayout layout = layoutOf("11.0");
        const auto decoded = [&](const QByteArray& bytes, LogRecord& record) {
            std::size_t used = 0;
            const std::span<const char> span(bytes.constData(), static_cast<std::size_t>(bytes.size()));
            const Decoded result = decodeBinary(span, layout, record, used);
            // Every shorter piece asks for more.
            for (std::size_t size = 0; size < span.size(); ++size) {
                LogRecord other;
                std::size_t none = 0;
                if (decodeBinary(span.first(size), layout, other, none) != Decoded::More) return Decoded::Malformed;
            }
            return used == span.size() ? result : Decoded::Malformed;
        };
        LogRecord record;
        QByteArray begin;
        put<std::uint8_t>(begin, 2);
        put<std::uint16_t>(begin, 21);
        put<std::uint16_t>(begin, 7);
        put<std::uint64_t>(begin, 71);
        put<std::int32_t>(begin, 8);
        put<std::int32_t>(begin, 3);
        put<std::int32_t>(begin, 112);
        put<std::uint64_t>(begin, 0);
        for (const std::int16_t i : {-1, 2, 3, 4}) put<std::int16_t>(begin, i);
        put<std::uint64_t>(begin, 900);
        put<char>(begin, '\n');
        QCOMPARE(decoded(begin, record), Decoded::Record);
        QCOMPARE(record.index, (std::array<std::int32_t, 6>{-1, 2, 3, 4}));
        QCOMPARE(record.cpu, 900000);

        for (const bool isTwice : {false, true}) {
            QByteArray multicast;
            put<std::uint8_t>(multicast, 21);
            put<std::uint16_t>(multicast, 5);
            put<std::uint16_t>(multicast, 7);
            put<std::uint64_t>(multicast, 71);
            put<std::int32_t>(multicast, 8);
            put<std::int32_t>(multicast, 3);
            put<std::int32_t>(multicast, 112);
            put<std::uint64_t>(multicast, 0);
            put<std::int32_t>(multicast, 2);
            if (isTwice) put<std::uint64_t>(multicast, 2);
            put<std::int32_t>(multicast, 0);
            put<std::int32_t>(multicast, 2);
            put<char>(multicast, '\n');
            QCOMPARE(decoded(multicast, record), Decoded::Record);
            QCOMPARE(record.value, 2);
        }

        QByteArray note;
        put<std::uint8_t>(note, 28);
        put<std::uint64_t>(note, 71);
        put<std::uint64_t>(note, 5);
        note += "hello\n";
        QCOMPARE(decoded(note, record), Decoded::Record);
        QCOMPARE(record.text, std::string_view("hello"));

        QByteArray statistic;
        put<std::uint8_t>(statistic, 32);
        put<std::uint64_t>(statistic, 71);
        put<double>(statistic, -1);
        put<double>(statistic, 0.5);
        put<std::int32_t>(statistic, 0);
        put<std::uint16_t>(statistic, 7);
        put<char>(statistic, '\n');
        QCOMPARE(decoded(statistic, record), Decoded::Record);
        QCOMPARE(record.number, 0.5);
    }

    // A bad byte in a binary log costs the record it hits, and no more than the one beside it.
    void binaryResynchronizes()
    {
        QFile file(QStringLiteral(LONGPOLE_TEST_DATA "/fib_binary_p2/fib.0.log"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray whole = file.readAll();
        ImportLog symbolsLog;
        QFile sts(QStringLiteral(LONGPOLE_TEST_DATA "/fib_binary_p2/fib.sts"));
        QVERIFY(sts.open(QIODevice::ReadOnly));
        const RecordLayout layout = RecordLayout::of(parseSymbols(sts.readAll(), symbolsLog));
        const auto count = [&](const QByteArray& bytes, ImportLog& log) {
            ProjectionsLog reader(InputFile::fromBytes(bytes, QStringLiteral("x")), layout, log);
            LogRecord record;
            std::int64_t records = 0;
            while (reader.next(record)) ++records;
            return records;
        };
        ImportLog log;
        QCOMPARE(count(whole, log), 887);
        QCOMPARE(log.issues().size(), 0u);
        for (qsizetype at = 14; at < 4000; at += 37) {
            QByteArray damaged = whole;
            damaged[at] = static_cast<char>(200);
            ImportLog issues;
            QVERIFY2(count(damaged, issues) >= 884, qPrintable(QString::number(at)));
        }
        for (qsizetype size = 0; size < 3000; size += 7) {
            ImportLog issues;
            QVERIFY(count(whole.first(size), issues) <= size / 13);
        }
    }
};

LONGPOLE_TEST(TestProjectionsRecords)
#include "tst_projectionsrecords.moc"
