// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a Charm++ program writes of its path: whole, the same in every locale, and over nothing of others.
#include "recorder/charm/path.h"

#include "support/testmain.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <locale>

#include <unistd.h>

// What needs Charm++ in the module.
namespace longpole_module {
void say(const std::string&) {}
std::string counted(std::size_t, const char*, const char*) { return {}; }
std::string inJson(const std::string& text) { return '"' + text + '"'; }
std::string timeText(std::int64_t) { return {}; }
std::string shareText(double) { return {}; }
std::string entryName(int) { return "Worker::step()"; }
std::vector<std::uint32_t> byTimeOnPath(const FoundPath&) { return {0}; }
}  // namespace longpole_module

using namespace longpole_module;

namespace {

FoundPath somePath()
{
    FoundPath path;
    path.length = 1'234'567;
    path.cut = 9'876'543;
    path.tasks = 1234;
    path.stepCount = 1;
    path.isOnPath.assign(2, 1);
    path.sums.resize(1);
    path.sums[0].onPath = 1'234'567;
    path.steps.push_back(FoundPath::Step{0, 0, 1000, 1'234'567, StartLink});
    path.merges.push_back({MessageKey{0, 123'456}, MessageKey{1, 7890}});
    return path;
}

struct Grouping : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

}  // namespace

class TestCharmFiles : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    std::string file(const char* name) const { return path(name).toStdString(); }
    void write(const char* name, const QByteArray& text) const
    {
        QFile out(path(name));
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(text) == text.size());
    }
    QByteArray contents(const char* name) const
    {
        QFile in(path(name));
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

private Q_SLOTS:
    void localeOfTheProgram()
    {
        const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
        const std::string wrong = writePath(somePath(), file("path.json"));
        const std::string merges = writeMerges(somePath(), file("p.merges"));
        std::locale::global(before);
        QCOMPARE(QString::fromStdString(wrong + merges), QString());
        const QJsonObject json = QJsonDocument::fromJson(contents("path.json")).object();
        QCOMPARE(json.value(QLatin1String("length_ns")).toInt(), 1'234'567);
        QCOMPARE(json.value(QLatin1String("tasks")).toInt(), 1234);
        const QList<QByteArray> lines = contents("p.merges").split('\n');
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[1], QByteArray("MERGE 0 123456 1 7890"));
        // When it was written, by which the import tells it from an earlier run's.
        QVERIFY(lines[0].startsWith("# longpole-merges "));
        const QDateTime written = QDateTime::fromString(QString::fromLatin1(lines[0].mid(18)), Qt::ISODate);
        QVERIFY(written.isValid());
        QVERIFY(std::abs(written.secsTo(QDateTime::currentDateTimeUtc())) < 60);
    }

    // What is not ours stays, also where it cannot be read.
    void foreignFilesStay()
    {
        for (const char* const own : {"", "MERGE 0 1 0 2\n", "# longpole-merges 2026-01-01T00:00:00Z\n"}) {
            write("own.merges", own);
            QCOMPARE(writeMerges(somePath(), file("own.merges")), std::string());
            QVERIFY(contents("own.merges").contains("123456"));
        }
        write("notes", "precious");
        QVERIFY(!writePath(somePath(), file("notes")).empty());
        QCOMPARE(contents("notes"), QByteArray("precious"));
        if (geteuid() == 0) QSKIP("root may read all files");
        QVERIFY(QFile::setPermissions(path("notes"), QFile::WriteOwner));
        QVERIFY(!writePath(somePath(), file("notes")).empty());
        QVERIFY(QFile::setPermissions(path("notes"), QFile::ReadOwner));
        QCOMPARE(contents("notes"), QByteArray("precious"));
    }

    // The merges of an earlier run go; those that somebody wrote by hand stay.
    void mergesOfAnEarlierRun()
    {
        QCOMPARE(writeMerges(somePath(), file("run.merges")), std::string());
        QVERIFY(QFile::link(path("run.merges"), path("link.merges")));
        removeMerges(file("link.merges"));
        QVERIFY(QFile::exists(path("run.merges")));
        removeMerges(file("run.merges"));
        QVERIFY(!QFile::exists(path("run.merges")));
        removeMerges(file("run.merges"));
        for (const char* const text : {"", "MERGE 0 1 0 2\n", "# buffered\nMERGE 0 1 0 2\n"}) {
            write("hand.merges", text);
            removeMerges(file("hand.merges"));
            QVERIFY(QFile::exists(path("hand.merges")));
        }
    }
};

LONGPOLE_TEST(TestCharmFiles)
#include "tst_charmfiles.moc"
