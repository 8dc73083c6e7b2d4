// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a run in which entry methods cost less or more than they did.
#pragma once

#include "analysis/paths/pathquestions.h"
#include "analysis/whatif/zeroing.h"

#include <vector>

namespace longpole {

struct EntryGains {
    TimeNs length = 0;  // of the path
    std::vector<WhatIfAnswer> answers{};
};

// Every entry method on the path alone, as zeroing() answers.
struct ZeroingQuestion {
    using Answer = EntryGains;
    static constexpr const char* id = "gains of entry methods";

    PathModel model{};
    Rational factor{0, 1};

    Result<std::shared_ptr<const EntryGains>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const EntryGains& gains);
    friend bool operator==(const ZeroingQuestion&, const ZeroingQuestion&) = default;
};

// Its answer has one element for each of the changes, in their order.
struct WhatIfQuestion {
    using Answer = std::vector<WhatIfAnswer>;
    static constexpr const char* id = "what if";

    PathModel model{};
    std::vector<WhatIf> changes{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& answers);
    friend bool operator==(const WhatIfQuestion&, const WhatIfQuestion&) = default;
};

struct WhatIfCurveQuestion {
    using Answer = WhatIfCurve;
    static constexpr const char* id = "what-if curve";

    PathModel model{};
    std::vector<EntryId> entries{};
    Rational until{1, 1};

    Result<std::shared_ptr<const WhatIfCurve>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const WhatIfCurve& curve);
    friend bool operator==(const WhatIfCurveQuestion&, const WhatIfCurveQuestion&) = default;
};

}  // namespace longpole
