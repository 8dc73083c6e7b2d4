// SPDX-License-Identifier: GPL-3.0-or-later
// Where the module begins and ends with the program.
#include "module.h"

#include "charm++.h"
#include "ck.h"
#include "init.h"
#include "register.h"

#include "longpole.h"

#include <atomic>
#include <locale>
#include <sstream>

namespace longpole_module {

namespace {

struct Head {
    char converse[CmiMsgHeaderSizeBytes];
    std::int32_t kind;
    std::int32_t from;
};

Receive receivers[static_cast<std::size_t>(Letter::Kinds)];
std::atomic<int> handler(-1);

void receiveLetter(void *message)
{
    const Head *const head = static_cast<const Head *>(message);
    Reader reader(reinterpret_cast<const char *>(head + 1));
    if (head->kind >= 0 && head->kind < static_cast<int>(Letter::Kinds) && receivers[head->kind] != nullptr)
        receivers[head->kind](head->from, reader);
    CmiFree(message);
}

}  // namespace

void say(const std::string &text)
{
    if (CmiNumNodes() == 1) CmiPrintf("Longpole: %s\n", text.c_str());
    else CmiPrintf("Longpole, process %d: %s\n", CmiMyNode(), text.c_str());
}

std::string counted(std::size_t count, const char *one, const char *many)
{
    return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string quoted(std::string text)
{
    for (char &c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text;
}

std::string inJson(const std::string &text)
{
    std::string json = "\"";
    for (const char c : quoted(text)) {
        if (c == '"' || c == '\\') json += '\\';
        json += c;
    }
    return json + '"';
}

std::string timeText(std::int64_t nanoseconds)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());  // the program's own may write a comma into numbers
    text.precision(nanoseconds < 1000000000 ? 4 : 5);
    const double time = static_cast<double>(nanoseconds);
    if (nanoseconds < 1000) text << nanoseconds << " ns";
    else if (nanoseconds < 1000000) text << time / 1e3 << " us";
    else if (nanoseconds < 1000000000) text << time / 1e6 << " ms";
    else text << time / 1e9 << " s";
    return text.str();
}

std::string shareText(double share)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(1);
    text << std::fixed << share * 100 << " %";
    return text.str();
}

std::size_t entryCount() { return static_cast<std::size_t>(_entryTable.size()); }

std::string entryName(int entry)
{
    const EntryInfo &info = *_entryTable[entry];
    return std::string(_chareTable[info.chareIdx]->name) + "::" + static_cast<const char *>(info.name);
}

bool isUserEntry(int entry)
{
    const EntryInfo &info = *_entryTable[entry];
    return !info.inCharm && !_chareTable[info.chareIdx]->isInCharm();
}

std::int64_t nowNs() { return static_cast<std::int64_t>(CmiWallTimer() * 1e9); }

void setReceiver(Letter kind, Receive receive) { receivers[static_cast<std::size_t>(kind)] = receive; }

void beginLetters()
{
    handler.store(CmiRegisterHandler(reinterpret_cast<CmiHandler>(receiveLetter)), std::memory_order_relaxed);
}

void sendLetter(int pe, Letter kind, const Writer &writer)
{
    const std::vector<char> &text = writer.text();
    const std::size_t size = sizeof(Head) + text.size();
    Head *const head = static_cast<Head *>(CmiAlloc(static_cast<int>(size)));
    std::memset(static_cast<void *>(head), 0, sizeof(Head));
    head->kind = static_cast<std::int32_t>(kind);
    head->from = CmiMyPe();
    if (!text.empty()) std::memcpy(static_cast<void *>(head + 1), text.data(), text.size());
    CmiSetHandler(head, handler.load(std::memory_order_relaxed));
    CmiSyncSendAndFree(pe, static_cast<int>(size), reinterpret_cast<char *>(head));
}

namespace {

void goOnExiting() { CkContinueExit(); }
void atPathsEnd() { sayWhatHadPriority(goOnExiting); }

void atExit()
{
    endAuto();
    endPath(atPathsEnd);
}

}  // namespace

}  // namespace longpole_module

// At the start of every PE, when all entry methods are known and none has run.
void longpoleBegin()
{
    using namespace longpole_module;
    char **const arguments = CkGetArgv();
    beginLetters();
    beginPriorities(arguments);
    beginAuto(arguments);
    beginPath(arguments);
    // Before others that are to run at the end: after Projections' own nothing could be discarded.
    if (CmiMyPe() == 0) _CkExitFnVec.push(atExit);
}

#include "longpole.def.h"
