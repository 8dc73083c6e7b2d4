// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a synthetic Projections run for benchmarks: make_synthetic FOLDER RECORDS PROCESSORS SEED [gz]
#include "support/synthetic.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv)
{
    if (argc < 5) {
        std::fprintf(stderr, "usage: make_synthetic FOLDER RECORDS PROCESSORS SEED [gz]\n");
        return 2;
    }
    const longpole::SyntheticRun run{.processors = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)),
                                     .records = std::strtoll(argv[2], nullptr, 10),
                                     .seed = std::strtoull(argv[4], nullptr, 10),
                                     .isCompressed = argc > 5 && std::strcmp(argv[5], "gz") == 0};
    const QString path = longpole::writeSynthetic(QString::fromLocal8Bit(argv[1]), run);
    if (path.isEmpty()) {
        std::fprintf(stderr, "make_synthetic: cannot write to %s\n", argv[1]);
        return 3;
    }
    std::printf("%s\n", path.toLocal8Bit().constData());
    return 0;
}
