// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of bytes that an import needs again later: in memory up to a budget, beyond it in an unlinked file beside the
// target, which is read by pread so that memory stays within the budget. Thread-safe.
#pragma once

#include <QString>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace longpole {

class Spill {
public:
    struct Block {
        std::unique_ptr<std::byte[]> memory;  // null: in the file
        std::int64_t offset = 0;
        std::size_t size = 0;
    };

    // `folder` is where the file is made, once it is needed.
    Spill(QString folder, std::size_t memoryBudget);
    ~Spill();
    Spill(const Spill&) = delete;
    Spill& operator=(const Spill&) = delete;

    Block store(std::span<const std::byte> bytes);
    // Fills `into` from `from` on; false when the file could not be read (hasFailed() from then on).
    bool read(const Block& block, std::size_t from, std::span<std::byte> into) const;

    // The disk was full or the file could not be made: the import has to stop.
    bool hasFailed() const { return m_failed.load(std::memory_order_relaxed); }

private:
    int file();

    QString m_folder;
    std::size_t m_budget;
    std::atomic<std::size_t> m_used{0};
    std::atomic<std::int64_t> m_fileSize{0};
    mutable std::atomic<bool> m_failed{false};
    std::mutex m_mutex;
    std::atomic<int> m_file{-1};
};

}  // namespace longpole
