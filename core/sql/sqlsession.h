// SPDX-License-Identifier: GPL-3.0-or-later
// Read-only SQL over an open trace: its plain tables and, as virtual tables, its event rows and what analyses know.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/sql/computedtables.h"
#include "core/store/tracestore.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

class SqlSession {
public:
    // `computed`: tables beside those of the trace. Errors: the file is gone or its plain tables are damaged. O(plain
    // tables).
    static Result<std::unique_ptr<SqlSession>> open(std::shared_ptr<const TraceStore> store,
                                                    std::vector<ComputedTable> computed = {});
    ~SqlSession();

    // Runs one SELECT (or VALUES, WITH, EXPLAIN). `columns` is called once with their names, then `row` for every row
    // with null, qlonglong, double, QString or QByteArray values, until it returns false. Errors: what SQLite says;
    // not a SELECT; more than one statement; cancelled. From one thread at a time.
    Result<> run(const QString& query, const std::function<void(const QStringList&)>& columns,
                 const std::function<bool(std::span<const QVariant>)>& row, const Progress& progress);

    QStringList tables() const;                         // that queries can name
    QStringList columnsOf(const QString& table) const;  // of one of them

private:
    class Private;
    explicit SqlSession(std::unique_ptr<Private> content);
    std::unique_ptr<Private> d;
};

}  // namespace longpole
