/* What each layer of a model cost, over all its segments, and how rows are numbered. */
#ifndef WEFT_REPORT_MODEL_FIGURES_H
#define WEFT_REPORT_MODEL_FIGURES_H

#include "driver/figures.h"
#include "driver/session.h"
#include "report/traces.h"

/* Rows are layers of the machine and operators of the host, numbered from 1 in the order in which
 * they are carried out. */
struct model_figures {
    uint32_t segment_count;
    uint32_t *numbers;                /* owned; by segment: of its first layer */
    struct weft_figures *segments;    /* owned */
    uint64_t counters[WEFT_COUNTERS]; /* sums over all segments, counted even if the machine has no
                                         counters */
    double frame_period; /* of frames one after the other: weft_frame_period() of all segments; 0:
                            of one of them there is none */
};

/* The figures of a module from the traces of its segments. Release *figures with
 * model_figures_free(). Errors: WEFT_OUT_OF_MEMORY. */
bool figures_of_traces(const struct weft_module *module, const struct weft_trace_file *traces,
                       struct model_figures *figures, struct weft_error *error);

/* The figures of the last run of a session, which counted cycles: segment by segment its program is
 * run once more, for its timing alone. Errors: WEFT_DIVERGENCE (the run took other cycles than the
 * cycle model counts), those of trace_segment(). */
bool figures_of_session(const struct weft_module *module, const struct weft_session *session,
                        const struct weft_session_options *options, uint64_t memory_limit,
                        struct model_figures *figures, struct weft_error *error);

void model_figures_free(struct model_figures *figures);

/* "matrix 84 %", "waits for 12 60 %", "hidden", "-" (no instructions); `number` is that of the
 * segment's first layer. */
void verdict_text(char *text, size_t size, const struct weft_verdict *verdict, uint32_t number);

#endif
