// SPDX-License-Identifier: GPL-3.0-or-later
// The palettes of one trace: each is made once, however many panels ask for it; those of many names on a thread of its
// own, and what was there before, or colours of numbers, are seen meanwhile.
#pragma once

#include "core/base/result.h"
#include "views/drawing/basics/palette.h"
#include "views/state/latestjob.h"

#include <functional>
#include <memory>
#include <vector>

namespace longpole {

class SharedPalettes {
public:
    // `made` is called when a palette is there for which another one was seen.
    explicit SharedPalettes(std::function<void()> made) : m_tellMade(std::move(made)) {}

    std::shared_ptr<const Palette> of(const std::shared_ptr<const TraceStore>& store, const Theme& theme,
                                      const PaletteOptions& options);

private:
    using Shared = std::shared_ptr<const Palette>;
    struct Made {
        bool isDark;
        PaletteOptions options;
        Shared palette;
    };
    Shared keep(bool isDark, const PaletteOptions& options, Shared palette);

    std::function<void()> m_tellMade;
    std::vector<Made> m_made;
    std::vector<Made> m_meanwhile;  // by theme: what is seen until the right one is there
    LatestJob<Result<Shared>> m_making;
};

}  // namespace longpole
