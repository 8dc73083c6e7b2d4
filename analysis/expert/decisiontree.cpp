// SPDX-License-Identifier: GPL-3.0-or-later
// The list of nodes, and going down it: a branch is followed while it lost enough, its leaves are judged one by one.
#include "analysis/expert/decisiontree.h"

#include "analysis/expert/nodes.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/base/wide.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace longpole {

namespace {

enum class Asked : std::uint8_t { Always, OfObjects, OfRanks };  // of message-driven runs, of MPI runs

struct NodeSpec {
    const char* id;
    const char* letter;
    const char* parent;
    Saying question;
    Result<Judged> (*judge)(const TreeFacts& facts, TreeNode node);
    // Among leaves that lost about the same, the one with the lowest rank, which is the most specific cause, leads. 0:
    // not a leaf.
    int rank;
    Asked asked = Asked::Always;
};

constexpr std::array specs{
    NodeSpec{"cores", "K", "", QT_TRANSLATE_NOOP("longpole", "Did every rank have a core?"), judgeCores, 1,
             Asked::OfRanks},
    NodeSpec{"when", "", "", QT_TRANSLATE_NOOP("longpole", "When did the run do badly?"), judgeWhen, 0},
    NodeSpec{"where",
             "",
             "when",
             {QT_TRANSLATE_NOOP("longpole", "Did some PEs do worse than others?"),
              QT_TRANSLATE_NOOP("longpole", "Did some ranks do worse than others?")},
             judgeWhere,
             0},
    NodeSpec{"kind", "", "where", QT_TRANSLATE_NOOP("longpole", "In which kind of time was it lost?"), judgeKind, 0},
    NodeSpec{"idle",
             "",
             "kind",
             {QT_TRANSLATE_NOOP("longpole", "Why did PEs idle?"), QT_TRANSLATE_NOOP("longpole", "Why did ranks idle?")},
             judgeIdle,
             0},
    NodeSpec{"overhead", "", "kind", QT_TRANSLATE_NOOP("longpole", "What made the overhead?"), judgeOverhead, 0},
    NodeSpec{"user", "", "kind", QT_TRANSLATE_NOOP("longpole", "Was work done in vain?"), judgeUser, 0,
             Asked::OfObjects},
    NodeSpec{"parallelism", "A", "idle", QT_TRANSLATE_NOOP("longpole", "Are there enough tasks for all PEs?"),
             judgeParallelism, 11, Asked::OfObjects},
    NodeSpec{"grainsize", "B", "overhead", QT_TRANSLATE_NOOP("longpole", "Are tasks too small, or too long?"),
             judgeGrainsize, 2, Asked::OfObjects},
    NodeSpec{"mpi_time", "B", "overhead", QT_TRANSLATE_NOOP("longpole", "What does MPI itself take, beside waiting?"),
             judgeMpiTime, 2, Asked::OfRanks},
    NodeSpec{"shared_variables", "C", "overhead",
             QT_TRANSLATE_NOOP("longpole", "Does access to shared variables cost time?"), judgeSharedVariables, 3,
             Asked::OfObjects},
    NodeSpec{"load_balance", "D", "idle", QT_TRANSLATE_NOOP("longpole", "Does the work lie unevenly?"), judgeBalance,
             9},
    NodeSpec{"locality", "D2", "idle", QT_TRANSLATE_NOOP("longpole", "Do objects that talk to each other lie apart?"),
             judgeLocality, 6, Asked::OfObjects},
    NodeSpec{"scheduling", "E", "idle", QT_TRANSLATE_NOOP("longpole", "Do critical tasks wait while others run?"),
             judgeScheduling, 1, Asked::OfObjects},
    NodeSpec{"latency", "F", "idle", QT_TRANSLATE_NOOP("longpole", "Do PEs wait for messages in transit?"),
             judgeLatency, 7, Asked::OfObjects},
    NodeSpec{"late_messages", "F", "idle",
             QT_TRANSLATE_NOOP("longpole", "Do ranks wait for messages that are sent late?"), judgeLateMessages, 7,
             Asked::OfRanks},
    NodeSpec{"synchronization", "G", "idle", QT_TRANSLATE_NOOP("longpole", "Do PEs wait for reductions and barriers?"),
             judgeSynchronization, 8, Asked::OfObjects},
    NodeSpec{"synchronization", "G", "idle",
             QT_TRANSLATE_NOOP("longpole", "Do ranks wait for each other in collective calls?"), judgeCollectives, 8,
             Asked::OfRanks},
    NodeSpec{"speculative", "H", "user", QT_TRANSLATE_NOOP("longpole", "Was speculative work done in vain?"),
             judgeSpeculative, 10, Asked::OfObjects},
    NodeSpec{"serial_chain", "I", "idle", QT_TRANSLATE_NOOP("longpole", "Is the run one chain of tasks?"),
             judgeSerialChain, 5},
    NodeSpec{"bottleneck",
             "J",
             "idle",
             {QT_TRANSLATE_NOOP("longpole", "Does one PE hold the others up?"),
              QT_TRANSLATE_NOOP("longpole", "Does one rank hold the others up?")},
             judgeBottleneck,
             4},
};

const NodeSpec& specOf(const QString& id)
{
    return *std::find_if(specs.begin(), specs.end(),
                         [&id](const NodeSpec& spec) { return id == QLatin1String(spec.id); });
}

TreeNode blank(const NodeSpec& spec, Vocabulary words)
{
    return {.id = QString::fromLatin1(spec.id),
            .letter = QString::fromLatin1(spec.letter),
            .parent = QString::fromLatin1(spec.parent),
            .question = tr(words.say(spec.question))};
}

class Descent {
public:
    explicit Descent(const TreeFacts& facts) : m_facts(facts) {}

    Result<> judge(const NodeSpec& spec)
    {
        if (m_facts.progress.isCancelled()) return cancelledError();
        TreeNode node = blank(spec, m_facts.inputs.store.words());
        if (spec.rank == 0) {
            if (!reaches(node.parent)) return add(notFollowed(std::move(node)));
            return run(spec, std::move(node));
        }
        // These branches may belong below "idle" as well, which their judges find out.
        const bool hasChoice = spec.judge == judgeGrainsize || spec.judge == judgeSharedVariables;
        if (!reaches(node.parent) && !(hasChoice && reaches(QStringLiteral("idle")))) {
            // Judged although it is not reached, so that it says which events are missing.
            if (spec.judge == judgeSpeculative && reaches(QStringLiteral("kind"))) return run(spec, std::move(node));
            return add(notFollowed(std::move(node)));
        }
        if (!m_facts.hasTasks()) {
            const QString why = !m_facts.inputs.store.info().isSummary()
                                    ? tr("The trace has no tasks.")
                                    : tr("A summary holds no tasks or messages, only their sums.");
            return add(notJudged(std::move(node), why, {tr("tasks and messages (full logs)")}));
        }
        return run(spec, std::move(node));
    }

    DecisionTree finish(IdleLabels labels)
    {
        m_tree.checks = m_facts.inputs.health.checks;
        m_tree.idle = std::move(labels);
        m_tree.window = m_facts.scope.window;
        dropWhatOthersTell();
        saySameWaiting();
        std::stable_sort(m_tree.advice.begin(), m_tree.advice.end(), ranksBefore);
        for (TreeNode& node : m_tree.nodes) {
            if (const TreeNode* parent = m_tree.find(node.parent);
                parent != nullptr && node.verdict != Verdict::NotJudged)
                node.severity = std::min(node.severity, parent->severity);
            node.share = m_facts.share(node.severity);
        }
        const TreeNode* worst = leading();
        for (const TreeNode* at = worst; at != nullptr; at = m_tree.find(at->parent))
            if (at->verdict == Verdict::Fired) m_tree.path.insert(m_tree.path.begin(), at->id);
        if (worst == nullptr) followUpper();
        else if (worst != found("cores")) tellWhyLeading(*worst);
        return std::move(m_tree);
    }

private:
    // A branch goes on below a node that lost enough, in a run that did badly.
    bool reaches(const QString& parent) const
    {
        if (parent.isEmpty()) return true;
        const TreeNode* root = m_tree.find(QStringLiteral("when"));
        const TreeNode* node = m_tree.find(parent);
        return root->verdict == Verdict::Fired && node != nullptr && node->verdict != Verdict::NotFollowed
               && m_facts.isFollowed(node->severity);
    }

    Judged notFollowed(TreeNode node) const
    {
        node.verdict = Verdict::NotFollowed;
        const TreeNode* root = m_tree.find(QStringLiteral("when"));
        if (root->verdict != Verdict::Fired) {
            node.why = root->verdict == Verdict::NotJudged ? root->why : tr("The run was not slow at any time.");
            return {std::move(node), {}};
        }
        const TreeNode* parent = m_tree.find(node.parent);
        node.why = m_facts.inputs.store.words()
                       .say(tr("What this could explain is %1 of the run's PE-time: too small to look at."),
                            tr("What this could explain is %1 of the run's rank-time: too small to look at."))
                       .arg(formatShare(parent->share));
        return {std::move(node), {}};
    }

    Result<> run(const NodeSpec& spec, TreeNode node)
    {
        Result<Judged> judged = spec.judge(m_facts, std::move(node));
        if (!judged) return judged.error();
        // A judge may have chosen another parent, whose branch must be followed, too.
        if (!judged->node.parent.isEmpty() && judged->node.verdict != Verdict::NotJudged
            && !reaches(judged->node.parent) && judged->node.verdict == Verdict::Fired)
            judged->node.verdict = Verdict::NotFired;
        if (const Check* check = withdrawing(m_facts.inputs.health.checks, judged->node.id))
            withdraw(judged->node, *check);
        return add(std::move(*judged));
    }

    // What the trace contradicts is not claimed, neither that a cause was found nor that it was not.
    static void withdraw(TreeNode& node, const Check& check)
    {
        if (node.verdict != Verdict::Fired && node.verdict != Verdict::NotFired) return;
        node.verdict = Verdict::NotJudged;
        node.why = tr("Cannot be judged, because %1.").arg(check.because);
        node.needs = {check.needs};
        node.change.clear();
        node.severity = 0;
        node.evidence.clear();
        node.advice.clear();
    }

    Result<> add(Judged judged)
    {
        judged.node.share = m_facts.share(judged.node.severity);
        if (judged.node.verdict == Verdict::Fired)
            for (Advice& advice : judged.advice) {
                sayNumbers(advice, m_facts.inputs.store);
                m_tree.advice.push_back(std::move(advice));
            }
        m_tree.nodes.push_back(std::move(judged.node));
        return Unit{};
    }

    // Advice for the same waiting is given once, by the cause that says most of what to do.
    void dropWhatOthersTell()
    {
        for (TreeNode& node : m_tree.nodes) {
            const TreeNode* teller = node.verdict == Verdict::Fired ? tellerOf(node) : nullptr;
            if (teller == nullptr) continue;
            std::erase_if(m_tree.advice, [&node](const Advice& advice) { return advice.node == node.id; });
            node.advice = tr("%1: it is the same waiting").arg(teller->advice);
        }
    }

    // Of shared variables it is told besides, as it says what to do: but it is not lost twice.
    void saySameWaiting()
    {
        const TreeNode *bottleneck = found("bottleneck"), *shared = found("shared_variables");
        if (bottleneck == nullptr || shared == nullptr || shared->parent != QLatin1String("idle")) return;
        const Wide both = Wide{bottleneck->severity} + shared->severity - m_facts.scope.usage.idle;
        if (both <= 0 || Wide{2} * both < shared->severity) return;
        for (Advice& advice : m_tree.advice)
            if (advice.node == shared->id)
                advice.meaning += (advice.meaning.isEmpty() ? QString() : QStringLiteral(" "))
                                  % tr("It is the same waiting as that for PE %1.")
                                        .arg(index(m_facts.pes[m_facts.bottleneck.pe]));
    }

    const TreeNode* found(const char* id) const
    {
        const TreeNode* node = m_tree.find(QLatin1String(id));
        return node != nullptr && node->verdict == Verdict::Fired ? node : nullptr;
    }

    // The cause that explains at least half of what another one lost; null if none does. A bottleneck and another cause
    // cannot explain more idle time together than there is. What objects that lie apart, and variables that are asked
    // for from afar, wait for is messages in transit.
    const TreeNode* tellerOf(const TreeNode& node) const
    {
        const bool isOfIdling = node.parent == QLatin1String("idle") && specOf(node.id).rank > 0
                                && node.id != QLatin1String("scheduling")
                                && node.id != QLatin1String("shared_variables");
        if (const TreeNode* bottleneck = found("bottleneck");
            isOfIdling && bottleneck != nullptr && bottleneck != &node)
            if (Wide{2} * (Wide{bottleneck->severity} + node.severity - m_facts.scope.usage.idle) >= node.severity)
                return bottleneck;
        if (node.id != QLatin1String("latency")) return nullptr;
        if (const TreeNode* apart = found("locality")) return apart;
        const TreeNode* shared = found("shared_variables");
        return shared != nullptr && shared->severity >= node.severity ? shared : nullptr;
    }

    // The leaf with most severity x confidence, as advice is ranked; of those within a twentieth the most specific one.
    // Without a core nothing else can be relied on.
    const TreeNode* leading() const
    {
        if (const TreeNode* cores = found("cores")) return cores;
        double most = 0;
        for (const TreeNode& node : m_tree.nodes)
            if (specOf(node.id).rank > 0 && node.verdict == Verdict::Fired) most = std::max(most, weight(node));
        const TreeNode* leads = nullptr;
        for (const TreeNode& node : m_tree.nodes)
            if (specOf(node.id).rank > 0 && node.verdict == Verdict::Fired && weight(node) >= 0.95 * most
                && (leads == nullptr || specOf(node.id).rank < specOf(leads->id).rank))
                leads = &node;
        return leads;
    }

    // If another leaf lost more than the leading one, tells in the leading one why it leads.
    void tellWhyLeading(const TreeNode& leads)
    {
        const TreeNode* most = &leads;
        for (const TreeNode& node : m_tree.nodes)
            if (specOf(node.id).rank > 0 && node.verdict == Verdict::Fired && node.severity > most->severity)
                most = &node;
        if (most == &leads) return;
        const QString why = confidence(*most) < confidence(leads)
                                ? tr("%1 lost more (%2), but is less sure (%3 against %4).")
                                      .arg(most->letter, formatTime(most->severity), formatShare(confidence(*most)),
                                           formatShare(confidence(leads)))
                                : tr("%1 lost about as much (%2); the more specific cause comes first.")
                                      .arg(most->letter, formatTime(most->severity));
        for (TreeNode& node : m_tree.nodes)
            if (node.id == leads.id) node.why += QLatin1Char(' ') % why;
    }

    double weight(const TreeNode& node) const { return double(node.severity) * confidence(node); }

    double confidence(const TreeNode& node) const
    {
        double most = 0;
        for (const Advice& advice : m_tree.advice)
            if (advice.node == node.id) most = std::max(most, advice.confidence);
        return most > 0 ? most : 1;
    }

    // Sets the path if no leaf fired: as far down as nodes fired.
    void followUpper()
    {
        for (const TreeNode& node : m_tree.nodes)
            if (specOf(node.id).rank == 0 && node.verdict == Verdict::Fired
                && (m_tree.path.empty() || node.id == QLatin1String("where") || node.id == QLatin1String("kind")))
                m_tree.path.push_back(node.id);
    }

    const TreeFacts& m_facts;
    DecisionTree m_tree;
};

}  // namespace

const char* name(Verdict verdict)
{
    constexpr std::array<const char*, 4> names{"fired", "not_fired", "not_followed", "not_judged"};
    return names[static_cast<std::size_t>(verdict)];
}

QString title(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fired: return tr("found");
    case Verdict::NotFired: return tr("not found");
    case Verdict::NotFollowed: return tr("too small");
    case Verdict::NotJudged: break;
    }
    return tr("can't tell");
}

const char* name(MetricKind kind)
{
    constexpr std::array<const char*, 5> names{"share", "ratio", "ns", "count", "per_second"};
    return names[static_cast<std::size_t>(kind)];
}

QString metricText(MetricKind kind, double value)
{
    if (!std::isfinite(value)) return QStringLiteral("–");
    const auto whole = [](double number) {
        constexpr double most = 9e18;
        return static_cast<std::int64_t>(std::clamp(number, -most, most));
    };
    const auto counted = [whole](double count) {
        if (count == std::floor(count) || std::abs(count) >= 100) return formatCount(whole(std::round(count)));
        return QString::number(count, 'g', 3);
    };
    switch (kind) {
    case MetricKind::Share: return formatShare(value);
    case MetricKind::Ratio: return QString::number(value, 'f', std::abs(value) < 100 ? 2 : 0);
    case MetricKind::Time: return formatTime(whole(value));
    case MetricKind::Count: return counted(value);
    case MetricKind::Rate: break;
    }
    return tr("%1 /s").arg(counted(value));
}

const TreeNode* DecisionTree::find(const QString& id) const
{
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&id](const TreeNode& n) { return n.id == id; });
    return node == nodes.end() ? nullptr : &*node;
}

Result<DecisionTree> decisionTree(const TreeInputs& inputs, const Progress& progress)
{
    Result<TreeFacts> facts = treeFacts(inputs, progress);
    if (!facts) return facts.error();
    Descent descent(*facts);
    const Asked other = inputs.graph.hasRanks || inputs.store.info().hasRanks() ? Asked::OfObjects : Asked::OfRanks;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (specs[i].asked == other) continue;
        if (specs[i].judge == judgeCores && inputs.store.info().cores <= 0) continue;  // not known
        if (const Result<> judged = descent.judge(specs[i]); !judged) return judged.error();
        progress.report(double(i + 1) / double(specs.size()));
    }
    return descent.finish(std::move(facts->labels));
}

}  // namespace longpole
