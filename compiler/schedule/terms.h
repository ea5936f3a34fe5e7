#ifndef WEFT_COMPILER_SCHEDULE_TERMS_H
#define WEFT_COMPILER_SCHEDULE_TERMS_H

#include <stdint.h>

struct weft_team;

/* What a schedule is for, and how long it is searched for. */
struct schedule_terms {
    /* Of so many, the images along the first axes, each is done before the next is begun, but for
     * what can be loaded for it, where operators keep them apart; 1: images are taken in the order
     * that is fastest. */
    int64_t frames;
    uint32_t effort; /* from 1 on: more tries all that less does, and more */
    /* What tries schedules (base/team.h), or NULL; changes nothing but the time. */
    struct weft_team *team;
};

#endif
