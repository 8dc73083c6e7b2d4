// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a source with their numbers, some of them marked. It shows text, whatever is in it, and changes none.
#pragma once

#include <QPlainTextEdit>

namespace longpole {

class CodeView : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr);

    // `first`: the number of the first line of `text`.
    void setCode(const QString& text, int first);
    // Marks lines from..to (either may be the larger one) and brings them into view; 0: none.
    void mark(int from, int to);
    int lineAt(const QTextBlock& block) const;
    bool isMarked(int line) const { return line > 0 && line >= m_from && line <= m_to; }
    int gutterWidth() const;

Q_SIGNALS:
    void lineActivated(int line);  // Enter, on the line with the cursor

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void layOut();
    void paintGutter();
    void paintMarks();

    QWidget* m_gutter;
    int m_first = 1;
    int m_from = 0, m_to = 0;
};

}  // namespace longpole
