// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source: the call path of a row or of what is selected, files that are read only when and where the user
// says so, and the editor that opens a line.
#include "views/tables/sourcepanel.h"

#include "support/testmain.h"
#include "views/drawnmpi.h"
#include "views/seen.h"
#include "views/state/sourcesettings.h"
#include "views/state/viewstate.h"
#include "views/tables/codepane.h"
#include "views/tables/codeview.h"
#include "views/tables/editor.h"
#include "views/tables/sourcedialog.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <sys/stat.h>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

namespace {

QString writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("%s", qPrintable(path));
    return path;
}

QByteArray numbered(int lines)
{
    QByteArray text;
    for (int line = 1; line <= lines; ++line) text += "line " + QByteArray::number(line) + "\n";
    return text;
}

// main calls solve in main.c:4; solve calls MPI in solve.c:12 and solve.c:20.
std::vector<CallPath> pathsIn(const QString& folder)
{
    const auto place = [&](std::uint32_t id, std::uint32_t parent, const char* function, const char* file, int line) {
        return CallPath{.id = id,
                        .parent = parent,
                        .isPlace = true,
                        .function = QLatin1String(function),
                        .file = folder + QLatin1Char('/') + QLatin1String(file),
                        .line = line,
                        .module = QStringLiteral("app")};
    };
    const auto function = [](std::uint32_t id, std::uint32_t parent, const char* name) {
        return CallPath{
            .id = id, .parent = parent, .function = QLatin1String(name), .file = {}, .module = QStringLiteral("app")};
    };
    return {function(1, noCallPath, "main"), place(2, 1, "main", "main.c", 4), function(3, 2, "<b>solve</b>"),
            place(4, 3, "<b>solve</b>", "solve.c", 12), place(5, 3, "<b>solve</b>", "solve.c", 20)};
}

}  // namespace

class SourcePanelTest : public QObject {
    Q_OBJECT
public Q_SLOTS:
    void take(const QUrl& url) { m_opened << url; }

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
        m_opened.clear();
    }

    void pathsOfATraceThatAreNoneHere_data()
    {
        QTest::addColumn<QString>("recorded");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const QString& recorded, const char* named) {
            QTest::newRow(name) << recorded << QString::fromLatin1(named);
        };
        row("absolute", QStringLiteral("/home/me/app/solve.c"), "/home/me/app/solve.c");
        row("cleaned", QStringLiteral("/home/me/build/../app/solve.c"), "/home/me/app/solve.c");
        row("relative", QStringLiteral("../solve.c"), "");
        row("no debug information", QStringLiteral("app+0x12a4"), "");
        row("another host", QStringLiteral("//host/share/solve.c"), "");
        row("an address", QStringLiteral("smb://host/solve.c"), "");
        row("of Qt", QStringLiteral(":/icons/open.svg"), "");
        row("the kernel", QStringLiteral("/home/../proc/kmsg"), "");
        row("a device", QStringLiteral("/dev/zero"), "");
        row("cut", QStringLiteral("/home/me/solve.c") + QChar(0) + QStringLiteral(".txt"), "");
        row("the root", QStringLiteral("/"), "");
        row("nothing", {}, "");
    }
    void pathsOfATraceThatAreNoneHere()
    {
        QFETCH(QString, recorded);
        QFETCH(QString, named);
        QCOMPARE(namedFile(recorded), named);
    }

    void foldersAreSearchedByTheEndOfThePath()
    {
        const QTemporaryDir folder;
        QDir(folder.path()).mkpath(QStringLiteral("src/inner"));
        QDir(folder.path()).mkpath(QStringLiteral("other"));
        const QString deep = writeFile(folder.filePath(QStringLiteral("src/inner/solve.c")), "deep\n");
        const QString flat = writeFile(folder.filePath(QStringLiteral("src/solve.c")), "flat\n");
        const QStringList folders{folder.filePath(QStringLiteral("other")), folder.filePath(QStringLiteral("src"))};
        QCOMPARE(fileInFolders(folders, QStringLiteral("/build/app/inner/solve.c")), deep);
        QCOMPARE(fileInFolders(folders, QStringLiteral("/build/app/outer/solve.c")), flat);
        QCOMPARE(fileInFolders(folders, QStringLiteral("../../solve.c")), flat);
        QCOMPARE(fileInFolders(folders, QStringLiteral("/build/none.c")), QString());
        // No path leads out of the folders.
        writeFile(folder.filePath(QStringLiteral("secret.c")), "secret\n");
        QCOMPARE(fileInFolders(folders, QStringLiteral("../secret.c")), QString());
        QCOMPARE(fileInFolders(folders, QStringLiteral("/a/../../secret.c")), QString());
        // Nor is anything but a file found.
        QCOMPARE(::mkfifo(qPrintable(folders[0] + QStringLiteral("/pipe.c")), 0600), 0);
        QCOMPARE(fileInFolders(folders, QStringLiteral("/x/pipe.c")), QString());
        QCOMPARE(fileInFolders(folders, QStringLiteral("/x/inner")), QString());
    }

    void onlyOrdinaryFilesOfTextAreRead_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("why");
        QTest::newRow("pipe") << QStringLiteral("pipe") << QStringLiteral("no ordinary file");
        QTest::newRow("device") << QStringLiteral("/dev/zero") << QStringLiteral("no ordinary file");
        QTest::newRow("link to a device") << QStringLiteral("zero") << QStringLiteral("no ordinary file");
        QTest::newRow("link to the kernel's") << QStringLiteral("kernel") << QStringLiteral("no ordinary file");
        QTest::newRow("folder") << QStringLiteral(".") << QStringLiteral("no ordinary file");
        QTest::newRow("nothing") << QStringLiteral("none") << QStringLiteral("no ordinary file");
        QTest::newRow("large") << QStringLiteral("large.c") << QStringLiteral("too much for a source");
        QTest::newRow("no text") << QStringLiteral("binary") << QStringLiteral("no text");
    }
    void onlyOrdinaryFilesOfTextAreRead()
    {
        QFETCH(QString, name);
        QFETCH(QString, why);
        const QTemporaryDir folder;
        QCOMPARE(::mkfifo(qPrintable(folder.filePath(QStringLiteral("pipe"))), 0600), 0);
        QVERIFY(QFile::link(QStringLiteral("/dev/zero"), folder.filePath(QStringLiteral("zero"))));
        QVERIFY(QFile::link(QStringLiteral("/proc/self/maps"), folder.filePath(QStringLiteral("kernel"))));
        writeFile(folder.filePath(QStringLiteral("binary")), QByteArray("a\0b", 3));
        QFile large(folder.filePath(QStringLiteral("large.c")));
        QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(mostSourceBytes + 1));
        QElapsedTimer time;
        time.start();
        const Result<SourceText> text = readSource(name.startsWith(QLatin1Char('/')) ? name : folder.filePath(name), 1);
        QVERIFY(!text);
        QVERIFY2(text.error().what.contains(why), qPrintable(toText(text.error())));
        QVERIFY(time.elapsed() < 5000);
    }

    // A folder on the way may be a link: //FOLDER would be another machine, which Linux itself finds here.
    void linksLeadToNoOtherMachine()
    {
        const QTemporaryDir folder;
        const QDir dir(folder.path());
        QVERIFY(dir.mkpath(QStringLiteral("real")) && dir.mkpath(QStringLiteral("sent")));
        writeFile(dir.filePath(QStringLiteral("real/solve.c")), "a\n");
        const auto link = [&](const QString& target, const char* name) {
            return ::symlink(qPrintable(target), qPrintable(dir.filePath(QLatin1String(name)))) == 0;
        };
        QVERIFY(link(dir.filePath(QStringLiteral("real")), "sent/here"));
        QVERIFY(link(QLatin1Char('/') + dir.filePath(QStringLiteral("real")), "sent/away"));
        QVERIFY(link(QStringLiteral("/proc/self"), "sent/kernel"));
        const auto found = [&](const char* name, bool isAllowed) {
            const QFileInfo file(dir.filePath(QLatin1String(name)));
            return findSource({.recorded = file.filePath(),
                               .line = 1,
                               .folders = {},
                               .allowed = isAllowed ? QStringList{file.path()} : QStringList()});
        };
        QVERIFY(found("sent/here/solve.c", false).state == SourceState::Unasked);
        QVERIFY(found("sent/here/solve.c", true).state == SourceState::There);
        QVERIFY(found("sent/away/solve.c", false).state == SourceState::Unasked);
        QVERIFY(found("sent/away/solve.c", true).state == SourceState::Refused);
        QVERIFY(found("sent/away/solve.c", true).error.what.contains(QStringLiteral("another machine")));
        QVERIFY(found("sent/away/none.c", true).state == SourceState::Refused);
        QVERIFY(found("sent/kernel/status", true).error.what.contains(QStringLiteral("no ordinary file")));
        // In folders that the user has chosen.
        const QStringList folders{dir.filePath(QStringLiteral("sent"))};
        QCOMPARE(fileInFolders(folders, QStringLiteral("/x/here/solve.c")),
                 dir.filePath(QStringLiteral("sent/here/solve.c")));
        QCOMPARE(fileInFolders(folders, QStringLiteral("/x/away/solve.c")), QString());
        QCOMPARE(fileInFolders(folders, QStringLiteral("/x/kernel/status")), QString());
    }

    void linesAreCountedAsCompilersDo()
    {
        const QTemporaryDir folder;
        const QString file = writeFile(folder.filePath(QStringLiteral("a.f")),
                                       QByteArray("one\r\ntwo\xe2\x80\xa8still two\x1b[0m\nthree"));
        const Result<SourceText> text = readSource(file, 2);
        QVERIFY(text.ok());
        QCOMPARE(text->lines, 3);
        QCOMPARE(text->text, QStringLiteral("one\ntwo\uFFFDstill two\uFFFD[0m\nthree"));
        const Result<SourceText> old = readSource(writeFile(file, "! gr\xf6sse\n"), 1);
        QCOMPARE(old->text, QStringLiteral("! gr\u00f6sse"));
        const Result<SourceText> many = readSource(writeFile(file, numbered(10000)), 5000);
        QCOMPARE(many->lines, 10000);
        QCOMPARE(many->first, 3000);
        QVERIFY(many->text.startsWith(QStringLiteral("line 3000\n")));
        QVERIFY(many->text.endsWith(QStringLiteral("line 6999")));
        const Result<SourceText> wide = readSource(writeFile(file, QByteArray(5000, 'x')), 1);
        QCOMPARE(wide->text.size(), 1001);
    }

    void wordsOfTheEditor_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QStringList>("words");
        const auto row = [](const char* name, const char* command, const char* file, const QStringList& words) {
            QTest::newRow(name) << QString::fromLatin1(command) << QString::fromLatin1(file) << words;
        };
        row("one word", "code -g %f:%l", "/a b.c",
            {QStringLiteral("code"), QStringLiteral("-g"), QStringLiteral("/a b.c:7")});
        row("without a file", "kate", "/x.c", {QStringLiteral("kate"), QStringLiteral("/x.c")});
        row("quotes", "\"my editor\" +%l \"%f\"", "/x.c",
            {QStringLiteral("my editor"), QStringLiteral("+7"), QStringLiteral("/x.c")});
        row("nothing twice", "ed %f %%l", "/%l$(x);`y`.c",
            {QStringLiteral("ed"), QStringLiteral("/%l$(x);`y`.c"), QStringLiteral("%l")});
        row("no program of the trace", "%f", "/x.c", {QStringLiteral("%f"), QStringLiteral("/x.c")});
    }
    void wordsOfTheEditor()
    {
        QFETCH(QString, command);
        QFETCH(QString, file);
        QFETCH(QStringList, words);
        const Result<QStringList> made = editorWords(command, file, 7);
        QVERIFY(made.ok());
        QCOMPARE(*made, words);
        QVERIFY(!editorWords(QStringLiteral("  "), file, 7));
    }

    void nothingIsRunThatATraceNames()
    {
        QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "take");
        QVERIFY(!openInEditor({}, QStringLiteral("/tmp/run.sh"), 1));
        QVERIFY(!openInEditor({}, QStringLiteral("/tmp/app.desktop"), 1));
        QVERIFY(!openInEditor({}, QStringLiteral("/tmp/page.html"), 1));
        QVERIFY(!openInEditor({}, QStringLiteral("/tmp/solver.ci"), 1));  // desktops know it by its content alone
        QVERIFY(!openInEditor({}, QStringLiteral("//host/solve.c"), 1));
        QVERIFY(!openInEditor(QStringLiteral("code"), QStringLiteral("-e.c"), 1));
        QVERIFY(!openInEditor(QStringLiteral("no-such-editor-anywhere %f"), QStringLiteral("/tmp/solve.c"), 1));
        QVERIFY(m_opened.isEmpty());
        QVERIFY(openInEditor({}, QStringLiteral("/tmp/solve.F90"), 1).ok());
        QCOMPARE(m_opened, QList<QUrl>{QUrl::fromLocalFile(QStringLiteral("/tmp/solve.F90"))});
        QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    }

    void aRowShowsItsPathAndAsksBeforeItReads()
    {
        const QTemporaryDir folder;
        writeFile(folder.filePath(QStringLiteral("solve.c")), numbered(30));
        writeFile(folder.filePath(QStringLiteral("main.c")), numbered(30));
        Fixture made(folder.path());
        SourcePanel& panel = made.panel;
        QTRY_VERIFY(panel.isThere());
        // main, solve in it, and both calls.
        QCOMPARE(panel.table().table().rowCount(), 4);
        int call = -1;
        for (int row = 0; row < 4; ++row)
            if (textAt(panel.table(), row, 0).contains(QStringLiteral("solve.c:12"))) call = row;
        QVERIFY(call >= 0);
        Q_EMIT panel.table().rowChosen(static_cast<std::size_t>(call), 0);
        QCOMPARE(framesText(panel), QStringLiteral("<b>solve</b> solve.c:12, main main.c:4"));
        QTRY_VERIFY(panel.code().message().contains(folder.filePath(QStringLiteral("solve.c"))));
        QVERIFY(panel.code().reading().isVisible());
        QVERIFY(panel.code().code().toPlainText().isEmpty());
        // A double-click does not read it either.
        made.settings.set({}, QStringLiteral("no-such-editor %f"));
        QSignalSpy failed(&panel, &SourcePanel::exportFailed);
        Q_EMIT panel.frames().rowActivated(0, 0);
        QTRY_VERIFY(!panel.code().isSearching());
        QCOMPARE(failed.count(), 0);
        QVERIFY(!panel.code().message().isEmpty());

        panel.code().reading().click();
        QTRY_COMPARE(panel.code().message(), QString());
        QVERIFY(panel.code().code().isMarked(12));
        QVERIFY(!panel.code().code().isMarked(13));
        QVERIFY(panel.code().code().isReadOnly());
        // Another file of the same folder is read now.
        Q_EMIT panel.frames().rowChosen(1, 0);
        QTRY_VERIFY(panel.code().code().isMarked(4));
        QCOMPARE(panel.code().message(), QString());
    }

    void aPipeAtARecordedPathIsNotWaitedFor()
    {
        const QTemporaryDir folder;
        QCOMPARE(::mkfifo(qPrintable(folder.filePath(QStringLiteral("solve.c"))), 0600), 0);
        Fixture made(folder.path());
        made.state.select({.call = {0, 0}});
        QTRY_VERIFY(made.panel.code().reading().isVisible());
        made.panel.code().reading().click();
        QTRY_VERIFY(made.panel.code().message().contains(QStringLiteral("no ordinary file")));
    }

    void whatIsSelectedIsFollowed()
    {
        const QTemporaryDir folder;
        writeFile(folder.filePath(QStringLiteral("solve.c")), numbered(30));
        Fixture made(QStringLiteral("/elsewhere"));
        made.settings.addFolder(folder.path());
        made.state.select({.call = {0, 1}});
        QTRY_COMPARE(framesText(made.panel), QStringLiteral("<b>solve</b> solve.c:20, main main.c:4"));
        QTRY_VERIFY(made.panel.code().code().isMarked(20));
        // The code between both calls.
        made.state.select({.task = {ProcessorId{0}, 1}});
        QTRY_COMPARE(framesText(made.panel), QStringLiteral("<b>solve</b> solve.c:12 – 20, main main.c:4"));
        QTRY_VERIFY(made.panel.code().code().isMarked(12));
        QVERIFY(made.panel.code().code().isMarked(16));
        QVERIFY(!made.panel.code().code().isMarked(21));
        // Before the first call there is nothing else to know.
        made.state.select({.task = {ProcessorId{0}, 0}});
        QTRY_VERIFY(framesText(made.panel).startsWith(QStringLiteral("<b>solve</b> solve.c:12")));
        // Nobody looks: nothing is asked.
        made.panel.hide();
        made.state.select({.call = {0, 1}});
        QTest::qWait(50);
        QVERIFY(made.panel.code().code().isMarked(12));
        made.panel.show();
        QTRY_VERIFY(made.panel.code().code().isMarked(20));
    }

    void missingSourcesAreSoughtInAFolder()
    {
        const QTemporaryDir folder;
        Fixture made(QStringLiteral("elsewhere"));
        made.state.select({.call = {0, 0}});
        QTRY_VERIFY(made.panel.code().message().contains(QStringLiteral("elsewhere/solve.c was not found")));
        QVERIFY(!made.panel.code().reading().isVisible());
        QVERIFY(seen<QPushButton>(made.panel.code(), "Choose the folder …").isVisible());
        made.panel.code().useFolder(folder.path());
        QCOMPARE(made.settings.folders(), QStringList{folder.path()});
        writeFile(folder.filePath(QStringLiteral("solve.c")), numbered(5));
        made.panel.code().useFolder(folder.path());
        QTRY_VERIFY(made.panel.code().message().contains(QStringLiteral("has 5 lines")));
        writeFile(folder.filePath(QStringLiteral("solve.c")), numbered(50));
        made.panel.code().useFolder(folder.path());
        QTRY_VERIFY(made.panel.code().code().isMarked(12));
    }

    void aDoubleClickOpensTheLine()
    {
        const QTemporaryDir folder;
        const QString source = writeFile(folder.filePath(QStringLiteral("solve.c")), numbered(30));
        const QString noted = folder.filePath(QStringLiteral("noted"));
        const QString editor = writeFile(folder.filePath(QStringLiteral("my editor")),
                                         "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + noted.toUtf8() + ".part'\nmv '"
                                             + noted.toUtf8() + ".part' '" + noted.toUtf8() + "'\n");
        QFile(editor).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        Fixture made(QStringLiteral("/elsewhere"));
        made.settings.set({folder.path()}, QLatin1Char('"') + editor + QStringLiteral("\" -x +%l %f"));
        made.panel.shown().setCurrentIndex(static_cast<int>(SourcePanel::Shown::Places));
        Q_EMIT made.panel.shown().activated(1);
        QTRY_VERIFY(made.panel.isThere());
        QCOMPARE(made.panel.table().table().rowCount(), 2);
        const int row = textAt(made.panel.table(), 0, 1).contains(QStringLiteral("solve.c:20")) ? 0 : 1;
        Q_EMIT made.panel.table().rowActivated(static_cast<std::size_t>(row), 0);
        QTRY_VERIFY(QFile::exists(noted));
        QFile file(noted);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("-x\n+20\n" + source.toUtf8() + "\n"));
        QVERIFY(!made.panel.code().opening().isHidden());
        // As other views ask for it.
        file.close();
        QVERIFY(file.remove());
        made.panel.openPath(4);
        QTRY_VERIFY(QFile::exists(noted));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("-x\n+12\n" + source.toUtf8() + "\n"));
    }

    void aFunctionWithoutLinesSaysSo()
    {
        Fixture made(QStringLiteral("/elsewhere"), 0);
        made.state.select({.call = {0, 0}});
        QTRY_VERIFY(made.panel.code().message().contains(QStringLiteral("app has no debug information")));
        QVERIFY(!made.panel.code().reading().isVisible());
        QVERIFY(!seen<QPushButton>(made.panel.code(), "Choose the folder …").isVisible());
    }

    void theDialogChangesBoth()
    {
        SourceSettings settings;
        settings.set({QStringLiteral("/a"), QStringLiteral("/b/"), QStringLiteral("/a"), QStringLiteral("relative")},
                     QStringLiteral(" ed "));
        QCOMPARE(settings.folders(), (QStringList{QStringLiteral("/a"), QStringLiteral("/b")}));
        QCOMPARE(settings.editor(), QStringLiteral("ed"));
        QSignalSpy changed(&settings, &SourceSettings::changed);
        SourceDialog dialog(settings);
        QVERIFY(!dialog.folders().accessibleName().isEmpty());
        QVERIFY(!dialog.editor().accessibleName().isEmpty());
        dialog.addFolder(QStringLiteral("/c"));
        dialog.folders().setCurrentRow(1);
        dialog.removeChosen();
        dialog.editor().setEditText(QStringLiteral("code -g %f:%l"));
        QCOMPARE(changed.count(), 0);
        dialog.accept();
        QCOMPARE(changed.count(), 1);
        QCOMPARE(settings.folders(), (QStringList{QStringLiteral("/c"), QStringLiteral("/b")}));
        QCOMPARE(settings.editor(), QStringLiteral("code -g %f:%l"));
    }

private:
    struct Fixture {
        explicit Fixture(const QString& folder, int line = 12)
            : drawn({QStringLiteral("AA=BB==C"), QStringLiteral("AA=BBBBB")},
                    {{.rank = 0, .seq = 0, .path = 4},
                     {.rank = 0, .seq = 1, .path = 5},
                     {.rank = 1, .seq = 0, .path = 4}},
                    {}, 1, paths(folder, line)),
              state(drawn.shared()), panel(state, settings)
        {
            panel.resize(1200, 400);
            panel.show();
        }
        static std::vector<CallPath> paths(const QString& folder, int line)
        {
            std::vector<CallPath> all = pathsIn(folder);
            if (line <= 0) all[3].line = 0;
            return all;
        }
        DrawnMpi drawn;
        ViewState state;
        SourceSettings settings;
        SourcePanel panel;
    };

    static QString textAt(TableView& table, int row, int column)
    {
        return table.table().index(row, column).data().toString();
    }
    static QString framesText(SourcePanel& panel)
    {
        QStringList all;
        for (int row = 0; row < panel.frames().table().rowCount(); ++row)
            all << textAt(panel.frames(), row, 0) + QLatin1Char(' ') + textAt(panel.frames(), row, 1);
        return all.join(QStringLiteral(", "));
    }

    QList<QUrl> m_opened;
};

LONGPOLE_GUI_TEST(SourcePanelTest)
#include "tst_sourcepanel.moc"
