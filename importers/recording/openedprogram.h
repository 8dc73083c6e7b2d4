// SPDX-License-Identifier: GPL-3.0-or-later
// A program or library as it lies on disk, for elfutils to read, with what it says of where its debug information is
// taken as a stranger's word.
#pragma once

#include <QByteArray>

#include <memory>
#include <optional>

#include <elfutils/libdwfl.h>

namespace longpole {

class OpenedProgram {
public:
    OpenedProgram() = default;  // of no file
    // Debug information of another file is read if the build id leads to it, or a bare name to an ordinary file of this
    // machine in the program's folder or .debug below it.
    explicit OpenedProgram(const QByteArray& path);
    // Null: it is none, or cannot be read. Lives as long as this.
    Dwfl_Module* module() const { return m_module; }
    // Whether its debug information is all there. What refers to a file that could not be found so is not to be asked
    // for: elfutils would look for that by itself, wherever its name leads.
    bool hasWholeDwarf();

private:
    struct End {
        void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
    };
    std::unique_ptr<Dwfl, End> m_dwfl;
    Dwfl_Module* m_module = nullptr;
    std::optional<bool> m_hasWholeDwarf;
};

}  // namespace longpole
