// SPDX-License-Identifier: GPL-3.0-or-later
// The attributes of a program (Sinha and Kale 1995, section 5.1: a = F(stage, processor)): the list of them, their
// names, and what each is made of.
#pragma once

#include "analysis/projection/stagequantity.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/vocabulary.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

enum class AttributeUnit : std::uint8_t { Time /*ns*/, Share /*0..1*/, Count, Bytes, Number };
enum class AttributeGroup : std::uint8_t { Time, Tasks, Messages, Mpi, Memory, Events, Statistics, Path };

// What an attribute can be restricted to.
enum class RestrictedTo : std::uint8_t {
    Nothing,
    Code,       // an entry method or chare
    Region,     // has to be: a user event, statistic or counter
    Call,       // the MPI calls of a name
    WaitState,  // one of MPI's
};

// An attribute is a quantity (additive), the larger of a quantity's values (LongestTask), or a quantity over another
// one. Overhead is Length - User - Idle.
struct AttributeSpec {
    const char* id;     // "bytes_sent": in formulas, on the command line, in JSON
    const char* title;  // untranslated, context "Attributes"
    Saying explanation;
    AttributeGroup group;
    AttributeUnit unit;
    StageQuantity top;
    std::optional<StageQuantity> bottom;  // empty: additive, or a maximum
    RestrictedTo restrictedTo;
    bool isEstimated;  // rests on receive times
};

std::span<const AttributeSpec> attributeSpecs();
constexpr const char* overheadId = "overhead";

class Formula;

// A spec with what it is restricted to, or a formula.
struct Attribute {
    const AttributeSpec* spec = nullptr;  // null: a formula
    Subject subject{};
    std::shared_ptr<const Formula> formula{};
    bool isAdditive() const;
    AttributeUnit unit() const;
};
bool operator==(const Attribute& a, const Attribute& b);

// "user", "user@Jacobi::compute", "events@step"; of a formula its text. parseAttribute() reads it again.
QString attributeName(const Attribute& attribute, const TraceStore& store);
// For people: "User time of Jacobi::compute".
QString attributeTitle(const Attribute& attribute, const TraceStore& store);
// A value with its unit: "12.3 ms", "42.1 %"; a dash where it is undefined.
QString attributeText(double value, AttributeUnit unit);
const char* unitName(AttributeUnit unit);  // "ns", "share", "count", "bytes", "number"

// A name as above, or a formula over names (formula.h). The part behind @ is an entry's name or id, a chare's name, a
// user event's or statistic's name or number, the name of an MPI call, or of a wait state as `longpole waits` names it.
// Errors: unknown (with the nearest names); needs a subject; has none.
Result<Attribute> parseAttribute(const QString& text, const TraceStore& store);
// Without formulas: the attribute of a plain name.
Result<Attribute> parsePlainAttribute(const QString& text, const TraceStore& store);

// False of what programs of the trace's kind do not have, such as MPI calls: it is not offered.
bool appliesTo(const AttributeSpec& spec, const TraceStore& store);

// Why a trace cannot show an attribute ("no memory samples were recorded"); empty: it can.
QString whyMissing(const AttributeSpec& spec, const TraceStore& store);
QString whyMissing(const Attribute& attribute, const TraceStore& store);  // of a formula, for its first such variable

// The structure of a program for choosing attributes (their "View-User-Parameters"): chares with their entry methods
// that ran or were sent to, user events, statistics.
struct AttributeNode {
    QString title;
    std::optional<Attribute> attribute{};  // empty: a heading
    QString missing{};                     // why it cannot be shown; empty: it can
    std::vector<AttributeNode> children{};
};
std::vector<AttributeNode> attributeTree(const TraceStore& store);

// What has to be measured, and the value made of it; the measures' order is that of measuresOf. NaN: undefined (0 / 0).
std::vector<Measure> measuresOf(const Attribute& attribute);
double valueOf(const Attribute& attribute, std::span<const double> measures);

}  // namespace longpole
