// SPDX-License-Identifier: GPL-3.0-or-later
// A main window with settings, a cache and a small trace of its own, which a test opens and looks into.
#pragma once

#include "app/gui/frame/settings.h"
#include "app/gui/frame/viewhelp.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/sidebar.h"
#include "app/smalltrace.h"

#include "support/testmain.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace longpole::test {

class WindowFixture {
protected:
    void writeTrace(const QString& name = QStringLiteral("small.longpole"))
    {
        QVERIFY(m_folder.isValid());
        m_small = m_folder.filePath(name);
        QVERIFY(writeHostileTrace(m_small).ok());
    }
    // Traces are imported once for all tests.
    void shareCache()
    {
        QVERIFY(m_folder.isValid());
        m_hasCache = true;
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_folder.path().toLocal8Bit() + "/data");
    }
    // Settings are as at first.
    void prepare()
    {
        // The offscreen platform says this of every window with a smallest size, of every one that comes to the top,
        // and of lists that pop up.
        QTest::failOnWarning(QRegularExpression(
            QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise|grabbing the keyboard))")));
        if (!m_hasCache) {
            m_cache = std::make_unique<QTemporaryDir>();
            qputenv("XDG_CACHE_HOME", m_cache->path().toLocal8Bit());
            qputenv("XDG_DATA_HOME", m_cache->path().toLocal8Bit() + "/data");
        }
        QFile::remove(m_folder.filePath(QStringLiteral("settings.ini")));
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("settings.ini")));
        applyTheme(darkTheme());
    }
    void begin(QSize size = {1280, 720})
    {
        prepare();
        newWindow(size);
    }
    void end()
    {
        m_window.reset();
        m_settings.reset();
    }

    void newWindow(QSize size = {1280, 720})
    {
        m_window = std::make_unique<MainWindow>(*m_settings);
        show(size);
    }
    void show(QSize size)
    {
        m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    // Waits for its path, too.
    void open(const QString& path)
    {
        m_window->open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace() && state().path(), 30'000);
    }
    void openSmall() { open(m_small); }
    PanelDock& dock(const char* id) { return *m_window->workspace()->area().find(QLatin1String(id)); }
    QPushButton& sideEntry(const char* id)
    {
        for (QPushButton* button : m_window->workspace()->sidebar().findChildren<QPushButton*>())
            if (button->property("entry").toString() == QLatin1String(id)) return *button;
        qFatal("there is no entry %s", id);
    }
    ViewState& state() { return m_window->workspace()->state(); }
    QString label(const QString& name) { return m_window->findChild<QLabel*>(name)->text(); }
    // Empty while no help of a view is shown.
    QString helpText()
    {
        const auto* sheet = m_window->findChild<ViewHelp*>();
        return sheet && sheet->isVisible() ? label(QStringLiteral("viewHelpText")) : QString();
    }
    QRgb pixel(QPoint at) { return m_window->grab().toImage().pixel(at); }

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_cache;  // of one test
    bool m_hasCache = false;                 // of all of them, in m_folder
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    QString m_small;
};

}  // namespace longpole::test
