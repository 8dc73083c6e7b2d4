// What can be chosen in a view: what is selected, which arrows show, what colours mean, which path lies beside the
// critical one.
#pragma once

#include "analysis/criticalpath.h"
#include "core/ids.h"

#include <QString>

#include <memory>

namespace longpole {

enum class ArrowMode : std::uint8_t { None, OneStep, Chain, Critical };
enum class ColourMode : std::uint8_t { EntryMethod, Chare };

// What is selected; at most one of them is valid.
struct Selection {
    TaskId task;
    MessageId message;
    friend bool operator==(const Selection&, const Selection&) = default;
};

// A path beside the critical one, to compare; null: none. What it is, in a few words.
struct SecondPath {
    std::shared_ptr<const CriticalPath> path{};
    QString name{};
    friend bool operator==(const SecondPath&, const SecondPath&) = default;
};

}  // namespace longpole
