// SPDX-License-Identifier: GPL-3.0-or-later
// Functions around addresses of code, inlined ones too: as elfutils finds them for each address, and what made files
// may ask of it.
#include "core/base/limits.h"
#include "importers/recording/file.h"
#include "importers/recording/madeprograms.h"
#include "importers/recording/openedprogram.h"
#include "importers/recording/sourcelines.h"
#include "importers/recording/unitscopes.h"

#include "support/residentmemory.h"
#include "support/testmain.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include <dwarf.h>
#include <sys/stat.h>

using namespace longpole;
using namespace longpole::test;

namespace {

struct FreeMemory {
    void operator()(void* memory) const { std::free(memory); }
};
using FoundScopes = std::unique_ptr<Dwarf_Die, FreeMemory>;

const QByteArray inlinedProgram = R"(
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace deep {
struct Grid {
    std::vector<double> cells;
    double sum() const { double all = 0; for (double cell : cells) all += weight(cell); return all; }
    static double weight(double cell) { if (cell > 1) { double twice = cell * 2; return twice; } return cell; }
};
template <int n> double repeated(const Grid& grid) { return grid.sum() + repeated<n - 1>(grid); }
template <> double repeated<0>(const Grid& grid) { return grid.cells.empty() ? 0 : grid.cells.front(); }
}
std::map<std::string, int> counted(std::vector<std::string> words)
{
    std::map<std::string, int> counts;
    std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (const auto& word : words) ++counts[word];
    return counts;
}
double both(const deep::Grid& grid) { return deep::repeated<6>(grid) + counted({"a", "b"}).size(); }
)";

// Scopes in each other, as many as the file has bytes for.
const QByteArray nestedUnit = unitOf(
    "", "", " .uleb128 2; .uleb128 TAG; .byte 1; .uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 0x0b; .byte 0,0\n",
    " .rept 300000\n .uleb128 2; .quad work; .byte 200\n .endr\n .rept 300001\n .byte 0\n .endr\n");

}  // namespace

class TestUnitScopes : public QObject, private test::MadePrograms {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("c++")).isEmpty()) QSKIP("there is no compiler here");
    }

    void asElfutilsFindsThem()
    {
        const QByteArray path = built("inlined.cpp", inlinedProgram, optionsOf("-O2 -g -std=c++20 -fPIC -shared"));
        QVERIFY(!path.isEmpty());
        OpenedProgram program(path);
        Dwarf_Addr bias = 0;
        QVERIFY(program.module() != nullptr && dwfl_module_getdwarf(program.module(), &bias) != nullptr);
        int found = 0, inlined = 0;
        GElf_Shdr text;
        const auto [from, to] = textOf(program.module(), text);
        QVERIFY(from < to);
        std::unique_ptr<UnitScopes> scopes;
        const void* of = nullptr;
        for (Dwarf_Addr address = from; address < to; address += 13) {
            Dwarf_Die* const unit = dwfl_module_addrdie(program.module(), address, &bias);
            if (unit == nullptr) continue;
            if (unit->addr != of) scopes = std::make_unique<UnitScopes>(*unit, 1 << 20, [] { return false; });
            of = unit->addr;
            const std::vector<Dwarf_Off> expected = functionsAround(unit, address - bias);
            std::vector<Dwarf_Off> own;
            for (const auto* function = scopes->at(address - bias); function; function = scopes->around(*function)) {
                Dwarf_Die die = function->die;
                own.push_back(dwarf_dieoffset(&die));
            }
            QVERIFY2(own == expected, qPrintable(QString::number(address, 16)));
            found += !own.empty();
            inlined += own.size() > 3;
        }
        QVERIFY2(found > 200 && inlined > 20, qPrintable(QStringLiteral("%1 %2").arg(found).arg(inlined)));
    }

    // elfutils calls itself for each, until the stack is full.
    void scopesInEachOther_data()
    {
        QTest::addColumn<QByteArray>("tag");
        QTest::addColumn<int>("functions");
        QTest::newRow("blocks") << QByteArray("0x0b") << 0;
        QTest::newRow("functions") << QByteArray("0x2e") << 401;
    }
    void scopesInEachOther()
    {
        QFETCH(QByteArray, tag);
        QFETCH(int, functions);
        QElapsedTimer timer;
        timer.start();
        const QByteArray path = built("nested.s", QByteArray(nestedUnit).replace("TAG", tag),
                                      optionsOf("-shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        timer.restart();
        const std::vector<SourceFrame> frames = lines.at(&module, 0x10000 + 10);
        QCOMPARE(frames.size(), std::size_t(1));
        QCOMPARE(frames[0].function, functions == 0 ? QStringLiteral("work") : QStringLiteral("[nested.s.so]"));
        for (int i = 0; i < 190; ++i) QVERIFY(!lines.at(&module, 0x10000 + 2 + std::uint64_t(i)).empty());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }

    // Without a build id, where it was built anew since the run: its names are another program's.
    void builtAnew()
    {
        const QByteArray path = built("anew.cpp", "extern \"C\" int work(int i) { return i * 2 + 1; }",
                                      optionsOf("-shared -fPIC -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        // Also where an older file came into its place, which keeps its date.
        QFile older(QFile::decodeName(path));
        QVERIFY(older.open(QIODevice::ReadWrite));
        QVERIFY(older.setFileTime(QDateTime::currentDateTime().addDays(-9), QFileDevice::FileModificationTime));
        older.close();
        const qint64 written = QFileInfo(QFile::decodeName(path)).metadataChangeTime().toSecsSinceEpoch();
        for (const int later : {-1, 0, 1}) {
            SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), (written + later) * 1'000'000'000,
                              m_progress);
            bool isNamed = false;
            for (std::uint64_t at = 0x10001; at < 0x10200; ++at)
                isNamed |= lines.at(&module, at).front().function == QLatin1String("work");
            QCOMPARE(isNamed, later >= 0);
        }
    }

    // A list of ranges that all functions have: as many ranges as there are bytes, times the length of the list.
    void rangesOfAllFunctions()
    {
        const QByteArray path = built(
            "ranges.s",
            unitOf(
                "", "", " .uleb128 2; .uleb128 0x2e; .byte 0; .uleb128 0x55; .uleb128 0x17; .byte 0,0\n",
                " .rept 100000\n .uleb128 2; .long .Lranges\n .endr\n .byte 0\n",
                " .section .debug_ranges,\"\",@progbits\n.Lranges:\n .rept 1000\n .quad 0,400\n .endr\n .quad 0,0\n"),
            optionsOf("-shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        test::forgetPeak();
        const std::int64_t before = peak();
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        QCOMPARE(lines.at(&module, 0x10010).size(), std::size_t(1));
        QVERIFY2(peak() - before < (300 << 20), qPrintable(QString::number(peak() - before)));
    }

    // Symbols that are packed in the file: a few kilobytes can stand for more than there is memory.
    void packedSymbols_data()
    {
        QTest::addColumn<QString>("bytes");
        QTest::addColumn<bool>("isNamed");
        QTest::newRow("few") << QStringLiteral("100000") << true;
        QTest::newRow("a bomb") << QStringLiteral("400000000") << false;
    }
    void packedSymbols()
    {
        QFETCH(QString, bytes);
        QFETCH(bool, isNamed);
        if (QStandardPaths::findExecutable(QStringLiteral("xz")).isEmpty()) QSKIP("there is no xz here");
        const QByteArray path = built("packed.cpp", "extern \"C\" int work(int i) { return i * 2 + 1; }",
                                      optionsOf("-shared -fPIC -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        const QString packed = m_folder.filePath(QStringLiteral("packed.xz"));
        QVERIFY(ran(QStringLiteral("sh"),
                    {QStringLiteral("-c"), QStringLiteral("head -c %1 /dev/zero | xz -1 > %2").arg(bytes, packed)}));
        QVERIFY(ran(QStringLiteral("objcopy"), {QStringLiteral("--add-section"),
                                                QStringLiteral(".gnu_debugdata=") + packed, QFile::decodeName(path)}));
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        bool found = false;
        for (std::uint64_t at = 0x10001; at < 0x10200; ++at)
            found |= lines.at(&module, at).front().function == QLatin1String("work");
        QCOMPARE(found, isNamed);
    }

    // A line that no source has: what is imported has to open again.
    void linesOfNoSource()
    {
        const QByteArray path = built(
            "lines.s",
            unitOf("", "",
                   " .uleb128 2; .uleb128 0x2e; .byte 1; .uleb128 0x3; .uleb128 8; .uleb128 0x11; .uleb128 1; .uleb128 "
                   "0x12; .uleb128 7\n"
                   " .byte 0,0\n"
                   " .uleb128 3; .uleb128 0x1d; .byte 0; .uleb128 0x3; .uleb128 8; .uleb128 0x11; .uleb128 1; .uleb128 "
                   "0x12; .uleb128 7\n"
                   " .uleb128 0x59; .uleb128 6; .byte 0,0\n",
                   " .uleb128 2; .asciz \"outer\"; .quad work; .quad 400\n"
                   " .uleb128 3; .asciz \"inner\"; .quad work; .quad 400; .long 0xffffffff\n .byte 0,0\n"),
            optionsOf("-shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        const std::vector<SourceFrame> frames = lines.at(&module, 0x10010);
        QCOMPARE(frames.size(), std::size_t(2));
        QCOMPARE(frames[0].function, QStringLiteral("inner"));
        QCOMPARE(frames[1].function, QStringLiteral("outer"));
        QCOMPARE(frames[1].line, 0);
    }

    // Each place has frames of its own, with the names of functions that are in each other.
    void longNamesOfManyPlaces()
    {
        QByteArray source = "struct A { A(); ~A(); };\n";
        const QByteArray name(20'000, 'n');
        for (int i = 0; i < 30; ++i)
            source += "static inline __attribute__((always_inline)) int f" + QByteArray::number(i) + name
                      + "(int x) { A a; "
                      + (i == 0 ? QByteArray("return x + 1;")
                                : "return f" + QByteArray::number(i - 1) + name + "(x) * 3;")
                      + " }\n";
        source += "int work(int x) { return f29" + name + "(x); }\n";
        const QByteArray path = built("long.cpp", source,
                                      optionsOf("-O1 -g -fPIC -shared -nostdlib -Wl,--build-id=none "
                                                "-Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        std::size_t deepest = 0;
        for (std::uint64_t at = 0x10001; at < 0x10400; ++at) {
            const std::vector<SourceFrame>& frames = lines.at(&module, at);
            deepest = std::max(deepest, frames.size());
            for (const SourceFrame& frame : frames) QVERIFY(frame.function.size() <= limits::nameLength.free + 1);
        }
        QVERIFY2(deepest > 25, qPrintable(QString::number(deepest)));
    }

    // Many places in functions that lie in each other, hundreds deep: each has its name once for all of them.
    void manyPlacesInManyFunctions()
    {
        const QByteArray attributes =
            " .byte 1; .uleb128 0x6e; .uleb128 0x0e; .uleb128 0x11; .uleb128 1; .uleb128 0x12;"
            " .uleb128 7; .byte 0,0\n";
        QByteArray name = "_Z1fI4000" + QByteArray(4000, 'a');
        for (int i = 0; i < 6; ++i) name += "S0_";
        const QByteArray path = built(
            "deep.s",
            unitOf(
                "", "", " .uleb128 2; .uleb128 0x2e;" + attributes + " .uleb128 3; .uleb128 0x1d;" + attributes,
                " .uleb128 2; .long .Lname; .quad work; .quad 400\n"
                " .rept 398\n .uleb128 3; .long .Lname; .quad work; .quad 400\n .endr\n .rept 400\n .byte 0\n .endr\n",
                " .section .debug_str,\"MS\",@progbits,1\n.Lname: .asciz \"" + name + "Evv\"\n"),
            optionsOf("-shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        QCOMPARE(lines.at(&module, 0x10001).size(), std::size_t(399));
        QElapsedTimer timer;
        timer.start();
        for (std::uint64_t at = 2; at <= 400; ++at) QCOMPARE(lines.at(&module, 0x10000 + at).size(), std::size_t(399));
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }

    // A file beside the program that its name leads to: elfutils would unpack it, or what is in it, to look at it.
    void aFileBesideThatUnpacks_data()
    {
        QTest::addColumn<bool>("isElf");
        QTest::newRow("as a whole") << false;
        QTest::newRow("in a section") << true;
    }
    void aFileBesideThatUnpacks()
    {
        QFETCH(bool, isElf);
        const QByteArray buildId = QByteArray::fromHex("0123456789abcdef0123456789abcdef01234567");
        const QByteArray options = "-shared -nostdlib -Wl,--build-id=0x" + buildId.toHex() + " -Wl,-Ttext=0x10000";
        const QByteArray program = built("packed.s", unitOf("", "", "", " .byte 0\n"),
                                         optionsOf(QByteArray(options + " -s").constData()));
        QVERIFY(!program.isEmpty());
        const QString beside = m_folder.filePath(QStringLiteral("beside.debug"));
        static_cast<void>(QFile::remove(beside));
        if (isElf) {
            const QByteArray large = built(
                "large.s",
                unitOf("", "",
                       " .uleb128 2; .uleb128 0x2e; .byte 0; .uleb128 3; .uleb128 8; .uleb128 0x11; .uleb128 1;"
                       " .uleb128 0x12; .uleb128 7; .byte 0,0\n",
                       " .uleb128 2; .asciz \"unpacked\"; .quad work; .quad 400\n .byte 0\n",
                       " .section .debug_str,\"\",@progbits\n .zero 200000000\n"),
                optionsOf(QByteArray(options + " -Wl,--compress-debug-sections=zlib").constData()));
            QVERIFY(!large.isEmpty() && QFile::rename(QFile::decodeName(large), beside));
        } else {
            QVERIFY(ran(QStringLiteral("sh"),
                        {QStringLiteral("-c"),
                         QStringLiteral("head -c 200000000 /dev/zero | gzip -1 > %1").arg(beside)}));
        }
        const QString link = m_folder.filePath(QStringLiteral("beside"));
        QVERIFY(write(link, QByteArray("beside.debug\0\0\0\0"
                                       "1234",
                                       20)));
        QVERIFY(ran(QStringLiteral("objcopy"), {QStringLiteral("--add-section"),
                                                QStringLiteral(".gnu_debuglink=") + link, QFile::decodeName(program)}));
        test::forgetPeak();
        const std::int64_t before = peak();
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = program, .buildId = buildId};
        QCOMPARE(lines.at(&module, 0x10010).front().function, QStringLiteral("work"));  // as its own symbols say
        QVERIFY(lines.missing().empty());  // the program itself is what ran
        QVERIFY2(peak() - before < (100 << 20), qPrintable(QString::number(peak() - before)));
    }

    // The file's own word of where its debug information is leads to no other folder, and waits for no pipe.
    void aNameThatLeadsElsewhere_data()
    {
        QTest::addColumn<QByteArray>("link");
        QTest::newRow("elsewhere") << QByteArray("../pipes/fifo");
        QTest::newRow("here") << QByteArray("fifo");
        QTest::newRow("as it is called") << QByteArray();
    }
    void aNameThatLeadsElsewhere()
    {
        QFETCH(QByteArray, link);
        const QByteArray plain = built("plain.cpp", "extern \"C\" int work(int i) { return i * 2 + 1; }",
                                       optionsOf("-shared -fPIC -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!plain.isEmpty());
        const QString folder = QDir(m_folder.path()).filePath(QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY(QDir().mkpath(folder) && QDir().mkpath(m_folder.filePath(QStringLiteral("pipes"))));
        const QString program = folder + QStringLiteral("/plain.so");
        QVERIFY(QFile::copy(QFile::decodeName(plain), program));
        static_cast<void>(::mkfifo(QFile::encodeName(m_folder.filePath(QStringLiteral("pipes/fifo"))).constData(),
                                   0600));
        QCOMPARE(::mkfifo(QFile::encodeName(folder + QStringLiteral("/fifo")).constData(), 0600), 0);
        QCOMPARE(::mkfifo(QFile::encodeName(folder + QStringLiteral("/plain.so.debug")).constData(), 0600), 0);
        if (!link.isEmpty()) {
            QByteArray section = link + '\0';
            section.append((4 - section.size() % 4) % 4, '\0');
            QVERIFY(write(folder + QStringLiteral("/link"), section + "1234"));
            QVERIFY(ran(QStringLiteral("objcopy"),
                        {QStringLiteral("--add-section"),
                         QStringLiteral(".gnu_debuglink=") + folder + QStringLiteral("/link"), program}));
        }
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{
            .base = 0, .begin = 0, .end = 0x20000, .path = QFile::encodeName(program), .buildId = {}};
        int named = 0;
        for (std::uint64_t at = 0x10001; at < 0x10200; ++at)
            named += lines.at(&module, at).front().function == QLatin1String("work");
        QVERIFY(named > 3);
    }

    // Nor does its word of what it shares with others, which elfutils looks for by itself.
    void aSharedFileElsewhere()
    {
        QVERIFY(QDir().mkpath(m_folder.filePath(QStringLiteral("shared"))));
        QCOMPARE(::mkfifo(QFile::encodeName(m_folder.filePath(QStringLiteral("shared/fifo"))).constData(), 0600), 0);
        const QByteArray path = built(
            "alt.s",
            unitOf(".uleb128 0x03; .uleb128 0x1f21;", " .long 0\n",
                   " .uleb128 2; .uleb128 0x2e; .byte 0; .uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7\n"
                   " .uleb128 0x03; .uleb128 0x1f21; .byte 0,0\n",
                   " .uleb128 2; .quad work; .quad 400; .long 0\n .byte 0\n",
                   " .section .gnu_debugaltlink,\"\",@progbits\n .asciz \"shared/fifo\"\n"
                   " .byte 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n"),
            optionsOf("-shared -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x10000"));
        QVERIFY(!path.isEmpty());
        SourceLines lines(m_folder.path() + QStringLiteral("/run.lprec"), maxTime, m_progress);
        const RecordedModule module{.base = 0, .begin = 0, .end = 0x20000, .path = path, .buildId = {}};
        const std::vector<SourceFrame> frames = lines.at(&module, 0x10010);
        QCOMPARE(frames.size(), std::size_t(1));
        QCOMPARE(frames[0].function, QStringLiteral("work"));
    }

private:
    static std::int64_t peak() { return test::residentBytes("VmHWM:"); }

    static std::vector<Dwarf_Off> functionsAround(Dwarf_Die* unit, Dwarf_Addr address)
    {
        Dwarf_Die* found = nullptr;
        if (dwarf_getscopes(unit, address, &found) <= 0) return {};
        const FoundScopes innermost(found);
        const int count = dwarf_getscopes_die(&innermost.get()[0], &found);
        if (count <= 0) return {};
        const FoundScopes scopes(found);
        std::vector<Dwarf_Off> functions;
        for (int i = 0; i < count; ++i) {
            const int tag = dwarf_tag(&scopes.get()[i]);
            if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
                functions.push_back(dwarf_dieoffset(&scopes.get()[i]));
        }
        return functions;
    }

    static std::pair<Dwarf_Addr, Dwarf_Addr> textOf(Dwfl_Module* module, GElf_Shdr& header)
    {
        GElf_Addr bias = 0;
        Elf* const elf = dwfl_module_getelf(module, &bias);
        std::pair<Dwarf_Addr, Dwarf_Addr> largest;
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;)
            if (gelf_getshdr(section, &header) != nullptr && (header.sh_flags & SHF_EXECINSTR) != 0
                && header.sh_size > largest.second - largest.first)
                largest = {header.sh_addr + bias, header.sh_addr + bias + header.sh_size};
        return largest;
    }

    Progress m_progress;
};

LONGPOLE_TEST(TestUnitScopes)
#include "tst_unitscopes.moc"
