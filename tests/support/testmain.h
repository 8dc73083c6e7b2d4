// SPDX-License-Identifier: GPL-3.0-or-later
// A test program holds many test classes: each file ends by naming its class, and its file's name is what runs it.
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

// Runs a class as the only one of its program; the first argument names the program, the others are Qt Test's.
using RunTest = int (*)(int argc, char** argv);

template <class Application, class Test>
int runTest(int argc, char** argv)
{
    Application application(argc, argv);
    application.setAttribute(Qt::AA_Use96Dpi, true);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

// A static object in the test's file; the file must be linked into the program itself, not by way of a library.
class RegisteredTest {
public:
    RegisteredTest(const char* sourceFile, RunTest run);
};

}  // namespace longpole::tests

// LONGPOLE_TEST(TestSlack) at the end of tst_slack.cpp: the test "tst_slack", which needs no fonts and no screen.
#define LONGPOLE_TEST(Class) LONGPOLE_REGISTERED_TEST(QCoreApplication, Class)
// The same for a test that paints or opens windows: the application is what the program's libraries offer.
#define LONGPOLE_GUI_TEST(Class) LONGPOLE_REGISTERED_TEST(longpole::tests::WindowApplication, Class)

#define LONGPOLE_REGISTERED_TEST(Application, Class) \
    namespace { \
    const longpole::tests::RegisteredTest registeredTest{__FILE__, longpole::tests::runTest<Application, Class>}; \
    }
