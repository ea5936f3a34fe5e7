/* The issue stage that load and store share. */
#include "base/integer.h"
#include "sim/timing/machine.h"

void issue_start(struct issue *issue, const struct weft_burst_walk *walk, uint32_t region) {
    issue->active = true;
    issue->region = region;
    issue->walk = *walk;
    issue->burst = weft_burst_current(walk);
}

uint64_t issue_idle(const struct machine *machine, const struct issue *issue) {
    return issue->active ? NEVER : weft_max_u64(machine->now + 1, issue->idle_from);
}

/* The first cycle after now in which the pending burst is requested. The oldest bursts end first,
 * each in the cycle after its last beat, until the limits are kept. */
static uint64_t issue_request(const struct machine *machine, const struct issue *issue) {
    const struct outstanding *outstanding = &issue->outstanding;
    uint64_t cycle = machine->now + 1;
    uint64_t beats = outstanding->beats + issue->burst.beats;
    unsigned count = outstanding->count;
    for (unsigned i = outstanding->head; count >= issue->max_bursts || beats > issue->max_beats;
         i = (i + 1) % MAX_BURSTS) {
        cycle = weft_max_u64(cycle, outstanding->burst[i].last + 1);
        beats -= outstanding->burst[i].beats;
        count--;
    }
    return cycle;
}

void issue_plan_more(struct machine *machine, const struct issue *issue, enum weft_lane lane,
                     unsigned limit) {
    uint64_t request = issue_request(machine, issue);
    due_by(machine, DUE_PORT, request);
    if (request > machine->now + 1) {
        count_as(machine, lane, limit, machine->now + 1);
    }
}

void issue_granted(struct machine *machine, struct issue *issue) {
    if (issue->burst.last) {
        issue->active = false;
        issue->idle_from = machine->now + 1;
    } else {
        weft_burst_advance(&issue->walk, &issue->burst);
        issue->burst = weft_burst_current(&issue->walk);
    }
}
