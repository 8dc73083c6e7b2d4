// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/tables.h"

#include "analysis/mpi/calltables.h"
#include "analysis/report/advicetables.h"
#include "analysis/report/comparisontables.h"
#include "analysis/report/experttables.h"
#include "analysis/report/mpitables.h"
#include "analysis/report/pathtables.h"
#include "analysis/report/phasetables.h"
#include "analysis/report/profiletables.h"
#include "analysis/report/projectiontables.h"
#include "analysis/report/sumtables.h"
#include "analysis/report/tracetables.h"
#include "analysis/report/whatiftables.h"

namespace longpole {

std::vector<TableInfo> allTables(Vocabulary words)
{
    std::vector<TableInfo> all;
    // The reference lists them in this order.
    for (const auto& tablesOf :
         {traceTables, profileTables, sumTables, projectionTables, pathTables, whatIfTables, phaseTables, mpiTables,
          callTables, checkTables, adviceTables, expertTables, comparisonTables})
        for (TableInfo& table : tablesOf(words)) all.push_back(std::move(table));
    return all;
}

}  // namespace longpole
