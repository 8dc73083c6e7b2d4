// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tracepart.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"

#include <cerrno>
#include <map>
#include <mutex>

#include <unistd.h>

namespace longpole {
namespace {

constexpr std::size_t bufferBytes = std::size_t{1} << 20;

struct LeftParts {
    std::mutex mutex;
    std::map<QString, TracePart> byName;
};

LeftParts& leftParts()
{
    static LeftParts parts;
    return parts;
}

}  // namespace

Result<std::shared_ptr<ChunkFile>> ChunkFile::create(const QString& path)
{
    const int descriptor = openScratchFile(path);
    if (descriptor < 0)
        return Error{tr("A temporary file could not be made: %1.").arg(qt_error_string(errno)), path, QString()};
    return std::shared_ptr<ChunkFile>(new ChunkFile(descriptor, path));
}

ChunkFile::~ChunkFile() { ::close(m_descriptor); }

Result<> ChunkFile::write(std::int64_t /*id*/, std::span<const char> bytes)
{
    m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
    m_ends.push_back(m_written + static_cast<std::int64_t>(m_buffer.size()));
    return m_buffer.size() < bufferBytes ? Result<>(Unit{}) : writeBuffer();
}

Result<> ChunkFile::writeBuffer()
{
    if (!writeAt(m_descriptor, m_buffer, m_written))
        return Error{tr("A temporary file could not be written: %1.").arg(qt_error_string(errno)), m_path,
                     tr("Free some space and try again.")};
    m_written += static_cast<std::int64_t>(m_buffer.size());
    m_buffer.clear();
    return Unit{};
}

Result<> ChunkFile::finish()
{
    const Result<> written = writeBuffer();
    m_buffer = {};
    return written;
}

Result<std::vector<char>> ChunkFile::read(std::int64_t id)
{
    if (!m_buffer.empty())
        if (const Result<> written = writeBuffer(); !written) return written.error();
    std::vector<char> buffer;
    static_cast<void>(read(id, buffer));
    return buffer;
}

std::span<const char> ChunkFile::read(std::int64_t id, std::vector<char>& buffer) const
{
    buffer.clear();
    if (id < 1 || static_cast<std::size_t>(id) > m_ends.size()) return {};
    const auto place = static_cast<std::size_t>(id - 1);
    const std::int64_t begin = place == 0 ? 0 : m_ends[place - 1];
    buffer.resize(static_cast<std::size_t>(m_ends[place] - begin));
    if (!readAt(m_descriptor, buffer, begin)) buffer.clear();
    return buffer;
}

void leavePart(const QString& name, TracePart part)
{
    LeftParts& left = leftParts();
    const std::lock_guard lock(left.mutex);
    left.byName.insert_or_assign(name, std::move(part));
}

std::optional<TracePart> takePart(const QString& name)
{
    LeftParts& left = leftParts();
    const std::lock_guard lock(left.mutex);
    const auto found = left.byName.find(name);
    if (found == left.byName.end()) return std::nullopt;
    std::optional<TracePart> part(std::move(found->second));
    left.byName.erase(found);
    return part;
}

}  // namespace longpole
