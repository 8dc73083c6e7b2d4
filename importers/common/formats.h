// SPDX-License-Identifier: GPL-3.0-or-later
// What Longpole opens, in the words that help, manual pages, the start page and script/run share.
#pragma once

namespace longpole {

inline constexpr const char* openedFormats = "Charm++ logs and summaries, OTF2, Longpole recordings";

}  // namespace longpole
