# What the scripts that synthesise have in common (scripts/synth, fmax, asic, fpga): functions that print commands of Yosys 0.23.
# Sourced in the root of the project. WEFT_RTL is the folder of the modules, hw/rtl by default.
# The dialect of these commands is pinned by Debian 12; another Yosys gives other numbers.
rtl=${WEFT_RTL:-hw/rtl}
generated=${WEFT_GENERATED:-build/generated}

# flow_need PROGRAM...: 77, which tests take as skipped, when one is missing.
flow_need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "${0##*/}: $program is missing: scripts/setup fpga, or tests" >&2; exit 77; }
    done
}

# flow_nextpnr_version PROGRAM: nextpnr-NUMBER. That of PyPI says its name before the number, that of Debian does not.
flow_nextpnr_version() {
    "$1" --version 2>&1 | sed -n 's/.*Version \(nextpnr-\)\{0,1\}\([0-9.]*[0-9]\).*/nextpnr-\2/p' | head -1
}

# flow_usage: 2, after the usage at the top of the script.
flow_usage() {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}

# flow_yosys NAME: runs NAME.ys, with NAME.log; shows the end of what went wrong.
flow_yosys() {
    if ! yosys -q -l "$1.log" "$1.ys" >"$1.errors" 2>&1; then
        # Arrays that are no memories become registers: Yosys warns, and they are meant so.
        grep -v 'Warning: Replacing memory' "$1.errors" | tail -20 >&2
        echo "${0##*/}: yosys fails: $1.log" >&2
        return 1
    fi
}

# flow_read CONFIGURATION [TOP]: reads and elaborates the machine, turns processes into cells, and finds latches, loops and second drivers.
flow_read() {
    local file
    for file in "$generated/weft_isa_pkg.sv" "$generated/rtl/$1/weft_config_pkg.sv" "$generated"/weft_{encoding,config_check}.sv "$rtl"/*.sv; do
        [ -e "$file" ] || { echo "${0##*/}: $file is missing: scripts/build" >&2; return 1; }
        echo "read_verilog -sv -DSYNTHESIS -I$generated $file"
    done
    cat <<END
        hierarchy -check -top ${2:-weft_axi_machine}
        proc
        select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr
        check -assert
END
}

# The first half of synth_ecp5, which every target has.
flow_coarse() {
    cat <<END
        opt_expr
        opt_clean
        opt -nodffe -nosdff
        fsm
        opt
        wreduce
        peepopt
        opt_clean
END
}

# flow_ecp5 TOP [OPTION...]: what synth_ecp5 does after that, but without \`share\`, which tries every pair of multipliers, and without autoname,
# which takes minutes. -noflatten is for modules as they stand; -nowidelut, LUTs of 4 inputs alone, for what counts them, as wider ones are made of several
# of these and hide how many. The whole board has wider ones: the multiplexer behind two LUTs is in their slice, and so are the wires between.
flow_ecp5() {
    local top=$1
    shift
    cat <<END
        techmap -map +/cmp2lut.v -D LUT_WIDTH=4
        opt_expr
        opt_clean
        techmap -map +/mul2dsp.v -map +/ecp5/dsp_map.v -D DSP_A_MAXWIDTH=18 -D DSP_B_MAXWIDTH=18 -D DSP_A_MINWIDTH=2 -D DSP_B_MINWIDTH=2 -D DSP_NAME=\$__MUL18X18
        chtype -set \$mul t:\$__soft_mul
        alumacc
        opt
        memory -nomap
        opt_clean
        synth_ecp5 $* -top $top -run map_ram:check
        check -assert
END
}

# flow_ecp5_netlist NETLIST.json: registers of multipliers, and constants off wires, which Yosys 0.23 leaves undone; says how many.
flow_netlist_tool=$PWD/hw/tools/ecp5_netlist.py
flow_ecp5_netlist() {
    python3 "$flow_netlist_tool" "$1"
}

# Gates of two inputs (an inverter is free, a multiplexer is three of them, two deep) and plain D flip-flops, so that enables and
# resets count; multipliers are trees of carry-save adders, adders look ahead (Brent and Kung). What would be block RAM stays, other memories
# are registers. What is x in the source is don't care, as synth_ecp5 has it. \`balance; map\` gives a mapping of the least depth of the
# logic as written, and nothing clever.
flow_gates() {
    cat <<END
        alumacc
        opt
        memory -nomap
        opt_clean
        setattr -unset ram_style t:\$mem_v2
        memory_libmap -lib +/ecp5/brams.txt
        memory_map
        opt -fast -mux_undef
        techmap
        opt -fast
        dfflegalize -cell \$_DFF_P_ x
        simplemap
        opt_clean
        abc -g gates -script +strash;balance;map
        opt_clean
END
}

# The standard cells of scripts/asic: 0.18 um, typical, 1.8 V, 25 C.
osu018_liberty=/usr/share/qflow/tech/osu018/osu018_stdcells.lib

# flow_osu018 PINS MEMORIES.il: cells of osu018, after flow_coarse. Memories with clocked reads of 32 words or more become the pins of hw/tools/sram.lib;
# the second file has all memories as they were. The first is written here.
flow_osu018() {
    # ABC knows no flip-flops: what drives its inputs is taken for a buffer.
    printf 'set_driving_cell BUFX4\nset_load 0.02 [all_outputs]\n' >"$1"
    cat <<END
        opt_expr -mux_undef
        alumacc
        opt
        memory -nomap
        opt_clean
        write_rtlil $2
        read_liberty -lib $osu018_liberty
        read_verilog hw/tools/sram_pins.v
        techmap -map hw/tools/sram.v
        memory_map
        opt -fast
        techmap
        opt -fast
        dfflegalize -cell \$_DFF_P_ x
        simplemap
        opt_clean
        dfflibmap -liberty $osu018_liberty
        abc -liberty $osu018_liberty -constr $1 -script +strash;balance;map,-B,0.9;topo;buffer,-p,-c;upsize;dnsize
        setundef -zero
        opt_clean
        check -assert
END
}

# flow_macros MEMORIES.il: a line for each memory that flow_osu018 made a macro of: module, words, bits of a word, ports.
flow_macros() {
    awk -f hw/tools/macros.awk "$1"
}

# flow_modules FILE.il: a line for each module that the design has: what Yosys calls it, its plain name, and its parameters.
flow_modules() {
    awk -f hw/tools/modules.awk "$1"
}

# flow_front CONFIGURATION [TOP]: sets `front` to a file of RTLIL, the elaborated machine, made of these sources unless it is there.
flow_front() {
    local key
    front=build/elaborated/$1${2:+.$2}
    mkdir -p build/elaborated
    key=$(flow_read "$@" | sha256sum; cat "$generated"/weft_isa_{pkg.sv,slices.svh} "$generated/rtl/$1/weft_config_pkg.sv" "$generated"/weft_{encoding,config_check}.sv \
        "$rtl"/*.sv | sha256sum)
    if [ "$key" != "$(cat "$front.key" 2>/dev/null)" ]; then
        rm -f "$front.key"
        flow_read "$@" >"$front.ys" || return 1
        echo "write_rtlil $front.il" >>"$front.ys"
        flow_yosys "$front" || return 1
        echo "$key" >"$front.key"
    fi
    front=$front.il
}
