// SPDX-License-Identifier: GPL-3.0-or-later
// Links in a trace's folder are followed to files of this machine, and lead to no other one.
#include "core/base/mayneverend.h"
#include "importers/common/folderfiles.h"
#include "importers/common/inputfile.h"
#include "importers/projections/files.h"
#include "importers/recording/run.h"
#include "importers/summary/files.h"
#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace longpole;

namespace {

// The name under which this file would be another machine's; Linux itself finds it all the same.
QString asOfOtherHost(const QString& path) { return QLatin1Char('/') + path; }

}  // namespace

class TestLinks : public QObject {
    Q_OBJECT

    QTemporaryDir m_place;
    QDir m_run, m_elsewhere;

    void link(const QString& target, const QString& name) const
    {
        QCOMPARE(::symlink(QFile::encodeName(target).constData(), QFile::encodeName(m_run.filePath(name)).constData()),
                 0);
    }
    QString make(const QDir& folder, const QString& name) const
    {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write("PROJECTIONS-RECORD 0\n") < 0) qFatal("not written");
        return file.fileName();
    }

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        const QString name = QString::fromLatin1(QTest::currentTestFunction());
        m_run = QDir(m_place.filePath(name + QStringLiteral("/run")));
        m_elsewhere = QDir(m_place.filePath(name + QStringLiteral("/elsewhere")));
        QVERIFY(QDir().mkpath(m_run.path()) && QDir().mkpath(m_elsewhere.path()));
    }

    void whereALinkLeads()
    {
        const QString file = make(m_run, QStringLiteral("file")), far = make(m_elsewhere, QStringLiteral("far"));
        link(QStringLiteral("file"), QStringLiteral("beside"));
        link(QStringLiteral("beside"), QStringLiteral("twice"));
        link(far, QStringLiteral("whole"));
        link(QStringLiteral("../elsewhere/./far"), QStringLiteral("above"));
        link(QStringLiteral("nothing"), QStringLiteral("dangling"));
        for (const char* const name : {"file", "beside", "twice", "whole", "above", "dangling", "missing"})
            QVERIFY2(!leadsToOtherHost(m_run.filePath(QLatin1String(name))), name);

        link(QStringLiteral("/net/host.invalid/a"), QStringLiteral("automounted"));
        link(QStringLiteral("/afs/cell.invalid/a"), QStringLiteral("cell"));
        link(QStringLiteral("//host.invalid/a"), QStringLiteral("share"));
        link(QStringLiteral("automounted"), QStringLiteral("chained"));
        link(QStringLiteral("/net/host.invalid/folder"), QStringLiteral("folder"));
        link(QStringLiteral("folder/a"), QStringLiteral("through"));
        link(QStringLiteral("/tmp/../net/host.invalid/a"), QStringLiteral("roundabout"));
        link(QStringLiteral("loop"), QStringLiteral("loop"));
        for (const char* const name :
             {"automounted", "cell", "share", "chained", "folder", "through", "roundabout", "loop"})
            QVERIFY2(leadsToOtherHost(m_run.filePath(QLatin1String(name))), name);
    }

    // Links are followed from the first part on that the user has not named.
    void whereAPathLeads()
    {
        const QString run = m_run.path(), here = m_elsewhere.path();
        make(m_elsewhere, QStringLiteral("far"));
        link(here, QStringLiteral("here"));
        link(asOfOtherHost(here), QStringLiteral("sub"));
        link(QStringLiteral("sub"), QStringLiteral("hop"));
        link(QStringLiteral("/proc/self"), QStringLiteral("self"));
        link(QStringLiteral("/proc/self/root/net/host.invalid"), QStringLiteral("root"));
        link(QStringLiteral("/proc/self/root/tmp"), QStringLiteral("tmp"));
        const auto leads = [&](const char* path) { return whereLeads(run + QLatin1String(path), run); };
        for (const char* const path : {"", "/here", "/here/far", "/here/../elsewhere/far", "/none/../x", "/tmp/x"})
            QVERIFY2(leads(path) == Leads::Here, path);
        for (const char* const path : {"/sub", "/sub/far", "/sub/far/", "/hop/far", "/here/../run/sub/far",
                                       "/sub/../file", "/root/x", "//sub/a"})
            QVERIFY2(leads(path) == Leads::ToOtherHost, path);
        for (const char* const path : {"/self", "/self/status", "/../run/self/status"})
            QVERIFY2(leads(path) == Leads::ToKernel, path);
        // What the user has named himself may lead anywhere, and what is on that machine too.
        QVERIFY(whereLeads(run + QStringLiteral("/sub/far"), run + QStringLiteral("/sub")) == Leads::Here);
        QVERIFY(whereLeads(run + QStringLiteral("/self/status"), run + QStringLiteral("/self")) == Leads::Here);
        const QString there = asOfOtherHost(run);
        QVERIFY(whereLeads(there + QStringLiteral("/sub/far"), there) == Leads::Here);
        QVERIFY(whereLeads(there, run) == Leads::ToOtherHost);
        QVERIFY(whereLeads(QStringLiteral("/net/host.invalid/a"), QStringLiteral("/net/host.invalid/b"))
                == Leads::Here);
        QVERIFY(whereLeads(QStringLiteral("/net/host.invalid/a"), QStringLiteral("/net/more.invalid/b"))
                == Leads::ToOtherHost);
        // What Qt makes of a path by its names counts, too.
        link(QStringLiteral("/net/host.invalid/a"), QStringLiteral("automounted"));
        QVERIFY(leads("/none/../automounted/x") == Leads::ToOtherHost);
        QVERIFY(leads("/here/../automounted/x") == Leads::ToOtherHost);
        QVERIFY(whereLeads(QStringLiteral("/../tmp/x"), {}) == Leads::Here);
        // Links that expand to more parts than any way has are none; behind what is not there is nothing.
        const QString steps = QStringLiteral("../run/").repeated(500);
        for (const auto& [name, next] : {std::pair("s0", "s1"), std::pair("s1", "s2"), std::pair("s2", "here")})
            link(steps + QLatin1String(next), QLatin1String(name));
        QVERIFY(leads("/s2/far") == Leads::ToOtherHost && leads("/s0/far") == Leads::ToOtherHost);
        link(QStringLiteral("none/").repeated(800), QStringLiteral("behind"));
        QVERIFY(leads("/behind/x") == Leads::Here);
        // Nothing is named.
        QVERIFY(whereLeads(run + QStringLiteral("/sub/far"), {}) == Leads::ToOtherHost);
        QVERIFY(whereLeads(run + QStringLiteral("/here/far"), {}) == Leads::Here);
        // By relative paths, too.
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(run));
        QVERIFY(whereLeads(QStringLiteral("sub/far"), QStringLiteral(".")) == Leads::ToOtherHost);
        QVERIFY(whereLeads(QStringLiteral("here/far"), {}) == Leads::Here);
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(isFileHere(run + QStringLiteral("/here/far")) && !isFileHere(run + QStringLiteral("/here")));
    }

    // Links at random, of which the kernel says where they lead: what is not there once the other machine is gone had
    // to do with it.
    void asTheKernelWalks()
    {
        const QString run = m_run.path(), far = m_elsewhere.path(), gone = far + QStringLiteral("-gone");
        std::mt19937 random(11);
        const auto oneOf = [&random](const QStringList& list) {
            return list[std::uniform_int_distribution<qsizetype>(0, list.size() - 1)(random)];
        };
        const QStringList names{QStringLiteral("a"), QStringLiteral("b"),  QStringLiteral("p"), QStringLiteral("q"),
                                QStringLiteral("r"), QStringLiteral(".."), QStringLiteral(".")};
        const auto path = [&](int most) {
            QStringList parts;
            for (int i = std::uniform_int_distribution(1, most)(random); i > 0; --i) parts << oneOf(names);
            return parts.join(QLatin1Char('/'));
        };
        const auto isThere = [](const QString& name) {
            return ::access(QFile::encodeName(name).constData(), F_OK) == 0;
        };
        int here = 0, away = 0;
        for (int tree = 0; tree < 60; ++tree) {
            QVERIFY(QDir(run).removeRecursively() && QDir(far).removeRecursively());
            for (const QString& folder : {run, far})
                for (const char* const inner : {"", "/a", "/b", "/a/a", "/a/b", "/b/a"}) {
                    QVERIFY(QDir().mkpath(folder + QLatin1String(inner)));
                    for (const char* const name : {"/p", "/q", "/r"}) {
                        const QString target = oneOf({path(3), path(3), run + QLatin1Char('/') + path(2),
                                                      asOfOtherHost(far) + QLatin1Char('/') + path(2)});
                        const QByteArray link = QFile::encodeName(folder + QLatin1String(inner) + QLatin1String(name));
                        QCOMPARE(::symlink(QFile::encodeName(target).constData(), link.constData()), 0);
                    }
                }
            std::vector<std::pair<QString, bool>> paths;
            for (int i = 0; i < 200; ++i) {
                const QString one = run + QLatin1Char('/') + path(5).replace(QLatin1String(".."), QLatin1String("a"));
                paths.emplace_back(one, isThere(one));
            }
            QVERIFY(QFile::rename(far, gone));
            for (const auto& [one, wasThere] : paths) {
                const bool isAway = whereLeads(one, run) == Leads::ToOtherHost, isStill = isThere(one);
                if (wasThere) QVERIFY2(isAway == !isStill, qPrintable(one));
                here += wasThere && isStill ? 1 : 0;
                away += wasThere && !isStill ? 1 : 0;
            }
            QVERIFY(QFile::rename(gone, far));
            for (const auto& [one, wasThere] : paths)  // the same, whatever is there
                if (wasThere)
                    QCOMPARE(whereLeads(one, {}) == Leads::ToOtherHost, whereLeads(one, run) == Leads::ToOtherHost);
        }
        QVERIFY(here > 1000 && away > 1000);
    }

    // What leads elsewhere is not there, for all that lists folders or opens files.
    void foldersOfTraces()
    {
        const auto both = [&](const QString& here, const QString& there) {
            link(make(m_elsewhere, here), here);
            link(asOfOtherHost(make(m_elsewhere, there)), there);
        };
        both(QStringLiteral("p.0.log"), QStringLiteral("p.1.log"));
        both(QStringLiteral("p.sts"), QStringLiteral("q.sts"));
        both(QStringLiteral("p.0.sum"), QStringLiteral("p.1.sum"));
        both(QStringLiteral("rank-000000.lprank"), QStringLiteral("rank-000001.lprank"));
        const Result<ProjectionsFiles> logs = findProjectionsRun(m_run.path());
        QVERIFY(logs.ok());
        QCOMPARE(logs->logs.size(), std::size_t{1});
        QCOMPARE(QFileInfo(logs->symbols).fileName(), QStringLiteral("p.sts"));
        const Result<RecordingFiles> ranks = findRecording(m_run.path());
        QVERIFY(ranks.ok());
        QCOMPARE(ranks->ranks.size(), std::size_t{1});
        QCOMPARE(filesIn(m_run.path()).size(), 4);
        QVERIFY(InputFile::open(m_run.filePath(QStringLiteral("p.0.log"))).ok());
        QVERIFY(!InputFile::open(m_run.filePath(QStringLiteral("p.1.log"))).ok());
    }

    void foldersInFolders()
    {
        make(m_run, QStringLiteral("p.sts"));
        for (const auto& [name, isOther] : {std::pair("p.projdir.0", false), std::pair("p.projdir.1", true)}) {
            const QDir folder(m_elsewhere.filePath(QLatin1String(name)));
            QVERIFY(QDir().mkpath(folder.path()));
            make(folder, QStringLiteral("p.%1.log").arg(isOther ? 1 : 0));
            link(isOther ? asOfOtherHost(folder.path()) : folder.path(), QLatin1String(name));
        }
        const Result<ProjectionsFiles> logs = findProjectionsRun(m_run.path());
        QVERIFY(logs.ok());
        QCOMPARE(logs->logs.size(), std::size_t{1});
        QCOMPARE(logs->logs.front().pe, std::uint64_t{0});
        QCOMPARE(linkToOtherHostIn(m_run.path()), m_run.filePath(QStringLiteral("p.projdir.1")));
    }
};

LONGPOLE_TEST(TestLinks)
#include "tst_links.moc"
