// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/detailrows.h"

#include "analysis/base/naming.h"
#include "analysis/projection/formula.h"
#include "core/trace/format.h"
#include "views/state/projectiontext.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace longpole {

namespace {

// The attributes that Projections' extrema tool looks at.
constexpr const char* traits[] = {"user", "idle", "overhead", "tasks", "grain_mean", "messages_created", "bytes_sent"};

std::vector<Attribute> traitsOf(const TraceStore& store)
{
    std::vector<Attribute> attributes;
    for (const char* name : traits)
        if (Result<Attribute> attribute = parseAttribute(QLatin1String(name), store);
            attribute && whyMissing(*attribute->spec, store).isEmpty())
            attributes.push_back(*attribute);
    return attributes;
}

double largestOf(const Projection& projection, std::size_t pe)
{
    double largest = std::nan("");
    for (std::size_t stage = 0; stage < projection.stages.count(); ++stage)
        largest = std::fmax(largest, projection.at(pe, stage));
    return largest;
}

}  // namespace

DetailRows::DetailRows(ViewState& state, QObject* parent) : QObject(parent), m_state(state), m_feed(state.projector())
{
    connect(&m_feed, &ProjectionFeed::changed, this, &DetailRows::acceptFeed);
}

void DetailRows::setChoice(const RowChoiceOfDetail& choice)
{
    if (m_choice == choice) return;
    m_choice = choice;
    update();
}

void DetailRows::setProjection(ProjectionPtr projection)
{
    if (m_projection == projection) return;
    const bool isSamePlace = m_projection && projection && m_projection->pes == projection->pes
                             && m_projection->stages.whole() == projection->stages.whole();
    m_projection = std::move(projection);
    if (!isSamePlace) {
        m_affinityOrder.clear();
        m_clusters = {};
        m_outliers.clear();
    }
    update();
}

bool DetailRows::needsClusters() const
{
    return m_choice.clusters != ClusterBy::None || m_choice.order == RowOrder::Similarity;
}

void DetailRows::update()
{
    m_error.reset();
    if (!m_projection) {
        m_job.cancel();
        m_affinity.cancel();
        m_order.clear();
        Q_EMIT changed();
        return;
    }
    if (!needsClusters()) {
        m_job.cancel();
        m_clusters = {};
        m_outliers.clear();
    }
    arrange();
    if (m_choice.order == RowOrder::Affinity && m_affinityOrder.empty()) findAffinity();
    askFeed();
    if (needsClusters() && m_choice.clusters != ClusterBy::Attributes) findClusters({m_projection}, true);
}

// Asks for the totals, so over a single stage, of the attributes that sort or cluster the rows.
void DetailRows::askFeed()
{
    std::vector<Attribute> attributes;
    if (needsClusters() && m_choice.clusters == ClusterBy::Attributes) attributes = traitsOf(m_state.store());
    if (m_choice.order == RowOrder::ByAttribute && m_choice.attribute) attributes.push_back(*m_choice.attribute);
    const TimeRange whole = m_projection->stages.whole();
    const ProjectionQuestion& asked = m_feed.question();
    std::optional<TimeRange> grain;
    if (m_state.taskFilter()) grain = m_state.taskFilter()->grain;
    if (asked.grain == grain && asked.attributes == attributes && asked.pes == m_projection->pes
        && asked.stages.whole() == whole) {
        if (!attributes.empty() && !m_feed.isWorking()) acceptFeed();
        return;
    }
    m_feed.ask({.attributes = std::move(attributes),
                .stages = equalStages(whole, 1),
                .pes = m_projection->pes,
                .path = m_state.path(),
                .grain = grain});
}

void DetailRows::acceptFeed()
{
    if (!m_projection || m_feed.question().attributes.empty()) return;
    if (m_feed.error()) m_error = m_feed.error();
    if (m_choice.order == RowOrder::ByAttribute) arrange();
    if (!needsClusters() || m_choice.clusters != ClusterBy::Attributes || !m_feed.isExact()) return;
    std::vector<ProjectionPtr> projections = m_feed.answers();
    projections.resize(traitsOf(m_state.store()).size());
    findClusters(std::move(projections), false);
}

void DetailRows::findClusters(std::vector<ProjectionPtr> projections, bool byStages)
{
    m_job.ask(m_state.results(), {std::move(projections), byStages, m_choice.k},
              [this](const Result<std::shared_ptr<const RowGroups>>& found) {
                  if (found.ok()) accept(**found);
              });
}

void DetailRows::accept(const RowGroups& found)
{
    if (!m_projection || found.vectors.rows != m_projection->pes.size()) return;
    m_clusters = found.clusters;
    m_outliers.clear();
    for (const RowOutlier& outlier : found.outliers)
        m_outliers.push_back({outlier.row, outlier.cluster, outlier.distance, reasonOf(outlier, found.vectors)});
    arrange();
}

void DetailRows::findAffinity()
{
    m_affinity.ask(m_state.results(), {m_projection->pes, m_projection->stages.whole()},
                   [this](const Result<std::shared_ptr<const AffinityQuestion::Answer>>& order) {
                       if (order.ok()) m_affinityOrder = **order;
                       else m_error = order.error();
                       arrange();
                   });
}

std::vector<double> DetailRows::sortValues() const
{
    if (m_choice.order == RowOrder::Total) return m_projection->perProcessor;
    std::vector<double> values;
    if (m_choice.order == RowOrder::Largest)
        for (std::size_t pe = 0; pe < m_projection->pes.size(); ++pe) values.push_back(largestOf(*m_projection, pe));
    if (m_choice.order == RowOrder::ByAttribute && !m_feed.answers().empty() && m_feed.answers().back())
        values = m_feed.answers().back()->perProcessor;
    return values;
}

void DetailRows::arrange()
{
    const std::size_t rows = m_projection->pes.size();
    m_order.resize(rows);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    if (const std::vector<double> values = sortValues(); values.size() == rows)
        std::stable_sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
            return !std::isnan(values[a]) && (std::isnan(values[b]) || values[a] > values[b]);
        });
    if (m_choice.order == RowOrder::Similarity && m_clusters.clusterOf.size() == rows)
        m_order = similarityOrder(m_clusters);
    if (m_choice.order == RowOrder::Affinity && m_affinityOrder.size() == rows) m_order = m_affinityOrder;
    Q_EMIT changed();
}

QString DetailRows::clusterText() const
{
    if (m_clusters.count() == 0) return {};
    QStringList sizes;
    for (const std::size_t size : m_clusters.sizes) sizes << formatCount(static_cast<std::int64_t>(size));
    QString text = m_clusters.count() == 1
                       ? m_state.store().words().say(tr("1 cluster: all PEs alike"), tr("1 cluster: all ranks alike"))
                       : m_state.store()
                             .words()
                             .say(tr("%1 clusters of %2 PEs (silhouette %3)"),
                                  tr("%1 clusters of %2 ranks (silhouette %3)"))
                             .arg(QString::number(m_clusters.count()), sizes.join(QStringLiteral(", ")),
                                  QString::number(m_clusters.silhouette, 'f', 2));
    if (m_outliers.size() == 1) text += tr(" · 1 outlier");
    else if (!m_outliers.empty()) text += counted(" · %1 outliers", " · %1 outlier", std::int64_t(m_outliers.size()));
    return text;
}

QString DetailRows::reasonOf(const RowOutlier& outlier, const RowVectors& vectors) const
{
    const bool isByAttribute = vectors.first.empty();
    const Attribute& attribute = isByAttribute ? m_feed.question().attributes[outlier.column] : m_projection->attribute;
    QString title = attributeTitle(attribute, m_state.store());
    AttributeUnit unit = attribute.unit();
    double factor = 1;
    if (isByAttribute && unit == AttributeUnit::Time && attribute.isAdditive()) {
        unit = AttributeUnit::Share;  // of the range, which is easier to compare than times
        factor = 1 / static_cast<double>(std::max<TimeNs>(1, m_projection->stages.whole().length()));
    }
    if (!isByAttribute) {
        const std::size_t first = vectors.first[outlier.column], last = vectors.first[outlier.column + 1] - 1;
        title += first == last ? tr(" in stage %1").arg(first) : tr(" in stages %1–%2").arg(first).arg(last);
    }
    const bool isOwn = m_clusters.clusterOf[outlier.row] == outlier.cluster;
    return m_state.store()
        .words()
        .say(tr("PE %1: %2 %3, %4 %5 ± %6"), tr("Rank %1: %2 %3, %4 %5 ± %6"))
        .arg(index(m_projection->pes[outlier.row]))
        .arg(title, attributeText(outlier.value * factor, unit), isOwn ? tr("its cluster") : tr("the nearest cluster"),
             attributeText(outlier.mean * factor, unit), attributeText(outlier.deviation * factor, unit));
}

}  // namespace longpole
