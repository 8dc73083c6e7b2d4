// SPDX-License-Identifier: GPL-3.0-or-later
// The map of requests under way against a plain one, with handles that stand for many requests and come back.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
extern "C" {
#include "recorder/wrappers/requests.h"
}

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <vector>

extern "C" {
int lp_gate = 2;  // recording is on
__thread bool lp_is_asked = false;
}

namespace {

MPI_Request handleOf(std::uintptr_t number) { return (MPI_Request)(number * 64 + 4096); }

lp_request requestOf(std::int64_t bytes, bool isPersistent = false)
{
    lp_request request = {};
    request.kind = LP_SEND_REQUEST;
    request.isPersistent = isPersistent;
    request.bytes = bytes;
    return request;
}

}  // namespace

class TestRequests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Of one handle the oldest goes first; what is put back is first again. Up to 40 000 at once, then none.
    void keepsQueuesByHandle()
    {
        std::mt19937 random(6);
        std::map<std::uintptr_t, std::deque<std::uint32_t>> expected;
        int present = 0, most = 0;
        for (int step = 0; step < 400000; ++step) {
            const bool isFilling = step % 200000 < 120000;
            const std::uintptr_t number = random() % 4 == 0 ? random() % 3 : random() % 30000;
            std::deque<std::uint32_t>& queue = expected[number];
            lp_request taken;
            if (random() % 10 < (isFilling ? 7u : 2u)) {
                const std::uint32_t serial = lp_add_request(handleOf(number), requestOf(step));
                QVERIFY(queue.empty() || serial > queue.back());
                queue.push_back(serial);
                most = std::max(most, ++present);
            } else if (lp_take_request(handleOf(number), &taken)) {
                QVERIFY(!queue.empty());
                QCOMPARE(taken.serial, queue.front());
                if (random() % 5 == 0) {
                    lp_return_request(handleOf(number), &taken);
                } else {
                    queue.pop_front();
                    --present;
                }
            } else {
                QVERIFY(queue.empty());
            }
        }
        QVERIFY(most > 40000);
        for (auto& [number, queue] : expected) {
            for (lp_request taken; !queue.empty(); queue.pop_front()) {
                QVERIFY(lp_take_request(handleOf(number), &taken));
                QCOMPARE(taken.serial, queue.front());
            }
            lp_request none;
            QVERIFY(!lp_take_request(handleOf(number), &none));
        }
    }

    void restartsPersistentRequests()
    {
        MPI_Request handle = handleOf(50000);
        lp_request request;
        QCOMPARE(lp_add_request(handle, requestOf(8, true)), 0u);
        QVERIFY(!lp_take_request(handle, &request));  // not started
        std::uint32_t last = 0;
        for (int round = 0; round < 3; ++round) {
            QVERIFY(lp_start_request(handle, &request));
            QVERIFY(request.serial > last);
            last = request.serial;
            QVERIFY(lp_take_request(handle, &request));
            lp_return_request(handle, &request);
            QVERIFY(lp_take_request(handle, &request));
            QCOMPARE(request.serial, last);
            QVERIFY(!lp_take_request(handle, &request));
        }
        QVERIFY(lp_forget_request(handle, &request));
        QVERIFY(!request.isActive);
        QVERIFY(!lp_start_request(handle, &request));
        QVERIFY(!lp_forget_request(handle, &request));
    }

    void givesNoSerialWhilePaused()
    {
        lp_gate = 1;
        QCOMPARE(lp_add_request(handleOf(50001), requestOf(1)), 0u);
        lp_gate = 2;
        lp_request request;
        QVERIFY(lp_take_request(handleOf(50001), &request));
        QCOMPARE(request.serial, 0u);
    }

    // What the program has asked for and knows to be complete is nobody's from then on, until it is started again.
    void seenRequestsAreFollowedNoMore()
    {
        MPI_Request shared = handleOf(50002), persistent = handleOf(50003);
        lp_request request;
        const std::uint32_t first = lp_add_request(shared, requestOf(1)), second = lp_add_request(shared, requestOf(2));
        QVERIFY(lp_find_request(shared, &request) && request.serial == first);
        QVERIFY(lp_see_request(shared, &request) && request.serial == first);
        QVERIFY(lp_see_request(shared, &request) && request.serial == second);
        QVERIFY(!lp_see_request(shared, &request) && !lp_find_request(shared, &request));
        for (int i = 0; i < 2; ++i) QVERIFY(lp_take_request(shared, &request) && request.serial == 0);
        QVERIFY(!lp_take_request(shared, &request));
        lp_add_request(persistent, requestOf(3, true));
        QVERIFY(!lp_see_request(persistent, &request));
        for (int i = 0; i < 2; ++i) {
            QVERIFY(lp_start_request(persistent, &request));
            const std::uint32_t serial = request.serial;
            QVERIFY(lp_see_request(persistent, &request) && request.serial == serial);
            QVERIFY(!lp_see_request(persistent, &request));
            QVERIFY(lp_take_request(persistent, &request) && request.serial == 0);
        }
        QVERIFY(lp_forget_request(persistent, &request));
    }

    void openReceivesOfSeveralChannels()
    {
        const auto receive = [](std::int32_t peer, std::int32_t tag) {
            lp_request request = requestOf(4);
            request.kind = LP_RECEIVE_REQUEST;
            request.peer = peer;
            request.tag = tag;
            return request;
        };
        lp_add_request(handleOf(50004), receive(-1, 3));
        lp_add_request(handleOf(50005), receive(2, -1));
        lp_add_request(handleOf(50006), receive(2, 3));
        static int found;
        found = 0;
        const auto count = [](MPI_Request, lp_request* request) {
            ++found;
            request->peer = request->tag = 1;
        };
        lp_each_open_receive(count);
        QCOMPARE(found, 2);
        lp_each_open_receive(count);  // what they take is known now
        QCOMPARE(found, 2);
        lp_request request;
        for (const std::uintptr_t number : {50004u, 50005u, 50006u})
            QVERIFY(lp_take_request(handleOf(number), &request));
    }

    // Last: from here on the map is sharded. Each thread takes back what it put in, under handles of its own.
    void serialsOfThreadsAreUnique()
    {
        lp_use_threads(true);
        constexpr int threads = 4, each = 20000;
        std::vector<std::vector<std::uint32_t>> serials(threads);
        std::vector<std::thread> running;
        running.reserve(threads);
        for (int thread = 0; thread < threads; ++thread) {
            running.emplace_back([&, thread] {
                for (int at = 0; at < each; ++at) {
                    MPI_Request handle = handleOf(std::uintptr_t{60000} + std::uintptr_t(thread) * 100
                                                  + std::uintptr_t(at) % 100);
                    const std::uint32_t serial = lp_add_request(handle, requestOf(at));
                    lp_request taken;
                    if (lp_take_request(handle, &taken) && taken.serial == serial)
                        serials[std::size_t(thread)].push_back(serial);
                }
            });
        }
        for (std::thread& thread : running) thread.join();
        std::vector<std::uint32_t> all;
        for (const std::vector<std::uint32_t>& some : serials) all.insert(all.end(), some.begin(), some.end());
        QCOMPARE(all.size(), std::size_t(threads * each));
        std::sort(all.begin(), all.end());
        QVERIFY(std::adjacent_find(all.begin(), all.end()) == all.end());
    }
};

LONGPOLE_TEST(TestRequests)
#include "tst_requests.moc"
