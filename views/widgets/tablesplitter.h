// SPDX-License-Identifier: GPL-3.0-or-later
// Tables side by side: each gets the width its columns need and an even part of the rest, until the user moves a
// handle.
#pragma once

#include <QSplitter>

namespace longpole {

class TableSplitter : public QSplitter {
    Q_OBJECT
public:
    explicit TableSplitter(QWidget* parent = nullptr);

    void fit();  // to be called after the tables' contents have changed

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    bool m_moved = false;
};

}  // namespace longpole
