// Reports and traces: the documents of `weft run --json`, `weft report` and `weft trace`.
#include <nanobind/stl/string.h>

#include "python/model.h"

namespace nb = nanobind;

Machine::Machine(uint64_t latency, uint64_t interval, const std::string &dram, double given_clock)
    : clock(given_clock) {
    weft_error error;
    if (latency > WEFT_SLOWEST_MEMORY || interval > WEFT_SLOWEST_MEMORY) {
        fail(WEFT_ARGUMENT, 0, "no memory is slower than 100000 cycles");
    }
    if (!(clock >= 0 && clock <= 1e6)) {
        fail(WEFT_ARGUMENT, 0, "a clock needs MHz, more than 0 and at most 1000000");
    }
    options.memory.latency = latency;
    options.memory.interval = interval;
    check(machine_dram(dram.empty() ? nullptr : dram.c_str(), &options.memory, &error) &&
              machine_one_clock(&options.memory, &clock, &error),
          error);
}

namespace {

struct Figures {
    model_figures figures{};
    Figures() = default;
    Figures(const Figures &) = delete;
    Figures &operator=(const Figures &) = delete;
    ~Figures() {
        model_figures_free(&figures);
    }
};

struct Session {
    weft_session *session = nullptr;
    Session() = default;
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    ~Session() {
        weft_session_close(session);
    }
};

struct Trace {
    std::shared_ptr<Held> held;
    Machine machine;
    weft_trace_file file{};
    Trace(std::shared_ptr<Held> module, uint64_t latency, uint64_t interval,
          const std::string &dram)
        : held(std::move(module)), machine(latency, interval, dram, 0) {
        weft_error error;
        check(traces_of(held->module, &machine.options, held->module->arena.limit, &file, &error),
              error);
    }
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;
    ~Trace() {
        weft_trace_file_free(&file);
    }
};

// One that reads nothing and carries out no operator of the host: the cycles alone.
std::string module_statistics(const Module &self, uint64_t latency, uint64_t interval,
                              const std::string &dram, double clock) {
    const Machine machine(latency, interval, dram, clock);
    weft_session_options options = machine.options;
    options.timing_only = true;
    Session session;
    weft_error error;
    nb::gil_scoped_release release;
    {
        const std::lock_guard lock(self.held->mutex);
        check(weft_session_open("cycle", self.held->module, &options, &session.session, &error),
              error);
    }
    const double start = weft_clock_seconds();
    check(weft_session_run(session.session, &error), error);
    return statistics(*self.held, session.session, machine, "cycle", weft_clock_seconds() - start);
}

void write_page(const Module &self, const std::string &path, uint64_t latency, uint64_t interval,
                const std::string &dram, double clock) {
    nb::gil_scoped_release release;
    Trace trace(self.held, latency, interval, dram);
    const Machine machine(latency, interval, dram, clock);
    const weft_module *module = self.held->module;
    const origin from = {&machine.options, machine.clock, nullptr, nullptr, 0, nullptr};
    const Counting counting;
    json_t *made = nullptr;
    weft_error error;
    check(report_data_of_traces(module, &trace.file, &from, &made, &error), error);
    const Json data(made);
    check(page_write(path.c_str(), &report_page, data.get(), &error), error);
}

// ---- traces ----

Trace *make_trace(const Module &self, uint64_t latency, uint64_t interval,
                  const std::string &dram) {
    nb::gil_scoped_release release;
    return new Trace(self.held, latency, interval, dram);
}

const weft_trace &segment_of(const Trace &self, size_t index) {
    if (index >= self.file.count) {
        fail(WEFT_ARGUMENT, index, "the model has no such segment");
    }
    return self.file.segments[index];
}

// An instruction: numpy reads it (python/weft/_trace.py).
struct Row {
    uint64_t dispatched;
    uint64_t started;
    uint64_t finished;
    int32_t layer;
    uint16_t opcode;
    uint16_t unit;
};
static_assert(sizeof(Row) == 32);

nb::bytes instructions(const Trace &self, size_t index) {
    const weft_trace &trace = segment_of(self, index);
    const weft_segment &segment = self.held->module->segments[index];
    std::vector<Row> rows(trace.program.count);
    for (size_t i = 0; i < rows.size(); i++) {
        const uint32_t opcode = trace.program.instructions[i].opcode;
        rows[i] = {trace.times[i].dispatched,     trace.times[i].started,
                   trace.times[i].finished,       segment.layer_of[i],
                   static_cast<uint16_t>(opcode), static_cast<uint16_t>(weft_formats[opcode].unit)};
    }
    return nb::bytes(rows.data(), rows.size() * sizeof(Row));
}

nb::list layers(const Trace &self, size_t index) {
    (void)segment_of(self, index);
    const weft_segment &segment = self.held->module->segments[index];
    nb::list list;
    for (uint32_t i = 0; i < segment.layer_count; i++) {
        list.append(
            nb::make_tuple(to_str(segment.layers[i].name), to_str(segment.layers[i].tensor)));
    }
    return list;
}

nb::str trace_text(const Trace &self) {
    Text text;
    weft_error error;
    text.text.limit = static_cast<size_t>(weft_memory_limit(self.held->module->arena.limit));
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < self.file.count; i++) {
            weft_text_add(&text.text, "; segment %zu of %zu\n", i, self.file.count);
            check(weft_trace_print(&self.file.segments[i], &text.text, &error), error);
        }
        check(weft_text_finish(&text.text, &error), error);
    }
    return to_str(text.text.bytes, text.text.length);
}

nb::bytes trace_raw(const Trace &self) {
    uint8_t *bytes = nullptr;
    size_t length = 0;
    weft_error error;
    {
        nb::gil_scoped_release release;
        check(weft_trace_write(&self.held->module->config, &self.file, &bytes, &length, &error),
              error);
    }
    const Owned<uint8_t> owned(bytes);
    return nb::bytes(bytes, length);
}

void trace_save(const Trace &self, const std::string &path) {
    nb::gil_scoped_release release;
    const origin from = {&self.machine.options, 0, nullptr, nullptr, 0, nullptr};
    const Counting counting;
    chrome_trace trace;
    weft_error error;
    check(chrome_trace_make(self.held->module, &self.file, &from, &trace, &error), error);
    const std::unique_ptr<chrome_trace, void (*)(chrome_trace *)> made(&trace, chrome_trace_free);
    check(weft_file_write_content(path.c_str(), chrome_trace_write, &trace, &error), error);
}

} // namespace

std::string statistics(const Held &held, const weft_session *session, const Machine &machine,
                       const char *target, double seconds) {
    const weft_module *module = held.module;
    const bool counts = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles) > 0 &&
                        weft_session_is_modelled(session);
    const origin from = {&machine.options, machine.clock, nullptr, nullptr, 0, nullptr};
    const Counting counting;
    Figures figures;
    weft_error error;
    check(!counts || figures_of_session(module, session, &machine.options, module->arena.limit,
                                        &figures.figures, &error),
          error);
    const Json json(statistics_json(session, module, counts ? &figures.figures : nullptr, &from,
                                    target, seconds));
    return dump(json);
}

void bind_documents(nb::class_<Module> &type) {
    type.def("statistics", &module_statistics, nb::arg("latency"), nb::arg("interval"),
             nb::arg("dram"), nb::arg("clock"))
        .def("write_page", &write_page, nb::arg("path"), nb::arg("latency"), nb::arg("interval"),
             nb::arg("dram"), nb::arg("clock"))
        .def("trace", &make_trace, nb::arg("latency"), nb::arg("interval"), nb::arg("dram"));
}

void bind_trace(nb::module_ &module) {
    nb::list opcodes;
    for (unsigned i = 0; i < WEFT_FORMATS; i++) {
        opcodes.append(weft_formats[i].name == nullptr ? "" : weft_formats[i].name);
    }
    module.attr("OPCODES") = opcodes;
    nb::class_<Trace>(module, "Trace")
        .def_prop_ro("segments", [](const Trace &t) { return t.file.count; })
        .def("cycles",
             [](const Trace &t, size_t i) { return segment_of(t, i).result.counters.cycles; })
        .def("instructions", &instructions, nb::arg("segment"))
        .def("layers", &layers, nb::arg("segment"))
        .def("text", &trace_text)
        .def("raw", &trace_raw)
        .def("save", &trace_save, nb::arg("path"));
}
