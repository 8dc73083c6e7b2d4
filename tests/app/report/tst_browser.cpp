// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report in a real browser engine: names that are markup stay text, and were one of them not, the report's
// policy would neither run its script nor fetch what it names. Needs Chromium.
#include "app/program.h"

#include "support/testmain.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace longpole::test;

namespace {

// A server that nobody is to ask.
class Lure {
public:
    Lure()
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(m_socket, reinterpret_cast<sockaddr*>(&address), length) == 0 && ::listen(m_socket, 8) == 0
            && ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &length) == 0)
            m_port = ntohs(address.sin_port);
    }
    ~Lure() { ::close(m_socket); }
    Lure(const Lure&) = delete;
    Lure& operator=(const Lure&) = delete;

    QByteArray url() const { return "http://127.0.0.1:" + QByteArray::number(m_port) + "/x"; }
    // For anything: that Chromium opens a connection for a frame that it then refuses to load tells nobody anything.
    bool wasAsked() const
    {
        bool isAsked = false;
        for (int visitor = -1; (visitor = ::accept(m_socket, nullptr, nullptr)) >= 0; ::close(visitor)) {
            char first = 0;
            isAsked = ::recv(visitor, &first, 1, MSG_DONTWAIT) > 0 || isAsked;
        }
        return isAsked;
    }

private:
    int m_socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int m_port = 0;
};

bool put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(bytes) == bytes.size();
}

QByteArray markup(const Lure& lure)
{
    return "<script>document.title='owned';fetch('" + lure.url() + "')</script><img src='" + lure.url()
           + "' onerror=document.title='owned'><link rel=stylesheet href='" + lure.url() + "'><iframe src='"
           + lure.url() + "'></iframe>";
}

}  // namespace

class TestBrowser : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void namesStayText();
    void thePolicyHolds();
    void withoutThePolicyItWouldNot();

private:
    // The page as it is after its scripts ran.
    QByteArray opened(const QString& name) const;
    QByteArray report() const;

    QString m_browser;
    QTemporaryDir m_folder;
    Lure m_lure;
};

void TestBrowser::initTestCase()
{
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
        if (m_browser.isEmpty()) m_browser = QStandardPaths::findExecutable(QLatin1String(name));
    if (m_browser.isEmpty()) QSKIP("NOT TESTED: there is no Chromium here (apt-get install chromium)");
    QVERIFY(put(m_folder.filePath(QStringLiteral("p.sts")),
                "PROJECTIONS_ID \nVERSION 11.0\nTOTAL_PHASES 0\nMACHINE \"" + markup(m_lure)
                    + "\"\nPROCESSORS 1\nTOTAL_CHARES 1\nTOTAL_EPS 1\nCHARE 0 \"" + markup(m_lure)
                    + "\" 0\nENTRY CHARE 0 \"" + markup(m_lure) + "\" 0 0\nTOTAL_STATS 0\nEND\n"));
    QVERIFY(
        put(m_folder.filePath(QStringLiteral("p.0.log")),
            "PROJECTIONS-RECORD 6\n6 1\n1 4 0 50 900 0 80 0\n2 4 0 100 900 0 80 0 0 0 0 0 5\n3 0 0 90110 900 0 0 6\n"
            "7 100000\n"));
    const Program program(m_folder.filePath(QStringLiteral("cache")));
    const Said said = program({QStringLiteral("report"), m_folder.filePath(QStringLiteral("p.sts")),
                               QStringLiteral("-o"), m_folder.filePath(QStringLiteral("r.html"))});
    QVERIFY2(said.code == 0, qPrintable(said.error));
}

QByteArray TestBrowser::report() const
{
    QFile file(m_folder.filePath(QStringLiteral("r.html")));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray TestBrowser::opened(const QString& name) const
{
    QProcess process;
    process.start(m_browser,
                  {QStringLiteral("--headless"), QStringLiteral("--no-sandbox"), QStringLiteral("--disable-gpu"),
                   QStringLiteral("--user-data-dir=") + m_folder.filePath(QStringLiteral("profile")),
                   QStringLiteral("--timeout=3000"), QStringLiteral("--dump-dom"),
                   QStringLiteral("file://") + m_folder.filePath(name)});
    return process.waitForFinished(120'000) ? process.readAllStandardOutput() : QByteArray();
}

void TestBrowser::namesStayText()
{
    const QByteArray page = opened(QStringLiteral("r.html"));
    QVERIFY2(page.contains("</html>"), page.left(500).constData());
    QVERIFY(page.contains("&lt;script&gt;"));
    for (const char* element : {"<script", "<iframe", "<link", "src=\"http", "onerror=\""})
        QVERIFY2(!page.contains(element), element);
    QVERIFY(!page.contains("<title>owned"));
    QVERIFY(!m_lure.wasAsked());
}

// As if the report had forgotten to escape a name.
void TestBrowser::thePolicyHolds()
{
    QVERIFY(put(m_folder.filePath(QStringLiteral("forgot.html")),
                report().replace("<main>", QByteArray("<main>" + markup(m_lure)))));
    const QByteArray page = opened(QStringLiteral("forgot.html"));
    QVERIFY2(page.contains("<script>document.title"), page.left(500).constData());
    QVERIFY(!page.contains("<title>owned"));
    QVERIFY(!m_lure.wasAsked());
}

// The lure lures: what the test above finds is the policy's doing.
void TestBrowser::withoutThePolicyItWouldNot()
{
    QByteArray page = report().replace("<main>", QByteArray("<main>" + markup(m_lure)));
    const qsizetype policy = page.indexOf("<meta http-equiv=\"Content-Security-Policy\"");
    QVERIFY(policy > 0);
    page.remove(policy, page.indexOf('>', policy) + 1 - policy);
    QVERIFY(put(m_folder.filePath(QStringLiteral("open.html")), page));
    QVERIFY(opened(QStringLiteral("open.html")).contains("<title>owned"));
    QVERIFY(m_lure.wasAsked());
}

LONGPOLE_TEST(TestBrowser)
#include "tst_browser.moc"
