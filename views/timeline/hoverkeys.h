// SPDX-License-Identifier: GPL-3.0-or-later
// Lets the timeline under the pointer have its letters and brackets while something else has the keyboard's focus: a
// table, a list, a button, but never a field that one types into.
#pragma once

#include <QObject>

class QKeyEvent;

namespace longpole {

class TimelineCanvas;

class HoverKeys : public QObject {
    Q_OBJECT
public:
    explicit HoverKeys(TimelineCanvas& canvas);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool isOurs(const QKeyEvent& key) const;

    TimelineCanvas& m_canvas;
};

// Whether keys that are typed now become text.
bool isTextFocused();

}  // namespace longpole
