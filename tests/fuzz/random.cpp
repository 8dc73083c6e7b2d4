// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over random bytes for so many seconds, where there is no libFuzzer: targets whose bytes are
// choices need no guidance. Says how often it ran; an input that fails stands in the file that is named.
#include <QFile>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s SECONDS SEED FILE\n", argv[0]);
        return 2;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    std::mt19937_64 random(static_cast<std::uint64_t>(std::atoll(argv[2])));
    long long executions = 0;
    for (; std::chrono::steady_clock::now() < end; ++executions) {
        std::vector<std::uint8_t> bytes(4 + random() % (random() % 2 == 0 ? 60 : 2000));
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        QFile file(QString::fromLocal8Bit(argv[3]));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) return 3;
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
        file.close();
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%lld executions\n", executions);
    QFile::remove(QString::fromLocal8Bit(argv[3]));
    return 0;
}
