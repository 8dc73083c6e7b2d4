// SPDX-License-Identifier: GPL-3.0-or-later
// A test program holds many test classes. Each test's file ends with a macro that registers its class under the file's
// name, by which it is run.
#pragma once

#include <QTest>
#if defined(QT_WIDGETS_LIB)
#include <QApplication>
#elif defined(QT_GUI_LIB)
#include <QGuiApplication>
#else
#include <QCoreApplication>
#endif

namespace longpole::tests {

#if defined(QT_WIDGETS_LIB)
using WindowApplication = QApplication;
#elif defined(QT_GUI_LIB)
using WindowApplication = QGuiApplication;
#endif

// Runs one test class; the first argument names the program, the others are for Qt Test.
using RunTest = int (*)(int argc, char** argv);

template <class Application, class Test>
int runTest(int argc, char** argv)
{
    Application application(argc, argv);
    application.setAttribute(Qt::AA_Use96Dpi, true);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

// To be a static object in the test's file, which must be linked into the program itself, not from a static library.
class RegisteredTest {
public:
    RegisteredTest(const char* sourceFile, RunTest run);
};

}  // namespace longpole::tests

// LONGPOLE_TEST(TestSlack) at the end of tst_slack.cpp registers the test "tst_slack", which needs no fonts or screen.
#define LONGPOLE_TEST(Class) LONGPOLE_REGISTERED_TEST(QCoreApplication, Class)
// For a test that paints or opens windows: its application is of the largest class that the program's libraries have.
#define LONGPOLE_GUI_TEST(Class) LONGPOLE_REGISTERED_TEST(longpole::tests::WindowApplication, Class)

#define LONGPOLE_REGISTERED_TEST(Application, Class) LONGPOLE_REGISTERED_AS(Application, Class, __COUNTER__)
#define LONGPOLE_REGISTERED_AS(Application, Class, number) LONGPOLE_REGISTERED_UNDER(Application, Class, number)
#define LONGPOLE_REGISTERED_UNDER(Application, Class, number) \
    namespace { \
    const longpole::tests::RegisteredTest registered##number{__FILE__, longpole::tests::runTest<Application, Class>}; \
    }
