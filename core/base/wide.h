// SPDX-License-Identifier: GPL-3.0-or-later
// An integer that the product of two 64-bit numbers fits into.
#pragma once

namespace longpole {

__extension__ using Wide = __int128;

}  // namespace longpole
