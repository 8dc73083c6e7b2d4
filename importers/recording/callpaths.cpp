// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of all ranks as one tree of call paths: what is the same function and place is one node, whatever rank it
// was on and wherever its library was loaded.
#include "importers/recording/run.h"
#include "importers/recording/sourcelines.h"

#include <QFileInfo>

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {
namespace {

constexpr std::size_t mostCallPaths = 1 << 20;

struct ResolvedFrame {
    SourceFrame source;
    QString module;
};

const RecordedModule* fileOf(const RecordedRank& rank, std::uint64_t address)
{
    // Later ones first: a library may have been unloaded and another loaded there.
    for (auto module = rank.modules.rbegin(); module != rank.modules.rend(); ++module) {
        if (address > module->begin && address <= module->end) return &*module;
    }
    return nullptr;
}

// What starts a program or a thread, which is the same for all.
bool isStarter(const ResolvedFrame& frame)
{
    static const QString starters[] = {QStringLiteral("_start"), QStringLiteral("start_thread")};
    return frame.module.startsWith(QLatin1String("libc.so")) || frame.module.startsWith(QLatin1String("libpthread"))
           || std::find(std::begin(starters), std::end(starters), frame.source.function) != std::end(starters);
}

class CallPathTree {
public:
    explicit CallPathTree(std::vector<CallPath>& paths) : m_paths(paths) {}

    // The place that the stack ends in.
    std::uint32_t add(const RecordedRank& rank, const std::vector<std::uint64_t>& addresses)
    {
        std::vector<ResolvedFrame> frames;  // the innermost first
        for (const std::uint64_t address : addresses) {
            const RecordedModule* const module = fileOf(rank, address);
            const QString name = module != nullptr ? QFileInfo(QString::fromUtf8(module->path)).fileName() : QString();
            for (SourceFrame& frame : resolved(module, address)) frames.push_back({std::move(frame), name});
        }
        while (frames.size() > 1 && isStarter(frames.back())) frames.pop_back();
        std::uint32_t place = noCallPath;
        for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
            const std::uint32_t function = node(place, *frame, false);
            if (function != noCallPath) place = node(function, *frame, true);
        }
        return place;
    }

private:
    using Key = std::tuple<std::uint32_t, bool, QString, QString, int>;

    std::vector<SourceFrame> resolved(const RecordedModule* module, std::uint64_t address)
    {
        // Ranks have their libraries in different places, but the same code.
        const std::uint64_t base = module != nullptr ? module->base : 0;
        const QByteArray file = module != nullptr ? module->path + '\n' + module->buildId : QByteArray();
        const auto [known, isNew] = m_known.try_emplace({file, address - base});
        if (isNew) known->second = m_lines.at(module, address);
        return known->second;
    }

    std::uint32_t node(std::uint32_t parent, const ResolvedFrame& frame, bool isPlace)
    {
        const SourceFrame& source = frame.source;
        const Key key{parent, isPlace, isPlace ? source.file : source.function, frame.module,
                      isPlace ? source.line : 0};
        const auto known = m_nodes.find(key);
        if (known != m_nodes.end()) return known->second;
        if (m_paths.size() == mostCallPaths) return noCallPath;
        const auto id = static_cast<std::uint32_t>(m_paths.size()) + 1;
        m_paths.push_back({.id = id,
                           .parent = parent,
                           .isPlace = isPlace,
                           .function = source.function,
                           .file = isPlace ? source.file : QString(),
                           .line = isPlace ? source.line : 0,
                           .module = frame.module});
        m_nodes.emplace(key, id);
        return id;
    }

    std::vector<CallPath>& m_paths;
    SourceLines m_lines;
    std::map<Key, std::uint32_t> m_nodes;
    std::map<std::pair<QByteArray, std::uint64_t>, std::vector<SourceFrame>> m_known;
};

}  // namespace

void nameStacks(RecordingRun& run)
{
    CallPathTree tree(run.names.callPaths);
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i]) continue;
        std::vector<std::uint32_t>& stacks = run.numbers[i].stacks;
        for (const auto& [number, addresses] : run.ranks[i]->stacks) {
            if (number >= mostNumbers(*run.ranks[i])) break;
            if (stacks.size() <= number) stacks.resize(number + 1, noCallPath);
            stacks[number] = tree.add(*run.ranks[i], addresses);
        }
    }
}

}  // namespace longpole
