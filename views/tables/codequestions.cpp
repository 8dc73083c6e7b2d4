// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/codequestions.h"

#include "analysis/base/callpaths.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "core/store/rows.h"

#include <QFileInfo>

#include <algorithm>

namespace longpole {

namespace {

// The place, and the places that called its function.
void addCallers(const TraceStore& store, std::uint32_t place, std::vector<CodeFrame>& frames)
{
    for (const CallPath* at = store.callPath(place); at != nullptr;) {  // callers have smaller numbers
        frames.push_back({.function = at->function, .file = at->file, .module = at->module, .line = at->line});
        const CallPath* const function = store.callPath(at->parent);
        at = function != nullptr ? store.callPath(function->parent) : nullptr;
    }
}

// The place in the function by which the path goes on; null: it does not lie on the path.
const CallPath* placeWithin(const TraceStore& store, std::uint32_t function, std::uint32_t path)
{
    const CallPath* at = store.callPath(path);
    while (at != nullptr && !(at->isPlace && at->parent == function)) at = store.callPath(at->parent);
    return at;
}

// The function with the lines of such places; then its callers.
std::vector<CodeFrame> framesOfFunction(const TraceStore& store, std::uint32_t function,
                                        const std::vector<const CallPath*>& places)
{
    const CallPath* const own = store.callPath(function);
    if (own == nullptr) return {};
    CodeFrame frame{.function = own->function, .file = {}, .module = own->module};
    for (const CallPath* place : places) {
        if (place == nullptr || (place->line <= 0 && !frame.file.isEmpty())) continue;
        if (frame.line <= 0) {
            frame.file = place->file;
            frame.line = place->line;
        } else if (place->file == frame.file && place->line != frame.line) {
            frame.last = place->line;
        }
    }
    std::vector<CodeFrame> frames{frame};
    addCallers(store, own->parent, frames);
    return frames;
}

}  // namespace

QString placeOf(const CodeFrame& frame)
{
    const QString file = QFileInfo(frame.file).fileName();
    if (frame.line <= 0) return file;
    if (frame.last <= 0) return QStringLiteral("%1:%2").arg(file, QString::number(frame.line));
    return QStringLiteral("%1:%2 – %3").arg(file, QString::number(frame.line), QString::number(frame.last));
}

std::vector<CodeFrame> framesOf(const TraceStore& store, std::uint32_t path)
{
    const CallPath* const at = store.callPath(path);
    if (at == nullptr) return {};
    if (at->isPlace) {
        std::vector<CodeFrame> frames;
        addCallers(store, path, frames);
        return frames;
    }
    std::vector<const CallPath*> places;
    for (const CallPath& place : store.callPaths())
        if (place.isPlace && place.parent == path && place.line > 0) places.push_back(&place);
    const auto byLine = [](const CallPath* a, const CallPath* b) { return a->line < b->line; };
    std::stable_sort(places.begin(), places.end(), byLine);
    return framesOfFunction(store, path, places);
}

std::vector<CodeFrame> framesBetween(const TraceStore& store, std::uint32_t before, std::uint32_t after)
{
    const std::uint32_t function = CommonCallers(store).functionOf(before, after);
    return framesOfFunction(store, function,
                            {placeWithin(store, function, before), placeWithin(store, function, after)});
}

namespace {

Result<std::vector<CodeFrame>> framesOfCall(const TraceStore& store, MpiCallId id, const Progress& progress)
{
    const Result<std::optional<MpiCallRow>> call = mpiCall(store, id.rank, id.seq);
    if (!call) return call.error();
    if (!*call) return std::vector<CodeFrame>();
    auto rows = store.rows<MpiRow>((*call)->track, MpiRow::Seq | MpiRow::Path,
                                   {.touching = (*call)->range, .progress = &progress});
    std::uint32_t path = noCallPath;
    for (const MpiRow& row : rows)
        if (row.seq() == id.seq) path = row.path();
    if (const Result<> read = rows.result(); !read) return read.error();
    return framesOf(store, path);
}

// A task ends where the first call begins that has its number or a larger one.
Result<std::vector<CodeFrame>> framesOfTask(const TraceStore& store, TaskId id, const Progress& progress)
{
    const Processor* const processor = store.processor(id.pe);
    if (processor == nullptr) return std::vector<CodeFrame>();
    std::uint32_t before = noCallPath, after = noCallPath;
    auto rows = store.rows<MpiRow>(processor->track, MpiRow::Task | MpiRow::Path, {.progress = &progress});
    for (const MpiRow& row : rows) {
        if (row.task() < 0) continue;
        if (row.task() >= std::int64_t(id.index)) {
            after = row.path();
            break;
        }
        before = row.path();
    }
    if (const Result<> read = rows.result(); !read) return read.error();
    return framesBetween(store, before, after);
}

}  // namespace

Result<std::shared_ptr<const CodeQuestion::Answer>> CodeQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    const TraceStore& store = results.store();
    if (selection.call.isValid()) return sharedAnswer(framesOfCall(store, selection.call, progress));
    TaskId task = selection.task;
    if (selection.message.isValid()) {
        const Result<MessageDetail> message = store.message(selection.message);
        if (!message) return message.error();
        task = message->source;
    }
    if (!task.isValid()) return std::make_shared<const Answer>();
    return sharedAnswer(framesOfTask(store, task, progress));
}

std::int64_t CodeQuestion::bytes(const Answer& frames)
{
    return bytesOfAll(frames, [](const CodeFrame& frame) {
        return std::int64_t(sizeof(QChar)) * (frame.function.size() + frame.file.size() + frame.module.size());
    });
}

Result<std::shared_ptr<const CallSitesQuestion::Answer>> CallSitesQuestion::compute(Results& results,
                                                                                    const Progress& progress) const
{
    return sharedAnswer(mpiSites(results.store(), progress));
}

std::int64_t CallSitesQuestion::bytes(const Answer& sites) { return bytesOf(sites); }

}  // namespace longpole
