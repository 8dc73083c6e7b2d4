// SPDX-License-Identifier: GPL-3.0-or-later
// Return addresses as the recorder's own rules find them are those that libgcc finds, through functions of all kinds.
#include "recorder/storage/framerules.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <alloca.h>
#include <ucontext.h>
#include <unwind.h>

namespace {

constexpr unsigned most = 128;

struct Freeing {
    void operator()(lp_frame_rules* rules) const { lp_frame_rules_free(rules); }
};
using Rules = std::unique_ptr<lp_frame_rules, Freeing>;
lp_frame_rules* frameRules = nullptr;

struct Unwound {
    const std::uintptr_t* first;
    std::vector<lp_return> returns{};
};

_Unwind_Reason_Code take(_Unwind_Context* context, void* taken)
{
    auto& found = *static_cast<Unwound*>(taken);
    const auto* const at = reinterpret_cast<const std::uintptr_t*>(_Unwind_GetCFA(context)) - 1;
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || found.returns.size() == most) return _URC_END_OF_STACK;
    if (found.returns.empty() && at != found.first) return _URC_NO_REASON;
    found.returns.push_back({at, address});
    return _URC_NO_REASON;
}

int stacksCompared = 0;
int stacksDifferent = 0;
int stacksWithoutRule = 0;

// Compares from the caller of this function on.
[[gnu::noinline]] void compare()
{
    const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
    lp_return found[most];
    const unsigned count = lp_walk_frames(frameRules, frame + 1, frame[0], found, most);
    Unwound expected{frame + 1};
    _Unwind_Backtrace(take, &expected);
    const bool isSame = std::equal(found, found + count, expected.returns.begin(), expected.returns.end(),
                                   [](const lp_return& a, const lp_return& b) {
                                       return a.at == b.at && a.address == b.address;
                                   });
    ++stacksCompared;
    stacksWithoutRule += count == 0;
    stacksDifferent += count > 0 && !isSame;
}

volatile int sink = 0;

[[gnu::noinline]] void withArguments(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    compare();
    sink = sink + a + b + c + d + e + f + g + h + i + j;
    if (a > 0) withArguments(a - 1, c, b, d, f, e, g, j, h, i);
    compare();
}

// Elsewhere on the stack each time.
[[gnu::noinline]] void withArrays(int depth, std::size_t size)
{
    auto* const array = static_cast<volatile char*>(alloca(size));
    array[0] = 1;
    if (depth > 0) withArrays(depth - 1, size * 7 % 1001 + 8);
    compare();
    sink = sink + array[0];
}

[[gnu::noinline]] void withAlignedArray(int depth)
{
    alignas(128) volatile char array[256];
    auto* const other = static_cast<volatile char*>(alloca(static_cast<std::size_t>(depth) * 24 + 8));
    array[depth % 256] = 1;
    other[0] = 1;
    if (depth > 0) withAlignedArray(depth - 1);
    else compare();
    sink = sink + array[0] + other[0];
}

[[gnu::noinline]] void withHandler(int depth)
{
    const std::vector<int> kept(static_cast<std::size_t>(depth) + 1, depth);
    try {
        if (depth > 0) withHandler(depth - 1);
        compare();
        if (depth == 3) throw depth;
    } catch (int thrown) {
        compare();
        sink = sink + thrown + kept.front();
    }
}

int compareAndOrder(const void* a, const void* b)
{
    compare();
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

void callAll()
{
    withArguments(10, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    for (std::size_t size = 8; size < 200; size += 24) withArrays(12, size);
    withAlignedArray(9);
    withHandler(6);
    int numbers[] = {5, 3, 9, 1, 7, 2};
    std::qsort(numbers, std::size(numbers), sizeof *numbers, compareAndOrder);
    std::function<void(int)> again = [&](int depth) {
        if (depth > 0) again(depth - 1);
        compare();
    };
    again(5);
}

ucontext_t here, there;
unsigned foundThere = 0;
bool isOwnThere = false;

void onAnotherStack()
{
    const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
    lp_return found[most];
    foundThere = lp_walk_frames(frameRules, frame + 1, frame[0], found, most);
    isOwnThere = lp_is_on_own_stack(frameRules, frame + 1);
    swapcontext(&there, &here);
}

}  // namespace

class TestFrameRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
#ifndef __x86_64__
        QSKIP("no rules on this machine");
#endif
        m_rules = Rules(lp_frame_rules_new());
        frameRules = m_rules.get();
        QVERIFY(frameRules);
        stacksCompared = stacksDifferent = stacksWithoutRule = 0;
    }

    void stacksAreThoseOfLibgcc()
    {
        callAll();
        QVERIFY(stacksCompared > 100);
        QCOMPARE(stacksDifferent, 0);
        QCOMPARE(stacksWithoutRule, 0);
    }

    void ofAThreadToo()
    {
        std::thread([] {
            const Rules own(lp_frame_rules_new());
            frameRules = own.get();
            callAll();
        }).join();
        QVERIFY(stacksCompared > 100);
        QCOMPARE(stacksDifferent, 0);
        QCOMPARE(stacksWithoutRule, 0);
    }

    void noMoreThanAreAskedFor()
    {
        const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
        lp_return all[most], few[most];
        const unsigned count = lp_walk_frames(frameRules, frame + 1, frame[0], all, most);
        QVERIFY(count > 3);
        QCOMPARE(lp_walk_frames(frameRules, frame + 1, frame[0], few, 3), 3u);
        QVERIFY(few[2].at == all[2].at && few[2].address == all[2].address);
    }

    // A program may make stacks of its own, whose ends nobody knows.
    void nothingIsReadOutsideOfTheThreadsStack()
    {
        std::vector<char> stack(1 << 16);
        QCOMPARE(getcontext(&there), 0);
        there.uc_stack.ss_sp = stack.data();
        there.uc_stack.ss_size = stack.size();
        there.uc_link = &here;
        makecontext(&there, onAnotherStack, 0);
        foundThere = most;
        isOwnThere = true;
        QCOMPARE(swapcontext(&here, &there), 0);
        QCOMPARE(foundThere, 0u);
        QVERIFY(!isOwnThere);
        const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
        QVERIFY(lp_is_on_own_stack(frameRules, frame + 1));
        QVERIFY(!lp_is_on_own_stack(nullptr, frame + 1));
    }

    void garbageEnds()
    {
        std::uintptr_t garbage[64];
        for (std::size_t i = 0; i < std::size(garbage); ++i) garbage[i] = i * 0x9e3779b97f4a7c15ull;
        lp_return found[most];
        QVERIFY(lp_walk_frames(frameRules, garbage + 1, garbage[7], found, most) <= most);
        garbage[1] = 0;
        QCOMPARE(lp_walk_frames(frameRules, garbage + 1, 0, found, most), 0u);
    }

private:
    Rules m_rules;
};

LONGPOLE_TEST(TestFrameRules)
#include "tst_framerules.moc"
