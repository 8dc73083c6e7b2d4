// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets that lie over the window without being dialogs: the command palette, the key help and About. Esc or a click
// beside a sheet closes it, Enter presses its button.
#pragma once

#include <QFrame>
#include <QPointer>
#include <QString>
#include <QStringList>

#include <vector>

class QAction;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace longpole {

class Overlay : public QFrame {
    Q_OBJECT
public:
    explicit Overlay(QWidget* window);

    void open();
    void close();

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    virtual QSize wanted() const { return sizeHint(); }
    virtual void opened() {}
    void place();  // again, where it wants another size

private:
    QPushButton* buttonOfEnter() const;

    QPointer<QWidget> m_before;  // what had the focus when the sheet opened
};

// Of an action: more words by which the palette finds it.
inline constexpr const char* alsoCalledProperty = "alsoCalled";

// A line to type in, and the actions that fit the typed words best: in whose texts all of them occur or, where there is
// none, some. Texts count more than other names, these more than tips and help. Words that every question has are
// looked for only if there is nothing else.
class CommandPalette : public Overlay {
    Q_OBJECT
public:
    CommandPalette(QWidget* window, std::vector<QAction*> actions);

    QLineEdit& field() { return *m_field; }
    QListWidget& list() { return *m_list; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    QSize wanted() const override { return {560, 420}; }
    void opened() override;

private:
    void fill();
    void addLine(const QString& text);
    void run();

    std::vector<QAction*> m_actions;
    QLineEdit* m_field;
    QListWidget* m_list;
};

struct KeyLine {
    QString keys;
    QString text;
};

// All keys and gestures in two columns.
class KeyHelp : public Overlay {
    Q_OBJECT
public:
    KeyHelp(QWidget* window, const std::vector<KeyLine>& lines);

protected:
    QSize wanted() const override { return m_need; }

private:
    QSize m_need;
};

class AboutSheet : public Overlay {
    Q_OBJECT
public:
    explicit AboutSheet(QWidget* window);
};

}  // namespace longpole
