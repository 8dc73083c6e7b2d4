// SPDX-License-Identifier: GPL-3.0-or-later
// The thresholds of the decision tree: a commented TOML file, which users copy and edit, and the struct that nodes
// read.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

#include <cstdint>

namespace longpole {

// Defaults are those of the file (a test compares them). Shares are 0..1; sections and keys are named as in the file.
struct Thresholds {
    struct Tree {
        double stages = 100;      // of how many equal parts of the run the node "when" judges each
        double stopBelow = 0.02;  // a branch that lost a smaller share of all processors' time is not followed
        bool operator==(const Tree&) const = default;
    } tree{};
    struct When {
        double utilization = 0.70, exit = 0.75, stages = 3, share = 0.01, whole = 0.90;
        bool operator==(const When&) const = default;
    } when{};
    struct Where {
        double below = 0.10, deviations = 1;
        bool operator==(const Where&) const = default;
    } where{};
    struct Parallelism {
        double perProcessor = 2, idleShare = 0.30;
        bool operator==(const Parallelism&) const = default;
    } parallelism{};
    struct Grainsize {
        double overheadFactor = 10, overheadShare = 0.10;     // tasks are too fine-grained
        double largestOfWork = 0.25, largestOfWindow = 0.50;  // tasks are too coarse-grained
        bool operator==(const Grainsize&) const = default;
    } grainsize{};
    struct Shared {
        double keyImbalance = 1.5;  // the largest / the mean over processors
        double accessImbalance = 1.5;
        double hotProcessors = 0.5;    // an entry is hot if this share of PEs access it ...
        double hotAccesses = 10;       // ... more than so often
        double updatesFrequent = 100;  // per second: a spanning tree is advised above
        double updatesRare = 1;        // per second: flooding is advised below
        double onceElsewhere = 0.30;   // share of the entries
        bool operator==(const Shared&) const = default;
    } shared{};
    struct Balance {
        double work = 0.15, tasks = 0.25, idleShare = 0.20, persistent = 0.7;
        bool operator==(const Balance&) const = default;
    } balance{};
    struct Locality {
        double remoteBytes = 0.50, idleShare = 0.10;
        bool operator==(const Locality&) const = default;
    } locality{};
    struct Scheduling {
        double idle = 0.01, overtaking = 0.01, good = 0.5, leastCount = 3, start = 0.05;
        bool operator==(const Scheduling&) const = default;
    } scheduling{};
    struct Latency {
        double idleShare = 0.15, hotReceiver = 4, smallBytes = 1024, smallShare = 0.50;
        bool operator==(const Latency&) const = default;
    } latency{};
    struct Synchronization {
        double idleShare = 0.15;
        bool operator==(const Synchronization&) const = default;
    } synchronization{};
    struct Speculative {
        double share = 0.10;
        bool operator==(const Speculative&) const = default;
    } speculative{};
    struct SerialChain {
        double share = 0.80;
        bool operator==(const SerialChain&) const = default;
    } serialChain{};
    struct Bottleneck {
        double busy = 0.90;
        bool operator==(const Bottleneck&) const = default;
    } bottleneck{};
    struct Without {
        double interrupted = 0, startup = 0;  // 1: the tree leaves out the parts of the run that these lie in
        bool any() const { return interrupted > 0 || startup > 0; }
        bool operator==(const Without&) const = default;
    } without{};
    bool operator==(const Thresholds&) const = default;
};

// The text of the file with all defaults and a comment on each.
QByteArray defaultThresholdsFile();

// The defaults, except for what a file sets. Errors, with their lines: not TOML, an unknown section or key, a value
// that is not a number or out of its range; and a file that cannot be read.
Result<Thresholds> readThresholds(const QString& name);
Result<Thresholds> parseThresholds(const QByteArray& bytes, const QString& name);

}  // namespace longpole
