// SPDX-License-Identifier: GPL-3.0-or-later
// Code is named by a process of its own as by the importing one, and what a made program does to that process stays
// there.
#include "core/base/memory.h"
#include "importers/recording/madeprograms.h"
#include "importers/recording/namingprocess.h"
#include "importers/recording/sourcelines.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTest>

#include <chrono>
#include <thread>
#include <vector>

#include <sys/resource.h>

using namespace longpole;
using namespace longpole::test;

namespace {

// A table of lines with a row for each of so many bytes: elfutils keeps about a hundred bytes for each.
QByteArray manyLines(int rows)
{
    return unitOf(" .uleb128 0x10; .uleb128 0x17;", " .long .Lline0\n", "", " .byte 0\n",
                  R"( .section .debug_line,"",@progbits
.Lline0:
 .long .Lle-.Lls
.Lls:
 .value 4
 .long .Lhe-.Lhs
.Lhs:
 .byte 1,1,1,-5,14,13, 0,1,1,1,1,0,0,0,1,0,0,1, 0
 .asciz "a.c"
 .byte 0,0,0,0
.Lhe:
 .byte 0,9,2
 .quad work
 .fill )" + QByteArray::number(rows)
                      + R"(,1,0x12
 .byte 0,1,1
.Lle:
)");
}

std::int64_t childrensMemory()  // the largest of one, bytes
{
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return std::int64_t{used.ru_maxrss} * 1024;
}

const QStringList plain{QStringLiteral("-shared"), QStringLiteral("-nostdlib"), QStringLiteral("-Wl,--build-id=none"),
                        QStringLiteral("-Wl,-Ttext=0x10000")};

}  // namespace

class TestNamedCode : public QObject, private MadePrograms {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("c++")).isEmpty()) QSKIP("there is no compiler here");
        m_small = built(
            "small.cpp",
            "#include <vector>\n#include <algorithm>\n"
            "int most(std::vector<int> a) { std::sort(a.begin(), a.end()); return a.empty() ? 0 : a.back(); }\n"
            "int both(int i) { return most({i, 2 * i}); }\n",
            optionsOf("-O2 -g -std=c++20 -fPIC -shared"));
        QVERIFY(!m_small.isEmpty());
    }
    void init() { nameCodeBy(LONGPOLE_PROGRAM); }
    void cleanup() { nameCodeBy(nullptr); }

    void asTheImportingProcessNamesIt()
    {
        const RecordedModule here{
            .base = 0, .begin = 0, .end = 1 << 20, .path = m_small, .buildId = buildIdOf(m_small)};
        RecordedModule other = here, away = here;
        other.buildId = "1234";
        away.path = "/nowhere/small.so";
        const Progress progress;
        nameCodeBy(nullptr);
        SourceLines own(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, progress);
        nameCodeBy(LONGPOLE_PROGRAM);
        SourceLines apart(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, progress);
        int inlined = 0, withLine = 0;
        for (const RecordedModule* module : std::initializer_list<const RecordedModule*>{&here, &other, &away}) {
            for (std::uint64_t at = 0x1000; at < 0x2000; at += 3) {
                const std::vector<SourceFrame> expected = own.at(module, at);
                const std::vector<SourceFrame>& frames = apart.at(module, at);
                QCOMPARE(frames.size(), expected.size());
                for (std::size_t i = 0; i < frames.size(); ++i) {
                    QCOMPARE(frames[i].function, expected[i].function);
                    QCOMPARE(frames[i].file, expected[i].file);
                    QCOMPARE(frames[i].line, expected[i].line);
                    withLine += frames[i].line > 0;
                }
                inlined += frames.size() > 1;
                QCOMPARE(apart.symbolAt(*module, at), own.symbolAt(*module, at));
            }
        }
        QVERIFY2(inlined > 20 && withLine > 100, qPrintable(QStringLiteral("%1 %2").arg(inlined).arg(withLine)));
        QCOMPARE(apart.missing(), own.missing());
        QCOMPARE(apart.missing().size(), std::size_t(2));
        QVERIFY(apart.tooMuch().empty());
    }

    // 33 kB of a file, and 16 million rows: of 1.7 GB in the process that imports.
    void aTableOfLines()
    {
        if (hasSanitizer()) QSKIP("sanitizers take memory of their own: no limit");
        const QByteArray path = built("lines.s", manyLines(16'000'000),
                                      plain + QStringList{QStringLiteral("-Wl,--compress-debug-sections=zlib")});
        QVERIFY(!path.isEmpty());
        QVERIFY(QFileInfo(QFile::decodeName(path)).size() < 100'000);
        const Progress progress;
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        const std::int64_t before = childrensMemory();
        QElapsedTimer timer;
        timer.start();
        // What is named in spite of that, by symbols, is right.
        for (const std::uint64_t at : {0x10010u, 0x10020u, 0x10030u})
            QCOMPARE(lines.at(&module, at).front().function, QStringLiteral("work"));
        QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
        // Nor is the process of another program touched by it.
        const RecordedModule small{
            .base = 0, .begin = 0, .end = 1 << 20, .path = m_small, .buildId = buildIdOf(m_small)};
        int named = 0;
        for (std::uint64_t at = 0x1000; at < 0x2000; at += 3) named += lines.at(&small, at).front().line > 0;
        QVERIFY(named > 20);
        const std::int64_t after = childrensMemory();
        QVERIFY2(after == before || after < (std::int64_t{420} << 20), qPrintable(QString::number(after)));
    }

    // Of a process that ends, whatever for, the functions of a program have no names, and the import says of which.
    void theProcessEnds()
    {
        nameCodeBy("/bin/false");
        const Progress progress;
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, progress);
        const RecordedModule small{
            .base = 0, .begin = 0, .end = 1 << 20, .path = m_small, .buildId = buildIdOf(m_small)};
        for (std::uint64_t at = 0x1000; at < 0x2000; at += 300) {
            const std::vector<SourceFrame>& frames = lines.at(&small, at);
            QCOMPARE(frames.size(), std::size_t(1));
            QCOMPARE(frames[0].function, QStringLiteral("[small.cpp.so]"));
            QCOMPARE(frames[0].file, QStringLiteral("small.cpp.so+0x%1").arg(at, 0, 16));
        }
        QVERIFY(lines.symbolAt(small, 0x1100).isEmpty());
        QVERIFY(lines.missing().empty());
        QCOMPARE(lines.tooMuch(), std::vector<QString>{QFile::decodeName(m_small)});
    }

    // A process that does not answer is not waited for when the import is cancelled.
    void cancelled()
    {
        nameCodeBy("/usr/bin/yes");  // it says much, but nowhere
        const Progress progress;
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, progress);
        const RecordedModule small{
            .base = 0, .begin = 0, .end = 1 << 20, .path = m_small, .buildId = buildIdOf(m_small)};
        std::thread canceller([&progress] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            progress.cancel();
        });
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(lines.at(&small, 0x1100).size(), std::size_t(1));
        canceller.join();
        QVERIFY2(timer.elapsed() >= 300 && timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }

private:
    static QByteArray buildIdOf(const QByteArray& path)
    {
        QProcess process;
        process.start(QStringLiteral("readelf"), {QStringLiteral("-n"), QFile::decodeName(path)});
        process.waitForFinished();
        const QByteArray said = process.readAllStandardOutput();
        const qsizetype at = said.indexOf("Build ID: ");
        return at < 0 ? QByteArray() : QByteArray::fromHex(said.mid(at + 10, said.indexOf('\n', at) - at - 10));
    }

    QByteArray m_small;
};

LONGPOLE_TEST(TestNamedCode)
#include "tst_namedcode.moc"
