// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/heldtrace.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>

#include <unistd.h>

namespace longpole {
namespace {

constexpr std::size_t bufferBytes = std::size_t{1} << 20;

constexpr std::size_t windowBytes = std::size_t{64} << 10;

// What a thread has read of a file; the rows of a rank lie in a few places of it, one rank behind the other.
struct Window {
    std::uint64_t file = 0;  // 0: of none
    std::int64_t begin = 0;
    std::vector<char> bytes;
    std::uint64_t used = 0;
};

struct LeftTraces {
    std::mutex mutex;
    std::map<QString, HeldTrace> byName;
};

LeftTraces& leftTraces()
{
    static LeftTraces left;
    return left;
}

}  // namespace

Result<std::shared_ptr<ChunkFile>> ChunkFile::create(const QString& path)
{
    const int descriptor = openScratchFile(path);
    if (descriptor < 0)
        return Error{tr("A temporary file could not be made: %1.").arg(qt_error_string(errno)), path, QString()};
    return std::shared_ptr<ChunkFile>(new ChunkFile(descriptor, path));
}

ChunkFile::ChunkFile(int descriptor, QString path) : m_descriptor(descriptor), m_path(std::move(path))
{
    static std::atomic<std::uint64_t> files{0};
    m_number = ++files;
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

std::optional<ChunkFile::Extent> ChunkFile::extent(std::int64_t id) const
{
    if (id < 1 || static_cast<std::size_t>(id) > m_ends.size()) return std::nullopt;
    const auto place = static_cast<std::size_t>(id - 1);
    return Extent{place == 0 ? 0 : m_ends[place - 1], m_ends[place]};
}

Result<std::vector<char>> ChunkFile::read(std::int64_t id)
{
    const std::optional<Extent> at = extent(id);
    std::vector<char> bytes(at ? static_cast<std::size_t>(at->end - at->begin) : 0);
    if (const Result<> written = writeBuffer(); !written) return written.error();
    if (at && !readAt(m_descriptor, bytes, at->begin)) bytes.clear();
    return bytes;
}

std::span<const char> ChunkFile::bytes(std::int64_t id) const
{
    thread_local std::array<Window, 4> windows;
    thread_local std::uint64_t uses = 0;
    const std::optional<Extent> at = extent(id);
    if (!at) return {};
    const auto size = static_cast<std::size_t>(at->end - at->begin);
    const auto has = [&](const Window& window) {
        return window.file == m_number && at->begin >= window.begin
               && at->end <= window.begin + static_cast<std::int64_t>(window.bytes.size());
    };
    auto window = std::find_if(windows.begin(), windows.end(), has);
    if (window == windows.end()) {
        window = std::min_element(windows.begin(), windows.end(),
                                  [](const Window& a, const Window& b) { return a.used < b.used; });
        const auto behind = static_cast<std::size_t>(m_written - at->begin);
        window->file = 0;
        window->begin = at->begin;
        window->bytes.resize(std::max(size, std::min(behind, windowBytes)));
        if (!readAt(m_descriptor, window->bytes, at->begin)) return {};
        window->file = m_number;
    }
    window->used = ++uses;
    return std::span<const char>(window->bytes).subspan(static_cast<std::size_t>(at->begin - window->begin), size);
}

void leaveHeld(const QString& name, HeldTrace trace)
{
    LeftTraces& left = leftTraces();
    const std::lock_guard lock(left.mutex);
    left.byName.insert_or_assign(name, std::move(trace));
}

std::optional<HeldTrace> takeHeld(const QString& name)
{
    LeftTraces& left = leftTraces();
    const std::lock_guard lock(left.mutex);
    const auto found = left.byName.find(name);
    if (found == left.byName.end()) return std::nullopt;
    std::optional<HeldTrace> trace(std::move(found->second));
    left.byName.erase(found);
    return trace;
}

}  // namespace longpole
