// Tuning of a machine and a schedule together.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/model.h"

namespace nb = nanobind;

namespace {

struct FreeDefinition {
    void operator()(sweep_definition *definition) const {
        sweep_definition_free(definition);
        free(definition);
    }
};

class Codesign {
  public:
    Codesign(const Path &path, const Data &data, const std::string &name, const std::string &config,
             bool config_is_json, int64_t frames, bool one_by_one, int64_t effort, const Dims &dims,
             uint64_t memory_limit, const std::vector<std::string> &grid, const std::string &area,
             double area_limit, uint64_t seed, unsigned jobs, const Path &log)
        : name_(name), import_(path, dims), bytes_(read_bytes(path, data)),
          grid_(static_cast<sweep_definition *>(calloc(1, sizeof(sweep_definition)))),
          area_(std::make_unique<weft_area_model>()) {
        weft_error error;
        if (grid_ == nullptr) {
            fail(WEFT_OUT_OF_MEMORY, 0, "no memory for a search of machines");
        }
        take_compiling(frames, one_by_one, effort, memory_limit);
        grid_->configs[0] = read_config(config, config_is_json);
        grid_->config_names[0] = name_.c_str();               // of nothing that is looked for
        grid_->config_count = grid_->common_config_count = 1; // the first of both
        for (const std::string &axis : grid) {
            check(sweep_add_grid(grid_.get(), axis.c_str(), &error), error);
        }
        for (size_t i = 0; grid.empty() && i < CODESIGN_DEFAULT_AXES; i++) {
            check(sweep_add_grid(grid_.get(), codesign_default_grid[i], &error), error);
        }
        check(weft_area_find(area.c_str(), area_.get(), &error), error);
        if (!(area_limit >= 0) || area_limit > 1e18) {
            fail(WEFT_ARGUMENT, 0, "area_limit: expected 0 or more");
        }
        if (jobs > WEFT_MOST_THREADS) {
            fail(WEFT_ARGUMENT, jobs, "jobs: expected 0 to 16");
        }
        options_.grid = grid_.get();
        options_.area = area_.get();
        options_.most_area = area_limit;
        options_.tune.seed = seed;
        options_.tune.jobs = jobs == 0 ? weft_cores() : jobs;
        options_.compile = compile;
        options_.context = this;
        options_.effort = compiling_.effort;
        if (log) {
            options_.write = write;
            options_.write_context = this;
            log_path_.assign(log->c_str(), log->size());
        }
        open();
    }
    Codesign(const Codesign &) = delete;
    Codesign &operator=(const Codesign &) = delete;
    ~Codesign() {
        close();
    }

    // One piece of work, `most` schedules at most. False: nothing is left that could be tried.
    bool step(uint64_t most) {
        bool more = false;
        weft_error error;
        nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        check(codesign_step(codesign_, most, &more, &error), error);
        return more;
    }

    // [(configuration, area, cycles as compiled, cycles, schedules, why it was refused)]
    nb::list machines() {
        const std::lock_guard lock(mutex_);
        nb::list made;
        for (size_t i = 0; i < codesign_count(codesign_); i++) {
            const struct codesign_machine *machine = ::codesign_machine(codesign_, i);
            weft_config config = machine->config;
            Text json;
            weft_error error;
            if (i > 0) {
                (void)snprintf(config.name, sizeof config.name, "tuned");
            }
            check(weft_config_print(&config, &json.text, &error), error);
            made.append(nb::make_tuple(to_str(json.text.bytes, json.text.length), machine->area,
                                       machine->compiled, machine->tuned, machine->tried,
                                       to_str(machine->message)));
        }
        return made;
    }

    // Where the best machine is in the list; -1: there is none.
    int64_t best() {
        size_t index = 0;
        const std::lock_guard lock(mutex_);
        return codesign_best(codesign_, &index) ? static_cast<int64_t>(index) : -1;
    }

    nb::str decisions() {
        Text text;
        weft_error error;
        const std::lock_guard lock(mutex_);
        check(codesign_decisions(codesign_, &text.text, &error), error);
        return to_str(text.text.bytes, text.text.length);
    }

    uint64_t tried() {
        const std::lock_guard lock(mutex_);
        return codesign_tried(codesign_);
    }

    double area_limit() const {
        return codesign_most_area(codesign_);
    }

    const char *unit() const {
        return area_->unit;
    }

  private:
    void take_compiling(int64_t frames, bool one_by_one, int64_t effort, uint64_t memory_limit) {
        if (frames < 1 || frames > WEFT_MOST_FRAMES) {
            fail(WEFT_ARGUMENT, 0, "frames: expected 1 to 4096");
        }
        if (effort < 1 || effort > WEFT_MOST_EFFORT) {
            fail(WEFT_ARGUMENT, 0, "effort: expected 1 to 64");
        }
        compiling_.model_name = name_.c_str();
        compiling_.import = import_.options;
        compiling_.constants = import_.reader;
        compiling_.frames = static_cast<uint32_t>(frames);
        compiling_.effort = static_cast<uint32_t>(effort);
        compiling_.one_by_one = one_by_one;
        compiling_.bytes = memory_limit;
    }

    void open() {
        weft_error error;
        bool good = false;
        {
            nb::gil_scoped_release release;
            good = codesign_open(&options_, &codesign_, &error) && begin_log(&error);
        }
        if (!good) {
            close();
        }
        check(good, error);
    }

    bool begin_log(weft_error *error) {
        Text head;
        if (log_path_.empty()) {
            return true;
        }
        codesign_log_head(codesign_, &head.text);
        return weft_text_finish(&head.text, error) &&
               log_open(log_path_.c_str(), &head.text, take, this, &log_, error);
    }

    void close() {
        log_close(&log_);
        codesign_close(codesign_);
        codesign_ = nullptr;
    }

    static bool compile(void *context, const weft_config *config, weft_module **module,
                        weft_error *error) {
        const auto *self = static_cast<const Codesign *>(context);
        return weft_compile(self->bytes_.bytes.get(), self->bytes_.length, config,
                            &self->compiling_, module, error);
    }

    static bool write(void *context, const weft_text *lines, weft_error *error) {
        return log_append(&static_cast<const Codesign *>(context)->log_, lines, error);
    }

    static bool take(void *context, const char *text, size_t length, size_t *whole,
                     weft_error *error) {
        return codesign_resume(static_cast<const Codesign *>(context)->codesign_, text, length,
                               whole, error);
    }

    const std::string name_;
    const Import import_;
    const Bytes bytes_;
    const std::unique_ptr<sweep_definition, FreeDefinition> grid_;
    const std::unique_ptr<weft_area_model> area_; // too large for the stack
    weft_compile_options compiling_{};
    codesign_options options_{};
    std::string log_path_;
    log_file log_{nullptr, -1};
    codesign *codesign_ = nullptr;
    std::mutex mutex_;
};

} // namespace

void bind_codesign(nb::module_ &module) {
    nb::class_<Codesign>(module, "Codesign")
        .def(nb::init<const Path &, const Data &, const std::string &, const std::string &, bool,
                      int64_t, bool, int64_t, const Dims &, uint64_t,
                      const std::vector<std::string> &, const std::string &, double, uint64_t,
                      unsigned, const Path &>(),
             nb::kw_only(), nb::arg("path").none(), nb::arg("data").none(), nb::arg("name"),
             nb::arg("config"), nb::arg("config_is_json"), nb::arg("frames"), nb::arg("one_by_one"),
             nb::arg("effort"), nb::arg("dims"), nb::arg("memory_limit"), nb::arg("grid"),
             nb::arg("area"), nb::arg("area_limit"), nb::arg("seed"), nb::arg("jobs"),
             nb::arg("log").none())
        .def("step", &Codesign::step, nb::arg("most"))
        .def("machines", &Codesign::machines,
             nb::sig("def machines(self) -> list[tuple[str, float, int, int, int, str]]"))
        .def("decisions", &Codesign::decisions)
        .def_prop_ro("best", &Codesign::best)
        .def_prop_ro("tried", &Codesign::tried)
        .def_prop_ro("area_limit", &Codesign::area_limit)
        .def_prop_ro("unit", &Codesign::unit);
}
