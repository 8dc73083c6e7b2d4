// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the run the hits of a search lie, as thin bars, with a mark at the selected one.
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

    void setCounts(const std::vector<std::int64_t>& counts);  // of equal parts of the run; hidden while all are zero
    void setPlace(std::optional<double> share);               // of the mark, 0..1 of the run; empty: none
    bool hasHits() const;
    const std::vector<std::int64_t>& counts() const { return m_counts; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<std::int64_t> m_counts;
    std::optional<double> m_place;
};

}  // namespace longpole
