// SPDX-License-Identifier: GPL-3.0-or-later
// What the causes of idle time are called in every table, panel and report.
#include "analysis/waiting/idlelabels.h"

#include "core/base/translate.h"

namespace longpole {

QString title(IdleCause cause)
{
    switch (cause) {
    case IdleCause::End: return tr("finished");
    case IdleCause::Synchronization: return tr("collective");
    case IdleCause::Latency: return tr("in transit");
    case IdleCause::Scheduling: return tr("arrived but not started");
    case IdleCause::Imbalance: return tr("not sent yet (others busy)");
    case IdleCause::Parallelism: break;
    }
    return tr("not sent yet (no work)");
}

QString explanation(Vocabulary words, IdleCause cause)
{
    switch (cause) {
    case IdleCause::End: return words.say(tr("No later task ran on that PE."), tr("No later task ran on that rank."));
    case IdleCause::Synchronization:
        return words.say(
            tr("The idling ended with a reduction, a broadcast, a barrier or quiescence."),
            tr("The idling ended with a collective call of all ranks, or with what the rank's own threads or "
               "devices did."));
    case IdleCause::Latency: return tr("The message that ended the idling was in transit.");
    case IdleCause::Scheduling: return tr("The message that ended the idling had arrived already.");
    case IdleCause::Imbalance:
        return words.say(tr("The message that ended the idling was not sent yet, while tasks waited on other PEs."),
                         tr("The rank waited for a message or call of another rank that came late."));
    case IdleCause::Parallelism: break;
    }
    return tr("The message that ended the idling was not sent yet, and no task waited anywhere.");
}

}  // namespace longpole
