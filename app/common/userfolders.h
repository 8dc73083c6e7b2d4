// SPDX-License-Identifier: GPL-3.0-or-later
// The folders of the user's own that Longpole writes in: the cache, which may be emptied, what is to be kept, and the
// settings.
#pragma once

#include "app/common/openfolder.h"
#include "core/base/result.h"

#include <QString>

#include <cstdint>

namespace longpole {

enum class UserFolder : std::uint8_t {
    Cache,     // $XDG_CACHE_HOME/longpole, ~/.cache/longpole by default: imported traces
    Kept,      // $XDG_DATA_HOME/longpole/kept, ~/.local/share/longpole/kept by default: bookmarks
    Settings,  // $XDG_CONFIG_HOME/longpole, ~/.config/longpole by default
};

// Without a home in the folder of temporary files; not created by asking.
QString pathOf(UserFolder folder);
// Whether it is not there or the user's own: nothing is read, written or removed in another. Errors: it belongs to
// somebody else, is no folder, is a link beside temporary files.
Result<> checkFolder(UserFolder folder);
// Makes it, for the user alone. Errors: the same; it cannot be made or written.
Result<> makeFolder(UserFolder folder);
// The folder itself, whatever has got its name since it was looked at. Errors: it is somebody else's, or not there.
Result<OpenFolder> openFolder(UserFolder folder);

inline QString cacheFolder() { return pathOf(UserFolder::Cache); }
// What to say, on a line, of a cache that is not where the environment puts it; empty if it is.
QString cacheNotice();

}  // namespace longpole
