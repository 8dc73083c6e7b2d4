// SPDX-License-Identifier: GPL-3.0-or-later
// The main function of every test program: "tests_core tst_codec ..." runs one test, "tests_core" all that it holds.
#include "support/testmain.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace longpole::tests {

namespace {

// The tests by name. The map is a local of this function, since static objects of the tests fill it before main, in any
// order.
std::map<std::string, RunTest>& registeredTests()
{
    static std::map<std::string, RunTest> tests;
    return tests;
}

// Runs each test in a process of its own, as ctest does: a process can have one application only, and no test may see
// another's environment or caches.
int runAll(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QString program = QCoreApplication::applicationFilePath();
    QStringList failed;
    for (const auto& [name, run] : registeredTests()) {
        const QString test = QString::fromStdString(name);
        QStringList arguments = QCoreApplication::arguments();
        arguments.front() = test;
        if (QProcess::execute(program, arguments) != 0) failed << test;
    }
    if (!failed.isEmpty()) std::fprintf(stderr, "failed: %s\n", qPrintable(failed.join(QLatin1Char(' '))));
    return failed.isEmpty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int refuse(const char* name)
{
    std::fprintf(stderr, "There is no test \"%s\" here. There are:\n", name);
    for (const auto& [known, run] : registeredTests()) std::fprintf(stderr, "  %s\n", known.c_str());
    return 2;
}

}  // namespace

RegisteredTest::RegisteredTest(const char* sourceFile, RunTest run)
{
    const std::string name = QFileInfo(QString::fromUtf8(sourceFile)).completeBaseName().toStdString();
    if (registeredTests().emplace(name, run).second) return;
    std::fprintf(stderr, "Two tests of one program are called %s.\n", name.c_str());
    std::abort();
}

}  // namespace longpole::tests

int main(int argc, char** argv)
{
    using namespace longpole::tests;
    if (argc < 2 || argv[1][0] == '-') return runAll(argc, argv);
    const auto found = registeredTests().find(argv[1]);
    if (found == registeredTests().end()) return refuse(argv[1]);
    // The test's name becomes the first argument, after which Qt names the application.
    return found->second(argc - 1, argv + 1);
}
