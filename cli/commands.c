#include "cli/commands.h"

#include <string.h>

#include "cli/builtin.h"
#include "cli/cli.h"
#include "compiler/quantize/quantize.h"
#include "driver/soc_library.h"
#include "sweep/definition.h"

#define ID(name) OPTION_##name
#define LIMITS   ID(MEMORY_LIMIT), ID(CYCLE_LIMIT), ID(HOST_LIMIT), ID(PLUGIN)
#define OPENS    ID(CONFIG), ID(DIM), LIMITS
#define PROGRAM  ID(FRAMES), ID(BATCH), ID(EFFORT)
#define WAVES    ID(WAVE), ID(FROM), ID(TO), ID(WAVE_SEGMENT)
#define MODEL_OR_WEFT                                                                              \
    .operand = "MODEL|X.weft", .operand_help = "a model of TFLite or ONNX or a graph as text, "    \
                                               "which is compiled first, or a program that "       \
                                               "was compiled"
#define MODEL_OR_PROGRAM                                                                           \
    .operand = "MODEL|X.weft|X.asm|X.bin",                                                         \
    .operand_help =                                                                                \
        "a model of TFLite or ONNX or a graph as text, which is compiled first, a program that "   \
        "was compiled, or an assembled program, as text or as weft asm wrote it"

const struct command commands[] = {
    {.name = "compile",
     .run = command_compile,
     .operand = "MODEL",
     .operand_help = "a model of TFLite or ONNX, or a graph as text",
     .summary = "compiles a model into a program file",
     .description =
         "Compiles a quantised model of TFLite or ONNX for a configuration of the machine, proves "
         "the programs free of faults, races and deadlocks, and writes them as one "
         "file, which all other commands take. What the machine cannot do is left to "
         "the host; weft inspect says what that is, and why.",
     .needs = "a model and -o OUT.weft",
     .options = {ID(OUT_WEFT), ID(CONFIG), ID(DECISIONS), ID(USE), ID(USE_LOG), ID(DUMP_AFTER),
                 ID(KEEP_TENSORS), ID(MEMORY_LIMIT), ID(DIM), PROGRAM, ID(PLUGIN), ID(TIME_PASSES)},
     .examples = {"weft compile model.tflite -o model.weft",
                  "weft compile model.tflite -o model.weft --config large32",
                  "weft compile model.tflite --dump-after partition"}},
    {.name = "run",
     .run = command_run,
     MODEL_OR_PROGRAM,
     .summary = "runs a model or a program, and says where its cycles went",
     .description =
         "Runs a model on a simulator, on the RTL or on the host, and prints the "
         "largest values of a classifier's result, the cycles, and a table of layers; or "
         "an assembled program, with its regions from files, and prints its cycles and "
         "those of each unit.",
     .needs = "a model, a .weft file or an assembled program",
     .options = {ID(INPUT),      ID(OUT_NPY),  ID(REGION),   ID(DUMP_MEMORY), ID(CONFIG),
                 ID(TARGET),     ID(KEY_FILE), ID(JSON),     ID(TIMING_ONLY), ID(DUMP_TENSORS),
                 ID(LAYOUT),     ID(MEAN),     ID(STD),      ID(SHOW),        ID(HOST),
                 ID(WATCHDOG),   ID(LATENCY),  ID(INTERVAL), ID(DRAM),        ID(CLOCK),
                 ID(TECHNOLOGY), ID(AREA),     WAVES,        LIMITS,          ID(DIM),
                 ID(NO_FUSION),  PROGRAM},
     .examples = {"weft run model.weft --input in.npy --output out.npy --json stats.json",
                  "weft run model.tflite --input picture.png --mean 127.5 --std 127.5",
                  "weft run model.weft --input - --output - <in.npy >out.npy",
                  "weft run x.asm --region inputs=in.bin --region outputs=@256 --dump-memory "
                  "outputs=out.bin"}},
    {.name = "cosim",
     .run = command_cosim,
     MODEL_OR_PROGRAM,
     .summary = "runs the cycle simulator and the RTL side by side",
     .description = "Runs a model or an assembled program on the cycle simulator and on the RTL, "
                    "and compares them at "
                    "every event. The RTL of the configuration must be built: "
                    "scripts/build --rtl NAME.",
     .needs = "a model, a .weft file or an assembled program",
     .options = {ID(INPUT), ID(REGION), ID(DUMP_MEMORY), ID(CONFIG), ID(REMOTE), ID(KEY_FILE),
                 ID(LAYOUT), ID(MEAN), ID(STD), ID(WATCHDOG), ID(LATENCY), ID(INTERVAL), ID(DRAM),
                 WAVES, LIMITS, ID(DIM), PROGRAM},
     .examples = {"weft cosim model.weft --input in.npy"},
     .more_status = "1: both ran, and differ; the first difference is printed"},
    {.name = "quantize",
     .run = command_quantize,
     .operand = "MODEL",
     .operand_help = "a model of TFLite or ONNX, of floats",
     .summary = "quantises a model of floats to int8",
     .description =
         "Runs a model of floats over samples, chooses the scale of every tensor by what it "
         "holds, and makes a model of int8, with floats around what has no quantised form. "
         "Prints, for each layer, its range and scale, the share of its values that are "
         "clipped, and how far it is from the floats, by itself and with everything before it.",
     .needs = "a model and --data DATA",
     .options = {ID(OUT_QUANTIZED),
                 ID(DATA),
                 ID(ARRAY),
                 ID(LABELS),
                 ID(DATA_MEAN),
                 ID(DATA_STD),
                 ID(SAMPLES),
                 ID(CALIBRATION),
                 ID(PERCENTILE),
                 ID(BINS),
                 ID(LEVELS),
                 ID(UNSIGNED),
                 ID(WEIGHTS),
                 ID(PER_TENSOR),
                 ID(SYMMETRIC),
                 ID(POWER_OF_TWO),
                 ID(NO_BIAS_CORRECTION),
                 ID(EQUALIZE),
                 ID(INTEGER_ENDS),
                 ID(KEEP_FLOAT),
                 ID(MIN_SQNR),
                 ID(MAX_DROP),
                 ID(JSON),
                 ID(PAGE),
                 ID(CONFIG),
                 ID(MEMORY_LIMIT),
                 ID(DIM),
                 ID(PLUGIN)},
     .examples = {"weft quantize model.onnx -o model.weft --data calibration.npz",
                  "weft quantize model.tflite --data pictures --mean 127.5 --std 127.5",
                  "weft quantize model.onnx -o model.weft --data data.npz --min-sqnr 25"}},
    {.name = "evaluate",
     .run = command_evaluate,
     MODEL_OR_WEFT,
     .summary = "says how often a model is right, and how far from another one",
     .description = "Runs a model on every sample, on all cores, and prints how often its largest "
                    "output, and one of its five largest, is the sample's class; and, beside "
                    "another model, how often both say the same and how far their outputs are "
                    "apart.",
     .needs = "a model and --data DATA",
     .options = {ID(DATA), ID(ARRAY), ID(LABELS), ID(DATA_MEAN), ID(DATA_STD), ID(SAMPLES),
                 ID(AGAINST), ID(DATA_TARGET), ID(JSON), OPENS, ID(EFFORT)},
     .examples = {"weft evaluate model.weft --data test.npz",
                  "weft evaluate model.weft --data test.npz --against model.onnx --target func"}},
    {.name = "verify",
     .run = command_verify,
     MODEL_OR_PROGRAM,
     .summary = "proves that a program cannot fault, race or deadlock",
     .description = "Prints what was proved and the most cycles that each program can take, or "
                    "fails with the counterexample.",
     .needs = "a .weft file, a model or an assembled program",
     .options = {OPENS, PROGRAM, ID(REGION)},
     .examples = {"weft verify model.weft",
                  "weft verify x.asm --config small8 --region inputs=@256"}},
    {.name = "disasm",
     .run = command_disasm,
     .operand = "X.weft|PROGRAM.bin",
     .operand_help = "a compiled program, or a binary one that weft asm wrote",
     .summary = "prints programs as text",
     .description = "Prints the instructions of programs as text, which weft asm reads again.",
     .needs = "a .weft file or a binary program",
     .options = {ID(OUT_ASM), ID(SEGMENT), LIMITS},
     .examples = {"weft disasm model.weft -o model.asm"}},
    {.name = "asm",
     .run = command_asm,
     .operand = "IN.asm",
     .operand_help = "instructions as text",
     .summary = "makes a binary program of text",
     .description = "Makes a binary program, 64 bytes for each instruction, of text as weft disasm "
                    "prints it.",
     .needs = "IN.asm and -o PROGRAM.bin",
     .options = {ID(OUT_BIN)},
     .examples = {"weft asm model.asm -o model.bin"}},
    {.name = "inspect",
     .run = command_inspect,
     MODEL_OR_WEFT,
     .summary = "shows what runs on the machine, what on the host, and why",
     .description = "Prints the layers of every program of the machine, and every operator that is "
                    "left to the host with the reason.",
     .needs = "a model or a .weft file",
     .options = {OPENS, PROGRAM, ID(JSON), ID(GRAPH)},
     .examples = {"weft inspect model.tflite"}},
    {.name = "operators",
     .run = command_operators,
     .summary = "lists the operators of TFLite and ONNX that are supported",
     .description = "Prints every operator of TFLite and ONNX that is supported, of TFLite with "
                    "its element types, "
                    "whether the machine or the host carries it out, and conditions.",
     .options = {ID(JSON), ID(MARKDOWN)},
     .examples = {"weft operators", "weft operators --json operators.json"}},
    {.name = "passes",
     .run = command_passes,
     .summary = "lists the passes of the compiler",
     .description = "Prints the passes over the graph in the order in which they run, with those "
                    "of plugins at their places. Each is a name for weft compile --dump-after.",
     .options = {ID(PLUGIN)},
     .examples = {"weft passes", "weft passes --plugin ./mine.so"}},
    {.name = "explain",
     .run = command_explain,
     MODEL_OR_WEFT,
     .summary = "shows what the schedule decided, and what else was tried",
     .description = "Prints what was chosen for each layer, what else was tried, and by how much "
                    "it lost.",
     .needs = "a .weft file or a model",
     .options = {OPENS, PROGRAM, ID(JSON)},
     .examples = {"weft explain model.weft"}},
    {.name = "export",
     .run = command_export,
     MODEL_OR_WEFT,
     .summary = "makes what firmware runs, as C or as bytes",
     .description =
         "Writes a model for the run time of processors without an operating system: its "
         "programs and the operators of the processor in order, their parameters, and "
         "where every tensor lies in an arena, of which it prints the size. Operators "
         "that compute with floats are refused.",
     .needs = "a model or a .weft file, and --blob FILE, or --c NAME and -o NAME.c",
     .options = {ID(C_NAME), ID(OUT_C), ID(HEADER), ID(BLOB), OPENS, PROGRAM},
     .examples = {"weft export model.weft --blob model.bin",
                  "weft export model.weft --c model -o model.c --header model.h"}},
    {.name = "trace",
     .run = command_trace,
     .operand = "MODEL|X.weft|X.asm|X.bin|OUT.raw",
     .operand_help =
         "a model of TFLite or ONNX, a graph as text, a compiled program or an assembled one; with "
         "--print, an instruction trace",
     .summary = "records every cycle, for Perfetto or for programs",
     .description = "Writes what every unit, the memory port and the banks did in every cycle, as "
                    "JSON that Perfetto and Chrome read, or as a small binary file.",
     .needs = "a model, a .weft file or an assembled program, and -o OUT; or --print FILE",
     .options = {ID(OUT_TRACE), ID(RAW), ID(PRINT), OPENS, PROGRAM, ID(REGION), ID(REMOTE),
                 ID(KEY_FILE), ID(LATENCY), ID(INTERVAL), ID(DRAM)},
     .examples = {"weft trace model.weft -o trace.json", "weft trace model.weft --raw -o trace.raw",
                  "weft trace --print trace.raw"}},
    {.name = "compare",
     .run = command_compare,
     .operand = "A",
     .operand_help =
         "a model, a compiled program, or what weft run --json wrote, perhaps of another "
         "version",
     .second = "B",
     .second_help = "another one; without it, A again, with --other-config or --use",
     .summary = "shows layer by layer what two programs take, and why it moved",
     .description =
         "Counts both, finds the layers that are the same on both sides, and prints those whose "
         "cycles or bytes moved, and what the cycles are spent on that came or went. The page has "
         "both timelines, one above the other, by cycle or layer by layer. --latency, --interval "
         "and --dram are the memory of models and programs; a file of figures has its own, which "
         "is said.",
     .needs = "two models, programs or files of figures; or one, and --other-config or --use",
     .options = {ID(JSON), ID(OUT_HTML), ID(OTHER_CONFIG), ID(OTHER_USE), OPENS, PROGRAM,
                 ID(LATENCY), ID(INTERVAL), ID(DRAM)},
     .examples = {"weft compare before.weft after.weft -o compare.html",
                  "weft compare model.tflite --other-config large32",
                  "weft compare old.json model.tflite --json compare.json"}},
    {.name = "tune",
     .run = command_tune,
     .operand = "MODEL",
     .operand_help = "a model of TFLite or ONNX, or a graph as text",
     .summary = "looks for a faster schedule for as long as one likes",
     .description =
         "Compiles a model, and then changes what the schedule decided, at random, as long as the "
         "budget lasts; the exact cycle model says what each change is worth, and every schedule "
         "that is the best is verified. The log says what was found, survives a kill at any "
         "moment, and serves models with like layers: weft compile --use-log. With --hardware, "
         "parameters of the machine change, too; --grid, --area, --area-limit, --best-config and "
         "--json are for it.",
     .needs = "a model, --budget BUDGET, and --log LOG, --decisions OUT.json or -o OUT.weft; with "
              "--hardware instead of --log perhaps --best-config OUT.json or --json OUT.json",
     .options = {ID(BUDGET),        ID(LOG),          ID(OUT_WEFT),   ID(DECISIONS),  ID(JOBS),
                 ID(SEED),          ID(STRATEGY),     ID(TUNE_SLURM), ID(SBATCH),     ID(HARDWARE),
                 ID(HARDWARE_GRID), ID(AREA),         ID(AREA_LIMIT), ID(OUT_CONFIG), ID(JSON),
                 ID(CONFIG),        ID(MEMORY_LIMIT), ID(DIM),        PROGRAM,        ID(PLUGIN)},
     .examples =
         {"weft tune model.tflite --budget 60s --log tune.log -o model.weft",
          "weft tune model.tflite --budget 5000 --seed 2 --jobs 1 --decisions best.json",
          "weft tune model.tflite --hardware --budget 60s --best-config best.json -o model.weft"}},
    {.name = "report",
     .run = command_report,
     MODEL_OR_WEFT,
     .summary = "makes a page that shows where every cycle went",
     .description = "Makes one HTML file that loads nothing from anywhere: a timeline, bars that "
                    "account for every cycle of every unit, a roofline, the memory map, and a "
                    "table of layers.",
     .needs = "a model or a .weft file and -o OUT.html",
     .options = {ID(OUT_HTML), OPENS, PROGRAM, ID(LATENCY), ID(INTERVAL), ID(DRAM), ID(CLOCK),
                 ID(TECHNOLOGY), ID(AREA)},
     .examples = {"weft report model.weft -o report.html"}},
    {.name = "area",
     .run = command_area,
     .summary = "estimates what a machine takes on an FPGA or a chip",
     .description = "Prints what each part of a configuration takes on a target, by formulas that "
                    "were fitted to Yosys (docs/area.md says how far off they are), and its RAMs.",
     .options = {ID(CONFIG), ID(AREA), ID(JSON)},
     .examples = {"weft area --config ref16", "weft area --config mine.json --json area.json"}},
    {.name = "sweep",
     .run = command_sweep,
     .operand = "[FILE.json]",
     .operand_help = "what to run, as docs/sweep.md describes it; options add to it",
     .summary = "runs models on many machines, and keeps what each comes to",
     .description =
         "Compiles and runs models on the cycle model for many configurations of the machine, "
         "memories and options of the compiler, in processes on all cores, and writes a row for "
         "each into a file of SQLite as it comes: a sweep that was killed goes on where it was, "
         "and no point is run that the file has. A machine or model that is refused is a row with "
         "the reason. weft "
         "sweep show shows the file.",
     .needs = "models, and -o OUT.sqlite",
     .options = {ID(OUT_SWEEP), ID(GRID), ID(MODEL), ID(CONFIG), ID(RANDOM), ID(GUIDED), ID(SEED),
                 ID(OBJECTIVE), ID(WORKERS), ID(TIME_LIMIT), ID(SWEEP_MEMORY), ID(RETRY), ID(PART),
                 ID(MERGE), ID(SLURM), ID(SBATCH), ID(CLOCK), ID(TECHNOLOGY), ID(AREA)},
     .examples = {"weft sweep --grid act_bytes=64K..512K --grid wgt_bytes=64K,128K --model "
                  "model.tflite -o sweep.sqlite",
                  "weft sweep sweep.json --random 400 -o sweep.sqlite",
                  "weft sweep show sweep.sqlite --clock 100 --html sweep.html"}},
    {.name = "sweep-show",
     .run = command_sweep_show,
     .operand = "FILE.sqlite",
     .operand_help = "a file that weft sweep wrote, which may be at it still",
     .summary = "shows what a sweep found: table, CSV, JSON or a page",
     .description =
         "Also written weft sweep show. Prints the best points of a sweep and what each parameter "
         "buys, or writes all points as CSV, JSON or one HTML file that loads nothing from "
         "anywhere.",
     .needs = "the file of a sweep",
     .options = {ID(CLOCK), ID(TECHNOLOGY), ID(AREA), ID(ALL), ID(CSV), ID(JSON), ID(SWEEP_HTML),
                 ID(POINT), ID(POINT_REPORT), ID(SHOW_MEMORY)},
     .examples = {"weft sweep show sweep.sqlite --html sweep.html",
                  "weft sweep show sweep.sqlite --point 17 --report report.html"}},
    {.name = "soc",
     .run = command_soc,
     MODEL_OR_WEFT,
     .summary = "runs a model on a RISC-V CPU with the machine, all of it RTL",
     .description = "Puts the firmware, the model and its inputs into the memory of a system of "
                    "PicoRV32 or VexRiscv, RAM, UART and the machine, simulates it as RTL from "
                    "reset on, prints what the UART sends, and reads the outputs. PicoRV32 polls "
                    "the machine, VexRiscv waits for its interrupt. The system must be built: "
                    "scripts/setup system, then scripts/build --soc NAME.",
     .needs = "a model or a .weft file, and --cpu CPU",
     .options = {ID(CPU), ID(INPUT), ID(OUT_NPY), ID(CONFIG), ID(JSON), ID(LAYOUT), ID(MEAN),
                 ID(STD), ID(RUNS), ID(LATENCY), LIMITS, ID(DIM)},
     .examples = {"weft soc model.weft --cpu vexriscv --input in.npy --output out.npy",
                  "weft soc model.tflite --config small8 --cpu picorv32 --input in.npy"}},
    {.name = "vp",
     .run = command_vp,
     MODEL_OR_WEFT,
     .summary = "runs a model on a virtual platform with a RISC-V processor",
     .description =
         "Puts the firmware, the model and its inputs into the memory of a SystemC platform of an "
         "RV32IMC processor, RAM, UART, CLINT, PLIC and the machine, simulates it from reset on, "
         "prints what the UART sends, and compares outputs and cycles of the machine with those of "
         "weft run. scripts/setup system installs what it is built with.",
     .needs = "a model or a .weft file",
     .options = {ID(INPUT), ID(OUT_NPY), ID(CONFIG), ID(ACCELERATOR), ID(JSON), ID(VCD), ID(LAYOUT),
                 ID(MEAN), ID(STD), ID(RUNS), ID(QUANTUM), ID(SYSTEM_CLOCK), LIMITS, ID(DIM)},
     .examples = {"weft vp model.weft --input in.npy --output out.npy",
                  "weft vp model.tflite --config small8 --target rtl --input in.npy --vcd "
                  "waves.vcd"}},
    {.name = "serve",
     .run = command_serve,
     .summary = "lets clients on this or other machines run programs here",
     .description = "Offers a target to clients, which name it as --target remote://HOST:PORT: one "
                    "session after the other has it, each in a process of its own with limits. "
                    "Programs are verified as those of a file are. An address that others can "
                    "reach needs a key. Ends when it is interrupted.",
     .options = {ID(LISTEN), ID(SERVE_TARGET), ID(KEY_FILE), ID(DEADLINE), ID(LEASE), ID(WAITING),
                 ID(CACHE), ID(MEMORY_LIMIT), ID(CYCLE_LIMIT)},
     .examples = {"weft serve --listen 127.0.0.1:0 --target rtl",
                  "weft serve --listen 0.0.0.0:7433 --key-file ~/.weft-key"}},
    {.name = "devices",
     .run = command_devices,
     .operand = "HOST:PORT",
     .operand_help = "the address of a server, also as remote://HOST:PORT",
     .summary = "shows what a server offers",
     .description = "Prints the target of a server, its configurations and limits, and who waits "
                    "for it.",
     .needs = "the address of a server",
     .options = {ID(KEY_FILE), ID(JSON)},
     .examples = {"weft devices 127.0.0.1:7433"}},
    {.name = NULL},
};

const struct command *command_find(const char *name) {
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

/* ---- names that values can have ---- */

/* What a server can offer. */
static const char *const served_target_names[] = {"func",     "cycle", "rtl",
                                                  "lockstep", "linux", NULL};

/* Adds names of a list that NULL, or its size, ends. */
static size_t add_names(const char **names, size_t count, size_t most, const char *const *list,
                        size_t size) {
    for (size_t i = 0; i < size && list[i] != NULL && count < most; i++) {
        names[count++] = list[i];
    }
    return count;
}

size_t value_names(enum value_kind kind, const char **names, size_t most) {
    static const char *const passes[] = {"all"};
    size_t count = 0;
    switch (kind) {
    case VALUE_CONFIG:
    case VALUE_TECHNOLOGY:
    case VALUE_AREA:
        return builtin_names(kind, names, most);
    case VALUE_TARGET:
        return add_names(names, 0, most, run_target_names, SIZE_MAX);
    case VALUE_SERVED_TARGET:
        return add_names(names, 0, most, served_target_names, SIZE_MAX);
    case VALUE_KERNELS:
        return add_names(names, 0, most, weft_host_names, WEFT_HOSTS);
    case VALUE_LAYOUT:
        return add_names(names, 0, most, layout_names, SIZE_MAX);
    case VALUE_CPU:
        return add_names(names, 0, most, weft_soc_cpus, SIZE_MAX);
    case VALUE_ACCELERATOR:
        return add_names(names, 0, most, vp_target_names, SIZE_MAX);
    case VALUE_CALIBRATION:
        return add_names(names, 0, most, weft_calibration_names, SIZE_MAX);
    case VALUE_WEIGHTS:
        return add_names(names, 0, most, weft_weight_names, SIZE_MAX);
    case VALUE_OBJECTIVE:
        return add_names(names, 0, most, sweep_objective_names, SIZE_MAX);
    case VALUE_PASS:
        count = add_names(names, 0, most, weft_pass_names, SIZE_MAX);
        return add_names(names, count, most, passes, 1);
    default:
        return 0;
    }
}
