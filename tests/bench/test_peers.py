#!/usr/bin/env python3
"""README.md holds what is recorded of Weft's peers, and scripts/peers notices what goes wrong with them.

usage: test_peers.py WEFT
The peers themselves are not needed: scripts that answer as they do, or not, stand for them.
"""
import contextlib
import copy
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import compare_peers
import peers
import peers_table
import timed

WEFT = sys.argv.pop(1)
VELA = r"""#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" != --output-dir ] || folder=$2; shift; done
mkdir -p "$folder"
echo "CPU operators = 2 (4.0%)
NPU operators = 48 (96.0%)"
printf 'network,cycles_total\nnet,{cycles}\n' >"$folder/net_summary_system.csv"
"""
SCALE_SIM = """#!/bin/sh
case $1 in
-c) echo '{versions}' ;;
*) echo '{{"layers": {layers}, "cycles": {cycles}, "cycles_with_first_loads": 7, "seconds": 0.5}}' ;;
esac
"""
DIGITS_PRODUCTS = 16 + 32 + 6  # two depthwise convolutions, a product for each channel, and six other layers


class Environment:
    """A folder that looks like build/peers."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "bin").mkdir()
        (self.folder / "requirements.txt").touch()
        self.vela(VELA.replace("{cycles}", "12345"))
        self.python()

    def program(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text, "utf-8")
        path.chmod(0o755)

    def vela(self, text):
        self.program("vela", text)

    def python(self, versions=None, layers=DIGITS_PRODUCTS, cycles=5):
        versions = {**{name.lower(): v for name, v in peers.pinned().items()}, **(versions or {})}
        self.program("python", SCALE_SIM.format(versions=json.dumps(versions), layers=layers, cycles=cycles))

    def run(self, *options):
        """(status, standard output, standard error) of scripts/peers with it, for the embedded network."""
        output, errors = io.StringIO(), io.StringIO()
        arguments = ["compare_peers.py", "--weft", WEFT, "--environment", str(self.folder), "--models", str(self.folder),
                     "--repeat", "1", *options]
        with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = compare_peers.main()
            except SystemExit as end:
                status = end.code
        return status, output.getvalue(), errors.getvalue()


class TestRecord(unittest.TestCase):
    def test_readme_holds_the_record(self):
        readme = (peers.ROOT / "README.md").read_text("utf-8")
        wanted = peers_table.replaced(readme, compare_peers.block(compare_peers.recorded(), WEFT))
        self.maxDiff = None
        self.assertEqual(readme.splitlines(), wanted.splitlines(), "scripts/peers --readme writes it anew")

    def test_record_is_of_these_versions_and_flags(self):
        record = compare_peers.recorded()
        setting = json.loads(json.dumps(compare_peers.setting()))
        self.assertEqual({key: record[key] for key in setting}, setting)
        self.assertEqual(list(record["networks"]), compare_peers.names())
        self.assertEqual([name for name, one in record["networks"].items() if "scale_sim" in one], compare_peers.SIMULATED)
        self.assertFalse(compare_peers.refused(record))

    def test_difference_is_found(self):
        record = compare_peers.recorded()
        pinned = {name: cycles for name, (_, cycles) in compare_peers.pinned_networks().items()}
        self.assertEqual(compare_peers.check(record, pinned, record), [])
        for path in (("networks", "digits", "vela", "U55-256", "cycles"), ("networks", "kws_dscnn_int8", "weft", "host_operators"),
                     ("networks", "digits", "scale_sim", "cycles"), ("versions", "scalesim"), ("vela_flags", "U65-256")):
            other = copy.deepcopy(record)
            part = other
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = 3
            found = compare_peers.check(other, pinned, record)
            self.assertEqual(len(found), 1)
            self.assertIn(".".join(path), found[0])
            self.assertIn("now 3", found[0])
        faster = copy.deepcopy(record)
        faster["networks"]["digits"]["seconds"]["weft_run"] = 1
        self.assertEqual(compare_peers.check(faster, pinned, record), [])
        found = compare_peers.check(record, {**pinned, "resnet50_int8": 3}, record)
        self.assertEqual(found, [f"networks.def: resnet50_int8 takes {pinned['resnet50_int8']} cycles, now 3"])

    def test_damaged_record(self):
        with tempfile.TemporaryDirectory() as folder:
            damaged = pathlib.Path(folder) / "peers.json"
            environment = Environment(tempfile.mkdtemp(dir=folder))
            with mock.patch.object(compare_peers, "RECORD", damaged):
                self.assertEqual(environment.run("--check")[0], 2)
                damaged.write_text('{"networks": {', "utf-8")
                status, _, errors = environment.run("--check")
        self.assertEqual(status, 2)
        self.assertIn("peers.json", errors)

    def test_readme_without_marks(self):
        good = f"a\n{peers_table.BEGIN}\nold\n{peers_table.END}\nb\n"
        self.assertEqual(peers_table.replaced(good, "new\n"), good.replace("old", "new"))
        for bad in ("a\n", f"{peers_table.BEGIN}\n", f"{peers_table.END}\n{peers_table.BEGIN}\n", good + good):
            with self.assertRaises(peers.PeerError):
                peers_table.replaced(bad, "new\n")


class TestRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = Environment(folder.name)

    def expect(self, status, *parts):
        """The run ends so, and says all of it."""
        found, output, errors = self.environment.run()
        self.assertEqual(found, status, errors)
        for part in parts:
            self.assertIn(part, output if status < 2 else errors)
        return output

    def test_clone_alone(self):
        output = self.expect(0, "| digits | ", " 12,345 (", "2 of 50", " 5 (7) ")
        self.assertNotIn("resnet", output)
        _, _, errors = self.environment.run()
        self.assertIn("left out, for no folder has them: ad_autoencoder_int8, ", errors)

    def test_no_network(self):
        status, _, errors = self.environment.run("--network", "resnet50_int8")
        self.assertEqual(status, 2)
        self.assertIn("no network to compare", errors)
        self.assertEqual(self.environment.run("--network", "nothing")[0], 2)

    def test_record_needs_all(self):
        with mock.patch.object(compare_peers, "write") as write:
            status, _, errors = self.environment.run("--record")
        self.assertEqual(status, 2)
        self.assertIn("needs all networks", errors)
        write.assert_not_called()

    def test_check_finds_other_figures(self):
        status, output, _ = self.environment.run("--check")
        self.assertEqual(status, 1)
        self.assertIn("networks.digits.vela.U55-256.cycles: recorded ", output)
        self.assertIn(", now 12345", output)

    def test_environment_is_missing(self):
        (self.environment.folder / "requirements.txt").unlink()
        self.expect(2, "scripts/setup peers makes it")
        self.assertEqual(self.environment.run("--check")[0], compare_peers.SKIPPED)

    def test_environment_is_half_written(self):
        (self.environment.folder / "bin/vela").unlink()
        self.expect(2, "has no bin/vela: remove")
        for text in ("", "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no\n", "#!/nowhere\n"):
            self.environment.program("python", text)
            self.expect(2, "does not run: remove")
        (self.environment.folder / "bin/python").unlink()
        self.expect(2, "does not run: remove")

    def test_environment_is_of_other_versions(self):
        self.environment.python({"ethos-u-vela": "5.1.0"})
        self.expect(2, "has ethos-u-vela 5.1.0, where requirements.txt has 5.2.0: remove")
        self.environment.python({"scalesim": None})
        self.expect(2, "has scalesim not at all")

    def test_vela_refuses(self):
        self.environment.vela("#!/bin/sh\necho Error: no such operator >&2\nexit 1\n")
        self.expect(1, "| refused | refused |", "- digits: Vela for U55-256 fails, or takes more than 900 s: Error: no such operator")
        self.environment.vela("#!/bin/sh\nkill -9 $$\n")
        self.expect(1, "it printed nothing")

    def test_vela_takes_too_long(self):
        self.environment.vela("#!/bin/sh\nexec sleep 60\n")

        def impatient(command, most_seconds, output):
            """Vela alone has half a second: Weft may be built with sanitizers."""
            return timed.measure(command, 0.5 if command[0].endswith("vela") else most_seconds, output)

        with mock.patch.object(peers, "measure", impatient):
            self.expect(1, "| refused |", "takes more than 900 s")

    def test_vela_says_something_else(self):
        self.environment.vela("#!/bin/sh\ntrue\n")
        self.expect(1, "does not say how many operators")
        self.environment.vela(VELA.replace("CPU operators", "operators"))
        self.expect(1, "does not say how many operators")
        for cycles in ("", "-1", "nan", "inf", "1.5", "x", "0", "1\\nnet,2", "1e999"):
            self.environment.vela(VELA.replace("{cycles}", cycles))
            self.expect(1, "- digits: cycles_total of Vela for U65-256 is ", "not a whole number")

    def test_scale_sim_fails(self):
        self.environment.python(layers=3)
        self.expect(1, "| refused | - | - | - |", f"- digits: SCALE-Sim simulated 3 of {DIGITS_PRODUCTS} products")
        self.environment.python(cycles=0)
        self.expect(1, "- digits: cycles of SCALE-Sim is 0, not a whole number")
        for layers in ("3 3", "{}"):
            self.environment.python(layers=layers)
            self.expect(1, "- digits: SCALE-Sim ")
        versions = json.dumps({name.lower(): v for name, v in peers.pinned().items()})
        for rest in ("exit 3", "true", "echo '[]'"):
            self.environment.program("python", f"#!/bin/sh\n[ $1 != -c ] || exec echo '{versions}'\n{rest}\n")
            self.expect(1, "- digits: SCALE-Sim ")

    def test_all_on_the_host(self):
        floats = peers.ROOT / "tests/differential/examples/COS/model.tflite"
        (self.environment.folder / "resnet18_int8.tflite").write_bytes(floats.read_bytes())
        status, output, _ = self.environment.run("--network", "resnet18_int8")
        self.assertEqual(status, 0)
        self.assertIn("| resnet18_int8 | 7,086,000 | 0 | 12,345 | 12,345 |", output)

    def test_weft_is_missing(self):
        status, _, errors = self.environment.run("--weft", "/nowhere/weft")
        self.assertEqual(status, 2)
        self.assertIn("/nowhere/weft", errors)

    def test_weft_refuses(self):
        (self.environment.folder / "resnet18_int8.tflite").write_bytes(b"TFL3 no model")
        status, _, errors = self.environment.run("--network", "resnet18_int8")
        self.assertEqual(status, 2)
        self.assertIn("weft compile fails", errors)


class TestParts(unittest.TestCase):
    def test_products(self):
        layers = [{"number": 1, "op": "conv2d", "shape": [1, 4, 5, 6], "macs": 4 * 5 * 6 * 27},
                  {"number": 2, "op": "add", "shape": [1, 4, 5, 6], "macs": 0},
                  {"number": 3, "op": "depthwise_conv2d", "shape": [1, 2, 2, 3], "macs": 2 * 2 * 3 * 9},
                  {"number": 4, "op": "dense", "shape": [1, 10], "macs": 640}]
        self.assertEqual(peers.products(layers), [(20, 6, 27), (4, 1, 9), (4, 1, 9), (4, 1, 9), (1, 10, 64)])
        with self.assertRaises(peers.Refused):
            peers.products([{"number": 1, "op": "dense", "shape": [1, 10], "macs": 641}])

    def test_file_is_whole_or_as_before(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file"
            compare_peers.write(path, "old")
            with mock.patch.object(pathlib.Path, "replace", side_effect=OSError("full")), self.assertRaises(OSError):
                compare_peers.write(path, "new")
            self.assertEqual(path.read_text("utf-8"), "old")


if __name__ == "__main__":
    unittest.main()
