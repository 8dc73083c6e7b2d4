// SPDX-License-Identifier: GPL-3.0-or-later
// Explains what a program has to record so that Longpole can judge its shared variables, with lines of code to copy.
#pragma once

#include <QWidget>

namespace longpole {

class SharedExample : public QWidget {
    Q_OBJECT
public:
    explicit SharedExample(QWidget* parent = nullptr);
};

}  // namespace longpole
