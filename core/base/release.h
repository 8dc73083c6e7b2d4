// SPDX-License-Identifier: GPL-3.0-or-later
// Gives back what a container has taken, at once: `container = {}` empties a vector and keeps its memory.
#pragma once

namespace longpole {

template <typename Container>
void release(Container& container)
{
    Container().swap(container);
}

}  // namespace longpole
