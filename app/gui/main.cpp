// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program: longpole-gui [TRACE].
#include "app/common/translation.h"
#include "app/gui/frame/endingsignals.h"
#include "app/gui/frame/settings.h"
#include "app/gui/frame/style.h"
#include "app/gui/window/desktopdocs.h"
#include "app/gui/window/mainwindow.h"
#include "core/base/freedmemory.h"
#include "core/base/memory.h"
#include "core/base/translate.h"
#include "importers/common/formats.h"
#include "importers/recording/namingprocess.h"
#include "views/widgets/plaintext.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QProcess>
#include <QTimer>
#include <QUrl>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace longpole;

namespace {

QtMessageHandler passOn = nullptr;

constexpr const char onceName[] = "quit-after-first-frame";
constexpr const char memoryName[] = "memory";
constexpr const char generateName[] = "generate";  // hidden: --generate man, --generate views

// As the man page lists them.
constexpr DesktopOption documented[] = {
    {"--quit-after-first-frame", QT_TRANSLATE_NOOP("main", "leave once the window is painted (to measure)")},
    {"--memory SIZE", QT_TRANSLATE_NOOP("main", "the most memory, such as 4G (half of what is free)")},
    {"-h, --help", QT_TRANSLATE_NOOP("main", "explain the options")},
    {"-v, --version", QT_TRANSLATE_NOOP("main", "print the version")},
};

// An imported trace opens in a few milliseconds: if the window waits a moment, its first frame has the timeline in it.
void waitForQuickOpening(const Session& session)
{
    constexpr int patienceMs = 150;
    QElapsedTimer clock;
    clock.start();
    QTimer end;  // ends a wait for events
    end.start(patienceMs);
    while (session.isOpening() && clock.elapsed() < patienceMs)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

// Keeps to itself Qt's warning that there is no runtime folder: Qt makes one itself, which will do.
void hushRuntimeFolder(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    if (type != QtCriticalMsg && type != QtFatalMsg && text.contains(QLatin1String("XDG_RUNTIME_DIR"))) return;
    if (passOn) passOn(type, context, text);
}

// Qt aborts where it finds no display, before it reads a single option. Any platform that was chosen may do without.
bool hasDisplay(int argc, char* argv[])
{
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], "-platform", 9) == 0 || std::strncmp(argv[i], "--platform", 10) == 0) return true;
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")
           || qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

// What --help and --version print needs no window.
bool onlyPrints(int argc, char* argv[])
{
    for (int i = 1; i < argc; ++i)
        for (const char* option : {"-h", "--help", "--help-all", "-v", "--version", "--generate"})
            if (std::strcmp(argv[i], option) == 0) return true;
    return false;
}

int sayNoDisplay()
{
    std::fputs(
        "longpole-gui: There is no display to open a window on (DISPLAY, WAYLAND_DISPLAY). Log in with 'ssh -X', or "
        "use "
        "'longpole report TRACE -o FILE.html' here.\n",
        stderr);
    return 3;
}

int generate(const QString& what)
{
    if (what == QLatin1String("man")) std::fputs(desktopManual(documented).toUtf8().constData(), stdout);
    else if (what == QLatin1String("views")) std::fputs(viewReference().toUtf8().constData(), stdout);
    else return 2;
    return 0;
}

}  // namespace

int main(int argc, char* argv[])
{
    if (isNamingProcess(argc, argv)) return nameForParent();
    longpole::giveLargeArraysBack();
    if (!hasDisplay(argc, argv)) {
        if (!onlyPrints(argc, argv)) return sayNoDisplay();
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    passOn = qInstallMessageHandler(hushRuntimeFolder);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("longpole-gui"));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setApplicationVersion(QStringLiteral(LONGPOLE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("longpole"));
    const bool writesDocuments = QApplication::arguments().contains(QLatin1String("--") + QLatin1String(generateName));
    if (!writesDocuments) installTranslation();  // documents are English

    QCommandLineParser parser;
    parser.setApplicationDescription(QApplication::translate("main", "Shows the trace of a parallel program."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("TRACE"),
                                 QApplication::translate("main",
                                                         "a .longpole file, a raw trace (%1), or a .longpole-session")
                                     .arg(longpole::tr(openedFormats)),
                                 QStringLiteral("[TRACE"));
    parser.addPositionalArgument(QStringLiteral("SECOND"),
                                 QApplication::translate("main", "another run, to compare it with"),
                                 QStringLiteral("[SECOND]]"));
    const QCommandLineOption once(QLatin1String(onceName), QApplication::translate("main", documented[0].help));
    parser.addOption(once);
    const QCommandLineOption memory(QLatin1String(memoryName), QApplication::translate("main", documented[1].help),
                                    QStringLiteral("SIZE"));
    parser.addOption(memory);
    QCommandLineOption generated(QLatin1String(generateName), QString(), QStringLiteral("WHAT"));
    generated.setFlags(QCommandLineOption::HiddenFromHelp);
    parser.addOption(generated);
    if (!parser.parse(QApplication::arguments())) {
        std::fprintf(stderr, "longpole-gui: %s\n", qUtf8Printable(parser.errorText()));
        return 2;
    }
    if (parser.isSet(QStringLiteral("version"))) parser.showVersion();
    if (parser.isSet(QStringLiteral("help")) || parser.isSet(QStringLiteral("help-all"))) parser.showHelp();

    if (parser.isSet(generated)) return generate(parser.value(generated));

    const std::optional<std::int64_t> bytes = parser.isSet(memory) ? memorySize(parser.value(memory))
                                                                   : std::optional(halfOfMemory());
    if (!bytes) {
        std::fputs("longpole-gui: --memory takes a size from 64M on, such as 512M or 4G\n", stderr);
        return 2;
    }
    limitMemory(*bytes);
    keepMemoryReserve();
    QTimer restoring;
    QObject::connect(&restoring, &QTimer::timeout, &restoring, [] { restoreMemoryReserve(); });
    restoring.start(1000);

    const EndingSignals endingSignals;
    PlainText plainText(application);
    Settings settings;
    applyTheme(themeFor(settings.theme()));
    MainWindow window(settings);
    window.setGuiding(settings.flag(QStringLiteral("guiding"), true));
    QObject::connect(&window, &MainWindow::foldedTraceReady, &window, [](const QString& path) {
        QProcess::startDetached(QCoreApplication::applicationFilePath(), {path});
    });
    if (const QString second = parser.positionalArguments().value(1); !second.isEmpty())
        QObject::connect(
            &window.session(), &Session::opened, &window, [&window, second] { window.compareWith(second); },
            Qt::SingleShotConnection);
    if (!parser.positionalArguments().isEmpty()) {
        // The desktop gives files as URLs.
        const QString given = parser.positionalArguments().first();
        const QUrl url(given);
        window.open(url.isLocalFile() ? url.toLocalFile() : given);
        waitForQuickOpening(window.session());
    }
    window.show();
    if (parser.isSet(once)) {
        window.repaint();
        return window.workspace() || parser.positionalArguments().isEmpty() ? 0 : 3;
    }
    endingSignals.close(window);
    return QApplication::exec();
}
