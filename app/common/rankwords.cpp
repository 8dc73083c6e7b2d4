// SPDX-License-Identifier: GPL-3.0-or-later
// A translator that replaces a few words, so that no text has to exist twice.
#include "app/common/rankwords.h"

#include <QCoreApplication>
#include <QHash>
#include <QMutex>
#include <QRegularExpression>
#include <QTranslator>

#include <utility>

namespace longpole {

namespace {

struct Word {
    const char* pattern;
    const char* replacement;
};

// The first that fits a place wins; `^` also stands for the begin of a sentence, where words are capitalized.
constexpr Word words[] = {
    {R"(^PEs$)", "ranks"},
    {R"(^PE-$)", "rank-"},
    {R"(\bAn entry method\b)", "A region"},
    {R"(\ban entry method\b)", "a region"},
    {R"(\bEntry methods\b)", "Regions"},
    {R"(\bEntry &methods\b)", "&Regions"},
    {R"(\bEntry method\b)", "Region"},
    {R"(\bentry methods\b)", "regions"},
    {R"(\bentry method\b)", "region"},
    {R"((^|[.:?] )PEs\b)", "\\1Ranks"},
    {R"((^|[.:?] )PE\b)", "\\1Rank"},
    {R"(\bPEs\b)", "ranks"},
    {R"(\bPE\b)", "rank"},
    {R"(\bChares\b)", "Groups"},
    {R"(\bChare\b)", "Group"},
    {R"(\bchares\b)", "groups"},
    {R"(\bchare\b)", "group"},
    {R"(^idle$)", "waiting in MPI"},
    {R"(^overhead$)", "in MPI"},
};

class RankWords final : public QTranslator {
public:
    bool isEmpty() const override { return false; }

    QString translate(const char*, const char* source, const char*, int) const override
    {
        const QMutexLocker lock(&m_mutex);
        const auto known = m_texts.constFind(source);
        if (known != m_texts.constEnd()) return *known;
        const QString text = QString::fromUtf8(source);
        QString said = inRankWords(text);
        if (said == text) said = QString();  // nothing to say: the next translator's turn
        m_texts.insert(source, said);
        return said;
    }

private:
    mutable QMutex m_mutex;
    mutable QHash<QByteArray, QString> m_texts;
};

}  // namespace

QString inRankWords(const QString& text)
{
    static const auto rules = [] {
        std::vector<std::pair<QRegularExpression, QString>> list;
        for (const Word& word : words)
            list.emplace_back(QRegularExpression(QLatin1String(word.pattern)), QLatin1String(word.replacement));
        return list;
    }();
    QString said = text;
    for (const auto& [pattern, replacement] : rules) said.replace(pattern, replacement);
    return said;
}

void speakOf(const TraceInfo& info)
{
    static RankWords ranks;
    static bool isInstalled = false;
    if (info.hasRanks() == isInstalled) return;
    isInstalled = info.hasRanks();
    if (isInstalled) QCoreApplication::installTranslator(&ranks);
    else QCoreApplication::removeTranslator(&ranks);
}

}  // namespace longpole
