// SPDX-License-Identifier: GPL-3.0-or-later
// What matching left over of a rank: messages without a partner and requests without an end.
#pragma once

#include "importers/common/importlog.h"
#include "importers/mpi/partners.h"

namespace longpole {

// Counts them, with the first place of each kind.
void reportLeftovers(std::uint32_t rank, const MpiRank& self, const MpiRunNames& names, const MpiPartners& partners,
                     ImportLog& log);

}  // namespace longpole
