// SPDX-License-Identifier: GPL-3.0-or-later
// What became of one piece of advice when the program was run with it and without: the runs as they come in, then what
// was predicted beside what was measured, and the verdict.
#pragma once

#include "analysis/compare/trial.h"

#include <QWidget>

#include <optional>

class QVBoxLayout;

namespace longpole {

// A trial that goes on or has ended.
struct TriedAdvice {
    Trial trial{};          // with the runs so far, and without a prediction, which the advice has
    std::int64_t runs = 0;  // that there will be
    bool isRunning = false;
    QString error{};  // why it ended before that; may be empty
};

class TrialBox : public QWidget {
    Q_OBJECT
public:
    explicit TrialBox(QWidget* parent);

    // `prediction`: of the advice; empty: nothing is predicted of the change.
    void showTrial(const TriedAdvice& tried, const std::optional<Prediction>& prediction);
    QString toText() const;

Q_SIGNALS:
    void cancelRequested();

private:
    void addRow(const QString& role, const QString& caption, const QString& text);

    QVBoxLayout* m_rows;
    QStringList m_words;
};

}  // namespace longpole
