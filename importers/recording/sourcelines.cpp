// SPDX-License-Identifier: GPL-3.0-or-later
// Files are believed if they are the build that was recorded.
#include "importers/recording/sourcelines.h"

#include "core/base/limits.h"
#include "importers/recording/modules.h"
#include "importers/recording/namingprocess.h"

#include <QFile>
#include <QFileInfo>

#include <optional>
#include <utility>

namespace longpole {

// A program or library, looked at here or in the process that names code.
class SourceLines::File {
public:
    File(NamedProgram program, NamingProcess* apart, const Progress& progress) : m_apart(apart)
    {
        if (apart != nullptr) m_number = apart->add(std::move(program));
        else m_here.emplace(std::move(program), progress);
    }
    bool isAsItRan() { return m_here ? m_here->isAsItRan() : m_apart->isAsItRan(m_number); }
    bool wasTooMuch() const { return m_apart != nullptr && m_apart->wasTooMuch(m_number); }
    std::vector<SourceFrame> at(std::uint64_t offset)
    {
        return m_here ? m_here->at(offset) : m_apart->at(m_number, offset);
    }
    QByteArray symbol(std::uint64_t offset)
    {
        return m_here ? m_here->symbol(offset) : m_apart->symbol(m_number, offset);
    }

private:
    NamingProcess* m_apart;
    std::size_t m_number = 0;
    std::optional<ProgramNames> m_here;
};

SourceLines::SourceLines(QString folder, TimeNs begun, const Progress& progress)
    : m_folder(std::move(folder)), m_begun(begun), m_progress(progress),
      m_apart(NamingProcess::isOffered() ? std::make_unique<NamingProcess>(progress) : nullptr)
{
}

SourceLines::~SourceLines() = default;

SourceLines::File& SourceLines::fileOf(const RecordedModule& module)
{
    const auto [named, isNew] = m_named.try_emplace({module.path, module.buildId}, nullptr);
    if (!isNew) return *named->second;
    QByteArray path = readableModule(module, m_folder);
    QString name = QFileInfo(QFile::decodeName(module.path)).fileName();
    const auto [file, isFirst] = m_files.try_emplace({path, path.isEmpty() ? name : QString(), module.buildId});
    if (isFirst) {
        const bool isTooMany = !path.isEmpty() && ++m_opened > limits::recordingFiles.free;
        if (isTooMany) path.clear();
        file->second = std::make_unique<File>(NamedProgram{std::move(name), path, module.buildId, m_begun},
                                              m_apart.get(), m_progress);
        // What the kernel adds to a program has no path.
        if (!isTooMany && !file->second->isAsItRan() && !file->second->wasTooMuch() && module.path.startsWith('/'))
            m_missing.push_back(QFile::decodeName(module.path).left(limits::nameLength.free));
    }
    named->second = file->second.get();
    return *named->second;
}

std::vector<QString> SourceLines::tooMuch() const
{
    std::vector<QString> paths;
    for (const auto& [key, file] : m_files)
        if (file->wasTooMuch()) paths.push_back(QFile::decodeName(std::get<0>(key)).left(limits::nameLength.free));
    return paths;
}

void SourceLines::forgetIfMany()
{
    constexpr std::int64_t mostKnown = 32 << 20;  // bytes; a run with more places looks them up again
    if (m_knownBytes < mostKnown) return;
    m_known.clear();
    m_symbols.clear();
    m_knownBytes = 0;
}

const std::vector<SourceFrame>& SourceLines::at(const RecordedModule* module, std::uint64_t address)
{
    forgetIfMany();
    // Ranks have their libraries in different places, but the same code.
    File* const file = module != nullptr ? &fileOf(*module) : nullptr;
    const std::uint64_t offset = module != nullptr ? address - module->base : address;
    const auto [known, isNew] = m_known.try_emplace({file, offset});
    if (!isNew) return known->second;
    const QString text = QStringLiteral("0x%1").arg(address, 0, 16);
    known->second = file != nullptr ? file->at(offset) : std::vector<SourceFrame>{{text, text, 0}};
    for (const SourceFrame& frame : known->second)
        m_knownBytes += 100 + 2 * (frame.function.size() + frame.file.size());
    return known->second;
}

QByteArray SourceLines::symbolAt(const RecordedModule& module, std::uint64_t address)
{
    forgetIfMany();
    File& file = fileOf(module);
    const std::uint64_t offset = address - module.base;
    const auto [known, isNew] = m_symbols.try_emplace({&file, offset});
    if (isNew) {
        known->second = file.symbol(offset);
        m_knownBytes += 100 + known->second.size();
    }
    return known->second;
}

}  // namespace longpole
