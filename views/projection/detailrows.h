// SPDX-License-Identifier: GPL-3.0-or-later
// The order of a detailed view's rows, the clusters they form, and the outliers of each cluster.
#pragma once

#include "analysis/projection/stagequestions.h"
#include "views/projection/projectionfeed.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

enum class RowOrder : std::uint8_t { Number, Total, Largest, Similarity, Affinity, ByAttribute };
enum class ClusterBy : std::uint8_t { None, Stages, Attributes };

struct RowChoiceOfDetail {
    RowOrder order = RowOrder::Number;
    std::optional<Attribute> attribute{};  // for ByAttribute
    ClusterBy clusters = ClusterBy::None;
    std::optional<std::size_t> k{};  // the number of clusters; empty: that with the best silhouette
    friend bool operator==(const RowChoiceOfDetail&, const RowChoiceOfDetail&) = default;
};

struct OutlierText {
    std::size_t pe = 0;  // index into the projection's PEs
    std::size_t cluster = 0;
    double distance = 0;
    QString reason;  // "PE 7: idle 62.0 %, its cluster 31.0 % ± 3.0 %"
};

class DetailRows : public QObject {
    Q_OBJECT
public:
    explicit DetailRows(ViewState& state, QObject* parent = nullptr);

    const RowChoiceOfDetail& choice() const { return m_choice; }
    void setChoice(const RowChoiceOfDetail& choice);
    // The projection whose rows are ordered; null: none. Orders and clusters that need other attributes or take long
    // follow with changed().
    void setProjection(ProjectionPtr projection);

    const std::vector<std::size_t>& order() const { return m_order; }  // by row: index into the projection's PEs
    const RowClusters& clusters() const { return m_clusters; }         // by the projection's PEs; maybe not asked for
    const std::vector<OutlierText>& outliers() const { return m_outliers; }
    bool isWorking() const { return m_job.isRunning() || m_feed.isWorking() || m_affinity.isRunning(); }
    const std::optional<Error>& error() const { return m_error; }
    QString clusterText() const;  // "3 clusters (silhouette 0.81): 40, 20, 4 PEs; 2 outliers"

Q_SIGNALS:
    void changed();

private:
    void update();
    void askFeed();
    void acceptFeed();
    void findClusters(std::vector<ProjectionPtr> projections, bool byStages);
    void accept(const RowGroups& found);
    void findAffinity();
    void arrange();
    bool needsClusters() const;
    std::vector<double> sortValues() const;
    QString reasonOf(const RowOutlier& outlier, const RowVectors& vectors) const;

    ViewState& m_state;
    RowChoiceOfDetail m_choice;
    ProjectionPtr m_projection;
    std::vector<std::size_t> m_order;
    std::vector<std::size_t> m_affinityOrder;
    RowClusters m_clusters;
    std::vector<OutlierText> m_outliers;
    std::optional<Error> m_error;
    ProjectionFeed m_feed;  // for the attribute that sorts, and for those by which rows are clustered
    Watch<RowGroupsQuestion> m_job;
    Watch<AffinityQuestion> m_affinity;
};

}  // namespace longpole
