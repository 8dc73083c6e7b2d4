// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets that lie over the window without being dialogs: the command palette, the key help and About. Esc or a click
// beside a sheet closes it.
#pragma once

#include <QFrame>
#include <QString>
#include <QStringList>

#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

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

private:
    void place();
    QWidget* m_before = nullptr;  // what had the focus when the sheet opened
};

// A line to type in, and the actions in whose text, shortcut or tip all typed words occur.
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
    void addFitting(const QStringList& words, bool byText);
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
