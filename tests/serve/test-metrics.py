#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What y10 serve tells Prometheus, and how many cameras it says the machine carries. Prometheus' own
promtool checks the text; the kernel says what the process uses."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from server import Server, until

CONFIG = ("[camera one]\nname=One \"1\"\nsource=test:ball\n\n[camera two]\nname=Two\nsource=test:snow\n\n"
          "[camera off]\nname=Off\nsource=rtsp://127.0.0.1:1/none\n")
SAMPLE = re.compile(r'^(\w+)(?:\{camera="([a-z]+)",name="(?:[^"\\]|\\.)*"\})? (\S+)$')


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config=CONFIG).start()
        cls.server.live("one")
        cls.server.live("two")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def text(self):
        status, head, data = self.server.ask("GET", "/metrics")
        self.assertEqual((status, head["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        return data.decode()

    def read(self):
        """{(name, camera): value}"""
        values = {}
        for line in self.text().splitlines():
            if not line.startswith("#"):
                name, camera, value = SAMPLE.match(line).groups()
                self.assertNotIn((name, camera), values)
                values[name, camera] = float(value)
        return values

    def test_promtool(self):
        promtool = shutil.which("promtool") or os.environ.get("PROMTOOL")
        if not promtool:
            self.skipTest("promtool is missing (Debian: prometheus)")
        done = subprocess.run([promtool, "check", "metrics"], input=self.text(), text=True, capture_output=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = subprocess.run([promtool, "check", "metrics"], input="# TYPE x counter\nx 1\n", text=True,
                              capture_output=True, check=False)
        self.assertNotEqual((done.returncode, done.stdout + done.stderr), (0, ""), "it complains if there is a reason")

    def test_cameras(self):
        until(lambda: self.read().get(("y10_camera_delay_seconds", "one")), "frames have come")
        before = self.read()
        until(lambda: self.read()["y10_camera_frames_total", "one"]
              >= before["y10_camera_frames_total", "one"] + 30, "30 more")
        after = self.read()
        for camera in ("one", "two"):
            frames, inferred, held = (after[f"y10_camera_{kind}_total", camera] for kind in
                                      ("frames", "inferred", "held"))
            self.assertGreater(inferred, 0)
            # A frame may be counted between two of them.
            self.assertLessEqual(inferred + held, frames + 1)
            self.assertEqual(after["y10_camera_up", camera], 1)
            self.assertLessEqual(after["y10_camera_delay_seconds", camera],
                                 after["y10_camera_delay_p95_seconds", camera])
            self.assertLess(0, after["y10_camera_engine_seconds", camera])
        done = after["y10_engine_inferences_total", None] - before["y10_engine_inferences_total", None]
        self.assertGreater(done, 0)
        self.assertLessEqual(after["y10_engine_busy_ratio", None], 1.01)
        for kind, value in (("up", 0), ("frames_total", 0), ("quarantined", 0)):
            self.assertEqual(after[f"y10_camera_{kind}", "off"], value)
        self.rates()
        # What is not known is not there.
        self.assertNotIn(("y10_camera_inferences_per_second", "off"), after)
        self.assertNotIn(("y10_camera_delay_seconds", "off"), after)

    def rates(self):
        """Inferences a second, as the API and the metrics have them, are those that the counter counts."""
        began, before = time.monotonic(), self.server.cameras()["one"]
        rates = set()
        while len(rates) < 3:
            camera = self.server.cameras()["one"]
            told = self.read().get(("y10_camera_inferences_per_second", "one"))
            if camera["inferences_per_second"] is not None:
                rates.add(camera["inferences_per_second"])
                self.assertIsNotNone(told)
            time.sleep(0.5)
        counted = (camera["inferred"] - before["inferred"]) / (time.monotonic() - began)
        self.assertLess(min(rates), 2 * counted)
        self.assertGreater(max(rates), counted / 2)
        self.assertIsNone(self.server.cameras()["off"]["inferences_per_second"])

    def test_process(self):
        """As the kernel says it."""
        folder = f"/proc/{self.server.process.pid}"

        def cpu():
            with open(folder + "/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        before = cpu()
        values = self.read()
        self.assertLessEqual(before - 0.1, values["process_cpu_seconds_total", None])
        self.assertLessEqual(values["process_cpu_seconds_total", None], cpu() + 0.1)
        with open(folder + "/status", encoding="ascii") as file:
            resident = 1024 * int(re.search(r"VmRSS:\s+([0-9]+) kB", file.read()).group(1))
        self.assertAlmostEqual(values["process_resident_memory_bytes", None], resident, delta=0.2 * resident)
        self.assertAlmostEqual(values["process_open_fds", None], len(os.listdir(folder + "/fd")), delta=4)

    def capacity(self):
        """As soon as it is known."""
        def ask():
            status, _, data = self.server.ask("GET", "/api/capacity")
            self.assertEqual(status, 200)
            found = json.loads(data)
            return found["more"] is not None and found
        return until(ask, "it is known")

    def test_other_programs(self):
        """What another process takes of the CPUs, by the kernel's account of it, cameras do not get."""
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
            began = time.monotonic()

            def rate():
                with open(f"/proc/{other.pid}/stat", encoding="ascii") as file:
                    fields = file.read().rpartition(")")[2].split()
                return ((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                        / (time.monotonic() - began))
            try:
                # The figures are of five seconds, which may have begun before.
                until(lambda: time.monotonic() > began + 10, "it has run for two of those")
                until(lambda: self.capacity()["cpus_others"] >= 0.7 * rate() > 0, "it is seen")
                found = self.capacity()
            finally:
                other.kill()
        self.assertLessEqual(found["cpus_others"] + found["cpus_used"], os.cpu_count() + 0.1)
        self.assertLessEqual(found["cameras"] * found["cpus_per_camera"],
                             max(0, 0.8 * os.cpu_count() - found["cpus_others"]) + 1e-9)

    def test_capacity(self):
        found = self.capacity()
        self.assertEqual(found["live"], 2)
        self.assertEqual(found["more"], max(0, found["cameras"] - 2))
        self.assertIn(found["limit"], ("engine", "cpu"))
        self.assertTrue(1 <= found["cpus"] <= os.cpu_count())
        # No more than the CPUs have time for, each with the CPUs' time that it takes.
        self.assertLessEqual(found["cameras"] * found["cpus_per_camera"], found["cpus"])
        # With what others take, neither.
        self.assertTrue(0 <= found["cpus_others"] <= os.cpu_count())
        self.assertLessEqual(found["cameras"] * found["cpus_per_camera"] + found["cpus_others"],
                             max(found["cpus_others"], found["cpus"]))
        # No more than the engine has time for.
        self.assertLessEqual(found["cameras"] * found["inferences_per_camera"] * found["engine_ms"], 1000)
        self.assertLessEqual(found["inferences_per_camera"], 5)
        self.assertEqual(self.server.ask("POST", "/api/capacity", b"")[0], 405)
        with Server(config="") as empty:
            self.assertEqual(json.loads(empty.ask("GET", "/api/capacity")[2])["more"], None)


if __name__ == "__main__":
    unittest.main()
