// SPDX-License-Identifier: GPL-3.0-or-later
// A library that script/panels preloads into the desktop program: opens every panel in turn and saves a picture of it.
// It knows the program by the names of its actions and docks only, so that any two builds can be compared.
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QMainWindow>
#include <QMouseEvent>
#include <QPixmap>
#include <QTimer>

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

constexpr QSize windowSize(1600, 1300);
constexpr int pollMs = 200;
constexpr double idleCpuMs = 12;  // in a poll that computes nothing
constexpr int samePictures = 3;   // in a row, until it is settled
constexpr int longestWaitMs = 30'000;

double cpuMs()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval& time) { return double(time.tv_sec) * 1000 + double(time.tv_usec) / 1000; };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

// Another thread runs or waits for a processor: on a busy machine it may get none for a while.
bool othersRun()
{
    const QString own = QString::number(gettid());
    for (const QString& id : QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file(QStringLiteral("/proc/self/task/%1/stat").arg(id));
        if (id == own || !file.open(QIODevice::ReadOnly)) continue;
        const QByteArray stat = file.readAll();  // "ID (NAME) STATE ..."
        if (stat.mid(stat.lastIndexOf(')') + 2, 1) == "R") return true;
    }
    return false;
}

// A picture to take: what shows it, and the widget to grab.
struct Shot {
    QString name;
    std::function<void()> show;
    std::function<QWidget*()> widget;
};

class Photographer : public QObject {
public:
    Photographer() { startTimer(pollMs); }

protected:
    void timerEvent(QTimerEvent*) override
    {
        if (!m_window && !findWindow()) return;
        if (m_next == m_shots.size()) {
            QApplication::exit(0);
            return;
        }
        if (!m_isShown) show();
        else if (isSteady()) take();
    }

private:
    QMainWindow* mainWindow() const
    {
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* window = qobject_cast<QMainWindow*>(widget); window && window->isVisible()) return window;
        return nullptr;
    }

    // A trace is open when its timeline is there: LONGPOLE_PANELS_BEGIN names the last one that is to come.
    bool findWindow()
    {
        QMainWindow* window = mainWindow();
        const auto* dock = window ? window->findChild<QDockWidget*>(qEnvironmentVariable("LONGPOLE_PANELS_BEGIN"))
                                  : nullptr;
        if (!dock || !dock->isVisible()) return false;
        m_window = window;
        m_window->resize(windowSize);
        QApplication::setCursorFlashTime(0);
        plan();
        return true;
    }

    QAction* action(const QString& name) const
    {
        for (QAction* action : m_window->findChildren<QAction*>())
            if (action->objectName() == name) return action;
        return nullptr;
    }

    void trigger(const QString& name) const
    {
        if (QAction* found = action(name); found && found->isEnabled()) found->trigger();
    }

    void check(const QString& name) const
    {
        if (QAction* found = action(name); found && !found->isChecked()) found->trigger();
    }

    // Rows of the path's table choose tasks, which fills the panels that speak of one.
    void chooseTaskOfPath() const
    {
        QDockWidget* dock = m_window->findChild<QDockWidget*>(QStringLiteral("panel.path"));
        if (!dock) return;
        const auto tables = dock->findChildren<QAbstractItemView*>();
        for (QAbstractItemView* table : tables) {
            if (!table->isVisible() || !table->model() || table->model()->rowCount() < 2) continue;
            const QPointF at = table->visualRect(table->model()->index(1, 0)).center();
            for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
                QMouseEvent click(type, at, table->viewport()->mapToGlobal(at), Qt::LeftButton,
                                  type == QEvent::MouseButtonPress ? Qt::LeftButton : Qt::NoButton, Qt::NoModifier);
                QApplication::sendEvent(table->viewport(), &click);
            }
        }
    }

    void planPanels()
    {
        QStringList names{QStringLiteral("view.timelines"), QStringLiteral("view.second")};
        for (const QDockWidget* dock : m_window->findChildren<QDockWidget*>())
            if (dock->objectName().startsWith(QLatin1String("panel."))) names << dock->objectName();
        std::sort(names.begin(), names.end());
        for (const QString& name : names)
            m_shots.push_back({name,
                               [this, name] {
                                   trigger(QStringLiteral("window.reset"));
                                   trigger(name);
                               },
                               [this, name]() -> QWidget* {
                                   auto* dock = m_window->findChild<QDockWidget*>(name);
                                   return dock && dock->isVisible() ? dock->widget() : nullptr;
                               }});
    }

    void planWindow(const QString& name, std::function<void()> show)
    {
        m_shots.push_back({name, std::move(show), [this]() -> QWidget* { return m_window; }});
    }

    void plan()
    {
        planWindow(QStringLiteral("window"), [this] { trigger(QStringLiteral("window.reset")); });
        planWindow(QStringLiteral("window.health"), [this] { check(QStringLiteral("view.health")); });
        planWindow(QStringLiteral("window.advice"), [this] { check(QStringLiteral("view.advice")); });
        planWindow(QStringLiteral("window.chosen"), [this] {
            trigger(QStringLiteral("panel.path"));
            chooseTaskOfPath();
        });
        planPanels();
        for (const char* mode : {"path.elapsed", "path.sweep"})
            planWindow(QStringLiteral("window.") + QLatin1String(mode), [this, mode] {
                trigger(QStringLiteral("edit.clearSelection"));
                trigger(QLatin1String(mode));
                trigger(QStringLiteral("panel.path"));
            });
        for (const char* theme : {"view.themeDark", "view.themeLight"})
            planWindow(QStringLiteral("window.") + QLatin1String(theme), [this, theme] {
                trigger(QStringLiteral("window.reset"));
                trigger(QStringLiteral("path.work"));
                trigger(QLatin1String(theme));
            });
        for (const char* sheet : {"help.keys", "help.about", "view.processors"})
            planWindow(QStringLiteral("window.") + QLatin1String(sheet),
                       [this, sheet] { trigger(QLatin1String(sheet)); });
    }

    void show()
    {
        for (QWidget* sheet : m_window->findChildren<QWidget*>(QStringLiteral("overlay"))) sheet->hide();
        m_shots[m_next].show();
        m_isShown = true;
        m_last = QImage();
        m_cpu = cpuMs();
        m_waited.start();
    }

    // Nothing is computed, and some pictures in a row are the same.
    bool isSteady()
    {
        const double used = cpuMs() - m_cpu;
        bool steady = m_waited.elapsed() > longestWaitMs;
        if (steady) std::fprintf(stderr, "panels: %s did not settle\n", qPrintable(m_shots[m_next].name));
        if ((used <= idleCpuMs && !othersRun()) || steady) {
            QWidget* widget = m_shots[m_next].widget();
            if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();  // its frame may be anywhere
            const QImage picture = widget ? widget->grab().toImage() : QImage();
            m_same = m_same > 0 && picture == m_last ? m_same + 1 : 1;
            m_last = picture;
            steady = steady || m_same == samePictures;
        }
        m_cpu = cpuMs();
        return steady;
    }

    void take()
    {
        const Shot& shot = m_shots[m_next++];
        m_isShown = false;
        m_same = 0;
        if (m_last.isNull()) std::printf("%s: not there\n", qPrintable(shot.name));
        else m_last.save(QDir(qEnvironmentVariable("LONGPOLE_PANELS")).filePath(shot.name + QStringLiteral(".png")));
    }

    QMainWindow* m_window = nullptr;
    std::vector<Shot> m_shots;
    std::size_t m_next = 0;
    bool m_isShown = false;
    int m_same = 0;  // pictures in a row
    double m_cpu = 0;
    QImage m_last;
    QElapsedTimer m_waited;
};

void begin()
{
    if (qEnvironmentVariableIsEmpty("LONGPOLE_PANELS")) return;
    QTimer::singleShot(0, qApp, [] { new Photographer; });
}

}  // namespace

Q_COREAPP_STARTUP_FUNCTION(begin)
