// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings whose every byte is as the recorder writes it, made so that the names of functions, files and stacks ask
// for much, or for files that are none of theirs.
#include "core/base/limits.h"
#include "core/trace/issues.h"
#include "importers/recording/modules.h"
#include "importers/recording/recordingbombs.h"
#include "support/testmain.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <sys/stat.h>

using namespace longpole;
using namespace longpole::test;

namespace {

QByteArray moduleEntry(std::uint64_t begin, std::uint64_t end, const QByteArray& path, const QByteArray& buildId = {})
{
    const lp_module head{.base = begin,
                         .begin = begin,
                         .end = end,
                         .path_length = static_cast<std::uint32_t>(path.size()),
                         .build_id_length = static_cast<std::uint32_t>(buildId.size())};
    return bytesOf(head) + (path.isEmpty() ? path : paddedTo(path, 8))
           + (buildId.isEmpty() ? buildId : paddedTo(buildId, 8));
}

QByteArray stack(std::uint32_t number, const std::vector<std::uint64_t>& addresses)
{
    const lp_stack_head head{.stack = number, .count = static_cast<std::uint32_t>(addresses.size())};
    return bytesOf(head)
           + QByteArray(reinterpret_cast<const char*>(addresses.data()),
                        static_cast<qsizetype>(addresses.size() * sizeof addresses[0]));
}

RecordedModule moduleAt(const QByteArray& path)
{
    RecordedModule module;
    module.path = path;
    return module;
}

}  // namespace

class TestRecordingNames : public QObject, protected RecordingBombs {
    Q_OBJECT
private Q_SLOTS:
    void init() { remember(); }
    void cleanup() const { verifyCost(); }

    // The path of a file stood in the name of each place in it.
    void longPaths()
    {
        QByteArray stacks;
        for (std::uint32_t i = 1; i < 4000; ++i) stacks += stack(i, {1000 + i});
        const QByteArray path = "/lib/" + QByteArray(300'000, 'x');
        const auto store = imported(recording(frameOf(LP_MODULES, moduleEntry(0, 100'000, path))
                                              + frameOf(LP_STACKS, stacks) + areaOf(call(LP_Barrier, 1, 2, 7))));
        QVERIFY(store != nullptr);
        QVERIFY(!store->callPaths().empty());
        QVERIFY2(largest() - m_before < 200'000, qPrintable(QString::number(largest() - m_before)));
    }

    // A line of a script with long names, named by eight bytes in each stack below another function.
    void oneLongLine()
    {
        const QByteArray name(4096, 'n'), file = "/" + QByteArray(4095, 'f');
        const lp_place_head place{
            .address = LP_FIRST_PLACE, .line = 1, .name_length = 4096, .file_length = 4096, .reserved = 0};
        QByteArray stacks;
        for (std::uint32_t i = 1; i <= 100; ++i) {
            std::vector<std::uint64_t> addresses(1000, LP_FIRST_PLACE);
            addresses.push_back(i);
            stacks += stack(i, addresses);
        }
        const QByteArray bytes = frameOf(LP_PLACES, bytesOf(place) + name + file) + frameOf(LP_STACKS, stacks)
                                 + areaOf(call(LP_Barrier, 1, 2, 7));
        const auto store = imported(recording(bytes));
        QVERIFY(store != nullptr);
        QVERIFY(!store->callPaths().empty());
        std::int64_t characters = 0;
        for (const CallPath& path : store->callPaths())
            characters += path.function.size() + path.file.size() + path.module.size();
        QVERIFY(characters <= limits::callPathNames.of(bytes.size() + (1 << 12)));
        QVERIFY2(largest() - m_before < 450'000, qPrintable(QString::number(largest() - m_before)));
    }

    // Each address looked at all modules.
    void manyModules()
    {
        QByteArray modules;
        for (std::uint64_t i = 0; i < 100'000; ++i) modules += moduleEntry(10 * i, 10 * i + 5, "/none");
        std::vector<std::uint64_t> addresses;
        QByteArray stacks;
        for (std::uint32_t i = 0; i < 300'000; ++i) stacks += stack(1 + i % 4000, {10u * (i % 4000) + 7});
        std::vector<std::uint64_t> deep(200'000, 7);
        stacks += stack(4001, deep);
        QByteArray functions;
        for (std::uint32_t i = 0; i < 300'000; ++i)
            functions += bytesOf(lp_known_function{.region = i, .name_length = 0, .address = 7});
        const auto store = imported(recording(frameOf(LP_MODULES, modules) + frameOf(LP_STACKS, stacks)
                                              + frameOf(LP_FUNCTIONS, functions) + areaOf(call(LP_Barrier, 1, 2, 7))));
        QVERIFY(store != nullptr);
        QVERIFY2(spent() - m_spent < 5'000, qPrintable(QString::number(spent() - m_spent)));
    }

    // Of overlapping modules the later one counts, as the simple search over all of them finds.
    void placesOfModules()
    {
        std::mt19937 random(3);
        const auto below = [&random](std::uint64_t most) {
            return std::uniform_int_distribution<std::uint64_t>(0, most - 1)(random);
        };
        for (int round = 0; round < 200; ++round) {
            std::vector<RecordedModule> modules(below(8));
            for (RecordedModule& module : modules) {
                module.begin = below(30);
                module.end = below(30);
            }
            const ModulePlaces places(modules);
            for (std::uint64_t address = 0; address < 32; ++address) {
                const RecordedModule* expected = nullptr;
                for (const RecordedModule& module : modules)
                    if (address >= module.begin && address < module.end) expected = &module;
                QCOMPARE(places.of(address), expected);
            }
        }
    }

    // Depth times calls is what analyses of call paths would take.
    void deepStacks()
    {
        std::vector<std::uint64_t> addresses(200'000);
        for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i] = i + 1;
        const auto store = imported(recording(frameOf(LP_STACKS, stack(1, addresses))
                                              + areaOf(call(LP_Barrier, 1, 2, 1))));
        QVERIFY(store != nullptr);
        QCOMPARE(store->callPaths().size(), std::size_t{2 * limits::callPathDepth.free});
        QCOMPARE(store->callPaths().back().function, QStringLiteral("0x1"));  // the place of the call itself
    }

    // Names of a hundred bytes that stand for 64 kB each.
    void mangledNames()
    {
        QByteArray functions;
        for (std::uint32_t i = 0; i < 6000; ++i) {
            QByteArray name = "_Z5f" + QByteArray::number(10'000 + i).mid(1) + "PFviiE";
            for (const char* twice : {"S0_S0_", "S2_S2_", "S4_S4_", "S6_S6_", "S8_S8_", "SA_SA_", "SC_SC_", "SE_SE_",
                                      "SG_SG_", "SI_SI_", "SK_SK_"})
                name += QByteArray("PFv") + twice + 'E';
            functions += bytesOf(lp_known_function{.region = i,
                                                   .name_length = static_cast<std::uint32_t>(name.size()),
                                                   .address = i})
                         + paddedTo(name, 8);
        }
        const auto store = imported(recording(frameOf(LP_FUNCTIONS, functions) + areaOf(call(LP_Barrier, 1, 2))));
        QVERIFY(store != nullptr);
        QVERIFY2(largest() - m_before < 250'000, qPrintable(QString::number(largest() - m_before)));
        QVERIFY(QFileInfo(store->path()).size() < (32 << 20));
    }

    // A recording names files; which are read is not its choice alone.
    void filesThatAreRead()
    {
        const QString own = QFileInfo(QCoreApplication::applicationFilePath()).canonicalFilePath();
        const QByteArray program = QFile::encodeName(own);
        const auto isRead = [this](const QByteArray& path, const QString& folder = {}) {
            return !readableModule(moduleAt(path), folder.isEmpty() ? m_folder.path() : folder).isEmpty();
        };
        QVERIFY(isRead(program));
        QCOMPARE(readableModule(moduleAt("/./" + program), {}), program);  // by one name
        QVERIFY(!isRead(program, QFileInfo(own).path()));                  // a part of the recording
        QVERIFY(QDir::setCurrent(QFileInfo(own).path()));
        QVERIFY(!isRead(QFile::encodeName(QFileInfo(own).fileName())));
        QVERIFY(!isRead("/proc/self/exe"));
        QVERIFY(!isRead("/proc/self/cwd/" + QFile::encodeName(QFileInfo(own).fileName())));
        QVERIFY(!isRead("/dev/../proc/self/exe"));
        QVERIFY(!isRead("/dev/zero"));
        QVERIFY(!isRead("/nowhere"));
        QVERIFY(!isRead("/" + program));  // could be another host's
        QVERIFY(!isRead("/net/host/../.." + program));
        QVERIFY(!isRead({}));
        const QString link = m_folder.filePath(QStringLiteral("link"));
        QVERIFY(QFile::link(QStringLiteral("/proc/self/exe"), link));
        // The kernel's link leads to the program itself, which may be read.
        QCOMPARE(readableModule(moduleAt(QFile::encodeName(link)), {}), program);
        const QByteArray away = QFile::encodeName(m_folder.filePath(QStringLiteral("away")));
        QCOMPARE(::symlink(QByteArray("/" + QFile::encodeName(QFileInfo(own).path())).constData(), away.constData()),
                 0);
        QVERIFY(!isRead(away + '/' + QFile::encodeName(QFileInfo(own).fileName())));  // another host's by its link
        const QString pipe = m_folder.filePath(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QVERIFY(!isRead(QFile::encodeName(pipe)));
        QFile text(m_folder.filePath(QStringLiteral("text")));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("\x1f\x8b would have to be unpacked") > 0);
        text.close();
        QVERIFY(!isRead(QFile::encodeName(text.fileName())));
    }

    // A file that is another build, or has a mark where none was recorded, gives no names, and the trace says so.
    void anotherBuild()
    {
        const QByteArray program = QFile::encodeName(
            QFileInfo(QCoreApplication::applicationFilePath()).canonicalFilePath());
        for (const QByteArray& buildId : {QByteArray(), QByteArray(20, 'x')}) {
            const auto store = importedWith(moduleEntry(0, std::uint64_t{1} << 40, program, buildId));
            QVERIFY(store != nullptr);
            for (const Region& each : store->regions())
                QVERIFY2(each.name.startsWith(QStringLiteral("0x")) || !each.name.contains(QStringLiteral("::")),
                         qPrintable(each.name));
            QCOMPARE(missingPrograms(*store), 1);
        }
    }

    // What the kernel adds to each program has no file; what was on the machine of the run only has none here.
    void programsOfOtherMachines()
    {
        const auto added = importedWith(moduleEntry(0, std::uint64_t{1} << 40, "linux-vdso.so.1"));
        QVERIFY(added != nullptr);
        QCOMPARE(missingPrograms(*added), 0);
        const auto away = importedWith(moduleEntry(0, std::uint64_t{1} << 40, "/nowhere/solver"));
        QVERIFY(away != nullptr);
        QCOMPARE(missingPrograms(*away), 1);
        const Issue expected{issueIdentifier(IssueKind::MissingProgram), 1, QStringLiteral("/nowhere/solver")};
        QVERIFY(std::find(away->issues().begin(), away->issues().end(), expected) != away->issues().end());
    }

private:
    // A run with one function, which the recorder found no name of.
    std::shared_ptr<const TraceStore> importedWith(const QByteArray& modules)
    {
        const lp_known_function function{.region = 1,
                                         .name_length = 0,
                                         .address = reinterpret_cast<std::uint64_t>(&largest) & 0xfffff};
        return imported(recording(frameOf(LP_MODULES, modules) + frameOf(LP_FUNCTIONS, bytesOf(function))
                                  + areaOf(region(LP_ENTER_RECORD, 1, 1) + call(LP_Barrier, 2, 3)
                                           + region(LP_LEAVE_RECORD, 1, 4))));
    }

    static std::int64_t missingPrograms(const TraceStore& store)
    {
        std::int64_t count = 0;
        for (const Issue& issue : store.issues())
            if (issue.kind == issueIdentifier(IssueKind::MissingProgram)) count += issue.count;
        return count;
    }
};

LONGPOLE_TEST(TestRecordingNames)
#include "tst_recordingnames.moc"
