// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/sharedpalettes.h"

#include <algorithm>
#include <utility>

namespace longpole {

Result<std::shared_ptr<const Palette>> PaletteQuestion::compute(Results& results, const Progress& progress) const
{
    const TraceStore& store = results.store();
    auto palette = std::make_shared<const Palette>(store.entries(), store.regions(), theme, options, store.profile(),
                                                   progress);
    if (progress.isCancelled()) return cancelledError();
    return std::shared_ptr<const Palette>(std::move(palette));
}

std::shared_ptr<const Palette> SharedPalettes::of(const std::shared_ptr<Results>& results, const Theme& theme,
                                                  const PaletteOptions& options)
{
    const PaletteQuestion question{theme, options};
    const auto found = std::find_if(m_made.begin(), m_made.end(),
                                    [&](const Made& made) { return made.question == question; });
    if (found != m_made.end()) return found->palette;
    if (!hasManyNames(results->store()))
        return keep(question, std::make_shared<const Palette>(results->store(), theme, options));

    const auto isOfTheme = [&](const Made& made) { return made.question.theme.dark == theme.dark; };
    auto meanwhile = std::find_if(m_meanwhile.begin(), m_meanwhile.end(), isOfTheme);
    if (meanwhile == m_meanwhile.end())
        meanwhile = m_meanwhile.insert(m_meanwhile.end(),
                                       {question,
                                        std::make_shared<const Palette>(Palette::ofNumbers(theme, options.kind))});
    const Shared before = meanwhile->palette;
    // One is made at a time. When it is there all views are told and ask again, so that the next one is made.
    if (!m_making.isRunning()) {
        if (Shared there = results->peek(question)) return keep(question, std::move(there));
        m_making.ask(results, question, [this, question, before](const Watch<PaletteQuestion>::Answer& palette) {
            keep(question, palette.ok() ? *palette : before);  // no memory for it: the colours of before stay
            m_tellMade();
        });
    }
    return before;
}

SharedPalettes::Shared SharedPalettes::keep(const PaletteQuestion& question, Shared palette)
{
    constexpr std::size_t most = 4;  // light and dark, by methods and by chares
    if (m_made.size() == most) m_made.erase(m_made.begin());
    std::erase_if(m_meanwhile,
                  [&question](const Made& made) { return made.question.theme.dark == question.theme.dark; });
    m_meanwhile.push_back({question, palette});
    m_made.push_back({question, palette});
    return palette;
}

}  // namespace longpole
