// SPDX-License-Identifier: GPL-3.0-or-later
// The command line program: finds the command, gives it the application object it needs, returns its exit code.
#include "app/commands/commanddocs.h"
#include "app/commands/commands.h"
#include "app/commands/tabledocs.h"

#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>

#include <csignal>
#include <cstdio>
#include <memory>

using namespace longpole;

namespace {

void print(const QString& text, FILE* to = stdout)
{
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), to);
}

// "longpole TRACE": what exists, or is written like a path, is a trace and no mistyped command.
bool looksLikeTrace(const QString& word)
{
    return QFileInfo::exists(word) || word.contains(QLatin1Char('/')) || word.contains(QLatin1Char('.'));
}

int unknownCommand(const QString& word)
{
    QStringList names;
    for (const Command* command : commands()) names << QString(QLatin1String(command->name));
    print(QStringLiteral("longpole: ") + tr("unknown command '%1'").arg(word) + suggestion(word, names)
              + QLatin1Char('\n') + tr("'longpole --help' lists the commands.") + QLatin1Char('\n'),
          stderr);
    return static_cast<int>(ExitCode::Usage);
}

int runCommand(const Command& command, const QStringList& arguments)
{
    QCommandLineParser options;
    if (const auto exit = parse(command, arguments, options)) return static_cast<int>(*exit);
    return static_cast<int>(command.run({command, options.positionalArguments(), options}));
}

// A schema from stdin, with the rows of its tables.
int generateSchema()
{
    QFile in;
    if (!in.open(stdin, QIODevice::ReadOnly)) return static_cast<int>(ExitCode::BadInput);
    const auto schema = parseJson(in.readAll());
    const auto filled = schema ? withTables(*schema) : std::nullopt;
    if (!filled) {
        print(QStringLiteral("longpole: ") + tr("no JSON, or a table or column that is not there") + QLatin1Char('\n'),
              stderr);
        return static_cast<int>(ExitCode::BadInput);
    }
    print(QString::fromUtf8(dump(*filled)));
    return 0;
}

int generate(const QString& what)
{
    if (what == QLatin1String("man")) print(manPage());
    else if (what == QLatin1String("bash-completion")) print(bashCompletion());
    else if (what == QLatin1String("zsh-completion")) print(zshCompletion());
    else if (what == QLatin1String("tables")) print(tableReference());
    else if (what == QLatin1String("schema")) return generateSchema();
    else return unknownCommand(what);
    return 0;
}

int help(const QString& topic)
{
    const Command* command = findCommand(topic);
    if (!command && !topic.isEmpty()) return unknownCommand(topic);
    print(command ? commandHelp(*command) : programHelp());
    return 0;
}

int run(QStringList arguments)
{
    const QString word = arguments.isEmpty() ? QString() : arguments.takeFirst();
    const QString next = arguments.value(0);
    if (word.isEmpty()) {
        print(programHelp(), stderr);
        return static_cast<int>(ExitCode::Usage);
    }
    if (word == QLatin1String("--help") || word == QLatin1String("-h") || word == QLatin1String("help"))
        return help(next);
    if (word == QLatin1String("--version")) {
        print(programVersion());
        return 0;
    }
    if (word == QLatin1String("--generate")) return generate(next);
    if (const Command* command = findCommand(word)) return runCommand(*command, arguments);
    if (!word.startsWith(QLatin1Char('-')) && looksLikeTrace(word))
        return runCommand(*findCommand(QStringLiteral("open")), QStringList{word} + arguments);
    return unknownCommand(word);
}

// A login node without XDG_RUNTIME_DIR is no news to anybody who draws a picture into a file.
void sayOnStderr(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (message.startsWith(QLatin1String("QStandardPaths: "))) return;
    print(qFormatLogMessage(type, context, message) + QLatin1Char('\n'), stderr);
}

// Pictures need fonts, hence a QGuiApplication, but no display.
std::unique_ptr<QCoreApplication> makeApplication(int& argc, char** argv)
{
    const Command* command = argc > 1 ? findCommand(QString::fromLocal8Bit(argv[1])) : nullptr;
    if (!command || !command->drawsPictures) return std::make_unique<QCoreApplication>(argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(sayOnStderr);
    return std::make_unique<QGuiApplication>(argc, argv);
}

}  // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away ends the output, not the program
    const auto application = makeApplication(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("longpole"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LONGPOLE_VERSION));
    return run(QCoreApplication::arguments().mid(1));
}
