// SPDX-License-Identifier: GPL-3.0-or-later
// Code is named by a process of its own: elfutils believes the programs that a recording names, and where one makes it
// take more memory or time than the files' sizes explain, or crash, no more than that process ends.
#pragma once

#include "importers/recording/programnames.h"

#include <QByteArray>
#include <QDataStream>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace longpole {

// For the begin of main(): whether the process was started to name code, and has to return nameForParent(). If not,
// imports start this program so from now on.
bool isNamingProcess(int argc, char** argv);
// From now on imports start that program, of which main() asks so. Without, as in tests, code is named by the process
// that imports.
void nameCodeBy(const char* program);
// Answers what the parent asks, until it has gone.
int nameForParent();

// The side that asks. What is not answered, since the process has ended, has no name: it is started once or twice more,
// for other programs, and for the symbols of the one that ended it.
class NamingProcess {
public:
    // Keeps `progress`: when that is cancelled nothing more is waited for.
    explicit NamingProcess(const Progress& progress);
    ~NamingProcess();
    NamingProcess(const NamingProcess&) = delete;
    NamingProcess& operator=(const NamingProcess&) = delete;

    // Whether there is a program to start.
    static bool isOffered();

    std::size_t add(NamedProgram program);  // its number
    bool isAsItRan(std::size_t program);
    std::vector<SourceFrame> at(std::size_t program, std::uint64_t offset);
    QByteArray symbol(std::size_t program, std::uint64_t offset);
    // Whether it was too much for the process: not all of its code has the name that it could have.
    bool wasTooMuch(std::size_t program) const { return m_programs[program].ends > 0; }

    class Received;  // messages of the other side

private:
    struct Program {
        NamedProgram program;
        int ends = 0;     // of processes that were asked about it
        int knownTo = 0;  // the process, by number
        bool isRight = false;
    };
    using Question = std::function<void(QDataStream&)>;
    std::optional<QByteArray> answer(Program& program, const Question& question);
    static std::optional<QByteArray> nothingLeft(Program& program);
    std::optional<QByteArray> exchange(const Question& question);
    bool start();
    void end();

    const Progress& m_progress;
    std::vector<Program> m_programs;
    int m_started = 0;  // processes so far
    pid_t m_process = 0;
    int m_socket = -1;
    std::unique_ptr<Received> m_answers;  // of that process
};

}  // namespace longpole
