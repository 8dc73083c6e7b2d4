// SPDX-License-Identifier: GPL-3.0-or-later
// A window on small traces in a folder of its own, where sessions are written and used.
#pragma once

#include "app/gui/frame/banner.h"
#include "app/gui/frame/settings.h"
#include "app/gui/frame/style.h"
#include "app/gui/window/mainwindow.h"
#include "app/smalltrace.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace longpole::test {

class SessionWindow {
protected:
    void begin()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise))")));
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid() && QDir(m_folder->path()).mkpath(QStringLiteral("a")));
        qputenv("XDG_CACHE_HOME", file("cache").toLocal8Bit());
        qputenv("XDG_DATA_HOME", file("cache").toLocal8Bit() + "/data");
        QVERIFY(writeHostileTrace(file("a/small.longpole")).ok());
        QVERIFY(writeHostileTrace(file("a/second.longpole")).ok());
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        applyTheme(darkTheme());
        newWindow();
    }
    void end()
    {
        m_window.reset();
        m_settings.reset();
    }

    QString file(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    static void write(const QString& path, const QByteArray& content)
    {
        QFile out(path);
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(content) == content.size());
    }
    static QByteArray read(const QString& path)
    {
        QFile in(path);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }
    void newWindow()
    {
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 720);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void open(const QString& path)
    {
        m_window->open(path);
        QTRY_VERIFY(m_window->workspace() && state().path());
    }
    ViewState& state() { return m_window->workspace()->state(); }
    PanelDock& dock(const char* id) { return *m_window->workspace()->area().find(QLatin1String(id)); }
    QString noteText() const
    {
        QStringList texts;
        for (const QLabel* label : m_window->banner().findChildren<QLabel*>()) texts << label->text();
        return texts.join(QLatin1Char(' '));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace longpole::test
