// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/sharedpalettes.h"

#include <algorithm>
#include <utility>

namespace longpole {

std::shared_ptr<const Palette> SharedPalettes::of(const std::shared_ptr<const TraceStore>& store, const Theme& theme,
                                                  const PaletteOptions& options)
{
    const auto isIt = [&](const Made& made) {
        return made.isDark == theme.dark && made.options.kind == options.kind && made.options.by == options.by
               && made.options.memory == options.memory;
    };
    const auto found = std::find_if(m_made.begin(), m_made.end(), isIt);
    if (found != m_made.end()) return found->palette;
    if (!hasManyNames(*store))
        return keep(theme.dark, options, std::make_shared<const Palette>(*store, theme, options));

    const auto isOfTheme = [&](const Made& made) { return made.isDark == theme.dark; };
    auto meanwhile = std::find_if(m_meanwhile.begin(), m_meanwhile.end(), isOfTheme);
    if (meanwhile == m_meanwhile.end())
        meanwhile = m_meanwhile.insert(m_meanwhile.end(),
                                       {theme.dark, options,
                                        std::make_shared<const Palette>(Palette::ofNumbers(theme, options.kind))});
    // One is made at a time. When it is there all views are told and ask again, so that the next one is made.
    if (!m_making.isRunning())
        m_making.start(
            [store, theme, options](const Progress& progress) -> Result<Shared> {
                return std::make_shared<const Palette>(store->entries(), store->regions(), theme, options,
                                                       store->profile(), progress);
            },
            [this, isDark = theme.dark, options, before = meanwhile->palette](const Result<Shared>& palette) {
                keep(isDark, options,
                     palette.ok() ? *palette : before);  // no memory for it: the colours of before stay
                m_tellMade();
            });
    return meanwhile->palette;
}

SharedPalettes::Shared SharedPalettes::keep(bool isDark, const PaletteOptions& options, Shared palette)
{
    constexpr std::size_t most = 4;  // light and dark, by methods and by chares
    if (m_made.size() == most) m_made.erase(m_made.begin());
    std::erase_if(m_meanwhile, [isDark](const Made& made) { return made.isDark == isDark; });
    m_meanwhile.push_back({isDark, options, palette});
    m_made.push_back({isDark, options, palette});
    return palette;
}

}  // namespace longpole
