#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 info and bench, the help texts, and whether the manual and the completion have every
option."""
import json
import os
import pty
import re
import shutil
import subprocess
import unittest

from common import FEATURES, Case, Y10, main, picture, write_png

SOURCE = os.environ["Y10_TEST_SOURCE"]


class Info(Case):
    # Table 1 of the paper (arXiv:2405.14458): parameters in millions, GFLOP at 640.
    PAPER = {"n": (2.3, 6.7), "s": (7.2, 21.6), "m": (15.4, 59.1)}

    def test_paper(self):
        """The sizes of the paper, for weights without metadata about their variant."""
        for variant, (millions, gflop) in self.PAPER.items():
            model = self.make_model(f"yolov10{variant}-nc80")
            out = json.loads(self.y10("info", "--json", "--backend", "ref", "--size", "640", model).stdout)
            os.remove(model)
            self.assertEqual(out["variant"], "yolov10" + variant)
            self.assertAlmostEqual(out["parameters"] / 1e6, millions, delta=0.03 * millions)
            self.assertAlmostEqual(out["gflop"], gflop, delta=0.03 * gflop)
            self.assertEqual(out["input"], {"width": 640, "height": 640})
            self.assertEqual(len(out["classes"]), 80)

    def test_layers(self):
        """The layers' shapes follow from the checkpoint's names and the network's strides."""
        out = json.loads(self.y10("info", "--json", "--backend", "ref", "--size", "96x64", self.model).stdout)
        layers = {layer["name"]: layer for layer in out["layers"]}
        self.assertEqual((layers["model.0"]["out_width"], layers["model.0"]["out_height"]), (48, 32))
        self.assertEqual(layers["model.0"]["in_channels"], 3)
        self.assertEqual((layers["model.0"]["kernel"], layers["model.0"]["stride"]), (3, 2))
        self.assertEqual((layers["model.9.cv2"]["out_width"], layers["model.9.cv2"]["out_height"]), (3, 2))
        self.assertEqual(out["layers"][0]["kind"], "preprocess")
        self.assertEqual(out["layers"][-1]["kind"], "head")
        self.assertGreater(out["arena_bytes"], 4 * 48 * 32 * layers["model.0"]["out_channels"])
        self.assertEqual(out["backend"], "ref")
        self.assertEqual(out["heads"], ["one2one"] if len(out["heads"]) == 1
                         else ["one2one", "one2many"])

    def test_text(self):
        out = self.y10("info", "--layers", "--backend", "ref", "--size", "96", self.model).stdout
        self.assertIn("classes     3: ", out)
        self.assertIn("model.0 ", out)

    def test_bundled(self):
        """Both commands without a model."""
        out = json.loads(self.y10("info", "--json", "--backend", "ref").stdout)
        self.assertEqual(set(out["classes"]), {"ball", "barcode", "qr-code", "data-matrix", "aztec",
                                               "pdf417", "marker"})
        self.assertEqual(out["input"], {"width": 416, "height": 416})
        self.assertEqual(os.path.basename(out["file"]), "codes.safetensors")
        self.assertEqual(out["heads"], ["one2one", "one2many"])
        self.assertEqual(out["head"], "one2one-nms")
        self.assertIn("heads       one2one, one2many (one2one-nms is used)\n",
                      self.y10("info", "--backend", "ref").stdout)
        many = json.loads(self.y10("info", "--json", "--backend", "ref", "--head", "one2many").stdout)
        self.assertEqual(many["head"], "one2many")
        again = json.loads(self.y10("bench", "--backend", "ref", "--size", "64", "--seconds", "0",
                                    "--json").stdout)
        self.assertEqual([op["name"] for op in again["ops"]][1:], [op["name"] for op in out["layers"]][1:])

    def test_wrong(self):
        self.refused("info", self.model, self.model, says=["one model"])
        self.refused("info", self.model, "--model", self.model, says=["one model"])
        self.refused("info", self.path("none"), says=["none"], status=3)


class Bench(Case):
    def test_json(self):
        for extra in ([], ["--with-preprocess"], ["--batch", "2"]):
            out = json.loads(self.y10("bench", "--model", self.model, "--backend", "ref", "--size", "96",
                                      "--seconds", "0", "--json", *extra).stdout)
            self.assertTrue(0 < out["min_ms"] <= out["median_ms"] <= out["p95_ms"], out)
            self.assertEqual((out["backend"], out["precision"]), ("ref", "fp32"))
            self.assertEqual(out["rows"], 300)
            self.assertEqual(out["batch"], 2 if "--batch" in extra else 1)
            self.assertEqual(out["size"], {"width": 96, "height": 96})
            self.assertTrue(out["threads"] >= 1 and out["device"])
            self.assertTrue(out["first_result_ms"] > out["start_ms"] > 0, out)
            kinds = {op["kind"] for op in out["ops"]}
            self.assertLessEqual({"conv", "maxpool5", "upsample2x", "attention", "head"}, kinds)
            convs = [op for op in out["ops"] if op["kind"] == "conv"]
            self.assertGreater(sum(op["ms"] for op in convs), 0)
            for op in out["ops"]:
                self.assertEqual(set(op), {"name", "kind", "impl", "ms", "gflops"})

    def test_auto_size(self):
        """That of a frame of 16:9."""
        out = json.loads(self.y10("bench", "--model", self.model, "--backend", "cpu", "--size", "auto",
                                  "--seconds", "0", "--json").stdout)
        self.assertEqual(out["size"], {"width": 640, "height": 384})

    def test_text(self):
        out = self.y10("bench", "--model", self.model, "--backend", "ref", "--size", "96", "--seconds",
                       "0").stdout
        self.assertRegex(out, r"median \d+\.\d+ ms")

    def test_wrong(self):
        self.refused("bench", "--model", self.model, "--batch", "65", says=["--batch", "65", "64"])
        self.refused("bench", "--model", self.model, "extra", says=["extra"])


@unittest.skipUnless(os.path.exists(os.environ["Y10_TEST_SIMULATOR"]), "there is no simulated GPU")
class Tuning(Case):
    """On the simulated GPU, which has faster plans if Y10_SIM_FUSE is set."""

    def setUp(self):
        cache = self.path(self.id())
        self.plans = os.path.join(cache, "yolov10detect", "plans")
        self.env = dict(self.env, Y10_BACKEND_PATH=os.path.dirname(os.environ["Y10_TEST_SIMULATOR"]),
                        Y10_SIM_FUSE="1", XDG_CACHE_HOME=cache)
        self.args = ["--model", self.model, "--backend", "cuda", "--precision", "fp32", "--size", "64"]

    def bench(self, *extra):
        out = json.loads(self.y10("bench", *self.args, "--seconds", "0", "--json", *extra).stdout)
        return out["tuning"], {op["impl"] for op in out["ops"] if op["kind"] == "conv"}

    def test_bench_waits(self):
        """Bench times the tuned plans; the second run loads them from the cache."""
        tuning, impls = self.bench()
        self.assertGreater(tuning["convolutions"], 10)
        self.assertGreater(tuning["faster"], 0)
        self.assertEqual((tuning["known"], tuning["wrong"], tuning["note"]), (0, 0, None))
        self.assertTrue(any("fused" in impl for impl in impls), impls)
        again, impls = self.bench()
        self.assertEqual(again, dict(tuning, known=tuning["convolutions"]))
        self.assertTrue(any("fused" in impl for impl in impls), impls)
        none, impls = self.bench("--no-tune")
        self.assertEqual(none["convolutions"], 0)
        self.assertFalse(any("fused" in impl for impl in impls), impls)

    def test_little_memory(self):
        """Too little memory to tune: bench runs untuned and reports it. A slot takes 9 MB."""
        self.env["Y10_SIM_MEMORY"] = "11000000"
        tuning, impls = self.bench()
        self.assertEqual(tuning["faster"], 0)
        self.assertIn("are free", tuning["note"])
        self.assertFalse(any("fused" in impl for impl in impls), impls)

    @unittest.skipUnless("pixbuf" in FEATURES, "pictures cannot be read")
    def test_pictures_do_not(self):
        path = write_png(self.path("a.png"), picture(64, 64))
        self.y10("detect", *self.args, path)
        self.y10("info", *self.args[2:], self.model)
        self.assertFalse(os.path.exists(self.plans))

    def test_terminal(self):
        """A terminal shows a percentage, which is removed in the end."""
        try:
            parent, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here (/dev/pts): {error}")
        run = subprocess.Popen([Y10, "bench", *self.args, "--seconds", "0"], stderr=child,
                               stdout=subprocess.DEVNULL,
                               env=dict(self.env, Y10_SIM_BUILD_MS="20", TERM="xterm"))
        os.close(child)
        text = b""
        try:
            while chunk := os.read(parent, 65536):
                text += chunk
        except OSError:
            pass                                     # EIO: the other end is closed
        os.close(parent)
        self.assertEqual(run.wait(), 0)
        percent = [int(n) for n in re.findall(rb"tuning: .*?(\d+) %", text)]
        self.assertGreater(len(percent), 1, text)
        self.assertEqual(percent, sorted(percent))
        self.assertTrue(text.endswith(b"\r\x1b[K"), text)


# Without libsoup, serve says so, whatever its options.
COMMANDS = ("detect", "info", "convert", "quantize", "val", "record", "bench", "doctor",
            *(["serve"] if "serve" in FEATURES else []))


class Texts(Case):
    def test_help(self):
        self.assertEqual(self.y10("--version").stdout, "y10 " + os.environ["Y10_TEST_VERSION"] + "\n")
        self.assertEqual(self.y10("--help").stdout.count("\n  "), 10)
        self.assertIn("Usage", self.y10(status=2).stderr)
        for command in COMMANDS:
            help_text = self.y10(command, "--help").stdout
            self.assertEqual(self.y10("help", command).stdout, help_text)
            self.assertIn("Exit status: 0", help_text)
        self.refused("help", "detct", says=["detct", "did you mean 'detect'?"])

    @unittest.skipIf("pixbuf" not in FEATURES, "y10 was built without gdk-pixbuf")
    def test_nothing_found(self):
        """Whoever expects people of the bundled model learns what it knows."""
        plain = write_png(self.path("plain.png"), [bytes(3 * 64)] * 48)
        done = self.y10("detect", "--size", "96", plain)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for words in ("nothing was found", "qr-code", "--model", "models/fetch.sh"):
            self.assertIn(words, done.stderr)
        self.assertEqual(self.y10("detect", "--model", self.model, "--confidence", "1", plain).stderr, "")

    @unittest.skipIf("overlay" not in FEATURES, "y10 was built without the overlay")
    def test_plugin_beside(self):
        """y10 in a build folder finds the plugin that was built with it, by any name."""
        link = self.path("y10-link")
        os.symlink(Y10, link)
        env = {k: v for k, v in self.env.items() if not k.startswith("GST_PLUGIN_PATH")}
        plain = write_png(self.path("beside.png"), [bytes(3 * 64)] * 48)
        done = subprocess.run([link, "detect", "--size", "96", "--draw", self.path("beside"), plain],
                              env=env, cwd="/", capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.path("beside")), ["beside.png"])

    def test_hints(self):
        """What Ultralytics' command line and typing errors mean."""
        for args, says in (
                (["predict"], "'y10 detect' does that"), (["checks"], "'y10 doctor' does that"),
                (["export"], "weights load as they are"), (["bnech"], "did you mean 'bench'?"),
                (["detect", "--conf", "0.5", "x"], "did you mean --confidence?"),
                (["detect", "--imgsz=640", "x"], "did you mean --size?"),
                (["detect", "--save_txt", "x"], "--format yolo --output DIR?"), (["detect", "--device", "0"], "--backend?"),
                (["detect", "--modle", "x"], "did you mean --model?"),
                (["bench", "--thread", "2"], "did you mean --threads?"),
                (["detect", "model=yolov10n.pt", "source=x"], "did you mean --model yolov10n.pt?"),
                (["detect", "imgsz=640"], "did you mean --size?")):
            self.refused(*args, says=[says])
        for args in (["nonsense"], ["detect", "--nonsense", "x"]):
            done = self.y10(*args, status=2)
            self.assertNotIn("did you mean", done.stderr)

    def test_every_option_is_documented(self):
        with open(os.path.join(SOURCE, "tools", "y10", "y10.1"), encoding="utf-8") as f:
            manual = f.read().replace("\\-", "-")
        script = os.path.join(SOURCE, "tools", "y10", "y10.bash-completion")
        for command in COMMANDS:
            options = set(re.findall(r"--[a-z-]+", self.y10(command, "--help").stdout)) - {"--help"}
            self.assertTrue(options)
            offered = subprocess.run(
                ["bash", "-c", f". '{script}'; COMP_WORDS=(y10 {command} --); COMP_CWORD=2; _y10; "
                 'echo "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True).stdout.split()
            for option in options:
                self.assertIn(option, manual)
            self.assertEqual(set(offered) - {"--help"}, options)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_manual_has_no_warnings(self):
        page = os.path.join(SOURCE, "tools", "y10", "y10.1")
        done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                              env=dict(self.env, MANWIDTH="80"), check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("EXIT STATUS", done.stdout)


if __name__ == "__main__":
    main()
