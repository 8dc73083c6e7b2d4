// SPDX-License-Identifier: GPL-3.0-or-later
// Plain and gzip input: members, cuts at every byte, checksums, trailing bytes, bombs.
#include "importers/common/inputfile.h"
#include "importers/smallrun.h"

#include "support/testmain.h"

#include <QRandomGenerator>
#include <QRegularExpression>

using namespace longpole;

namespace {

struct ReadInput {
    QByteArray bytes;
    InputFile::End end = InputFile::End::Whole;
    bool failed = false;
};

ReadInput readAll(const QByteArray& file, std::size_t step = 65536)
{
    const std::unique_ptr<InputFile> input = InputFile::fromBytes(file, QStringLiteral("x"));
    std::vector<char> buffer(step);
    ReadInput read;
    while (true) {
        const Result<std::size_t> got = input->read(buffer);
        if (!got) {
            read.failed = true;
            return read;
        }
        if (*got == 0) break;
        read.bytes.append(buffer.data(), static_cast<qsizetype>(*got));
    }
    read.end = input->end();
    return read;
}

QByteArray sample(int lines)
{
    QByteArray text;
    QRandomGenerator random(7);
    for (int i = 0; i < lines; ++i) text += "2 4 151 " + QByteArray::number(random.bounded(1000000)) + " 0\n";
    return text;
}

}  // namespace

class TestInputFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void plain()
    {
        const QByteArray text = sample(30000);
        QCOMPARE(readAll(text).bytes, text);
        QCOMPARE(readAll(text, 1).bytes.size(), text.size());
        QVERIFY(readAll({}).bytes.isEmpty());
        QCOMPARE(readAll("\x1f").bytes, QByteArray("\x1f"));
    }

    void members()
    {
        const QByteArray one = sample(40000);
        const QByteArray two = sample(3);
        const QByteArray file = gzipped(one) + gzipped({}) + gzipped(two) + gzipped(one);
        for (const std::size_t step : {std::size_t{1000}, std::size_t{65536}, std::size_t{4} << 20}) {
            const ReadInput read = readAll(file, step);
            QCOMPARE(read.bytes, one + two + one);
            QCOMPARE(read.end, InputFile::End::Whole);
        }
    }

    void cutAtEveryByte()
    {
        const QByteArray text = sample(40);
        const QByteArray file = gzipped(text);
        for (qsizetype size = 2; size < file.size(); ++size) {
            const ReadInput read = readAll(file.first(size));
            QVERIFY(!read.failed);
            QVERIFY2(text.startsWith(read.bytes), qPrintable(QString::number(size)));
            QCOMPARE(read.end, InputFile::End::Cut);
        }
        const QByteArray twice = file + file;
        for (qsizetype size = file.size() + 2; size < twice.size(); ++size) {
            const ReadInput read = readAll(twice.first(size));
            QVERIFY(read.bytes.startsWith(text));
            QCOMPARE(read.end, InputFile::End::Cut);
        }
    }

    void damagedAtEveryByte()
    {
        const QByteArray text = sample(40);
        const QByteArray file = gzipped(text);
        for (qsizetype at = 10; at < file.size(); ++at) {
            QByteArray damaged = file;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            const ReadInput read = readAll(damaged);
            QVERIFY(!read.failed);
            QVERIFY(read.end != InputFile::End::Whole || read.bytes == text);
            // A damaged trailer loses nothing.
            if (at >= file.size() - 8) QCOMPARE(read.bytes, text);
        }
    }

    void trailingBytes()
    {
        const QByteArray text = sample(40);
        QCOMPARE(readAll(gzipped(text) + QByteArray(100, '\0')).end, InputFile::End::TrailingBytes);
        QCOMPARE(readAll(gzipped(text) + "garbage").bytes, text);
    }

    void bomb()
    {
        QVERIFY(readAll(gzipped(QByteArray(80 << 20, '0'))).failed);
        // The same ratio below 1 MiB is fine, and so is much text that compresses like a log.
        QVERIFY(readAll(gzipped(QByteArray(2 << 20, '0'))).failed);
        QVERIFY(!readAll(gzipped(QByteArray(1 << 20, '0'))).failed);
        const QByteArray part = sample(200000);
        QByteArray large;
        while (large.size() < (70 << 20)) large += part;
        QCOMPARE(readAll(gzipped(large)).bytes.size(), large.size());
    }

    void missing()
    {
        const auto input = InputFile::open(QStringLiteral("/nonexistent/p.0.log"));
        QVERIFY(!input);
        QCOMPARE(input.error().where, QStringLiteral("/nonexistent/p.0.log"));
        QVERIFY(!input.error().hint.isEmpty());
    }
};

LONGPOLE_TEST(TestInputFile)
#include "tst_inputfile.moc"
