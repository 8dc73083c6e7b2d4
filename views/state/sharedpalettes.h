// SPDX-License-Identifier: GPL-3.0-or-later
// The palettes of one trace: each is made once, however many panels ask for it; those of many names on a thread of its
// own, and what was there before, or colours of numbers, are seen meanwhile.
#pragma once

#include "core/base/result.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/state/watch.h"

#include <functional>
#include <memory>
#include <vector>

namespace longpole {

struct PaletteQuestion {
    using Answer = Palette;
    static constexpr const char* id = "colours";

    Theme theme{};
    PaletteOptions options{};

    Result<std::shared_ptr<const Palette>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Palette& palette) { return palette.bytes(); }
    friend bool operator==(const PaletteQuestion& a, const PaletteQuestion& b)
    {
        return a.theme.dark == b.theme.dark && a.options == b.options;
    }
};

class SharedPalettes {
public:
    // `made` is called when a palette is there for which another one was seen.
    explicit SharedPalettes(std::function<void()> made) : m_tellMade(std::move(made)) {}

    std::shared_ptr<const Palette> of(const std::shared_ptr<Results>& results, const Theme& theme,
                                      const PaletteOptions& options);

private:
    using Shared = std::shared_ptr<const Palette>;
    struct Made {
        PaletteQuestion question;
        Shared palette;
    };
    Shared keep(const PaletteQuestion& question, Shared palette);

    std::function<void()> m_tellMade;
    std::vector<Made> m_made;
    std::vector<Made> m_meanwhile;  // by theme: what is seen until the right one is there
    Watch<PaletteQuestion> m_making;
};

}  // namespace longpole
