// SPDX-License-Identifier: GPL-3.0-or-later
// All kinds of rows, and the loops over them.
#pragma once

#include "core/store/anyrow.h"
#include "core/store/messagerows.h"
#include "core/store/mpirows.h"
#include "core/store/rowscan.h"
#include "core/store/taskrows.h"
#include "core/store/trackrows.h"
