// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/callpaths.h"

#include "analysis/base/naming.h"
#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/translate.h"
#include "core/file/sqlitevfs.h"
#include "core/store/rows.h"
#include "core/trace/format.h"
#include "core/trace/storedanswers.h"

#include <QFileInfo>

#include <algorithm>
#include <limits>
#include <utility>

namespace longpole {

namespace {

// Its place names the same program or library.
bool isNameless(const CallPath& path) { return path.function.startsWith(QLatin1Char('[')); }

}  // namespace

QString placeText(const CallPath& path)
{
    const QString file = QFileInfo(path.file).fileName();
    return path.line > 0 ? QStringLiteral("%1:%2").arg(file, QString::number(path.line)) : file;
}

QString pathText(const TraceStore& store, std::uint32_t path, std::size_t most)
{
    QString text;
    for (std::size_t shown = 0; shown < most; ++shown) {
        const CallPath* const at = store.callPath(path);
        if (at == nullptr) break;
        const QString frame = !at->isPlace      ? at->function
                              : isNameless(*at) ? placeText(*at)
                                                : tr("%1 at %2").arg(at->function, placeText(*at));
        text += text.isEmpty() ? frame : tr(", in %1").arg(frame);
        const CallPath* const function = at->isPlace ? store.callPath(at->parent) : at;
        path = function != nullptr ? function->parent : noCallPath;
    }
    return text;
}

QString frameText(const TraceStore& store, std::uint32_t path)
{
    const CallPath* const at = store.callPath(functionOf(store, path));
    if (at == nullptr) return {};
    const CallPath* const caller = store.callPath(at->parent);
    return caller != nullptr ? QStringLiteral("%1 (%2)").arg(at->function, placeText(*caller)) : at->function;
}

std::uint32_t functionOf(const TraceStore& store, std::uint32_t path)
{
    const CallPath* const at = store.callPath(path);
    if (at == nullptr) return noCallPath;
    return at->isPlace ? at->parent : path;
}

CallPlaceBudget::CallPlaceBudget(const TraceStore& store)
    : m_most(store.file() ? limits::callPlaces.of(store.file()->bytes() / 4)
                          : std::numeric_limits<std::int64_t>::max()),
      m_share(static_cast<std::size_t>(m_most / std::max<std::int64_t>(1, std::ssize(store.processors()))))
{
}

FramesOfRows::FramesOfRows(const TraceStore& store)
    : FramesOfRows(store, store.file() ? limits::framesText.of(store.file()->bytes())
                                       : std::numeric_limits<std::int64_t>::max())
{
}

const FramesOfRows::Frame* FramesOfRows::frame(std::uint32_t function)
{
    std::vector<std::uint32_t> isNew;  // the innermost first
    const auto callerOf = [this](std::uint32_t path) {
        const CallPath* const place = m_store.callPath(m_store.callPath(path)->parent);
        return place != nullptr ? place->parent : noCallPath;
    };
    for (std::uint32_t at = function; m_store.callPath(at) != nullptr && !m_frames.contains(at); at = callerOf(at))
        isNew.push_back(at);
    for (; !isNew.empty(); isNew.pop_back()) {
        Frame own{.text = frameText(m_store, isNew.back()), .caller = callerOf(isNew.back()), .count = 1};
        own.characters = own.text.size();
        if (const auto caller = m_frames.find(own.caller); caller != m_frames.end()) {
            own.count += caller->second.count;
            own.characters += caller->second.characters;
        }
        m_frames.emplace(isNew.back(), std::move(own));
    }
    const auto found = m_frames.find(function);
    return found != m_frames.end() ? &found->second : nullptr;
}

QStringList FramesOfRows::of(std::uint32_t path)
{
    const Frame* at = frame(functionOf(m_store, path));
    if (at == nullptr) return {};
    if (at->characters > m_left) {
        QStringList innermost{at->text};
        if (at->count > 1) innermost.prepend(counted("(%1 functions)", "(%1 function)", at->count - 1));
        return innermost;
    }
    m_left -= at->characters;
    QStringList frames(at->count);
    for (qsizetype i = at->count; i-- > 0; at = frame(at->caller)) frames[i] = at->text;
    return frames;
}

std::shared_ptr<FramesOfRows> framesOfRows(const TraceStore* store)
{
    return store != nullptr ? std::make_shared<FramesOfRows>(*store) : nullptr;
}

CommonCallers::CommonCallers(const TraceStore& store) : m_store(store), m_nodes(1)
{
    m_nodes.reserve(store.callPaths().size() + 1);
    for (const CallPath& path : store.callPaths()) {  // callers have smaller numbers
        const std::uint32_t caller = nodeOf(path.parent);
        const Node& outer = m_nodes[caller];
        const Node& middle = m_nodes[outer.further];
        // Distances grow as in a skew binary number.
        const bool isSame = outer.depth - middle.depth == middle.depth - m_nodes[middle.further].depth;
        m_nodes.push_back({outer.depth + 1, caller, isSame ? middle.further : caller});
    }
}

std::uint32_t CommonCallers::nodeOf(std::uint32_t path) const
{
    const CallPath* const at = m_store.callPath(path);
    return at == nullptr ? 0 : static_cast<std::uint32_t>(at - m_store.callPaths().data()) + 1;
}

std::uint32_t CommonCallers::outward(std::uint32_t node, std::uint32_t depth) const
{
    while (m_nodes[node].depth > depth) {
        const Node& at = m_nodes[node];
        node = m_nodes[at.further].depth >= depth ? at.further : at.caller;
    }
    return node;
}

std::uint32_t CommonCallers::functionOf(std::uint32_t path, std::uint32_t other) const
{
    if (path == noCallPath || other == noCallPath) return longpole::functionOf(m_store, std::max(path, other));
    if (path == other) return longpole::functionOf(m_store, path);
    std::uint32_t a = nodeOf(path), b = nodeOf(other);
    const std::uint32_t depth = std::min(m_nodes[a].depth, m_nodes[b].depth);
    a = outward(a, depth);
    b = outward(b, depth);
    while (a != b) {
        const Node &from = m_nodes[a], &with = m_nodes[b];
        const bool isFurther = from.further != with.further;
        a = isFurther ? from.further : from.caller;
        b = isFurther ? with.further : with.caller;
    }
    return a == 0 ? noCallPath : longpole::functionOf(m_store, m_store.callPaths()[a - 1].id);
}

Result<RankPaths> RankPaths::read(const TraceStore& store, const CommonCallers& callers, std::uint32_t rank)
{
    RankPaths paths;
    const Processor* const processor = store.processor(ProcessorId{rank});
    if (processor == nullptr || store.callPaths().empty()) return paths;
    std::uint32_t before = noCallPath;
    auto calls = store.rows<MpiRow>(processor->track, MpiRow::Task | MpiRow::Path);
    for (const MpiRow& call : calls) {
        if (call.task() < 0) continue;
        const auto task = static_cast<std::uint32_t>(call.task());
        if (paths.m_last.empty() || task > paths.m_last.back()) {
            paths.m_last.push_back(task);
            paths.m_path.push_back(callers.functionOf(before, call.path()));
        }
        before = call.path();
    }
    if (const Result<> read = calls.result(); !read) return read.error();
    paths.m_path.push_back(functionOf(store, before));
    return paths;
}

std::uint32_t RankPaths::ofTask(std::uint32_t task) const
{
    if (m_path.empty()) return noCallPath;
    const auto gap = std::lower_bound(m_last.begin(), m_last.end(), task);
    return m_path[static_cast<std::size_t>(gap - m_last.begin())];
}

TaskPaths::TaskPaths(const TraceStore& store) : m_store(store), m_callers(store)
{
    if (!store.info().isPart() || store.callPaths().empty()) return;
    const StoredAnswers& answers = store.answers();
    const auto take = [&](AnswerTable table, std::size_t pe, std::size_t task, std::size_t function) {
        for (std::size_t i = 0; i < answers.rows(table); ++i) {
            const auto row = answers.row(table, i);
            const auto rank = checked<ProcessorId>(row[pe]);
            const auto number = checked<std::uint32_t>(row[task]);
            const auto path = checked<std::uint32_t>(row[function]);
            if (rank && number && path) m_told.emplace(TaskId{*rank, *number}, *path);
        }
    };
    take(AnswerTable::PathStep, PathStepColumn::Pe, PathStepColumn::Task, PathStepColumn::CallPath);
    take(AnswerTable::ElapsedStep, ElapsedStepColumn::Pe, ElapsedStepColumn::Task, ElapsedStepColumn::CallPath);
    take(AnswerTable::NearStep, NearStepColumn::Pe, NearStepColumn::Task, NearStepColumn::CallPath);
}

std::uint32_t TaskPaths::of(TaskId task)
{
    if (!task.isValid() || m_store.callPaths().empty()) return noCallPath;
    if (const auto told = m_told.find(task); told != m_told.end()) return told->second;
    const auto [rank, isNew] = m_ranks.try_emplace(task.pe);
    if (isNew)
        if (Result<RankPaths> read = RankPaths::read(m_store, m_callers, index(task.pe)); read)
            rank->second = std::move(*read);
    return rank->second.ofTask(task.index);
}

std::shared_ptr<TaskPaths> pathsOf(const TraceStore* store)
{
    return store != nullptr ? std::make_shared<TaskPaths>(*store) : nullptr;
}

}  // namespace longpole
