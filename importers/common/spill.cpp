// SPDX-License-Identifier: GPL-3.0-or-later
// Spilled blocks: an O_TMPFILE (or unlinked) file, written at its end and read anywhere.
#include "importers/common/spill.h"

#include <QFile>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace longpole {

Spill::Spill(QString folder, std::size_t memoryBudget) : m_folder(std::move(folder)), m_budget(memoryBudget) {}

Spill::~Spill()
{
    if (m_file >= 0) ::close(m_file);
}

int Spill::file()
{
    const std::lock_guard lock(m_mutex);
    if (m_file >= 0 || m_failed) return m_file;
    const QByteArray folder = QFile::encodeName(m_folder);
    int file = ::open(folder.constData(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) {
        QByteArray name = folder + "/.longpole-spill-XXXXXX";
        file = ::mkostemp(name.data(), O_CLOEXEC);
        if (file >= 0) ::unlink(name.constData());
    }
    if (file < 0) m_failed = true;
    m_file = file;
    return file;
}

Spill::Block Spill::store(std::span<const std::byte> bytes)
{
    Block block;
    block.size = bytes.size();
    if (m_used.fetch_add(bytes.size()) + bytes.size() <= m_budget) {
        block.memory = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
        std::memcpy(block.memory.get(), bytes.data(), bytes.size());
        return block;
    }
    m_used.fetch_sub(bytes.size());
    const int descriptor = file();
    block.offset = m_fileSize.fetch_add(static_cast<std::int64_t>(bytes.size()));
    std::size_t done = 0;
    while (done < bytes.size() && !m_failed) {
        const ssize_t wrote = ::pwrite(descriptor, bytes.data() + done, bytes.size() - done,
                                       block.offset + static_cast<std::int64_t>(done));
        if (wrote > 0) done += static_cast<std::size_t>(wrote);
        else if (wrote == 0 || errno != EINTR) m_failed = true;
    }
    return block;
}

bool Spill::read(const Block& block, std::size_t from, std::span<std::byte> into) const
{
    if (from > block.size || into.size() > block.size - from) return false;
    if (block.memory) {
        std::memcpy(into.data(), block.memory.get() + from, into.size());
        return true;
    }
    std::size_t done = 0;
    while (done < into.size() && !m_failed) {
        const ssize_t got = ::pread(m_file, into.data() + done, into.size() - done,
                                    block.offset + static_cast<std::int64_t>(from + done));
        if (got > 0) done += static_cast<std::size_t>(got);
        else if (got == 0 || errno != EINTR) m_failed = true;
    }
    return done == into.size();
}

}  // namespace longpole
