// The module weft._weft: the C library as Python sees it, without checks or comforts, which are in
// python/weft.
#include "python/model.h"

namespace nb = nanobind;

static nb::list names_of(const char *const *names, size_t most) {
    nb::list list;
    for (size_t i = 0; i < most && names[i] != nullptr; i++) {
        list.append(names[i]);
    }
    return list;
}

NB_MODULE(_weft, module) {
    register_failure(module);
    bind_codesign(module);
    bind_compile(module);
    bind_model(module);
    bind_quantize(module);
    bind_session(module);
    bind_sweep(module);
    bind_trace(module);
    bind_tune(module);
    module.attr("VERSION") = nb::str(weft_version);
    module.attr("REVISION") = nb::str(weft_version_git);
    module.attr("COUNTERS") = names_of(weft_counter_names, WEFT_COUNTERS);
    module.attr("TARGETS") = names_of(weft_target_names, SIZE_MAX);
    module.attr("KERNELS") = names_of(weft_host_names, WEFT_HOSTS);
    module.attr("UNITS") = names_of(weft_unit_names, WEFT_UNITS);
    module.attr("CALIBRATIONS") = names_of(weft_calibration_names, SIZE_MAX);
    module.attr("STRATEGIES") = names_of(tune_strategy_names, SIZE_MAX);
    module.attr("OBJECTIVES") = names_of(sweep_objective_names, SIZE_MAX);
    module.attr("DRAMS") = names_of(weft_dram_names, WEFT_DRAMS);
    module.attr("WEIGHTS") = names_of(weft_weight_names, SIZE_MAX);
    module.attr("MEMORY_LIMIT") = WEFT_MEMORY_LIMIT;
}
