// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/tablespec.h"

#include "core/file/tablesofall.h"
#include "core/file/tablesofparts.h"
#include "core/trace/storedanswers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace longpole {
namespace {

// The columns of a table, whose DDL is the only list of them: a line for each, beginning with its name behind two
// blanks.
constexpr std::size_t columnsOf(std::string_view ddl)
{
    std::size_t columns = 0;
    for (std::size_t at = ddl.find('\n'); at != std::string_view::npos; at = ddl.find('\n', at + 1)) {
        const std::string_view line = ddl.substr(at + 1, 3);
        columns += line.size() == 3 && line.starts_with("  ") && line[2] >= 'a' && line[2] <= 'z';
    }
    return columns;
}

// Answers are read and written by place (core/trace/storedanswers.h).
constexpr bool fitsAnswers()
{
    for (const AnswerSpec& answer : answerSpecs) {
        const auto* const spec = std::find_if(std::begin(tablesOfParts), std::end(tablesOfParts),
                                              [&](const TableSpec& one) {
                                                  return std::string_view(one.name) == answer.name;
                                              });
        if (spec == std::end(tablesOfParts) || columnsOf(spec->ddl) != answer.columns) return false;
    }
    return true;
}
static_assert(fitsAnswers());

constexpr auto specs = [] {
    std::array<TableSpec, std::size(tablesOfAll) + std::size(tablesOfParts)> both{};
    std::copy(std::begin(tablesOfParts), std::end(tablesOfParts),
              std::copy(std::begin(tablesOfAll), std::end(tablesOfAll), both.begin()));
    return both;
}();

}  // namespace

std::span<const TableSpec> tables(HasEvents has)
{
    return std::span(specs).first(has == HasEvents::All ? std::size(tablesOfAll) : specs.size());
}

}  // namespace longpole
