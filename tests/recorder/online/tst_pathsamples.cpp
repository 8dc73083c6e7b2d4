// SPDX-License-Identifier: GPL-3.0-or-later
// What a sample of the path is made of and how it is written; and what a user's file may ask of a run, whatever lies
// there instead of it.
#include "recorder/online/control.h"
#include "recorder/online/sample.h"
#include "recorder/replay/pathspill.h"

#include "support/testmain.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <cstdlib>
#include <random>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

QByteArray written(const lp_sample& sample, void (*write)(FILE*, const lp_sample*))
{
    char* bytes = nullptr;
    std::size_t length = 0;
    FILE* file = open_memstream(&bytes, &length);
    write(file, &sample);
    std::fclose(file);
    QByteArray text(bytes, qsizetype(length));
    std::free(bytes);
    return text;
}

lp_control parsed(const QByteArray& text)
{
    lp_control control;
    lp_control_parse(&control, text.constData(), std::size_t(text.size()));
    return control;
}

}  // namespace

class TestPathSamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // No file may be longer for a while, in the middle of a line: the file has whole lines all the time, and no signal
    // ends the program.
    void fullDisk()
    {
        const QTemporaryDir folder;
        const QByteArray path = QFile::encodeName(folder.filePath(QStringLiteral("online.jsonl")));
        lp_sample_file file = lp_sample_create(path.constData());
        QVERIFY(file.own.fd >= 0);
        lp_sample_file again = lp_sample_create(path.constData());
        QVERIFY(again.own.fd < 0 && errno == EEXIST);
        lp_sample sample{};
        const auto linesNow = [&path] {
            QFile read(QFile::decodeName(path));
            const QByteArray bytes = read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
            return bytes.isEmpty() || bytes.endsWith('\n') ? bytes.count('\n') : qsizetype(-1);
        };
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY(lp_sample_append(&file, &sample));
        const rlimit small{rlim_t(5 * file.size / 2), before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const bool second = lp_sample_append(&file, &sample), third = lp_sample_append(&file, &sample);
        const int reason = errno;
        const qsizetype lines = linesNow();
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY(second && !third);
        QCOMPARE(reason, EFBIG);
        QCOMPARE(lines, 2);
        QCOMPARE(file.left_out, 1u);
        QVERIFY(lp_sample_append(&file, &sample));
        QCOMPARE(linesNow(), 3);
        lp_sample_close(&file);
        QVERIFY(!lp_sample_append(&file, &sample));
    }

    void spillsNothingBeyondTheLimit()
    {
        const QTemporaryDir folder;
        const QByteArray path = QFile::encodeName(folder.path());
        lp_spill spill{path.constData(), 1u << 30, {-1, 0, 0, nullptr}, false, false};
        std::uint32_t capacity = 1024;
        void* items = std::calloc(capacity, 8);
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{rlim_t(5 * 1024 * 8), before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const bool first = lp_spill_grow(&spill, &items, &capacity, 1, 8),
                   second = lp_spill_grow(&spill, &items, &capacity, 1, 8),
                   third = lp_spill_grow(&spill, &items, &capacity, 1, 8);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY(first && second && !third);
        QCOMPARE(capacity, 4096u);
        QVERIFY(!lp_spill_grow(&spill, &items, &capacity, 1, 8));  // is not tried again
        lp_spill_return(&spill, &items, &capacity, 0, 8);
    }

    // The program has closed all descriptors, and a file of its own has the number: samples go on in theirs.
    void numberIsTheProgrammes()
    {
        const QTemporaryDir folder;
        const QByteArray path = QFile::encodeName(folder.filePath(QStringLiteral("online.jsonl")));
        const auto contentOf = [&folder](const QString& name) {
            QFile read(folder.filePath(name));
            return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray("?");
        };
        lp_sample_file file = lp_sample_create(path.constData());
        QVERIFY(file.own.fd >= 500);
        lp_sample sample{};
        QVERIFY(lp_sample_append(&file, &sample));
        QFile result(folder.filePath(QStringLiteral("result")));
        QVERIFY(result.open(QIODevice::ReadWrite) && result.write("result\n") == 7 && result.flush());
        const int number = file.own.fd;
        QCOMPARE(::dup2(result.handle(), number), number);
        QVERIFY(lp_sample_append(&file, &sample));
        QVERIFY(file.own.fd != number);
        QCOMPARE(contentOf(QStringLiteral("online.jsonl")).count('\n'), 2);
        // Another file bears the name by now.
        QCOMPARE(::dup2(result.handle(), file.own.fd), file.own.fd);
        QVERIFY(QFile::rename(QFile::decodeName(path), QFile::decodeName(path) + QStringLiteral(".old")));
        QVERIFY(!lp_sample_append(&file, &sample) && errno == ENOENT);
        QVERIFY(QFile::copy(result.fileName(), QFile::decodeName(path)));
        QVERIFY(!lp_sample_append(&file, &sample) && errno == ESTALE);
        QCOMPARE(file.left_out, 2u);
        const int last = file.own.fd;
        lp_sample_close(&file);
        QVERIFY(::fcntl(number, F_GETFD) >= 0 && ::fcntl(last, F_GETFD) >= 0);
        for (const char* name : {"result", "online.jsonl"})
            QCOMPARE(contentOf(QString::fromUtf8(name)), QByteArray("result\n"));
        QCOMPARE(contentOf(QStringLiteral("online.jsonl.old")).count('\n'), 2);
        QCOMPARE(::close(number), 0);
        QCOMPARE(::close(last), 0);
    }

    void procedures()
    {
        lp_bytes bytes{};
        for (const auto& [name, path, all] : {std::tuple{"b", 5, 10}, {"a", 5, 10}, {"b", 2, 1}, {"", 0, 3}})
            QVERIFY(lp_sample_add(&bytes, name, path, all));
        int count = 0;
        lp_sample_row* rows = lp_sample_rows(bytes.bytes, bytes.length, &count);
        QCOMPARE(count, 3);
        QCOMPARE(QByteArray(rows[0].name), QByteArray("b"));
        QCOMPARE(rows[0].path, 7);
        QCOMPARE(rows[0].all, 11);
        QCOMPARE(QByteArray(rows[1].name), QByteArray("a"));
        QCOMPARE(QByteArray(rows[2].name), QByteArray(""));
        lp_sample_free(rows, count);
        // Cut anywhere, the procedures before the cut are whole.
        for (std::size_t length = 0; length < bytes.length; ++length) {
            lp_sample_row* some = lp_sample_rows(bytes.bytes, length, &count);
            QVERIFY(count < 3 || length > std::size_t{54});
            lp_sample_free(some, count);
        }
        std::free(bytes.bytes);
    }

    void line()
    {
        char plain[] = "solve", odd[] = "a\"b\\c\n\x01 \xc3\xa4";
        lp_sample_row rows[] = {{plain, 70, 100, 75, 40, 9}, {odd, 20, 30, -1, -1, 0}};
        const int64_t shares[] = {10, 80};
        lp_sample sample{};
        sample.time = 1000;
        sample.length = 90;
        sample.covered = 900;
        sample.paused = 60;
        sample.lost = 40;
        sample.meetings = 3;
        sample.rows = rows;
        sample.count = 2;
        sample.shares = shares;
        sample.ranks = 2;
        sample.is_stopped = true;
        sample.factor = {2, 3};
        sample.is_of_cpu = true;
        const QByteArray text = written(sample, lp_sample_write);
        QCOMPARE(text.count('\n'), 1);
        QJsonParseError error;
        const QJsonObject object = QJsonDocument::fromJson(text, &error).object();
        QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
        const QJsonArray procedures = object[QStringLiteral("procedures")].toArray();
        QCOMPARE(procedures[0].toObject()[QStringLiteral("net_since_ns")].toInt(), 9);
        QCOMPARE(procedures[1].toObject()[QStringLiteral("name")].toString(), QString::fromUtf8(odd));
        QVERIFY(procedures[1].toObject()[QStringLiteral("net_ns")].isNull());
        QVERIFY(!procedures[1].toObject().contains(QStringLiteral("net_since_ns")));
        QCOMPARE(object[QStringLiteral("ranks")].toArray()[0].toObject()[QStringLiteral("rank")].toInt(), 1);
        QVERIFY(object[QStringLiteral("stopped")].toBool() && !object.contains(QStringLiteral("final")));
        QCOMPARE(object[QStringLiteral("paused_ns")].toInt(), 60);
        QCOMPARE(procedures[0].toObject()[QStringLiteral("inclusive_ns")].toInt(), 75);
        QVERIFY(!procedures[1].toObject().contains(QStringLiteral("inclusive_ns")));
        QCOMPARE(object[QStringLiteral("factor")].toString(), QStringLiteral("2/3"));
        QCOMPARE(object[QStringLiteral("clock")].toString(), QStringLiteral("cpu"));
        const QByteArray table = written(sample, lp_sample_print);
        for (const char* said : {"solve (0.000000)", "it was stopped then", "took 2/3 of its time", "is CPU time"})
            QVERIFY2(table.contains(said), table.constData());
    }

    // Names are cut at some length, and functions may be called anything.
    void namesThatAreNoText()
    {
        char cut[] = "caf\xc3", wild[] = "\xff\xe4\xb8x\xed\xa0\x80";
        lp_sample_row rows[] = {{cut, 70, 100, 75, 40, 9}, {wild, 20, 30, -1, -1, 0}};
        const int64_t shares[] = {90};
        lp_sample sample{};
        sample.length = 90;
        sample.rows = rows;
        sample.count = 2;
        sample.shares = shares;
        sample.ranks = 1;
        QJsonParseError error;
        const QJsonObject object = QJsonDocument::fromJson(written(sample, lp_sample_write), &error).object();
        QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
        const QJsonArray procedures = object[QStringLiteral("procedures")].toArray();
        QCOMPARE(procedures[0].toObject()[QStringLiteral("name")].toString(), QStringLiteral("caf?"));
        QCOMPARE(procedures[1].toObject()[QStringLiteral("name")].toString(), QStringLiteral("???x???"));
    }

    void control()
    {
        QCOMPARE(int(parsed("").run), int(LP_CONTROL_AS_IT_IS));
        QCOMPARE(int(parsed("stop").run), int(LP_CONTROL_STOP));
        QCOMPARE(int(parsed("stop\n start\t\r\n").run), int(LP_CONTROL_START));
        const lp_control both = parsed("# a user's note\n\nprocedures solve, exchange (int)\nstop\n");
        QCOMPARE(int(both.run), int(LP_CONTROL_STOP));
        QVERIFY(both.has_procedures && both.wrong[0] == 0);
        QCOMPARE(QByteArray(both.procedures), QByteArray("solve\n exchange (int)"));
        QCOMPARE(QByteArray(parsed("procedure a,b\nprocedures c,d\nprocedure f(int, int)\n").procedures),
                 QByteArray("c\nd\nf(int, int)"));
        // None any more.
        const lp_control none = parsed("procedures");
        QVERIFY(none.has_procedures && none.procedures[0] == 0);
        for (const QByteArray& wrong :
             {QByteArray("halt"), QByteArray("stopp"), QByteArray("START"), QByteArray("proceduresa"),
              QByteArray("procedures ").append(QByteArray(1024, 'a')), QByteArray("procedures a\0b", 14)}) {
            const lp_control control = parsed(wrong + "\nstart\n");
            QCOMPARE(QByteArray(control.wrong), wrong.left(63).replace('\0', '?'));
            QVERIFY(!control.has_procedures);
            QCOMPARE(int(control.run), int(LP_CONTROL_START));
        }
        QCOMPARE(QByteArray(parsed("\x1b[31m\xff").wrong), QByteArray("?[31m?"));
        std::mt19937 random(7);
        for (int i = 0; i < 20'000; ++i) {
            QByteArray text(int(random() % 80), 0);
            for (char& c : text) c = "stoparte procdu,\n\0#\xff"[random() % 20];
            const lp_control control = parsed(text);
            QVERIFY(std::memchr(control.procedures, 0, sizeof control.procedures));
            QVERIFY(std::memchr(control.wrong, 0, sizeof control.wrong));
        }
    }

    void controlFile()
    {
        const QTemporaryDir folder;
        const QByteArray path = QFile::encodeName(folder.filePath(QStringLiteral("online.control")));
        const auto put = [&](const QByteArray& text) {
            QFile file(QFile::decodeName(path));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        };
        lp_control_file file{};
        qstrncpy(file.path, path.constData(), sizeof file.path);
        lp_control control;
        constexpr int64_t second = 1'000'000'000;
        int64_t now = second;
        const auto looks = [&] { return lp_control_look(&file, now += second, &control); };
        QVERIFY(!looks());
        put("stop\n");
        QVERIFY(!lp_control_look(&file, now + second - 1, &control));
        QVERIFY(looks());
        QCOMPARE(int(control.run), int(LP_CONTROL_STOP));
        QVERIFY(!looks());  // it is the same
        put("start\nprocedures a\n");
        QVERIFY(looks());
        QVERIFY(control.run == LP_CONTROL_START && control.has_procedures);
        put(QByteArray(4097, '\n'));
        QVERIFY(!looks());
        // Nothing is read through what is no file.
        QFile::remove(QFile::decodeName(path));
        const QByteArray other = path + ".other";
        QVERIFY(QFile(QFile::decodeName(other)).open(QIODevice::WriteOnly));
        QCOMPARE(::symlink(other.constData(), path.constData()), 0);
        QVERIFY(!looks());
        QFile::remove(QFile::decodeName(path));
        QCOMPARE(::mkfifo(path.constData(), 0600), 0);
        QVERIFY(!looks());
        QFile::remove(QFile::decodeName(path));
        QCOMPARE(::mkdir(path.constData(), 0700), 0);
        QVERIFY(!looks());
    }
};

LONGPOLE_TEST(TestPathSamples)
#include "tst_pathsamples.moc"
