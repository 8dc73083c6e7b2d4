// SPDX-License-Identifier: GPL-3.0-or-later
// Reads thresholds from TOML, in which any key of the list may occur and no other.
#include "analysis/base/thresholds.h"

#include "analysis/base/thresholdkeys.h"
#include "core/base/namedfile.h"
#include "core/base/nearestnames.h"
#include "core/base/translate.h"

#include <QFile>
#include <QStringList>

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

// Resources of a static library are linked only if this is called; outside of a namespace, as the macro requires.
static void loadThresholdsFile() { Q_INIT_RESOURCE(thresholds); }

namespace longpole {

namespace {

template <auto Section, auto Member>
double& at(Thresholds& thresholds)
{
    return thresholds.*Section.*Member;
}

using T = Thresholds;
constexpr std::array keys{
    ThresholdKey{"tree", "stages", at<&T::tree, &T::Tree::stages>, 1, 10'000, "count", true},
    ThresholdKey{"tree", "stop_below", at<&T::tree, &T::Tree::stopBelow>, 0, 1, "share"},
    ThresholdKey{"when", "utilization", at<&T::when, &T::When::utilization>, 0, 1, "share"},
    ThresholdKey{"when", "exit", at<&T::when, &T::When::exit>, 0, 1, "share"},
    ThresholdKey{"when", "stages", at<&T::when, &T::When::stages>, 1, 10'000, "count", true},
    ThresholdKey{"when", "share", at<&T::when, &T::When::share>, 0, 1, "share"},
    ThresholdKey{"when", "whole", at<&T::when, &T::When::whole>, 0, 1, "share"},
    ThresholdKey{"where", "below", at<&T::where, &T::Where::below>, 0, 1, "share"},
    ThresholdKey{"where", "deviations", at<&T::where, &T::Where::deviations>, 0, 100, "count"},
    ThresholdKey{"parallelism", "per_processor", at<&T::parallelism, &T::Parallelism::perProcessor>, 0, 1e6, "ratio"},
    ThresholdKey{"parallelism", "idle_share", at<&T::parallelism, &T::Parallelism::idleShare>, 0, 1, "share"},
    ThresholdKey{"grainsize", "overhead_factor", at<&T::grainsize, &T::Grainsize::overheadFactor>, 0, 1e9, "ratio"},
    ThresholdKey{"grainsize", "overhead_share", at<&T::grainsize, &T::Grainsize::overheadShare>, 0, 1, "share"},
    ThresholdKey{"grainsize", "largest_of_work", at<&T::grainsize, &T::Grainsize::largestOfWork>, 0, 1, "share"},
    ThresholdKey{"grainsize", "largest_of_window", at<&T::grainsize, &T::Grainsize::largestOfWindow>, 0, 1, "share"},
    ThresholdKey{"shared", "key_imbalance", at<&T::shared, &T::Shared::keyImbalance>, 1, 1e6, "ratio"},
    ThresholdKey{"shared", "access_imbalance", at<&T::shared, &T::Shared::accessImbalance>, 1, 1e6, "ratio"},
    ThresholdKey{"shared", "hot_processors", at<&T::shared, &T::Shared::hotProcessors>, 0, 1, "share"},
    ThresholdKey{"shared", "hot_accesses", at<&T::shared, &T::Shared::hotAccesses>, 0, 1e12, "count"},
    ThresholdKey{"shared", "updates_frequent", at<&T::shared, &T::Shared::updatesFrequent>, 0, 1e12, "per second"},
    ThresholdKey{"shared", "updates_rare", at<&T::shared, &T::Shared::updatesRare>, 0, 1e12, "per second"},
    ThresholdKey{"shared", "once_elsewhere", at<&T::shared, &T::Shared::onceElsewhere>, 0, 1, "share"},
    ThresholdKey{"balance", "work", at<&T::balance, &T::Balance::work>, 0, 1e6, "share"},
    ThresholdKey{"balance", "tasks", at<&T::balance, &T::Balance::tasks>, 0, 1e6, "share"},
    ThresholdKey{"balance", "idle_share", at<&T::balance, &T::Balance::idleShare>, 0, 1, "share"},
    ThresholdKey{"balance", "persistent", at<&T::balance, &T::Balance::persistent>, 0, 1, "share"},
    ThresholdKey{"locality", "remote_bytes", at<&T::locality, &T::Locality::remoteBytes>, 0, 1, "share"},
    ThresholdKey{"locality", "idle_share", at<&T::locality, &T::Locality::idleShare>, 0, 1, "share"},
    ThresholdKey{"scheduling", "idle", at<&T::scheduling, &T::Scheduling::idle>, 0, 1, "share"},
    ThresholdKey{"scheduling", "overtaking", at<&T::scheduling, &T::Scheduling::overtaking>, 0, 1, "share"},
    ThresholdKey{"scheduling", "good", at<&T::scheduling, &T::Scheduling::good>, 0, 1, "share"},
    ThresholdKey{"scheduling", "least_count", at<&T::scheduling, &T::Scheduling::leastCount>, 1, 1e12, "count"},
    ThresholdKey{"scheduling", "start", at<&T::scheduling, &T::Scheduling::start>, 0, 1, "share"},
    ThresholdKey{"latency", "idle_share", at<&T::latency, &T::Latency::idleShare>, 0, 1, "share"},
    ThresholdKey{"latency", "hot_receiver", at<&T::latency, &T::Latency::hotReceiver>, 1, 1e6, "ratio"},
    ThresholdKey{"latency", "small_bytes", at<&T::latency, &T::Latency::smallBytes>, 0, 1e12, "bytes"},
    ThresholdKey{"latency", "small_share", at<&T::latency, &T::Latency::smallShare>, 0, 1, "share"},
    ThresholdKey{"synchronization", "idle_share", at<&T::synchronization, &T::Synchronization::idleShare>, 0, 1,
                 "share"},
    ThresholdKey{"speculative", "share", at<&T::speculative, &T::Speculative::share>, 0, 1, "share"},
    ThresholdKey{"serial_chain", "share", at<&T::serialChain, &T::SerialChain::share>, 0, 1, "share"},
    ThresholdKey{"bottleneck", "busy", at<&T::bottleneck, &T::Bottleneck::busy>, 0, 1, "share"},
    ThresholdKey{"without", "interrupted", at<&T::without, &T::Without::interrupted>, 0, 1, "count", true},
    ThresholdKey{"without", "startup", at<&T::without, &T::Without::startup>, 0, 1, "count", true},
};

QString text(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

QString written(double value) { return QString::number(value, 'g', 12); }

QStringList sections()
{
    QStringList names;
    for (const ThresholdKey& key : keys)
        if (const QString name = QString::fromLatin1(key.section); !names.contains(name)) names << name;
    return names;
}

QStringList keysOf(const QString& section)
{
    QStringList names;
    for (const ThresholdKey& key : keys)
        if (section == QLatin1String(key.section)) names << QString::fromLatin1(key.key);
    return names;
}

class Reading {
public:
    explicit Reading(QString name) : m_name(std::move(name)) {}

    Result<Thresholds> read(const toml::table& file)
    {
        for (const auto& [name, node] : file)
            if (const Result<> section = readSection(text(name.str()), name, node); !section) return section.error();
        return ordered();
    }

    Error error(const toml::source_region& place, const QString& what, const QString& hint) const
    {
        return {what, tr("%1, line %2").arg(m_name, QString::number(place.begin.line)), hint};
    }

private:
    Result<> readSection(const QString& section, const toml::key& name, const toml::node& node)
    {
        const QStringList known = sections();
        if (!known.contains(section)) {
            const bool isKey = !node.is_table();
            return error(name.source(),
                         isKey ? tr("\"%1\" stands outside any section").arg(section)
                               : tr("Unknown section [%1]%2").arg(section, suggestion(section, known)),
                         isKey ? sectionsOf(section) : tr("Sections are %1.").arg(known.join(QStringLiteral(", "))));
        }
        const toml::table* table = node.as_table();
        if (!table)
            return error(name.source(), tr("\"%1\" is a section").arg(section),
                         tr("Write [%1] on a line.").arg(section));
        for (const auto& [key, value] : *table)
            if (const Result<> done = readKey(section, key, value); !done) return done.error();
        return Unit{};
    }

    static QString sectionsOf(const QString& key)
    {
        QStringList found;
        for (const QString& section : sections())
            if (keysOf(section).contains(key)) found << QLatin1Char('[') + section + QLatin1Char(']');
        return found.isEmpty() ? tr("Write a section such as [when] above it.")
                               : tr("It belongs below %1.").arg(found.join(tr(" or ")));
    }

    Result<> readKey(const QString& section, const toml::key& name, const toml::node& node)
    {
        const QString typed = text(name.str());
        const auto key = std::find_if(keys.begin(), keys.end(), [&](const ThresholdKey& k) {
            return section == QLatin1String(k.section) && typed == QLatin1String(k.key);
        });
        if (key == keys.end()) {
            const QStringList known = keysOf(section);
            return error(name.source(),
                         tr("Unknown key \"%1\" in [%2]%3").arg(typed, section, suggestion(typed, known)),
                         tr("Keys of [%1] are %2.").arg(section, known.join(QStringLiteral(", "))));
        }
        const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
        if (!value) return error(node.source(), tr("%1.%2 is no number").arg(section, typed), boundsText(*key));
        if (!(*value >= key->least && *value <= key->most))
            return error(node.source(), tr("%1.%2 = %3 is out of range").arg(section, typed, written(*value)),
                         boundsText(*key));
        if (key->isWhole && *value != std::floor(*value))
            return error(node.source(), tr("%1.%2 = %3 is no whole number").arg(section, typed, written(*value)),
                         boundsText(*key));
        key->of(m_thresholds) = *value;
        m_places[static_cast<std::size_t>(key - keys.begin())] = node.source();
        return Unit{};
    }

    static QString boundsText(const ThresholdKey& key)
    {
        return tr("It takes %1 from %2 to %3 (%4).")
            .arg(key.isWhole ? tr("a whole number") : tr("a number"), written(key.least), written(key.most),
                 QLatin1String(key.unit));
    }

    Result<Thresholds> ordered() const
    {
        struct Order {
            const char* section;
            const char* lower;
            const char* upper;
        };
        for (const Order& order :
             {Order{"when", "utilization", "exit"}, {"shared", "updates_rare", "updates_frequent"}}) {
            const auto of = [&](const char* key) {
                return std::find_if(keys.begin(), keys.end(), [&](const ThresholdKey& k) {
                    return qstrcmp(k.section, order.section) == 0 && qstrcmp(k.key, key) == 0;
                });
            };
            const auto lower = of(order.lower), upper = of(order.upper);
            const double least = lower->valueIn(m_thresholds), most = upper->valueIn(m_thresholds);
            if (least <= most) continue;
            const toml::source_region place = std::max(m_places[static_cast<std::size_t>(lower - keys.begin())],
                                                       m_places[static_cast<std::size_t>(upper - keys.begin())],
                                                       [](const auto& a, const auto& b) { return a.begin < b.begin; });
            return error(place,
                         tr("%1.%2 = %3 lies above %4 = %5")
                             .arg(QLatin1String(order.section), QLatin1String(order.lower), written(least),
                                  QLatin1String(order.upper), written(most)),
                         tr("Set both."));
        }
        return m_thresholds;
    }

    QString m_name;
    Thresholds m_thresholds;
    std::array<toml::source_region, keys.size()> m_places{};
};

// Whether no name has more than so many parts ("a.b.c"): the library makes a table of each, in the one before, and
// destroys them by calling itself. What stands in quotes or behind # is no part. Texts of several lines, in which
// quotes mean something else, are not looked into: nothing of ours has one.
bool hasShortNames(std::string_view toml)
{
    if (toml.find("\"\"\"") != std::string_view::npos || toml.find("'''") != std::string_view::npos) return false;
    constexpr int mostParts = 8;  // those of thresholds have two
    int dots = 0;
    char quote = 0;
    bool isComment = false;
    for (std::size_t i = 0; i < toml.size(); ++i) {
        const char c = toml[i];
        if (quote != 0) {
            if (c == '\\' && quote == '"') ++i;
            else if (c == quote || c == '\n') quote = 0;
        } else if (c == '\n' || isComment) {
            isComment = c != '\n';
            dots = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            isComment = true;
        } else if (c == '.') {
            if (++dots >= mostParts) return false;
        } else if (c == '=' || c == ',' || c == '[' || c == '{') {
            dots = 0;
        }
    }
    return true;
}

}  // namespace

std::span<const ThresholdKey> thresholdKeys() { return keys; }

QByteArray defaultThresholdsFile()
{
    loadThresholdsFile();
    QFile file(QStringLiteral(":/thresholds/thresholds.toml"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Result<Thresholds> parseThresholds(const QByteArray& bytes, const QString& name)
{
    const std::string_view written(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    if (!hasShortNames(written))
        return Error{tr("Not a file of thresholds: a name has too many parts, or a text several lines."), name,
                     QString()};
    Reading reading(name);
    try {
        return reading.read(toml::parse(written));
    } catch (const toml::parse_error& error) {  // the library reports errors so
        return reading.error(error.source(), tr("Not TOML: %1").arg(text(error.description())),
                             tr("\"longpole tree --default-thresholds\" shows a file as it has to be."));
    }
}

Result<Thresholds> readThresholds(const QString& name)
{
    constexpr qint64 most = 1 << 20;
    const Result<QByteArray> bytes = bytesOfNamedFile(name, most);
    if (!bytes)
        return Error{tr("The file of thresholds cannot be read: %1.").arg(bytes.error().what), name,
                     tr("'longpole tree --default-thresholds' writes one.")};
    return parseThresholds(*bytes, name);
}

}  // namespace longpole
