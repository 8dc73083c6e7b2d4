// SPDX-License-Identifier: GPL-3.0-or-later
// A request goes through four steps, in all of which PEs answer between two tasks: every PE cuts its log and asks the
// others for what its messages bring; when all know their own, PE 0 has the way walked back from the farthest end, PE
// by PE; then it collects what was walked. Letters of different PEs overtake each other, so that each names its request
// and a PE cuts its log at the first one of it.
#include "activitytrace.h"
#include "module.h"
#include "path.h"

#include "charm++.h"

#include <algorithm>
#include <deque>
#include <memory>

namespace longpole_module {

namespace {

enum class Move : std::int32_t { Start, Ask, Answer, Complete, Walk, WalkOn, Walked, Collect, Part, Done };

struct RequestHead {
    Move move;
    std::uint32_t number;
    PathLevel level;
    std::int32_t wantsSteps;
};

// One PE's part in the request that is under way.
struct Part {
    RequestHead request{Move::Done, 0, MergesLevel, 0};
    std::unique_ptr<PathReplay> replay;
    bool isHeld = false, hasSaid = false;
    std::vector<Recording> afterwards;  // what it was told meanwhile
    std::uint32_t lastDone = 0;
};
std::vector<Part> parts;  // by rank in the process

// On PE 0.
struct Waiting {
    PathLevel level;
    bool wantsSteps;
    std::function<void(const FoundPath &)> then;
};
struct Conductor {
    std::deque<Waiting> waiting;
    RequestHead request{Move::Done, 0, MergesLevel, 0};
    FoundPath found;
    int answered = 0, farthestPe = 0;
    std::int64_t progress = 0;  // letters that were handled, to tell a request that goes on from one that does not
    bool isRunning = false;
};
Conductor conductor;
const double secondsToAnswer = 60;

void startNext();

RequestHead with(RequestHead request, Move move)
{
    request.move = move;
    return request;
}

void toAll(const Writer &writer)
{
    for (int pe = 0; pe < CmiNumPes(); ++pe) sendLetter(pe, Letter::Path, writer);
}

Part &myPart() { return parts[static_cast<std::size_t>(CmiMyRank())]; }

void recordHere(Recording recording)
{
    if (recording == Recording::Forget) activityLog()->forget();
    else setRecording(recording == Recording::On);
}

void letGo(Part &part)
{
    if (part.isHeld) activityLog()->release();
    part.isHeld = false;
    part.replay.reset();
    for (const Recording recording : part.afterwards) recordHere(recording);
    part.afterwards.clear();
}

void receiveRecording(int, Reader &reader)
{
    Recording recording = Recording::Off;
    reader >> recording;
    Part &part = myPart();
    if (part.isHeld) part.afterwards.push_back(recording);
    else recordHere(recording);
}

// What others are told of what is known here by now.
void goOn(Part &part)
{
    part.replay->run();
    for (const auto &answers : part.replay->takeAnswers()) {
        Writer writer;
        writer << with(part.request, Move::Answer) << answers.second;
        sendLetter(answers.first, Letter::Path, writer);
    }
    if (part.hasSaid || !part.replay->isComplete()) return;
    part.hasSaid = true;
    Writer writer;
    writer << with(part.request, Move::Complete) << part.replay->farthest();
    sendLetter(0, Letter::Path, writer);
}

void cutHere(Part &part, const RequestHead &request)
{
    letGo(part);
    ActivityLog &log = *activityLog();
    log.hold();
    part.isHeld = true;
    part.hasSaid = false;
    part.request = request;
    part.replay.reset(new PathReplay(log, CmiMyPe(), CmiNumPes(), request.level, nowNs(), entryCount()));
    for (const auto &questions : part.replay->questions()) {
        Writer writer;
        writer << with(request, Move::Ask) << questions.second;
        sendLetter(questions.first, Letter::Path, writer);
    }
    goOn(part);
}

void walkOn(Part &part, const Hop &next, std::uint64_t number)
{
    Writer writer;
    if (next.pe < 0) {
        writer << with(part.request, Move::Walked) << number;
        sendLetter(0, Letter::Path, writer);
        return;
    }
    writer << with(part.request, Move::WalkOn) << next << number;
    sendLetter(next.pe, Letter::Path, writer);
}

struct PartSummary {
    std::int64_t firstBegin;
    std::uint64_t tasks, bytes;
    std::int32_t isDropped, isOnPath;
};

void sendPart(Part &part)
{
    part.replay->sumUpTasks();
    const ActivityLog &log = *activityLog();
    Writer writer;
    writer << with(part.request, Move::Part)
           << PartSummary{part.replay->firstBegin(), part.replay->tasks(), log.bytes(), log.isDropped(),
                          !part.replay->steps().empty()}
           << part.replay->sums();
    if (part.request.wantsSteps) writer << part.replay->steps() << log.allMerges();
    sendLetter(0, Letter::Path, writer);
}

// On PE 0.
void takePart(int from, Reader &reader)
{
    FoundPath &found = conductor.found;
    PartSummary summary;
    std::vector<PathReplay::Sums> sums;
    reader >> summary >> sums;
    if (summary.firstBegin < found.begin) found.begin = summary.firstBegin;
    found.tasks += summary.tasks;
    found.bytes += summary.bytes;
    found.dropped += summary.isDropped;
    found.isOnPath[static_cast<std::size_t>(from)] = summary.isOnPath != 0;
    for (std::size_t i = 0; i < sums.size() && i < found.sums.size(); ++i) {
        found.sums[i].onPath += sums[i].onPath;
        found.sums[i].waited += sums[i].waited;
        found.sums[i].busy += sums[i].busy;
        found.sums[i].steps += sums[i].steps;
        found.sums[i].tasks += sums[i].tasks;
    }
    if (!conductor.request.wantsSteps) return;
    std::vector<ReplayStep> steps;
    std::vector<ActivityLog::MergeKeys> merges;
    reader >> steps >> merges;
    for (const ReplayStep &step : steps)
        if (step.number < found.steps.size())
            found.steps[static_cast<std::size_t>(found.stepCount - 1 - step.number)] = FoundPath::Step{from, step.entry,
                                                                                                       step.begin,
                                                                                                       step.weight,
                                                                                                       step.link};
    found.merges.insert(found.merges.end(), merges.begin(), merges.end());
}

void finish()
{
    Writer writer;
    writer << with(conductor.request, Move::Done);
    toAll(writer);
    const std::function<void(const FoundPath &)> then = conductor.waiting.front().then;
    const FoundPath found = std::move(conductor.found);
    conductor.waiting.pop_front();
    conductor.isRunning = false;
    then(found);
    startNext();
}

void giveUpIfStuck(std::uint32_t number, std::int64_t progress);
struct Watch {
    std::uint32_t number;
    std::int64_t progress;
};
void onWatch(void *given)
{
    const std::unique_ptr<Watch> watch(static_cast<Watch *>(given));
    giveUpIfStuck(watch->number, watch->progress);
}
void onWatch(void *given, double) { onWatch(given); }

// Charm++ hands its timers one argument, or two in older versions.
void watchFor(std::uint32_t number)
{
    CcdCallFnAfter(static_cast<CcdVoidFn>(onWatch), new Watch{number, conductor.progress}, secondsToAnswer * 1000);
}

void giveUpIfStuck(std::uint32_t number, std::int64_t progress)
{
    if (!conductor.isRunning || conductor.request.number != number) return;
    if (conductor.progress != progress) {
        watchFor(number);
        return;
    }
    conductor.found = FoundPath();
    finish();
}

void startNext()
{
    if (conductor.isRunning || conductor.waiting.empty()) return;
    conductor.isRunning = true;
    conductor.request.number += 1;
    conductor.request.level = conductor.waiting.front().level;
    conductor.request.wantsSteps = conductor.waiting.front().wantsSteps;
    conductor.answered = 0;
    conductor.found = FoundPath();
    conductor.found.level = conductor.request.level;
    conductor.found.begin = INT64_MAX;
    conductor.found.cut = nowNs();
    conductor.found.sums.resize(entryCount());
    conductor.found.isOnPath.assign(static_cast<std::size_t>(CmiNumPes()), 0);
    Writer writer;
    writer << with(conductor.request, Move::Start);
    toAll(writer);
    watchFor(conductor.request.number);
}

// What PEs tell PE 0.
void conduct(const RequestHead &head, int from, Reader &reader)
{
    if (!conductor.isRunning || head.number != conductor.request.number) return;
    FoundPath &found = conductor.found;
    Writer writer;
    switch (head.move) {
    case Move::Complete: {
        std::int64_t farthest = 0;
        reader >> farthest;
        if (farthest > found.length || (farthest == found.length && from < conductor.farthestPe)) {
            found.length = farthest;
            conductor.farthestPe = from;
        }
        if (++conductor.answered < CmiNumPes()) return;
        conductor.answered = 0;
        if (found.length < 0) {  // nothing ran
            found.length = 0;
            finish();
            return;
        }
        writer << with(conductor.request, Move::Walk);
        sendLetter(conductor.farthestPe, Letter::Path, writer);
        return;
    }
    case Move::Walked:
        reader >> found.stepCount;
        if (conductor.request.wantsSteps) found.steps.resize(static_cast<std::size_t>(found.stepCount));
        writer << with(conductor.request, Move::Collect);
        toAll(writer);
        return;
    case Move::Part:
        takePart(from, reader);
        if (++conductor.answered == CmiNumPes()) finish();
        return;
    default: return;
    }
}

void receivePath(int from, Reader &reader)
{
    RequestHead head;
    reader >> head;
    if (CmiMyPe() == 0) ++conductor.progress;
    if (head.move == Move::Complete || head.move == Move::Walked || head.move == Move::Part) {
        conduct(head, from, reader);
        return;
    }
    Part &part = myPart();
    if (head.number <= part.lastDone) return;
    if (head.move == Move::Done) {
        part.lastDone = head.number;
        letGo(part);
        return;
    }
    if (part.replay == nullptr || part.request.number != head.number) cutHere(part, head);
    switch (head.move) {
    case Move::Ask: {
        std::vector<Question> questions;
        reader >> questions;
        part.replay->ask(from, questions);
        goOn(part);
        return;
    }
    case Move::Answer: {
        std::vector<Answer> answers;
        reader >> answers;
        part.replay->hear(from, answers);
        goOn(part);
        return;
    }
    case Move::Walk: {
        std::uint64_t number = 0;
        const Hop next = part.replay->walk(number);
        walkOn(part, next, number);
        return;
    }
    case Move::WalkOn: {
        Hop hop;
        std::uint64_t number = 0;
        reader >> hop >> number;
        const Hop next = part.replay->walk(hop, number);
        walkOn(part, next, number);
        return;
    }
    case Move::Collect: sendPart(part); return;
    default: return;
    }
}

}  // namespace

void beginPathSearch()
{
    if (CmiMyRank() != 0) return;
    parts.resize(static_cast<std::size_t>(CmiMyNodeSize()));
    setReceiver(Letter::Path, receivePath);
    setReceiver(Letter::Recording, receiveRecording);
}

void setRecordingEverywhere(Recording recording)
{
    Writer writer;
    writer << recording;
    for (int pe = 0; pe < CmiNumPes(); ++pe) sendLetter(pe, Letter::Recording, writer);
}

void findPath(PathLevel level, bool wantsSteps, std::function<void(const FoundPath &)> then)
{
    conductor.waiting.push_back(Waiting{level, wantsSteps, std::move(then)});
    startNext();
}

std::vector<std::uint32_t> byTimeOnPath(const FoundPath &path)
{
    std::vector<std::uint32_t> entries;
    for (std::size_t i = 0; i < path.sums.size(); ++i)
        if (path.sums[i].onPath > 0) entries.push_back(static_cast<std::uint32_t>(i));
    std::stable_sort(entries.begin(), entries.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return path.sums[a].onPath > path.sums[b].onPath; });
    return entries;
}

}  // namespace longpole_module
