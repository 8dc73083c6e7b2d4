// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes as text: their names, what a trace has of them, and the tree to choose from (attribute.h).
#include "analysis/projection/attribute.h"

#include "analysis/base/entrychoice.h"
#include "analysis/base/naming.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/projection/formula.h"
#include "analysis/projection/stagetiles.h"
#include "core/base/nearestnames.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <set>

namespace longpole {

namespace {

QString words(const char* text) { return QCoreApplication::translate("Attributes", text); }

bool isSampled(RegionKind kind)
{
    return kind == RegionKind::Stat || kind == RegionKind::Counter || kind == RegionKind::UserSupplied;
}
bool isEvent(RegionKind kind)
{
    return kind == RegionKind::UserEvent || kind == RegionKind::Phase || kind == RegionKind::Function;
}
bool fits(const AttributeSpec& spec, RegionKind kind)
{
    if (spec.restrictedTo == RestrictedTo::Call) return kind == RegionKind::MpiCall;
    return spec.group == AttributeGroup::Events ? isEvent(kind) : isSampled(kind);
}

QString chareName(const TraceStore& store, std::uint32_t id)
{
    for (const Chare& chare : store.chares())
        if (index(chare.id) == id) return chare.name;
    return QString::number(id);
}

QString subjectName(const Subject& subject, const TraceStore& store)
{
    switch (subject.kind) {
    case Subject::Kind::Entry: {
        const Entry* entry = store.entry(EntryId{subject.id});
        return entry ? entryName(*entry) : QString::number(subject.id);
    }
    case Subject::Kind::Chare: return chareName(store, subject.id);
    case Subject::Kind::Region: {
        const Region* region = store.region(RegionId{subject.id});
        return region && !region->name.isEmpty() ? region->name : QString::number(subject.id);
    }
    case Subject::Kind::WaitState: return title(static_cast<WaitStateKind>(subject.id));
    case Subject::Kind::Program: break;
    }
    return {};
}

// The name, unless another subject would be read for it.
QString unambiguousName(const Subject& subject, const TraceStore& store)
{
    QString name = subjectName(subject, store);
    if (subject.kind == Subject::Kind::WaitState)
        return QLatin1String(longpole::name(static_cast<WaitStateKind>(subject.id)));
    if (subject.kind == Subject::Kind::Entry) {
        const Result<EntryId> read = parseEntry(store, name);
        if (!read || index(*read) != subject.id) return QString::number(subject.id);
    }
    if (subject.kind == Subject::Kind::Region) {
        const auto same = std::ranges::count_if(store.regions(), [&](const Region& r) { return r.name == name; });
        if (same != 1) return QStringLiteral("#") + QString::number(subject.id);
    }
    return name;
}

Result<Subject> parseRegion(const QString& text, const AttributeSpec& spec, const TraceStore& store)
{
    QStringList names;
    bool isNumber = false;
    const bool isId = text.startsWith(QLatin1Char('#'));
    const qlonglong number = (isId ? text.mid(1) : text).toLongLong(&isNumber);
    for (const Region& region : store.regions()) {
        if (!fits(spec, region.kind)) continue;
        const bool isThis = isId ? isNumber && index(region.id) == number : region.name == text;
        if (isThis) return subjectOf(region.id);
        names << region.name;
    }
    if (isNumber)
        for (const Region& region : store.regions())
            if (fits(spec, region.kind) && region.number == number) return subjectOf(region.id);
    const QString nearest = suggestion(text, names);
    return Error{.what = tr("Nothing that \"%1\" can be measured of is called \"%2\"").arg(QLatin1String(spec.id), text)
                         + (nearest.isEmpty() ? QStringLiteral(".") : nearest),
                 .where = text,
                 .hint = names.isEmpty() ? tr("The program recorded none.")
                                         : tr("There are: %1.").arg(names.mid(0, 8).join(QStringLiteral(", ")))};
}

Result<Subject> parseCode(const QString& text, const TraceStore& store)
{
    for (const Chare& chare : store.chares())
        if (chare.name == text) return subjectOf(chare.id);
    const Result<EntryId> entry = parseEntry(store, text);
    if (!entry) return entry.error();
    return subjectOf(*entry);
}

Result<Subject> parseWaitState(const QString& text)
{
    if (const auto kind = waitStateNamed(text))
        return Subject{Subject::Kind::WaitState, static_cast<std::uint32_t>(*kind)};
    QStringList names;
    for (std::size_t i = 0; i < waitStateKinds; ++i) names << QLatin1String(name(static_cast<WaitStateKind>(i)));
    const QString nearest = suggestion(text, names);
    return Error{.what = tr("There is no wait state \"%1\"").arg(text)
                         + (nearest.isEmpty() ? QStringLiteral(".") : nearest),
                 .where = text,
                 .hint = tr("There are: %1.").arg(names.join(QStringLiteral(", ")))};
}

Result<Subject> parseSubject(const QString& text, const AttributeSpec& spec, const TraceStore& store)
{
    switch (spec.restrictedTo) {
    case RestrictedTo::Region:
    case RestrictedTo::Call: return parseRegion(text, spec, store);
    case RestrictedTo::WaitState: return parseWaitState(text);
    case RestrictedTo::Nothing:
    case RestrictedTo::Code: break;
    }
    return parseCode(text, store);
}

Error unknownAttribute(const QString& name)
{
    QStringList names;
    for (const AttributeSpec& spec : attributeSpecs()) names << QLatin1String(spec.id);
    const QString nearest = suggestion(name, names);
    return Error{.what = tr("There is no attribute \"%1\"").arg(name)
                         + (nearest.isEmpty() ? QStringLiteral(".") : nearest),
                 .where = name,
                 .hint = tr("'longpole project TRACE --list' names all.")};
}

// Entries that ran or that something was sent to: of many those that took most time.
constexpr std::size_t mostEntries = 4096;
struct UsedEntries {
    std::set<EntryId> shown{};
    std::size_t others = 0;
};
UsedEntries usedEntries(const TraceStore& store)
{
    std::map<EntryId, TimeNs> times;
    for (const ProfileRow& row : store.profile()) addSaturating(times[row.entry], row.exclusive);
    std::vector<std::pair<TimeNs, EntryId>> most;
    most.reserve(times.size());
    for (const auto& [entry, time] : times) most.emplace_back(-time, entry);
    std::sort(most.begin(), most.end());
    if (most.size() > mostEntries) most.resize(mostEntries);
    UsedEntries used;
    for (const auto& [time, entry] : most) used.shown.insert(entry);
    used.others = times.size() - most.size();
    return used;
}

AttributeNode nodeOf(const AttributeSpec& spec, const Subject& subject, const TraceStore& store)
{
    return {.title = words(spec.title),
            .attribute = Attribute{.spec = &spec, .subject = subject},
            .missing = whyMissing(spec, store)};
}

// The attributes of such subjects, of one after the other: what is missing is asked once, and their texts are shared.
class SharedNodes {
public:
    SharedNodes(const TraceStore& store, RestrictedTo subjects)
    {
        for (const AttributeSpec& spec : attributeSpecs())
            if (spec.restrictedTo == subjects) m_nodes.push_back(nodeOf(spec, {}, store));
    }
    AttributeNode of(const QString& title, const Subject& subject) const
    {
        return of(title, subject, [](const AttributeSpec&) { return true; });
    }
    template <typename IsWanted>
    AttributeNode of(const QString& title, const Subject& subject, IsWanted isWanted) const
    {
        AttributeNode node{.title = title};
        for (const AttributeNode& shared : m_nodes) {
            if (!isWanted(*shared.attribute->spec)) continue;
            node.children.push_back(shared);
            node.children.back().attribute->subject = subject;
        }
        return node;
    }

private:
    std::vector<AttributeNode> m_nodes;
};

void addProgram(std::vector<AttributeNode>& tree, const TraceStore& store)
{
    const UsedEntries used = usedEntries(store);
    const SharedNodes code(store, RestrictedTo::Code);
    std::map<std::uint32_t, std::vector<const Entry*>> byChare;
    for (const Entry& entry : store.entries())
        if (used.shown.contains(entry.id)) byChare[index(entry.chareId)].push_back(&entry);
    for (const auto& [chare, entries] : byChare) {
        AttributeNode node = code.of(chareName(store, chare), Subject{Subject::Kind::Chare, chare});
        for (const Entry* entry : entries) node.children.push_back(code.of(entryName(*entry), subjectOf(entry->id)));
        tree.push_back(std::move(node));
    }
    if (used.others > 0)
        tree.push_back({.title = tr("Others"),
                        .missing = store.words().say(
                            counted("%1 more entry methods, for which formulas can ask.",
                                    "%1 more entry method, for which formulas can ask.", std::int64_t(used.others)),
                            counted("%1 more regions, for which formulas can ask.",
                                    "%1 more region, for which formulas can ask.", std::int64_t(used.others)))});
}

void addRegions(std::vector<AttributeNode>& tree, const TraceStore& store, AttributeGroup group, const QString& title)
{
    AttributeNode heading{.title = title};
    const SharedNodes ofRegions(store, RestrictedTo::Region);
    std::int64_t others = 0;
    for (const Region& region : store.regions()) {
        const auto isOf = [&](const AttributeSpec& spec) { return spec.group == group && fits(spec, region.kind); };
        if (heading.children.size() >= mostEntries) {
            others += std::ranges::any_of(attributeSpecs(), [&](const AttributeSpec& spec) {
                return spec.restrictedTo == RestrictedTo::Region && isOf(spec);
            });
            continue;
        }
        const Subject subject = subjectOf(region.id);
        AttributeNode node = ofRegions.of(subjectName(subject, store), subject, isOf);
        if (!node.children.empty()) heading.children.push_back(std::move(node));
    }
    if (others > 0)
        heading.children.push_back({.title = tr("Others"),
                                    .missing = counted("%1 more, for which formulas can ask.",
                                                       "%1 more, for which formulas can ask.", others)});
    if (!heading.children.empty()) tree.push_back(std::move(heading));
}

// A heading for each MPI call that the program made, and the wait states.
void addCalls(std::vector<AttributeNode>& nodes, const TraceStore& store)
{
    if (!store.info().hasRanks()) return;
    AttributeNode states{.title = words(QT_TRANSLATE_NOOP("Attributes", "Wait states"))};
    for (const AttributeSpec& spec : attributeSpecs()) {
        if (spec.restrictedTo != RestrictedTo::WaitState) continue;
        for (std::uint32_t kind = 0; kind < waitStateKinds; ++kind)
            states.children.push_back({.title = title(static_cast<WaitStateKind>(kind)),
                                       .attribute = Attribute{.spec = &spec,
                                                              .subject = {Subject::Kind::WaitState, kind}},
                                       .missing = whyMissing(spec, store)});
    }
    nodes.push_back(std::move(states));
    const SharedNodes ofCalls(store, RestrictedTo::Call);
    std::size_t calls = 0;
    for (const Region& region : store.regions())
        if (region.kind == RegionKind::MpiCall && calls++ < mostEntries)
            nodes.push_back(ofCalls.of(subjectName(subjectOf(region.id), store), subjectOf(region.id)));
}

}  // namespace

QString attributeName(const Attribute& attribute, const TraceStore& store)
{
    if (attribute.formula) return attribute.formula->text();
    const QString id = QLatin1String(attribute.spec->id);
    if (attribute.subject.kind == Subject::Kind::Program) return id;
    return id + QLatin1Char('@') + unambiguousName(attribute.subject, store);
}

QString attributeTitle(const Attribute& attribute, const TraceStore& store)
{
    if (attribute.formula) return attribute.formula->text();
    const QString title = words(attribute.spec->title);
    if (attribute.subject.kind == Subject::Kind::Program) return title;
    return QCoreApplication::translate("Attributes", "%1 · %2").arg(title, subjectName(attribute.subject, store));
}

Result<Attribute> parsePlainAttribute(const QString& text, const TraceStore& store)
{
    const qsizetype at = text.indexOf(QLatin1Char('@'));
    const QString id = (at < 0 ? text : text.left(at)).trimmed();
    const QString subject = at < 0 ? QString() : text.mid(at + 1).trimmed();
    const auto specs = attributeSpecs();
    const auto spec = std::ranges::find_if(specs, [&](const AttributeSpec& s) { return id == QLatin1String(s.id); });
    if (spec == specs.end()) return unknownAttribute(id);
    Attribute attribute{.spec = &*spec};
    if (at < 0) {
        if (spec->restrictedTo == RestrictedTo::Region)
            return Error{.what = tr("\"%1\" is about one user event or statistic.").arg(id),
                         .where = text,
                         .hint = tr("Write %1@NAME.").arg(id)};
        return attribute;
    }
    if (spec->restrictedTo == RestrictedTo::Nothing)
        return Error{.what = store.words()
                                 .say(tr("\"%1\" cannot be split by entry method."),
                                      tr("\"%1\" cannot be split by region."))
                                 .arg(id),
                     .where = text,
                     .hint = tr("Leave out \"@%1\".").arg(subject)};
    const Result<Subject> found = parseSubject(subject, *spec, store);
    if (!found) return found.error();
    attribute.subject = *found;
    return attribute;
}

Result<Attribute> parseAttribute(const QString& text, const TraceStore& store)
{
    Result<Attribute> plain = parsePlainAttribute(text.trimmed(), store);
    const QString id = text.section(QLatin1Char('@'), 0, 0).trimmed();
    const bool isName = !id.isEmpty()
                        && std::ranges::all_of(id, [](QChar c) { return c.isLetter() || c == QLatin1Char('_'); });
    if (plain || isName) return plain;
    const auto formula = Formula::parse(text, store);
    if (!formula) return formula.error();
    return Attribute{.spec = nullptr, .subject = {}, .formula = *formula};
}

bool appliesTo(const AttributeSpec& spec, const TraceStore& store)
{
    if (spec.group == AttributeGroup::Mpi) return store.info().hasRanks();
    const bool isOfQueues = spec.isEstimated;  // by when messages came
    return (spec.top != StageQuantity::Pack && !isOfQueues) || !store.info().hasRanks();
}

QString whyMissing(const AttributeSpec& spec, const TraceStore& store)
{
    if (!appliesTo(spec, store))
        return spec.group == AttributeGroup::Mpi ? tr("The program does not use MPI.")
                                                 : tr("Programs that use MPI have nothing of that kind.");
    // A summary has what its bins have, and marks.
    if (store.info().isPart()) return requireEvents(store).error().what;
    if (store.info().isSummary() && spec.restrictedTo != RestrictedTo::Region)
        return isInTiles(Attribute{.spec = &spec}, store) ? QString() : requireEvents(store).error().what;
    const auto hasChunks = [&store](ChunkKind kind) { return !store.chunks(kind).empty(); };
    const auto hasRegion = [&](auto isWanted) {
        return std::ranges::any_of(store.regions(), [&](const Region& r) { return isWanted(r.kind); });
    };
    switch (spec.group) {
    case AttributeGroup::Memory:
        return hasRegion([](RegionKind k) { return k == RegionKind::Memory; })
                   ? QString()
                   : tr("The program recorded no memory use.");
    case AttributeGroup::Events: return hasRegion(isEvent) ? QString() : tr("The program recorded no user events.");
    case AttributeGroup::Statistics:
        return hasRegion(isSampled) ? QString() : tr("The program recorded no statistics.");
    case AttributeGroup::Time: return {};
    case AttributeGroup::Messages:
        return hasChunks(ChunkKind::Task) || hasChunks(ChunkKind::Message) ? QString()
                                                                           : tr("The trace holds no messages.");
    case AttributeGroup::Mpi: return hasChunks(ChunkKind::MpiCall) ? QString() : tr("The trace holds no MPI calls.");
    case AttributeGroup::Tasks:
    case AttributeGroup::Path: break;
    }
    return hasChunks(ChunkKind::Task) ? QString() : tr("The trace holds no tasks.");
}

QString whyMissing(const Attribute& attribute, const TraceStore& store)
{
    if (attribute.spec) return whyMissing(*attribute.spec, store);
    for (const Attribute& variable : attribute.formula->variables())
        if (QString missing = whyMissing(*variable.spec, store); !missing.isEmpty()) return missing;
    return {};
}

std::vector<AttributeNode> attributeTree(const TraceStore& store)
{
    static constexpr std::pair<AttributeGroup, const char*> groups[] = {
        {AttributeGroup::Time, QT_TRANSLATE_NOOP("Attributes", "Time")},
        {AttributeGroup::Path, QT_TRANSLATE_NOOP("Attributes", "Critical path")},
        {AttributeGroup::Tasks, QT_TRANSLATE_NOOP("Attributes", "Tasks")},
        {AttributeGroup::Messages, QT_TRANSLATE_NOOP("Attributes", "Messages")},
        {AttributeGroup::Mpi, QT_TRANSLATE_NOOP("Attributes", "MPI")},
        {AttributeGroup::Memory, QT_TRANSLATE_NOOP("Attributes", "Memory")},
    };
    std::vector<AttributeNode> tree;
    for (const auto& [group, title] : groups) {
        AttributeNode heading{.title = words(title)};
        for (const AttributeSpec& spec : attributeSpecs())
            if (spec.group == group && appliesTo(spec, store)) heading.children.push_back(nodeOf(spec, {}, store));
        if (group == AttributeGroup::Mpi) addCalls(heading.children, store);
        if (!heading.children.empty()) tree.push_back(std::move(heading));
    }
    AttributeNode program{.title = words(QT_TRANSLATE_NOOP("Attributes", "Program"))};
    addProgram(program.children, store);
    tree.push_back(std::move(program));
    addRegions(tree, store, AttributeGroup::Events, words(QT_TRANSLATE_NOOP("Attributes", "User events")));
    addRegions(tree, store, AttributeGroup::Statistics, words(QT_TRANSLATE_NOOP("Attributes", "Statistics")));
    return tree;
}

}  // namespace longpole
