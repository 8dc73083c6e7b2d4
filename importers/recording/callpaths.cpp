// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of all ranks as one tree of call paths: what is the same function and place is one node, whatever rank it
// was on and wherever its library was loaded. A text that many nodes have is one text.
#include "core/base/drawnhash.h"
#include "core/base/limits.h"
#include "importers/recording/modules.h"
#include "importers/recording/run.h"
#include "importers/recording/sourcelines.h"

#include <QFileInfo>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace longpole {
namespace {

constexpr std::size_t mostCallPaths = 1 << 20;

struct ResolvedFrame {
    SourceFrame source;
    QString module;
};

bool isOfSystem(const ResolvedFrame& frame)
{
    return frame.module.startsWith(QLatin1String("libc.so")) || frame.module.startsWith(QLatin1String("libpthread"));
}

// Whether the outermost frame is what starts a program or a thread, which is the same for all. A stripped program's
// _start has no name, but calls the one that calls main.
bool isStarted(const std::vector<ResolvedFrame>& frames)
{
    static const QString starters[] = {QStringLiteral("_start"), QStringLiteral("start_thread")};
    const ResolvedFrame& outermost = frames.back();
    if (isOfSystem(outermost)) return true;
    if (std::find(std::begin(starters), std::end(starters), outermost.source.function) != std::end(starters))
        return true;
    const ResolvedFrame& called = frames[frames.size() - 2];
    return isOfSystem(called) && called.source.function.startsWith(QLatin1String("__libc_start_main"));
}

class CallPathTree {
public:
    CallPathTree(const CallPathTree&) = delete;
    CallPathTree& operator=(const CallPathTree&) = delete;
    CallPathTree(RecordingRun& run, SourceLines& lines)
        : m_paths(run.names.callPaths), m_lines(lines), m_nodes(0, HashOfNode{this}, IsSameNode{this}),
          m_charactersLeft(limits::callPathNames.of(run.names.info.sourceBytes))
    {
    }

    // The place that the stack ends in. Of a stack that is deeper than any that the recorder keeps the inner part.
    std::uint32_t add(const RecordedRank& rank, const ModulePlaces& modules,
                      const std::vector<std::uint64_t>& addresses, const Progress& progress)
    {
        constexpr auto most = std::size_t{limits::callPathDepth.free};
        std::vector<ResolvedFrame> frames;  // the innermost first
        for (const std::uint64_t address : addresses) {
            if (frames.size() >= most || progress.isCancelled()) break;
            if (const auto place = rank.places.find(address); place != rank.places.end()) {
                addLine(place->second, frames);
                continue;
            }
            // The call is in the code before the address that it returns to.
            const RecordedModule* const module = address > 0 ? modules.of(address - 1) : nullptr;
            const QString name = module != nullptr ? nameOf(*module) : QString();
            for (const SourceFrame& frame : m_lines.at(module, address)) frames.push_back({frame, name});
        }
        if (frames.size() > most) frames.resize(most);
        while (frames.size() > 1 && isStarted(frames)) frames.pop_back();
        std::uint32_t place = noCallPath;
        for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
            const std::uint32_t function = node(place, *frame, false);
            if (function != noCallPath) place = node(function, *frame, true);
        }
        return place;
    }

private:
    // What makes a node another one than those that are there. The texts are those of the frame or of the node.
    struct Key {
        std::uint32_t parent;
        bool isPlace;
        int line;  // of a place
        const QString& text;
        const QString& module;

        bool operator==(const Key& other) const
        {
            return parent == other.parent && isPlace == other.isPlace && line == other.line && text == other.text
                   && module == other.module;
        }
    };
    Key keyOf(std::uint32_t id) const
    {
        const CallPath& path = m_paths[id - 1];
        return {path.parent, path.isPlace, path.line, path.isPlace ? path.file : path.function, path.module};
    }
    // A million nodes are found by their ids, in a fifth of the memory that a copy of what makes each takes.
    struct HashOfNode {
        using is_transparent = void;
        const CallPathTree* tree;
        std::size_t operator()(const Key& key) const
        {
            const std::uint64_t numbers = drawnHash(static_cast<std::uint64_t>(key.line) << 1 | key.isPlace,
                                                    drawnHash(key.parent));
            return qHash(key.module, qHash(key.text, static_cast<std::size_t>(numbers)));
        }
        std::size_t operator()(std::uint32_t id) const { return (*this)(tree->keyOf(id)); }
    };
    struct IsSameNode {
        using is_transparent = void;
        const CallPathTree* tree;
        bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
        bool operator()(const Key& key, std::uint32_t id) const { return key == tree->keyOf(id); }
        bool operator()(std::uint32_t id, const Key& key) const { return key == tree->keyOf(id); }
    };

    static QString cut(const QByteArray& text) { return QString::fromUtf8(text).left(limits::nameLength.free + 1); }

    const QString& nameOf(const RecordedModule& module)
    {
        const auto [known, isNew] = m_modules.try_emplace(&module);
        if (isNew) known->second = QFileInfo(cut(module.path)).fileName();
        return known->second;
    }

    // Of a program in Python, without the machinery that runs its imports.
    void addLine(const RecordedPlace& place, std::vector<ResolvedFrame>& frames)
    {
        if (place.file.startsWith("<frozen ")) return;
        const auto [known, isNew] = m_places.try_emplace(&place);
        if (isNew) {
            const QString file = cut(place.file);
            known->second = {{cut(place.function), file, place.line}, QFileInfo(file).fileName()};
        }
        frames.push_back(known->second);
    }

    std::uint32_t node(std::uint32_t parent, const ResolvedFrame& frame, bool isPlace)
    {
        const SourceFrame& source = frame.source;
        const Key key{parent, isPlace, isPlace ? source.line : 0, isPlace ? source.file : source.function,
                      frame.module};
        const auto known = m_nodes.find(key);
        if (known != m_nodes.end()) return *known;
        constexpr std::int64_t longer = 64;
        const QString file = isPlace ? source.file : QString();
        m_charactersLeft -= longer + source.function.size() + file.size() + frame.module.size();
        if (m_paths.size() == mostCallPaths || m_charactersLeft < 0) return noCallPath;
        const auto id = static_cast<std::uint32_t>(m_paths.size()) + 1;
        m_paths.push_back({.id = id,
                           .parent = parent,
                           .isPlace = isPlace,
                           .function = source.function,
                           .file = file,
                           .line = isPlace ? source.line : 0,
                           .module = frame.module});
        m_nodes.insert(id);
        return id;
    }

    std::vector<CallPath>& m_paths;
    SourceLines& m_lines;
    std::unordered_set<std::uint32_t, HashOfNode, IsSameNode> m_nodes;
    std::map<const RecordedModule*, QString> m_modules;
    std::map<const RecordedPlace*, ResolvedFrame> m_places;
    std::int64_t m_charactersLeft;
};

}  // namespace

void nameStacks(RecordingRun& run, SourceLines& lines, const Progress& progress)
{
    CallPathTree tree(run, lines);
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i]) continue;
        const ModulePlaces modules(run.ranks[i]->modules);
        std::vector<std::uint32_t>& stacks = run.numbers[i].stacks;
        for (const auto& [number, addresses] : run.ranks[i]->stacks) {
            if (number >= mostNumbers(*run.ranks[i]) || progress.isCancelled()) break;
            if (stacks.size() <= number) stacks.resize(number + 1, noCallPath);
            stacks[number] = tree.add(*run.ranks[i], modules, addresses, progress);
        }
    }
}

}  // namespace longpole
