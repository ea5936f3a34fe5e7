// Tuning: schedules that are faster than the one that the compiler chose.
#include <new>

#include <nanobind/stl/string.h>

#include "python/model.h"

namespace nb = nanobind;

namespace {

// A schedule that was faster than all before it.
struct Step {
    uint64_t tried;
    uint32_t region;
    uint64_t cycles; // of the region
    std::string what;
};

struct Steps {
    std::vector<Step> list;
    bool failed = false;
};

void add_step(void *context, const tune_better *better) {
    auto *steps = static_cast<Steps *>(context);
    try {
        steps->list.push_back({better->tried, better->region, better->cycles, better->what});
    } catch (const std::bad_alloc &) {
        steps->failed = true; // no exception goes through C
    }
}

class Tuning {
  public:
    // `module` is this one's alone.
    Tuning(const Module &module, const std::string &strategy, uint64_t seed, unsigned jobs)
        : held_(module.held) {
        tune_options options{};
        weft_error error;
        while (tune_strategy_names[options.strategy] != nullptr &&
               strategy != tune_strategy_names[options.strategy]) {
            options.strategy = static_cast<tune_strategy>(options.strategy + 1);
        }
        if (options.strategy == TUNE_STRATEGIES) {
            fail(WEFT_ARGUMENT, 0, "there is no such strategy");
        }
        if (jobs > WEFT_MOST_THREADS) {
            fail(WEFT_ARGUMENT, jobs, "jobs: expected 0 to 16");
        }
        options.seed = seed;
        options.jobs = jobs == 0 ? weft_cores() : jobs;
        nb::gil_scoped_release release;
        check(tuning_open(held_->module, &options, &tuning_, &error), error);
    }
    Tuning(const Tuning &) = delete;
    Tuning &operator=(const Tuning &) = delete;
    ~Tuning() {
        tuning_close(tuning_);
    }

    // Tries some schedules, `most` at most: [(tried, region, cycles, what)].
    nb::list step(uint64_t most) {
        Steps steps;
        weft_error error;
        {
            nb::gil_scoped_release release;
            const std::lock_guard lock(held_->mutex);
            check(tuning_step(tuning_, most, add_step, &steps, &error), error);
        }
        if (steps.failed) {
            throw std::bad_alloc();
        }
        nb::list made;
        for (const Step &each : steps.list) {
            made.append(
                nb::make_tuple(each.tried, each.region, each.cycles, to_str(each.what.c_str())));
        }
        return made;
    }

    nb::str decisions() {
        Text text;
        weft_error error;
        const std::lock_guard lock(held_->mutex);
        check(tuning_decisions(tuning_, &text.text, &error), error);
        return to_str(text.text.bytes, text.text.length);
    }

    uint64_t tried() const {
        return tuning_tried(tuning_);
    }

    uint64_t cycles() const {
        return tuning_cycles(tuning_);
    }

  private:
    const std::shared_ptr<Held> held_;
    tuning *tuning_ = nullptr;
};

} // namespace

void bind_tune(nb::module_ &module) {
    nb::class_<Tuning>(module, "Tuning")
        .def(nb::init<const Module &, const std::string &, uint64_t, unsigned>(), nb::arg("module"),
             nb::arg("strategy"), nb::arg("seed"), nb::arg("jobs"))
        .def("step", &Tuning::step, nb::arg("most"),
             nb::sig("def step(self, most: int) -> list[tuple[int, int, int, str]]"))
        .def("decisions", &Tuning::decisions)
        .def_prop_ro("tried", &Tuning::tried)
        .def_prop_ro("cycles", &Tuning::cycles);
}
