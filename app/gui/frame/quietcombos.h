// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a letter that is typed while a closed combo box has the focus from picking one of its items: letters are keys
// of the timeline. Arrow keys, Space and the open list work as ever.
#pragma once

#include <QObject>

namespace longpole {

class QuietCombos : public QObject {
    Q_OBJECT
public:
    // For all combo boxes of the program, as long as `parent` lives.
    explicit QuietCombos(QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace longpole
