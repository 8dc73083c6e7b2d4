// SPDX-License-Identifier: GPL-3.0-or-later
// The explicit list of commands: --help, the man page, shell completion and the tests are driven from it.
#pragma once

#include "app/commandline/commandline.h"

#include <span>

namespace longpole {

std::span<const Command> commands();

// Null if there is none of that name.
const Command* findCommand(const QString& name);

ExitCode runAdvise(const CommandLine& line);
ExitCode runImport(const CommandLine& line);
ExitCode runInfo(const CommandLine& line);
ExitCode runProject(const CommandLine& line);
ExitCode runProfile(const CommandLine& line);
ExitCode runUsage(const CommandLine& line);
ExitCode runHistogram(const CommandLine& line);
ExitCode runCommMatrix(const CommandLine& line);
ExitCode runCriticalPath(const CommandLine& line);
ExitCode runActivityTable(const CommandLine& line);
ExitCode runNearCritical(const CommandLine& line);
ExitCode runCompare(const CommandLine& line);
ExitCode runCheck(const CommandLine& line);
ExitCode runEfficiency(const CommandLine& line);
ExitCode runFold(const CommandLine& line);
ExitCode runPhases(const CommandLine& line);
ExitCode runParallelism(const CommandLine& line);
ExitCode runSlack(const CommandLine& line);
ExitCode runGraph(const CommandLine& line);
ExitCode runReduce(const CommandLine& line);
ExitCode runReplay(const CommandLine& line);
ExitCode runZeroing(const CommandLine& line);
ExitCode runTree(const CommandLine& line);
ExitCode runWaits(const CommandLine& line);
ExitCode runReport(const CommandLine& line);
ExitCode runRender(const CommandLine& line);
ExitCode runSql(const CommandLine& line);
ExitCode runCache(const CommandLine& line);
ExitCode runRecord(const CommandLine& line);
ExitCode runOpen(const CommandLine& line);

}  // namespace longpole
