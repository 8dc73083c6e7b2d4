// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs tell the kinds of files by their names and read none of them: some in /proc never answer.
#include "views/widgets/filedialog.h"

#include "views/widgets/elidedlabel.h"
#include "views/widgets/mayreplace.h"

#include "support/testmain.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace longpole {

class TestFileDialog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noFileIsReadForItsKind()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("messages"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("%PDF-1.4\n");
        file.close();
        const NamedKinds kinds;
        const QFileIconProvider reading;
        const QFileInfo named(folder.filePath(QStringLiteral("missing.pdf")));
        QVERIFY(reading.type(QFileInfo(path)).contains(QStringLiteral("PDF")));  // Qt's own looks into it
        QVERIFY(!kinds.type(QFileInfo(path)).contains(QStringLiteral("PDF")));
        QVERIFY(kinds.type(named).contains(QStringLiteral("PDF")));
        QVERIFY(!kinds.icon(QFileInfo(path)).isNull() && !kinds.icon(QFileInfo(folder.path())).isNull());
        QVERIFY(kinds.type(QFileInfo(folder.path())) != kinds.type(QFileInfo(path)));
    }

    // As root, Qt's own waits for the kernel's next message there.
    void procDoesNotFreezeTheWindow()
    {
        int ticks = 0;
        QTimer clock;
        connect(&clock, &QTimer::timeout, this, [&ticks] { ++ticks; });
        clock.start(10);
        QTimer::singleShot(1500, this, [] {
            if (QWidget* dialog = QApplication::activeModalWidget()) dialog->close();
        });
        QCOMPARE(askFileToOpen(nullptr, QStringLiteral("Open"), QStringLiteral("/proc")), QString());
        QVERIFY2(ticks >= 10, qPrintable(QString::number(ticks)));
    }

    // A dialog asks what each name in its folder leads to: a stranger's link to another machine is not asked about.
    void beginsWhereNothingLeadsAway()
    {
        const auto folderOf = [this](const QString& path) {
            QString shown;
            QTimer::singleShot(100, this, [&shown] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                shown = dialog->directory().absolutePath();
                dialog->close();
            });
            askFileToOpen(nullptr, QStringLiteral("Open"), path);
            return shown;
        };
        const QTemporaryDir folder;
        const QString before = QDir::currentPath();
        const auto back = qScopeGuard([&before] { QDir::setCurrent(before); });
        QVERIFY(QDir::setCurrent(folder.path()));
        QVERIFY(QFile::link(QStringLiteral("here.txt"), folder.filePath(QStringLiteral("there.txt"))));
        QCOMPARE(folderOf(folder.path()), QDir(folder.path()).absolutePath());
        QCOMPARE(folderOf({}), QDir::currentPath());
        QVERIFY(QFile::link(QStringLiteral("/net/evil.example/share"), folder.filePath(QStringLiteral("data"))));
        for (const QString& path :
             {folder.path(), folder.filePath(QStringLiteral("run.csv")), QString(), QStringLiteral("run.csv")})
            QCOMPARE(folderOf(path), QDir::homePath());
    }

    void whatIsProposedIsAccepted()
    {
        const QTemporaryDir folder;
        const QString proposed = folder.filePath(QStringLiteral("run.csv"));
        QTimer::singleShot(300, this, [] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog && dialog->acceptMode() == QFileDialog::AcceptSave);
            QCOMPARE(dialog->findChild<QLineEdit*>()->text(), QStringLiteral("run.csv"));
            dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
        });
        QString chosen = QStringLiteral("Text (*.txt)");
        QCOMPARE(askFileToSave(nullptr, QStringLiteral("Save"), proposed, QStringLiteral("Table (*.csv);;Text (*.txt)"),
                               &chosen),
                 proposed);
        QCOMPARE(chosen, QStringLiteral("Text (*.txt)"));
    }

    // A stranger chose the run's name, but not where its report goes.
    void aNameIsOneName()
    {
        const QTemporaryDir folder;
        const QString proposed = folder.filePath(QStringLiteral("x\".profile\"y-report.html"));
        QTimer::singleShot(300, this, [] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
        });
        QCOMPARE(askFileToSave(nullptr, QStringLiteral("Save"), proposed, QStringLiteral("Report (*.html)")),
                 folder.filePath(QStringLiteral("x'.profile'y-report.html")));
    }

    // Whoever is around the dialog may keep what is chosen; who wants nothing to do with it lets it pass.
    void aFileMayBeKept()
    {
        struct Keeper : QWidget {
            QString kept;
            bool event(QEvent* event) override
            {
                if (event->type() != ToBeWritten::kind()) return QWidget::event(event);
                auto& question = static_cast<ToBeWritten&>(*event);
                if (question.file() == kept) question.keep();
                event->accept();
                return true;
            }
        };
        const QTemporaryDir folder;
        const QString proposed = folder.filePath(QStringLiteral("run.csv"));
        Keeper keeper;
        QWidget view(&keeper);
        const auto chosen = [&] {
            QTimer::singleShot(300, this, [] {
                QApplication::activeModalWidget()
                    ->findChild<QDialogButtonBox*>()
                    ->button(QDialogButtonBox::Save)
                    ->click();
            });
            return askFileToSave(&view, QStringLiteral("Save"), proposed);
        };
        QCOMPARE(chosen(), proposed);
        keeper.kept = proposed;
        QCOMPARE(chosen(), QString());
        // A name that got its ending afterwards is asked about again, before anybody is asked whether to replace it.
        QFile file(proposed);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(!mayReplace(view, {folder.filePath(QStringLiteral("other.csv")), proposed}));
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        QVERIFY(mayReplace(view, {folder.filePath(QStringLiteral("other.csv"))}));
    }

    // What is told first stays, and no word is cut in the middle.
    void aReadoutLosesItsLastWords()
    {
        const QFontMetrics metrics{QFont()};
        const QString text = QStringLiteral("PE 3 · 3 tasks here, 61 % compute, most of it Worker::bulk");
        QCOMPARE(wordsThatFit(text, metrics, metrics.horizontalAdvance(text)), text);
        for (int width = metrics.horizontalAdvance(text) - 1;
             width > metrics.horizontalAdvance(QStringLiteral("PE 3 …")); width -= 7) {
            QString shown = wordsThatFit(text, metrics, width);
            QVERIFY(metrics.horizontalAdvance(shown) <= width && shown.endsWith(QChar(0x2026)));
            shown.chop(1);
            QVERIFY(text.startsWith(shown));
            const QChar next = text[shown.size()];
            QVERIFY2(next == QLatin1Char(' ') || next == QLatin1Char(','), qPrintable(shown));
        }
        QVERIFY(!wordsThatFit(QStringLiteral("Worker::bulk"), metrics, 40).isEmpty());
        QCOMPARE(wordsThatFit(text, metrics, -11), QString());
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestFileDialog)
#include "tst_filedialog.moc"
