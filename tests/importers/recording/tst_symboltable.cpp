// SPDX-License-Identifier: GPL-3.0-or-later
// Symbols of addresses: by one pass over all symbols as elfutils finds them by looking through all for each address.
#include "importers/recording/openedprogram.h"
#include "importers/recording/symboltable.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QTest>

#include <algorithm>
#include <random>
#include <vector>

using namespace longpole;

namespace {

class OpenedFile {
public:
    explicit OpenedFile(const QByteArray& path) : m_program(path), m_module(m_program.module()) {}
    Dwfl_Module* module() const { return m_module; }

    // As elfutils has it, which gives the nearest symbol even where its size says that it has ended.
    QByteArray lookedUp(Dwarf_Addr address) const
    {
        GElf_Off offset = 0;
        GElf_Sym symbol;
        const char* const name = dwfl_module_addrinfo(m_module, address, &offset, &symbol, nullptr, nullptr, nullptr);
        return name != nullptr && (offset < symbol.st_size || symbol.st_size == 0) ? QByteArray(name) : QByteArray();
    }

    // Addresses of code around where symbols begin and end, and drawn ones.
    std::vector<Dwarf_Addr> addresses(std::size_t most) const
    {
        std::vector<Dwarf_Addr> all;
        std::mt19937_64 random(5);
        for (int i = 0; i < dwfl_module_getsymtab(m_module); ++i) {
            GElf_Sym symbol;
            GElf_Addr begin = 0;
            if (dwfl_module_getsym_info(m_module, i, &symbol, &begin, nullptr, nullptr, nullptr) == nullptr) continue;
            if (symbol.st_shndx == SHN_UNDEF || begin == 0) continue;
            for (const Dwarf_Addr address : {begin - 1, begin, begin + symbol.st_size / 2, begin + symbol.st_size})
                all.push_back(address);
            all.push_back(begin + random() % 4096);
        }
        all.erase(std::remove_if(all.begin(), all.end(), [this](Dwarf_Addr address) { return !isCode(address); }),
                  all.end());
        std::shuffle(all.begin(), all.end(), random);
        all.resize(std::min(all.size(), most));
        return all;
    }

private:
    bool isCode(Dwarf_Addr address) const
    {
        Dwarf_Addr bias = 0;
        GElf_Shdr header;
        Elf_Scn* const section = dwfl_module_address_section(m_module, &address, &bias);
        return section != nullptr && gelf_getshdr(section, &header) != nullptr
               && (header.sh_flags & SHF_EXECINSTR) != 0;
    }

    OpenedProgram m_program;
    Dwfl_Module* m_module;
};

}  // namespace

class TestSymbolTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noFileHasNoSymbols() { QCOMPARE(SymbolTable(nullptr).at(1), nullptr); }

    void saysWhatElfutilsSays_data()
    {
        QTest::addColumn<QByteArray>("path");
        const QString libraries = QLibraryInfo::path(QLibraryInfo::LibrariesPath);
        QTest::newRow("this program") << QFile::encodeName(QCoreApplication::applicationFilePath());
        for (const char* name : {"libQt6Core.so.6", "libstdc++.so.6", "libc.so.6"})
            QTest::newRow(name) << QFile::encodeName(
                QFileInfo(libraries + QLatin1Char('/') + QLatin1String(name)).canonicalFilePath());
    }
    void saysWhatElfutilsSays()
    {
        QFETCH(QByteArray, path);
        if (path.isEmpty()) QSKIP("this library is not at hand");
        const OpenedFile file(path);
        QVERIFY(file.module() != nullptr);
        const std::vector<Dwarf_Addr> addresses = file.addresses(4000);
        QVERIFY(addresses.size() > 1000);
        QElapsedTimer timer;
        timer.start();
        const SymbolTable symbols(file.module());
        std::vector<QByteArray> names;
        names.reserve(addresses.size());
        for (const Dwarf_Addr address : addresses) names.emplace_back(symbols.at(address));
        const qint64 own = timer.restart();
        int named = 0;
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            const QByteArray expected = file.lookedUp(addresses[i]);
            named += !expected.isEmpty();
            QVERIFY2(names[i] == expected,
                     qPrintable(QStringLiteral("0x%1: %2 instead of %3")
                                    .arg(addresses[i], 0, 16)
                                    .arg(QString::fromUtf8(names[i]), QString::fromUtf8(expected))));
        }
        QVERIFY(named > 500);
        qInfo("%zu addresses: %lld ms, one by one %lld ms", addresses.size(), static_cast<long long>(own),
              static_cast<long long>(timer.elapsed()));
    }
};

LONGPOLE_TEST(TestSymbolTable)
#include "tst_symboltable.moc"
