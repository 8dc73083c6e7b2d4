// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/programnames.h"

#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "importers/recording/openedprogram.h"
#include "importers/recording/symboltable.h"
#include "importers/recording/unitscopes.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <sys/stat.h>

namespace longpole {
namespace {

// Where the parameters of a demangled name begin: the bracket that closes at its end, but for a "const" behind it.
qsizetype parametersOf(const QString& name)
{
    qsizetype at = name.lastIndexOf(QLatin1Char(')'));
    if (at < 0 || (at + 1 < name.size() && name[at + 1] != QLatin1Char(' ') && name[at + 1] != QLatin1Char('[')))
        return -1;
    for (int depth = 0; at >= 0; --at) {
        if (name[at] == QLatin1Char(')')) ++depth;
        if (name[at] == QLatin1Char('(') && --depth == 0) return at;
    }
    return -1;
}

// Where the name itself begins: behind the type that a template's demangled name has in front.
qsizetype nameBegin(const QString& name)
{
    qsizetype begin = 0;
    int depth = 0;
    for (qsizetype at = 0; at < name.size(); ++at) {
        if (QStringView(name).mid(at).startsWith(QLatin1String("operator"))) break;
        if (QStringLiteral("<(").contains(name[at])) ++depth;
        if (QStringLiteral(">)").contains(name[at])) --depth;
        if (depth == 0 && name[at] == QLatin1Char(' ')) begin = at + 1;
    }
    return begin;
}

// Whoever looks for names cuts them at that; more of a name than can be demangled is not even copied.
QString cut(const QString& text) { return text.left(limits::nameLength.free + 1); }
QByteArray bytesOf(const char* text)
{
    constexpr std::size_t most = 8193;
    return text == nullptr ? QByteArray() : QByteArray(text, static_cast<qsizetype>(::strnlen(text, most)));
}
}  // namespace

// Texts of debug information by where they lie there: what stands at a thousand places is read, and demangled, once.
class KnownTexts {
public:
    QString text(const char* bytes)
    {
        return of(m_texts, bytes, [](const QByteArray& text) { return QString::fromUtf8(text); });
    }
    QString functionName(const char* symbol) { return of(m_functions, symbol, longpole::functionName); }

private:
    using Texts = std::unordered_map<const char*, QString>;
    template <typename Make>
    QString of(Texts& texts, const char* bytes, Make make)
    {
        constexpr std::int64_t most = 32 << 20;  // bytes; what comes then is made again
        if (bytes == nullptr) return {};
        if (m_bytes > most) {
            m_texts.clear();
            m_functions.clear();
            m_bytes = 0;
        }
        const auto [known, isNew] = texts.try_emplace(bytes);
        if (isNew) {
            known->second = cut(make(bytesOf(bytes)));
            m_bytes += 100 + 2 * known->second.size();
        }
        return known->second;
    }

    Texts m_texts;
    Texts m_functions;
    std::int64_t m_bytes = 0;
};

namespace {

const char* functionNameOf(Dwarf_Die* die)
{
    for (const unsigned attribute : {unsigned(DW_AT_linkage_name), unsigned(DW_AT_MIPS_linkage_name)}) {
        Dwarf_Attribute found;
        if (dwarf_attr_integrate(die, attribute, &found) == nullptr) continue;
        const char* const name = dwarf_formstring(&found);
        if (name != nullptr && std::strncmp(name, "_Z", 2) == 0) return name;
    }
    return dwarf_diename(die);
}

// 0 for what is none of any source.
int lineOf(Dwarf_Word number) { return std::in_range<int>(number) ? static_cast<int>(number) : 0; }

// Where an inlined function was called.
void setCallSite(Dwarf_Die* unit, Dwarf_Die* die, KnownTexts& texts, SourceFrame& frame)
{
    frame.file.clear();
    frame.line = 0;
    Dwarf_Attribute found;
    Dwarf_Word number = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &found), &number) == 0) frame.line = lineOf(number);
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &found), &number) != 0) return;
    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count) return;
    frame.file = texts.text(dwarf_filesrc(files, number, nullptr, nullptr));
}

}  // namespace

QString functionName(const QByteArray& symbol)
{
    if (symbol.startsWith("_Z")) {
        QString name = QString::fromUtf8(demangled(symbol));
        if (name.startsWith(QLatin1String("_Z"))) return name;
        if (const qsizetype parameters = parametersOf(name); parameters > 0) name.truncate(parameters);
        return name.mid(nameBegin(name));
    }
    const qsizetype version = symbol.indexOf('@');  // of a versioned symbol
    const QByteArray plain = version > 0 ? symbol.left(version) : symbol;
    const qsizetype module = plain.indexOf("_MOD_");
    if (plain.startsWith("__") && module > 2) return QString::fromUtf8(plain.mid(module + 5));
    return QString::fromUtf8(plain);
}

class ProgramNames::Reader {
public:
    Reader(NamedProgram program, const Progress& progress)
        : m_name(std::move(program.name)), m_symbolsOnly(program.symbolsOnly), m_progress(progress)
    {
        const QByteArray &path = program.path, &buildId = program.buildId;
        if (path.isEmpty() || (buildId.isEmpty() && wasChangedSince(path, program.begun))) return;
        m_program = OpenedProgram(path);
        m_module = m_program.module();
        if (m_module != nullptr && (!isBuild(buildId) || dwfl_module_getelf(m_module, &m_bias) == nullptr))
            m_module = nullptr;
    }

    bool isAsItRan() const { return m_module != nullptr; }

    // Of the function at that address of the file, as in its table of symbols.
    QByteArray symbol(std::uint64_t offset) { return bytesOf(symbolOf(offset + m_bias)); }

    std::vector<SourceFrame> at(std::uint64_t offset)
    {
        const Dwarf_Addr address = offset - 1 + m_bias;  // inside the call, which may be the last of its function
        std::vector<SourceFrame> frames;
        m_since = usedNs();
        if (m_module != nullptr && !m_symbolsOnly && m_program.hasWholeDwarf() && !isOver()) addFrames(address, frames);
        m_spentNs += usedNs() - m_since;
        if (frames.empty()) frames.push_back({symbolAt(address), {}, 0});
        const SourceFrame unnamed = unnamedFrame(m_name, offset);
        for (SourceFrame& frame : frames) {
            if (frame.function.isEmpty()) frame.function = unnamed.function;
            if (frame.file.isEmpty()) frame.file = unnamed.file;
        }
        return frames;
    }

private:
    static bool wasChangedSince(const QByteArray& path, TimeNs begun)
    {
        struct stat status {};
        return ::stat(path.constData(), &status) != 0
               || std::max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) > begun / 1'000'000'000;
    }

    bool isBuild(const QByteArray& wanted) const
    {
        const unsigned char* bits = nullptr;
        GElf_Addr place = 0;
        const int length = dwfl_module_build_id(m_module, &bits, &place);
        if (length <= 0) return wanted.isEmpty();
        return length == wanted.size() && std::memcmp(bits, wanted.constData(), static_cast<std::size_t>(length)) == 0;
    }

    QString symbolAt(Dwarf_Addr address) { return m_texts.functionName(symbolOf(address)); }

    // Null: not known.
    const char* symbolOf(Dwarf_Addr address)
    {
        if (m_module == nullptr) return nullptr;
        if (!m_symbols) m_symbols.emplace(m_module);
        return m_symbols->at(address);
    }

    void addFrames(Dwarf_Addr address, std::vector<SourceFrame>& frames)
    {
        SourceFrame frame;
        if (Dwfl_Line* const line = dwfl_module_getsrc(m_module, address))
            frame.file = m_texts.text(dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr));
        frame.line = std::max(frame.line, 0);
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = dwfl_module_addrdie(m_module, address, &bias);
        const UnitScopes* const scopes = unit != nullptr ? &scopesOf(unit) : nullptr;
        const UnitScopes::Function* function = scopes != nullptr ? scopes->at(address - bias) : nullptr;
        if (function == nullptr && !frame.file.isEmpty()) frames.push_back({symbolAt(address), frame.file, frame.line});
        for (; function != nullptr; function = scopes->around(*function)) {
            Dwarf_Die die = function->die;
            frame.function = m_texts.functionName(functionNameOf(&die));
            frames.push_back(frame);
            if (dwarf_tag(&die) == DW_TAG_subprogram) break;
            setCallSite(unit, &die, m_texts, frame);
        }
    }

    const UnitScopes& scopesOf(Dwarf_Die* unit)
    {
        constexpr std::size_t mostBytes = std::size_t{96} << 20;  // of units in memory; others are walked through again
        const auto known = m_units.find(unit->addr);
        if (known != m_units.end()) return known->second;
        if (m_unitBytes > mostBytes) {
            m_units.clear();
            m_unitBytes = 0;
        }
        Dwarf_Addr bias = 0;
        Dwarf_Off next = 0;
        std::size_t header = 0;
        const Dwarf_Off begin = dwarf_dieoffset(unit) - dwarf_cuoffset(unit);
        const bool isSized = dwarf_nextcu(dwfl_module_getdwarf(m_module, &bias), begin, &next, &header, nullptr,
                                          nullptr, nullptr)
                             == 0;
        const UnitScopes& made = m_units
                                     .try_emplace(unit->addr, *unit, isSized ? next - begin : 0,
                                                  [this] { return isOver(); })
                                     .first->second;
        m_unitBytes += made.bytes();
        return made;
    }

    // Whether looking for functions in debug information has taken as long as no honest one of its size takes: then
    // symbols have to do.
    bool isOver() const
    {
        constexpr std::int64_t free = 1'000'000'000, ofByte = 1000;  // ns of CPU; of a byte unpacked 60 are usual
        if (m_progress.isCancelled()) return true;
        return m_spentNs + usedNs() - m_since > free + ofByte * m_program.bytes();
    }

    static std::int64_t usedNs()
    {
        timespec used{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
    }

    QString m_name;
    bool m_symbolsOnly;
    OpenedProgram m_program;
    Dwfl_Module* m_module = nullptr;  // null, too, where the file is another build
    Dwarf_Addr m_bias = 0;
    std::map<const void*, UnitScopes> m_units;  // by where they lie
    std::size_t m_unitBytes = 0;
    std::int64_t m_spentNs = 0;  // of this thread's CPU time, on addresses before
    std::int64_t m_since = 0;    // of the address that is looked up
    KnownTexts m_texts;
    const Progress& m_progress;
    std::optional<SymbolTable> m_symbols;  // made when the first address is looked up
};

SourceFrame unnamedFrame(const QString& program, std::uint64_t offset)
{
    return {QStringLiteral("[%1]").arg(program), QStringLiteral("%1+0x%2").arg(program, QString::number(offset, 16)),
            0};
}

ProgramNames::ProgramNames(NamedProgram program, const Progress& progress)
    : m_reader(std::make_unique<Reader>(std::move(program), progress))
{
}

ProgramNames::~ProgramNames() = default;

bool ProgramNames::isAsItRan() const { return m_reader->isAsItRan(); }

std::vector<SourceFrame> ProgramNames::at(std::uint64_t offset) { return m_reader->at(offset); }

QByteArray ProgramNames::symbol(std::uint64_t offset) { return m_reader->symbol(offset); }

}  // namespace longpole
