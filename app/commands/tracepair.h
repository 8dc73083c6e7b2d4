// What the commands about two traces have in common: opening both, and their figures.
#pragma once

#include "analysis/runfigures.h"
#include "app/commands/commandline.h"

namespace longpole {

struct FigurePair {
    RunFigures a, b;
};

// Opens or imports one trace after the other, with progress on a terminal. Errors say which trace they are about.
Result<RunFigures> figuresOfTrace(const CommandLine& line, const QString& path);
Result<FigurePair> figuresOfPair(const CommandLine& line, const QString& a, const QString& b);

}  // namespace longpole
