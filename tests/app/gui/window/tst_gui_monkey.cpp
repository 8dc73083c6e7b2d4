// SPDX-License-Identifier: GPL-3.0-or-later
// Random gestures of mouse and keyboard, all over the window: it stays alive, on its screen and as large as it was.
// LONGPOLE_GESTURES=N tries N for each trace instead of a few, LONGPOLE_SEED=S other ones, LONGPOLE_TELL=1 tells each.
#include "app/gui/frame/settings.h"
#include "app/gui/frame/style.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "views/drawing/basics/theme.h"

#include "support/testmain.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDrag>
#include <QPointer>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <array>
#include <random>

using namespace longpole;

namespace {

// What ends the program, opens another one, or waits for an answer that no monkey gives.
bool isForMonkeys(const QAction& action)
{
    static const QRegularExpression others(
        QStringLiteral("^(file\\.(quit|close|open|recent|compare|report|picture)|"
                       "help\\.documents)"));
    return action.isEnabled() && !action.menu() && !others.match(action.objectName()).hasMatch();
}

}  // namespace

class MonkeyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_folder.path().toLocal8Bit() + "/data");
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        applyTheme(darkTheme());
    }

    void gestures_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QSize>("size");
        const QString data = QStringLiteral(LONGPOLE_TEST_DATA "/");
        QTest::newRow("features") << data + QStringLiteral("features_p4") << QSize(1440, 900);
        QTest::newRow("gauss_seidel") << data + QStringLiteral("gauss_seidel_p8") << QSize(1280, 720);
        QTest::newRow("MPI") << data + QStringLiteral("otf2/casita_4_mpi_ls_barr") << QSize(1280, 720);
        QTest::newRow("notes") << data + QStringLiteral("features_notes_p4") << QSize(1440, 900);
    }
    void gestures()
    {
        QFETCH(QString, trace);
        QFETCH(QSize, size);
        QTest::failOnWarning(QRegularExpression(
            QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise|grabbing the))")));
        const unsigned seed = qEnvironmentVariableIsSet("LONGPOLE_SEED")
                                  ? static_cast<unsigned>(qEnvironmentVariableIntValue("LONGPOLE_SEED"))
                                  : 1;
        m_random.seed(seed);
        Settings settings(
            m_folder.filePath(QStringLiteral("settings-%1.ini").arg(QLatin1String(QTest::currentDataTag()))));
        MainWindow window(settings);
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.open(trace);
        QTRY_VERIFY(window.workspace());
        QTimer closing;  // dialogs, menus and dragged text hold up who opened them
        connect(&closing, &QTimer::timeout, this, [] {
            if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
            if (!isOffscreen()) QDrag::cancel();  // which "offscreen" cannot
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) dialog->reject();
        });
        closing.start(20);
        const int gestures = std::max(150, qEnvironmentVariableIntValue("LONGPOLE_GESTURES"));
        for (int i = 0; i < gestures; ++i) {
            const QString done = gesture(window);
            if (qEnvironmentVariableIsSet("LONGPOLE_TELL")) qInfo("%d %s", i, qPrintable(done));
            QCoreApplication::processEvents();
            const QByteArray where = QStringLiteral("seed %1, gesture %2: %3").arg(seed).arg(i).arg(done).toUtf8();
            QVERIFY2(window.isVisible(), where.constData());
            QVERIFY2(window.size() == size, where.constData());
            const QSize least = window.minimumSizeHint();
            QVERIFY2(least.width() <= size.width() && least.height() <= size.height(), where.constData());
            QVERIFY2(window.workspace(), where.constData());
        }
        // The window still answers: whole run, path, advice.
        window.actions().find(QStringLiteral("window.reset"))->trigger();
        QTRY_VERIFY(window.workspace()->area().find(QStringLiteral("view.timelines"))->isOnScreen());
    }

private:
    static bool isOffscreen() { return QGuiApplication::platformName() == QLatin1String("offscreen"); }
    int upTo(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }

    QString gesture(MainWindow& window)
    {
        const int kind = upTo(99);
        if (kind < 12) return act(window);
        if (kind < 20) return showView(window);
        if (kind < 40) return type(window);
        QWidget* under = &window;
        const QPoint at(upTo(window.width() - 1), upTo(window.height() - 1));
        if (QWidget* child = window.childAt(at)) under = child;
        const QPoint there = under->mapFrom(&window, at);
        const QString name = QLatin1String(under->metaObject()->className());
        if (kind < 55) return turnWheel(*under, there) + name;
        // Qt 6.4 crashes where a tab becomes a window that "offscreen" cannot give a parent.
        const bool mayDrag = !isOffscreen() || !qobject_cast<QTabBar*>(under);
        if (kind < 70 && mayDrag) return drag(window, *under, there) + name;
        if (kind < 75) {
            QTest::mouseDClick(under, Qt::LeftButton, {}, there);
            return QStringLiteral("double click on ") + name;
        }
        const auto button = kind < 82 ? Qt::RightButton : Qt::LeftButton;
        static constexpr std::array<Qt::KeyboardModifier, 4> with{Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier,
                                                                  Qt::ControlModifier};
        click(window, *under, button, with[static_cast<std::size_t>(upTo(3))], there);
        return QStringLiteral("click on ") + name;
    }

    QString act(MainWindow& window)
    {
        std::vector<QAction*> actions;
        for (QAction* action : window.actions().all())
            if (isForMonkeys(*action)) actions.push_back(action);
        QAction* chosen = actions[static_cast<std::size_t>(upTo(static_cast<int>(actions.size()) - 1))];
        chosen->trigger();
        return QStringLiteral("action ") + chosen->text();
    }

    QString showView(MainWindow& window)
    {
        const auto specs = panelSpecs();
        const PanelSpec* spec = specs[static_cast<std::size_t>(upTo(static_cast<int>(specs.size()) - 1))];
        window.showTab(QLatin1String(spec->id));
        return QStringLiteral("view %1").arg(QLatin1String(spec->id));
    }

    QString type(MainWindow& window)
    {
        static constexpr std::array keys{
            Qt::Key_W,      Qt::Key_A,        Qt::Key_S,      Qt::Key_D,           Qt::Key_C,     Qt::Key_F,
            Qt::Key_I,      Qt::Key_R,        Qt::Key_B,      Qt::Key_N,           Qt::Key_Tab,   Qt::Key_Escape,
            Qt::Key_Return, Qt::Key_Space,    Qt::Key_Left,   Qt::Key_Right,       Qt::Key_Up,    Qt::Key_Down,
            Qt::Key_Home,   Qt::Key_End,      Qt::Key_PageUp, Qt::Key_Plus,        Qt::Key_Minus, Qt::Key_Slash,
            Qt::Key_1,      Qt::Key_PageDown, Qt::Key_Delete, Qt::Key_BracketLeft,
        };
        QWidget* target = QApplication::focusWidget();
        if (!target || target->window() != &window) target = &window;
        const auto key = keys[static_cast<std::size_t>(upTo(static_cast<int>(keys.size()) - 1))];
        QTest::keyClick(target, key, upTo(4) == 0 ? Qt::ShiftModifier : Qt::NoModifier);
        return QStringLiteral("key %1").arg(key);
    }

    QString turnWheel(QWidget& under, QPoint at)
    {
        const int by = upTo(1) == 0 ? 120 : -120;
        const auto with = upTo(2) == 0 ? Qt::ControlModifier : Qt::NoModifier;
        QWheelEvent wheel(at, under.mapToGlobal(QPointF(at)), {}, upTo(4) == 0 ? QPoint(by, 0) : QPoint(0, by),
                          Qt::NoButton, with, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&under, &wheel);
        return QStringLiteral("wheel over ");
    }

    // What lies under the mouse may be gone before the button is pressed, and before it is released: a trace opens.
    void click(MainWindow& window, QWidget& under, Qt::MouseButton button, Qt::KeyboardModifiers with, QPoint at)
    {
        const QPointer<QWidget> alive(&under);
        QTest::mouseMove(&under, at);
        if (!alive) return;
        QTest::mousePress(alive, button, with, at);
        QTest::mouseRelease(alive ? alive.data() : &window, button, with, alive ? at : QPoint());
    }

    QString drag(MainWindow& window, QWidget& under, QPoint from)
    {
        const QPoint to = from + QPoint(upTo(400) - 200, upTo(200) - 100);
        const auto with = upTo(2) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
        if (qEnvironmentVariableIsSet("LONGPOLE_TELL"))
            qInfo("drag %s %s %d,%d to %d,%d", under.metaObject()->className(), qPrintable(under.objectName()),
                  from.x(), from.y(), to.x(), to.y());
        const QPointer<QWidget> alive(&under);
        QTest::mousePress(&under, Qt::LeftButton, with, from);
        for (const QPoint& at : {from + (to - from) / 3, to}) {
            if (!alive) break;
            QMouseEvent move(QEvent::MouseMove, at, alive->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, with);
            QApplication::sendEvent(alive, &move);
        }
        if (alive) QTest::mouseRelease(alive, Qt::LeftButton, with, to);
        else QTest::mouseRelease(&window, Qt::LeftButton, with, {});
        return QStringLiteral("drag over ");
    }

    QTemporaryDir m_folder;
    std::mt19937 m_random;
};

LONGPOLE_GUI_TEST(MonkeyTest)
#include "tst_gui_monkey.moc"
