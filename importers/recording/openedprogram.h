// SPDX-License-Identifier: GPL-3.0-or-later
// A program or library as it lies on disk, for elfutils to read, with what it says of where its debug information is
// taken as a stranger's word.
#pragma once

#include <QByteArray>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <elfutils/libdwfl.h>
#include <sys/stat.h>

namespace longpole {

class OpenedProgram {
public:
    OpenedProgram() = default;  // of no file
    // Debug information of another file is read if the build id leads to it, or a bare name to an ordinary file of this
    // machine in the program's folder or .debug below it.
    explicit OpenedProgram(const QByteArray& path);
    // Null: it is none, or cannot be read. Lives as long as this.
    Dwfl_Module* module() const { return m_module; }
    // Of the files that were opened for it so far, each counted once.
    std::int64_t bytes() const { return m_files ? m_files->bytes : 0; }
    // From now on calls that for each file before anything in it is read, also for those that were opened before:
    // `bytes` is what of it lies on the disk.
    static void tellOpened(void (*told)(const struct stat& file, std::int64_t bytes));
    // Whether its debug information is all there. What refers to a file that could not be found so is not to be asked
    // for: elfutils would look for that by itself, wherever its name leads.
    bool hasWholeDwarf();

    // What is counted while it opens files.
    struct Files {
        std::set<std::pair<dev_t, ino_t>> seen;
        std::int64_t bytes = 0;
    };

private:
    struct End {
        void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
    };
    std::unique_ptr<Files> m_files;
    std::unique_ptr<Dwfl, End> m_dwfl;
    Dwfl_Module* m_module = nullptr;
    std::optional<bool> m_hasWholeDwarf;
};

}  // namespace longpole
