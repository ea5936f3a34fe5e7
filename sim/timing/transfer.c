/* The issue stage that load and store share. */
#include "sim/timing/machine.h"

void issue_start(struct machine *machine, struct issue *issue, const struct weft_burst_walk *walk) {
    issue->active = true;
    issue->pending_from = machine->now + 1;
    issue->walk = *walk;
    issue->burst = weft_burst_current(walk);
}

bool issue_idle(const struct machine *machine, const struct issue *issue) {
    return !issue->active && machine->now >= issue->idle_from;
}

bool issue_pending(const struct machine *machine, const struct issue *issue) {
    return issue->active && machine->now >= issue->pending_from;
}

bool issue_requests(const struct machine *machine, const struct issue *issue) {
    return issue_pending(machine, issue) && issue->outstanding.count < issue->max_bursts &&
           issue->outstanding.beats + issue->burst.beats <= issue->max_beats;
}

void issue_granted(struct machine *machine, struct issue *issue) {
    if (issue->burst.last) {
        issue->active = false;
        issue->idle_from = machine->now + 1;
    } else {
        weft_burst_advance(&issue->walk);
        issue->burst = weft_burst_current(&issue->walk);
        issue->pending_from = machine->now + 1;
    }
}
