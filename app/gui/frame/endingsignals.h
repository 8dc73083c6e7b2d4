// SPDX-License-Identifier: GPL-3.0-or-later
// Signals that end the window as its user would: Ctrl+C in the terminal, the end of the login, kill. A second one ends
// the program at once.
#pragma once

class QWidget;

namespace longpole {

// Once, before there is anything to tidy up. A signal that the caller ignores stays ignored.
class EndingSignals {
public:
    EndingSignals();

    // From now on a signal, also one that came before, closes the window and ends the program's event loop, which
    // returns 128 and the signal's number, as a shell has it.
    void close(QWidget& window) const;

private:
    int m_came = -1;  // can be read once a signal came
};

}  // namespace longpole
