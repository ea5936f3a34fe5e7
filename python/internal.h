// The headers of the C library that the binding needs: all of them, so that a renamed one is one
// line.
#ifndef WEFT_PYTHON_INTERNAL_H
#define WEFT_PYTHON_INTERNAL_H

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <jansson.h>

extern "C" {
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/constants.h"
#include "cli/log_file.h"
#include "cli/machine.h"
#include "cli/page_file.h"
#include "cli/quantize_report.h"
#include "compiler/module.h"
#include "compiler/quantize/quantize.h"
#include "compiler/tune/tune.h"
#include "driver/area.h"
#include "driver/lockstep.h"
#include "driver/plugins.h"
#include "driver/session.h"
#include "isa/verify/verify.h"
#include "report/area.h"
#include "report/json.h"
#include "report/model_figures.h"
#include "report/statistics.h"
#include "report/trace_json.h"
#include "report/traces.h"
#include "sim/trace/raw.h"
#include "sweep/analyse.h"
#include "sweep/codesign.h"
#include "sweep/run.h"
#include "sweep/store.h"
}

#endif
