// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the run the hits of a search lie: a few thin bars and the place of the one that is shown.
#pragma once

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

class HitHistogram : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t bins = 48;

    explicit HitHistogram(QWidget* parent = nullptr);

    void setCounts(const std::vector<std::int64_t>& counts);  // over the run in equal parts; hidden while all are zero
    void setPlace(std::optional<double> share);               // 0..1 of the run
    const std::vector<std::int64_t>& counts() const { return m_counts; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<std::int64_t> m_counts;
    std::optional<double> m_place;
};

}  // namespace longpole
