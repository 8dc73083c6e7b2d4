// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/callpaths.h"

#include "core/base/translate.h"
#include "core/store/rows.h"

#include <QFileInfo>

#include <algorithm>

namespace longpole {

QString placeText(const CallPath& path)
{
    const QString file = QFileInfo(path.file).fileName();
    return path.line > 0 ? QStringLiteral("%1:%2").arg(file).arg(path.line) : file;
}

QString pathText(const TraceStore& store, std::uint32_t path, std::size_t most)
{
    QString text;
    for (std::size_t shown = 0; shown < most; ++shown) {
        const CallPath* const at = store.callPath(path);
        if (at == nullptr) break;
        const QString frame = at->isPlace ? tr("%1 at %2").arg(at->function, placeText(*at)) : at->function;
        text += text.isEmpty() ? frame : tr(", in %1").arg(frame);
        const CallPath* const function = at->isPlace ? store.callPath(at->parent) : at;
        path = function != nullptr ? function->parent : noCallPath;
    }
    return text;
}

QStringList framesOf(const TraceStore& store, std::uint32_t path)
{
    QStringList frames;
    for (const CallPath* at = store.callPath(functionOf(store, path)); at != nullptr;) {
        const CallPath* const caller = store.callPath(at->parent);
        frames.prepend(caller != nullptr ? QStringLiteral("%1 (%2)").arg(at->function, placeText(*caller))
                                         : at->function);
        at = caller != nullptr ? store.callPath(caller->parent) : nullptr;
    }
    return frames;
}

std::uint32_t functionOf(const TraceStore& store, std::uint32_t path)
{
    const CallPath* const at = store.callPath(path);
    if (at == nullptr) return noCallPath;
    return at->isPlace ? at->parent : path;
}

std::uint32_t commonFunction(const TraceStore& store, std::uint32_t path, std::uint32_t other)
{
    if (path == noCallPath || other == noCallPath) return functionOf(store, std::max(path, other));
    while (path != other) {  // parents have smaller numbers
        std::uint32_t& inner = std::max(path, other) == path ? path : other;
        const CallPath* const at = store.callPath(inner);
        inner = at != nullptr ? at->parent : noCallPath;
    }
    return functionOf(store, path);
}

Result<RankPaths> RankPaths::read(const TraceStore& store, std::uint32_t rank)
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
            paths.m_path.push_back(commonFunction(store, before, call.path()));
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

std::uint32_t TaskPaths::of(TaskId task)
{
    if (!task.isValid() || m_store.callPaths().empty()) return noCallPath;
    const auto [rank, isNew] = m_ranks.try_emplace(task.pe);
    if (isNew)
        if (Result<RankPaths> read = RankPaths::read(m_store, index(task.pe)); read) rank->second = std::move(*read);
    return rank->second.ofTask(task.index);
}

std::shared_ptr<TaskPaths> pathsOf(const TraceStore* store)
{
    return store != nullptr ? std::make_shared<TaskPaths>(*store) : nullptr;
}

}  // namespace longpole
