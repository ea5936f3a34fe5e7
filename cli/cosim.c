/* weft cosim: cycle simulator and RTL on the same model and inputs, compared. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/machine.h"
#include "driver/lockstep.h"

/* cosim's own exit status: both ran, and differ. */
enum {
    STATUS_DIFFERENT = 1,
};

static int run_session(const struct given *given, const struct open_options *open,
                       const struct weft_module *module, struct weft_session *session,
                       const struct weft_lockstep_report *compared) {
    struct weft_error error;
    int status = inputs_set(given, module, open->limits.bytes, session);
    if (status != STATUS_GOOD) {
        return status;
    }
    bool good = weft_session_run(session, &error);
    machine_end_progress();
    if (!good && error.code == WEFT_DIVERGENCE) {
        printf("segment %" PRIu64 ": %s", compared->programs, compared->text.bytes);
        return STATUS_DIFFERENT;
    }
    if (!good && error.code == WEFT_OUT_OF_MEMORY) {
        return report(given->operand, &error); /* nothing was compared to the end */
    }
    printf("0 cycles apart: %" PRIu64 " programs, %" PRIu64 " instructions, %" PRIu64
           " bursts, %" PRIu64 " cycles, %" PRIu64 " bytes of memory are the same\n",
           compared->programs, compared->instructions, compared->bursts, compared->cycles,
           compared->bytes);
    return good ? STATUS_GOOD : report(given->operand, &error);
}

static int compare_module(const struct given *given, const struct open_options *open,
                          const struct weft_module *module) {
    struct weft_error error;
    struct weft_lockstep_report compared = {0};
    struct weft_session *session = NULL;
    struct weft_session_options options = weft_session_defaults();
    options.lockstep = &compared;
    const struct machine_options machine = machine_options_of(given);
    machine_show_progress(&options);
    int status = STATUS_ERROR;
    if (!machine_options_apply(&machine, &options, &error)) {
        status = report("cosim", &error);
    } else if (!weft_session_open("lockstep", module, &options, &session, &error)) {
        status = report(given->operand, &error);
    } else {
        status = run_session(given, open, module, session, &compared);
    }
    weft_session_close(session);
    weft_lockstep_report_free(&compared);
    return status;
}

int command_cosim(const struct given *given) {
    struct open_options open;
    uint8_t *bytes = NULL;
    if (!open_options_read(given, &open) || !inputs_check(given)) {
        return STATUS_ERROR;
    }
    struct weft_module *module = open_module(given->operand, &open, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    int status = compare_module(given, &open, module);
    weft_module_free(module);
    free(bytes);
    return status;
}
