// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target without libFuzzer: over the files of a folder (its corpus, as a test), or over random bytes for
// so many seconds, which is enough for targets whose bytes are choices.
#include <QDir>
#include <QFile>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

int runCorpus(const QDir& folder)
{
    const QFileInfoList files = folder.entryInfoList(QDir::Files, QDir::Name);
    for (const QFileInfo& info : files) {
        QFile file(info.absoluteFilePath());
        if (!file.open(QIODevice::ReadOnly)) return 3;
        const QByteArray bytes = file.readAll();
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.constData()),
                               static_cast<std::size_t>(bytes.size()));
    }
    std::printf("%d files\n", static_cast<int>(files.size()));
    return files.isEmpty() ? 1 : 0;
}

// Says how often it ran; an input that fails stands in `kept`.
int runRandom(std::chrono::seconds time, std::uint64_t seed, const QString& kept)
{
    const auto end = std::chrono::steady_clock::now() + time;
    std::mt19937_64 random(seed);
    long long executions = 0;
    for (; std::chrono::steady_clock::now() < end; ++executions) {
        std::vector<std::uint8_t> bytes(4 + random() % (random() % 2 == 0 ? 60 : 2000));
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        QFile file(kept);
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) return 3;
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
        file.close();
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%lld executions\n", executions);
    QFile::remove(kept);
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc == 2) return runCorpus(QDir(QFile::decodeName(argv[1])));
    if (argc == 5 && std::string_view(argv[1]) == "--random")
        return runRandom(std::chrono::seconds(std::atoi(argv[2])), static_cast<std::uint64_t>(std::atoll(argv[3])),
                         QFile::decodeName(argv[4]));
    std::fprintf(stderr, "usage: %s FOLDER | --random SECONDS SEED FILE\n", argv[0]);
    return 2;
}
