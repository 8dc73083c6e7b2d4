// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert says of all real traces, each imported and judged once in a test program.
#pragma once

#include "analysis/expert/expertquestions.h"
#include "analysis/realtraces.h"

#include <QString>
#include <QStringList>
#include <QTest>

#include <map>
#include <memory>

namespace longpole {

inline const QString archiveFolder = QStringLiteral("otf2/");

inline QStringList allTraces()
{
    QStringList names = RealTraces::names();
    for (const char* archive :
         {"casita_4_mpi_ls_barr", "pipit_ping-pong", "sst_emberotf2", "casita_2_jacobi_blame_cpu_050",
          "casita_10_scorep_mpi_tags", "casita_1_scorep-ompt-host-nested"})
        if (const QString name = archiveFolder % QLatin1String(archive);
            RealTraces::has(name) && importerFor(RealTraces::folder(name)) != nullptr)
            names << name;
    return names;
}

class JudgedTraces {
public:
    // A row for each, in the only column.
    static void addTraces()
    {
        QTest::addColumn<QString>("trace");
        for (const QString& name : allTraces()) QTest::newRow(qPrintable(name)) << name;
    }
    std::shared_ptr<Results> resultsOf(const QString& name)
    {
        std::shared_ptr<Results>& results = m_results[name];
        if (!results)
            if (const auto store = m_traces.open(name)) results = std::make_shared<Results>(*store);
        return results;
    }
    std::shared_ptr<const Expert> expertOf(const QString& name)
    {
        const std::shared_ptr<Results> results = resultsOf(name);
        const auto found = results->ask(ExpertQuestion{}, Progress{});
        return found ? *found : nullptr;
    }

private:
    RealTraces m_traces;
    std::map<QString, std::shared_ptr<Results>> m_results;
};

}  // namespace longpole
