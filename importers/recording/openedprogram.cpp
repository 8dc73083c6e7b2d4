// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/openedprogram.h"

#include "core/base/mayneverend.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {
namespace {

void (*tellsOpened)(const struct stat& file, std::int64_t bytes) = nullptr;
thread_local OpenedProgram::Files* filesOpened = nullptr;  // of the program that opens files now

// While it lives, files are opened for that program.
class Opening {
public:
    explicit Opening(OpenedProgram::Files* of) { filesOpened = of; }
    ~Opening() { filesOpened = nullptr; }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
};

void count(const struct stat& file)
{
    constexpr std::int64_t blockBytes = 512;  // of st_blocks: a hole explains nothing
    const auto bytes = std::min<std::int64_t>(file.st_size, blockBytes * file.st_blocks);
    if (tellsOpened != nullptr) tellsOpened(file, bytes);
    if (filesOpened != nullptr && filesOpened->seen.insert({file.st_dev, file.st_ino}).second)
        filesOpened->bytes += bytes;
}

// Counts up to `most`.
std::uint64_t unpackedXz(const Elf_Data& packed, std::uint64_t most)
{
    constexpr std::uint64_t mostMemory = 64 << 20;
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, mostMemory, 0) != LZMA_OK) return most;
    std::vector<std::uint8_t> block(1 << 16);
    stream.next_in = static_cast<const std::uint8_t*>(packed.d_buf);
    stream.avail_in = packed.d_size;
    lzma_ret went = LZMA_OK;
    while (went == LZMA_OK && stream.total_out < most) {
        stream.next_out = block.data();
        stream.avail_out = block.size();
        went = lzma_code(&stream, LZMA_FINISH);
    }
    const std::uint64_t unpacked = went == LZMA_MEMLIMIT_ERROR ? most : stream.total_out;
    lzma_end(&stream);
    return unpacked;
}

// How much a section is when it is unpacked. Of symbols in xz elfutils takes the first section only, which does not say
// how large it is.
std::uint64_t unpackedSize(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, bool& hasXz, std::uint64_t most)
{
    GElf_Chdr packed;
    if ((header.sh_flags & SHF_COMPRESSED) != 0) return gelf_getchdr(section, &packed) != nullptr ? packed.ch_size : 0;
    std::size_t names = 0;
    const char* const name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header.sh_name) : nullptr;
    const bool isZlib = name != nullptr && std::strncmp(name, ".zdebug", 7) == 0;
    const bool isXz = name != nullptr && std::strcmp(name, ".gnu_debugdata") == 0 && !std::exchange(hasXz, true);
    const Elf_Data* const data = isZlib || isXz ? elf_rawdata(section, nullptr) : nullptr;
    if (data == nullptr || data->d_buf == nullptr || data->d_size < 12) return 0;
    if (isXz) return unpackedXz(*data, most);
    std::uint64_t size = 0;  // "ZLIB", big-endian
    for (std::size_t i = 4; i < 12; ++i) size = size << 8 | static_cast<const std::uint8_t*>(data->d_buf)[i];
    return size;
}

// Whether elfutils may open it: an ELF file, not one that it would have to unpack first, of which the packed sections,
// unpacked whole into memory, are no larger than the file can mean.
bool isSoundElf(int file)
{
    constexpr std::uint64_t free = 16 << 20, mostTimes = 64;
    struct stat status {};
    elf_version(EV_CURRENT);
    Elf* const elf = ::fstat(file, &status) == 0 ? elf_begin(file, ELF_C_READ_MMAP, nullptr) : nullptr;
    const std::uint64_t most = free + mostTimes * static_cast<std::uint64_t>(status.st_size);
    std::uint64_t all = 0;
    bool hasXz = false;
    const bool isElf = elf_kind(elf) == ELF_K_ELF;
    for (Elf_Scn* section = nullptr;
         elf != nullptr && all < most && (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != nullptr)
            all += std::min(most, unpackedSize(elf, section, header, hasXz, most - all));
    }
    elf_end(elf);
    return isElf && all < most;
}

// Waits for no pipe. -1: it is no ordinary ELF file, would be too large in memory, or cannot be read.
int openedFile(const char* path)
{
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    const bool isFile = file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (isFile) count(status);
    if (isFile && isSoundElf(file)) return file;
    if (file >= 0) ::close(file);
    return -1;
}

// Whether elfutils may look there: nothing is there, or a sound file of this machine, all of which it can read to see
// whether it is the right one.
bool mayBeRead(const QString& path)
{
    constexpr qint64 most = 1 << 28;
    if (whereLeads(path, {}) != Leads::Here) return false;
    const QFileInfo info(path);
    if (!info.exists()) return true;
    const int file = info.size() <= most ? openedFile(QFile::encodeName(path).constData()) : -1;
    if (file >= 0) ::close(file);
    return file >= 0;
}

// The standard search, of which nothing is left to the name that the file gives: one with a slash can lead anywhere.
int searchDebugInformation(Dwfl_Module* module, void** data, const char* moduleName, Dwarf_Addr base, const char* file,
                           const char* link, GElf_Word checksum, char** found)
{
    const int byBuild = dwfl_build_id_find_debuginfo(module, data, moduleName, base, file, link, checksum, found);
    if (byBuild >= 0 || file == nullptr) return byBuild;
    if (link != nullptr && std::strncmp(link, "/usr/lib/debug/", 15) == 0 && std::strstr(link, "/../") == nullptr) {
        const int shared = openedFile(link);  // what debug files of a package have in common
        if (shared >= 0) *found = ::strdup(link);
        return shared;
    }
    const QFileInfo program(QFile::decodeName(file));
    const QString name = link != nullptr ? QFile::decodeName(link)
                                         : QString(program.fileName() + QLatin1String(".debug"));
    if (name.contains(QLatin1Char('/'))) return -1;
    for (const QString& tried : {name, program.fileName()})
        for (const char* below : {"/", "/.debug/"})
            if (!mayBeRead(program.absolutePath() + QLatin1String(below) + tried)) return -1;
    return dwfl_standard_find_debuginfo(module, data, moduleName, base, file, link, checksum, found);
}

// The name that was looked for last, if something was found: of a file and of what it shares with others, in this
// order.
thread_local QByteArray foundLink;

int findDebugInformation(Dwfl_Module* module, void** data, const char* moduleName, Dwarf_Addr base, const char* file,
                         const char* link, GElf_Word checksum, char** found)
{
    const int opened = searchDebugInformation(module, data, moduleName, base, file, link, checksum, found);
    foundLink = opened >= 0 ? QByteArray(link) : QByteArray();
    struct stat status {};
    if (opened >= 0 && ::fstat(opened, &status) == 0) count(status);
    return opened;
}

bool isWhole(Dwfl_Module* module)
{
    Dwarf_Addr bias = 0;
    foundLink.clear();
    Dwarf* const dwarf = dwfl_module_getdwarf(module, &bias);
    const char* shared = nullptr;
    const void* build = nullptr;
    if (dwarf == nullptr) return false;
    return dwelf_dwarf_gnu_debugaltlink(dwarf, &shared, &build) == 0 || (shared != nullptr && foundLink == shared);
}

}  // namespace

void OpenedProgram::tellOpened(void (*told)(const struct stat& file, std::int64_t bytes)) { tellsOpened = told; }

OpenedProgram::OpenedProgram(const QByteArray& path) : m_files(std::make_unique<Files>())
{
    const Opening opening(m_files.get());
    static char* noPath = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = nullptr,
                                          .find_debuginfo = findDebugInformation,
                                          .section_address = dwfl_offline_section_address,
                                          .debuginfo_path = &noPath};
    m_dwfl.reset(dwfl_begin(&callbacks));
    const int file = m_dwfl ? openedFile(path.constData()) : -1;
    if (file < 0) return;
    dwfl_report_begin(m_dwfl.get());
    m_module = dwfl_report_offline(m_dwfl.get(), path.constData(), path.constData(), file);
    if (m_module == nullptr) ::close(file);
    dwfl_report_end(m_dwfl.get(), nullptr, nullptr);
}

bool OpenedProgram::hasWholeDwarf()
{
    const Opening opening(m_files.get());
    if (!m_hasWholeDwarf) m_hasWholeDwarf = m_module != nullptr && isWhole(m_module);
    return *m_hasWholeDwarf;
}

}  // namespace longpole
