"""What an editor shows in its watches and hovers, and what a person changes there."""
import base64
import os
import pathlib
import struct
import sys
import unittest

from dap_client import Client, Refused

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = str(HERE / "debug.cl")
OBJECTS = pathlib.Path(os.environ["GCNJIT_DEBUG_OBJECTS"])
ARGUMENTS = {
    "saxpy": {"global": 128, "args": ["f32:2.5", "iota:f32:128", "iota:f32:128"]},
    "sums": {"global": 128, "local": 128, "args": ["buf:4096", "iota:u32:128", "u32:0"]},
    "stray": {"global": 128, "args": ["buf:4096", "u32:70"]},
}


class ValuesTest(unittest.TestCase):
    def start(self, kernel="saxpy", line=None, target="gfx900", is_told=False, **more):
        """A session that stands at the line, or at the kernel's begin."""
        client = Client(os.environ["GCNJIT_PROGRAM"])
        self.addCleanup(self.end, client)
        client.ask("initialize", supportsInvalidatedEvent=is_told)
        client.ask("launch", program=str(OBJECTS / f"debug-{target}.co"), kernel=kernel, stopOnEntry=line is None,
                   **{**ARGUMENTS[kernel], **more})
        client.event("initialized")
        if line is not None:
            client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": line}])
        self.stopped(client, client.move("configurationDone"))
        return client

    def end(self, client):
        if client.process.poll() is None:
            client.ask("disconnect")
        self.assertEqual(client.close(), 0)

    def stopped(self, client, stop):
        self.thread = stop["threadId"]
        self.frame = client.ask("stackTrace", threadId=self.thread)["stackFrames"][0]
        return stop

    def move(self, client, command, **more):
        return self.stopped(client, client.move(command, threadId=self.thread, **more))

    def evaluate(self, client, expression, **more):
        return client.ask("evaluate", expression=expression, frameId=self.frame["id"], context="watch", **more)

    def value(self, client, expression):
        return self.evaluate(client, expression)["result"]

    def scope(self, client, name):
        scopes = client.ask("scopes", frameId=self.frame["id"])["scopes"]
        return next(s["variablesReference"] for s in scopes if s["name"] == name)

    def variables(self, client, reference):
        return {v["name"]: v for v in client.ask("variables", variablesReference=reference)["variables"]}

    def set(self, client, expression, value):
        return client.ask("setExpression", expression=expression, value=value, frameId=self.frame["id"])["value"]

    def refuses(self, client, words, command, **arguments):
        with self.assertRaisesRegex(Refused, words):
            client.ask(command, **arguments)

    def memory(self, client, reference, count, form):
        data = client.ask("readMemory", memoryReference=reference, count=struct.calcsize(form) * count)["data"]
        return struct.unpack(f"<{count}{form}", base64.b64decode(data))

    def write(self, client, reference, data, **more):
        return client.ask("writeMemory", memoryReference=reference, data=base64.b64encode(data).decode(), **more)

    def read(self, client, reference, count, **more):
        return base64.b64decode(client.ask("readMemory", memoryReference=reference, count=count, **more)["data"])

    def output(self, client):
        """What the kernel leaves in argument 2."""
        return self.memory(client, self.evaluate(client, "mem[arg2]")["memoryReference"], 128, "f")

    def test_registers_by_name(self):
        for target in ("gfx600", "gfx803", "gfx900", "gfx906"):
            with self.subTest(target):
                client = self.start(line=13, target=target)
                self.assertEqual(self.value(client, "exec"), "0xffffffffffffffff  lanes 0-63")
                self.assertEqual(self.value(client, "exec_lo"), "0xffffffff  -1  -nanf")
                self.assertRegex(self.value(client, "vcc"), r"^0x[0-9a-f]{16}  lanes ")
                self.assertRegex(self.value(client, "scc"), r"^[01]$")
                self.assertRegex(self.value(client, "m0"), r"^0x[0-9a-f]{8}  -?\d+  \S+f$")
                self.assertRegex(self.value(client, "mode"), r"^0x[0-9a-f]+$")
                self.assertIn("saxpy+0x", self.value(client, "pc"))
                self.assertTrue(self.value(client, "pc").startswith(self.frame["instructionPointerReference"] + " "))
                for scope in ("Wave", "Scalar registers", "Vector registers"):
                    for name, variable in self.variables(client, self.scope(client, scope)).items():
                        if "evaluateName" in variable:
                            self.assertEqual(self.value(client, variable["evaluateName"]), variable["value"], name)
                pair = self.value(client, "s[4:5]").split()[0]
                self.assertEqual(int(pair, 16), int(self.value(client, "s4").split()[0], 16) |
                                 int(self.value(client, "s5").split()[0], 16) << 32)

    def test_lanes(self):
        client = self.start(line=13)
        found = self.evaluate(client, "v2")
        self.assertEqual(found["indexedVariables"], 64)
        lanes = self.variables(client, found["variablesReference"])
        self.assertEqual(found["result"], f"lane 0: {lanes['0']['value']}")
        for lane in (0, 5, 63):
            value = self.evaluate(client, f"v2[{lane}]")
            self.assertEqual(value["result"], lanes[str(lane)]["value"])
            self.assertEqual(value["result"].split()[2], f"{lane * 3.5:g}f")
            self.assertEqual(value["variablesReference"], 0)
            self.assertEqual(self.value(client, lanes[str(lane)]["evaluateName"]), value["result"])
        self.assertEqual(self.value(client, "v2[5] as f32"), "17.5")
        self.assertEqual(self.value(client, "v[2:2][5] as u32"), str(struct.unpack("<I", struct.pack("<f", 17.5))[0]))

    def test_lds_and_memory(self):
        client = self.start("sums", line=27)
        self.assertTrue(self.value(client, "lds[0x20]").startswith("0x00000008  8  "))
        self.assertEqual(self.value(client, "lds[0x20] as u8"), "8")
        self.assertEqual(self.value(client, "lds[36] as u32"), "9")
        self.assertEqual(self.value(client, "lds[0x20] as u64"), str(9 << 32 | 8))
        self.assertEqual(self.memory(client, self.evaluate(client, "lds[0x20]")["memoryReference"], 2, "I"), (8, 9))
        rows = self.variables(client, self.scope(client, "LDS"))
        words = self.variables(client, rows["0x0020"]["variablesReference"])
        self.assertEqual(list(words), [f"0x{at:04x}" for at in range(0x20, 0x40, 4)])
        self.assertEqual(words["0x0024"]["value"], self.value(client, words["0x0024"]["evaluateName"]))
        self.assertEqual(self.value(client, "mem[arg1+0x10] as u32"), "4")
        self.assertEqual(self.memory(client, self.evaluate(client, "mem[arg1+4]")["memoryReference"], 1, "I"), (1,))
        address = self.evaluate(client, "mem[arg1]")["memoryReference"]
        self.assertEqual(self.value(client, f"mem[{int(address, 16) + 12}] as i32"), "3")

    def test_addresses_in_registers(self):
        client = self.start(line=13)
        # A pair of SGPRs that is an address: of one of the arguments.
        scalars = self.variables(client, self.scope(client, "Scalar registers"))
        first = next(int(name[1:]) for name, v in scalars.items() if "memoryReference" in v)
        place = self.evaluate(client, f"mem[s[{first}:{first + 1}]]")
        self.assertEqual(place["memoryReference"], scalars[f"s{first}"]["memoryReference"])

    def test_what_is_no_expression(self):
        client = self.start("sums", line=27)
        for expression, words in (
                ("", "no register ''"), ("tile", "no register 'tile'"), ("v3[64]", "no register"), ("v3[-1]", "no register"),
                ("s3[1]", "no register"), ("v200", "the kernel has \\d+ VGPRs"), ("v200[3]", "VGPRs"),
                ("lds[512]", "512 bytes of LDS"), ("lds[510]", "512 bytes of LDS"), ("lds[0xffffffffffffffff]", "bytes of LDS"),
                ("lds[]", "no address in LDS"), ("lds[s[2:3]]", "no address in LDS"), ("mem[64]", "cannot read 0x40"),
                ("mem[arg9]", "no buffer"), ("mem[", "no register"), ("v0 as f64", "64-bit"), ("v0 as x", "expected hex"),
                ("v0 as ", "expected hex")):
            self.refuses(client, words, "evaluate", expression=expression, frameId=self.frame["id"], context="hover")
        self.refuses(client, "no such frame", "evaluate", expression="v0", frameId=99)
        self.refuses(client, "wrong arguments", "evaluate", expression=3)
        # Without a frame it is the wave that executes next.
        self.assertEqual(client.ask("evaluate", expression="exec")["result"], self.value(client, "exec"))

    def test_a_change_decides_what_the_kernel_stores(self):
        client = self.start(line=13)
        # To before the store, and to before what it stores is computed.
        self.move(client, "stepBack", granularity="instruction")
        self.move(client, "stepBack", granularity="instruction")
        before = self.value(client, "v2[5]")
        self.assertNotEqual(before.split()[2], "17.5f")
        self.move(client, "stepIn", granularity="instruction")
        self.assertEqual(self.value(client, "v2[5]").split()[2], "17.5f")
        self.assertEqual(self.set(client, "v2[5]", "-100.25"), "0xc2c88000  -1027047424  -100.25f")
        self.assertEqual(self.set(client, "v2[6] as f32", "7"), "7")
        lanes = self.evaluate(client, "v2")["variablesReference"]
        changed = client.ask("setVariable", variablesReference=lanes, name="7", value="0x40000000")
        self.assertEqual(changed["value"], "0x40000000  1073741824  2f")
        # Back, where it was not, and forwards, where it is again.
        self.move(client, "stepBack", granularity="instruction")
        self.assertEqual(self.value(client, "v2[5]"), before)
        self.move(client, "stepIn", granularity="instruction")
        self.assertEqual([self.value(client, f"v2[{n}] as f32") for n in (5, 6, 7, 8)], ["-100.25", "7", "2", "28"])
        for _ in range(2):
            while self.move(client, "continue").get("description") != "The kernel ends here":
                pass
            output = self.output(client)
            self.assertEqual(output[4:9], (14, -100.25, 7, 2, 28))
            self.assertEqual(output[64:], tuple(n * 3.5 for n in range(64, 128)))
            while self.move(client, "reverseContinue")["reason"] != "entry":
                pass

    def test_exec_scc_scalars_lds_and_memory(self):
        client = self.start("sums", line=27)
        wave, scalars = self.scope(client, "Wave"), self.scope(client, "Scalar registers")
        for reference, name, value, shown in (
                (wave, "scc", "1", "1"), (wave, "scc", "0", "0"), (wave, "m0", "-2", "0xfffffffe  -2  -nanf"),
                (wave, "vcc", "0x30", "0x0000000000000030  lanes 4-5"), (scalars, "s9", "1.5f", "0x3fc00000  1069547520  1.5f")):
            self.assertEqual(client.ask("setVariable", variablesReference=reference, name=name, value=value)["value"], shown)
            self.assertEqual(self.value(client, name), shown)
        row = self.variables(client, self.scope(client, "LDS"))["0x0020"]["variablesReference"]
        client.ask("setVariable", variablesReference=row, name="0x0024", value="1000")
        self.assertEqual(self.set(client, "lds[0x20] as u8", "255"), "255")
        self.assertEqual(self.value(client, "lds[0x20] as u32"), "255")
        self.assertEqual(self.value(client, "lds[0x24] as u32"), "1000")
        self.assertEqual(self.set(client, "mem[arg0+8] as f64", "2.5"), "2.5")
        # Nothing is stored where EXEC has no lane.
        client.ask("setVariable", variablesReference=wave, name="exec", value="0")
        self.move(client, "continue")
        out = self.evaluate(client, "mem[arg0]")["memoryReference"]
        self.assertEqual(self.memory(client, out, 2, "I"), (0, 0))
        self.assertEqual(self.memory(client, hex(int(out, 16) + 8), 1, "d"), (2.5,))

    def test_memory_that_an_editor_writes(self):
        client = self.start(is_told=True)
        x = self.evaluate(client, "mem[arg1]")["memoryReference"]
        before = self.read(client, x, 512)
        self.move(client, "stepIn", granularity="instruction")
        # Elements 1 to 70 are changed, before any of them is read.
        self.assertEqual(self.write(client, x, struct.pack("<70f", *[-n for n in range(70)]), offset=4), {})
        self.assertEqual(client.event("invalidated"), {"areas": ["all"]})
        self.assertEqual(self.memory(client, x, 4, "f"), (0, 0, -1, -2))
        for _ in range(2):
            while self.move(client, "continue").get("description") != "The kernel ends here":
                pass
            self.assertEqual(self.output(client)[:73],
                             (0, *(1 + n - 2.5 * n for n in range(70)), *(71 * 3.5, 72 * 3.5))[:73])
            while self.move(client, "reverseContinue")["reason"] != "entry":
                pass
            self.assertEqual(self.read(client, x, 512), before)

    def test_many_pages_are_written_and_put_back(self):
        client = self.start("stray", args=["buf:20000", "u32:1"])
        out = self.evaluate(client, "mem[arg0]")["memoryReference"]
        data = bytes(n * 7 % 251 for n in range(19000))
        self.move(client, "stepIn", granularity="instruction")
        self.write(client, out, data, offset=500)
        self.assertEqual(self.read(client, out, 20000), bytes(500) + data + bytes(500))
        self.move(client, "stepBack", granularity="instruction")
        self.assertEqual(self.read(client, out, 20000), bytes(20000))
        self.move(client, "stepIn", granularity="instruction")
        self.assertEqual(self.read(client, out, 20000), bytes(500) + data + bytes(500))

    def test_lds_that_an_editor_writes(self):
        client = self.start("sums", line=27)
        row = self.variables(client, self.scope(client, "LDS"))["0x0020"]["memoryReference"]
        self.write(client, row, struct.pack("<3I", 100, 200, 300), offset=-4)
        self.assertEqual([self.value(client, f"lds[{n}] as u32") for n in (24, 28, 32, 36, 40)],
                         ["6", "100", "200", "300", "10"])
        for count in range(6):  # every way in which Base64 ends
            data = bytes(range(1, count + 1))
            self.write(client, "lds:0:0x40", bytes(8))
            self.write(client, "lds:0:0x40", data)
            self.assertEqual(self.read(client, "lds:0:0x40", 8), data + bytes(8 - count))

    def test_memory_that_cannot_be_written(self):
        client = self.start("sums", line=27)
        pc = self.frame["instructionPointerReference"]
        out = self.evaluate(client, "mem[arg0]")["memoryReference"]
        end = 4096 - int(out, 16) % 4096
        before = [self.read(client, at, 64) for at in (pc, out, "lds:0:0x1f0")]
        for reference, offset, words in (
                (pc, 0, "cannot write to"), ("0x40", 0, "cannot write to 0x40"), ("lds:0:0x1f0", 0, "512 bytes of LDS"),
                ("lds:7:0x0", 0, "has not begun"), (out, end - 8, f"cannot write to {int(out, 16) + end:#x}"),
                ("lds:0:0xffffffffffffffff", 0, "512 bytes of LDS"), ("0xfffffffffffffff8", 0, "cannot write to")):
            with self.assertRaisesRegex(Refused, words):
                self.write(client, reference, b"x" * 64, offset=offset)
        self.assertEqual([self.read(client, at, 64) for at in (pc, out, "lds:0:0x1f0")], before)
        # As much as there is room for.
        self.assertEqual(self.write(client, out, b"x" * 64, offset=end - 8, allowPartial=True), {"bytesWritten": 8})
        self.assertEqual(self.read(client, out, 16, offset=end - 16), bytes(8) + b"x" * 8)
        self.assertEqual(self.write(client, "lds:0:0x1f0", b"y" * 64, allowPartial=True), {"bytesWritten": 16})
        self.assertEqual(self.read(client, "lds:0:0x1f0", 64), b"y" * 16)
        self.assertEqual(self.write(client, pc, b"x" * 64, allowPartial=True), {"bytesWritten": 0})
        client = self.start("sums", line=27, check=True)
        with self.assertRaisesRegex(Refused, "nothing can be changed under --check"):
            self.write(client, "lds:0:0x0", b"x")

    def test_a_jump(self):
        client = self.start(line=12)
        code = client.ask("disassemble", memoryReference=self.frame["instructionPointerReference"],
                          instructionCount=60)["instructions"]
        end = next(i["address"] for i in code if i["instruction"] == "s_endpgm")
        self.assertIn("saxpy+0x", self.set(client, "pc", end))
        stop = self.move(client, "continue")  # the other wave
        self.assertEqual(stop["reason"], "breakpoint")
        self.move(client, "continue")
        self.assertEqual(self.output(client)[62:66], (62, 63, 224, 227.5))

    def test_a_fault_is_prevented(self):
        client = self.start("stray")
        stop = self.move(client, "continue")
        self.assertEqual(stop["reason"], "exception")
        self.set(client, "exec", "0xffffffffffffffbf")
        self.assertEqual(self.move(client, "continue")["description"], "The kernel ends here")
        # Before the change it is still what comes next, once that is changed, too.
        self.move(client, "reverseContinue")
        self.assertEqual(self.move(client, "continue")["description"], "The kernel ends here")

    def test_what_followed_is_forgotten(self):
        client = self.start(line=13, is_told=True)
        self.set(client, "s9", "1")
        client.event("invalidated")
        self.assertNotIn("output", [e["event"] for e in client.events])
        self.move(client, "continue")
        self.move(client, "reverseContinue")
        self.set(client, "s9", "2")
        self.assertIn("forgotten", client.event("output")["output"])
        self.assertEqual(client.event("invalidated"), {"areas": ["all"]})
        self.assertEqual(self.value(client, "s9").split()[1], "2")

    def test_a_client_that_does_not_know_the_event(self):
        client = self.start(line=13)
        self.set(client, "s9", "1")
        self.value(client, "s9")
        self.assertEqual([e["event"] for e in client.events if e["event"] == "invalidated"], [])

    def test_what_cannot_be_changed(self):
        client = self.start("sums", line=27)
        wave, vectors, lds = (self.scope(client, name) for name in ("Wave", "Vector registers", "LDS"))
        hint = {"attributes": ["readOnly"]}
        shown = {**self.variables(client, wave), **self.variables(client, lds)}
        self.assertEqual({n for n, v in shown.items() if v.get("presentationHint") == hint},
                         {"next", "mode"} | {n for n in shown if n.startswith("0x")})
        row = self.variables(client, lds)["0x0020"]["variablesReference"]
        before = {name: self.value(client, name) for name in ("exec", "scc", "v0[0]", "lds[0x20]", "pc")}
        for reference, name, value, words in (
                (wave, "next", "1", "no register 'next'"), (wave, "mode", "0", "s_setreg"), (wave, "scc", "2", "0 or 1"),
                (wave, "pc", "2", "no instruction"), (wave, "exec", "x", "is no number"), (wave, "exec", "", "is no number"),
                (wave, "m0", "4294967296", "more bits"), (vectors, "v0", "1", "name one, as in v3\\[5\\]"),
                (lds, "0x0020", "1", "open it"), (row, "0x0200", "1", "bytes of LDS"), (99999, "x", "1", "no such variable")):
            self.refuses(client, words, "setVariable", variablesReference=reference, name=name, value=value)
        for expression, value, words in (
                ("v[0:2][1]", "1", "32 or 64 bits"), ("mem[64]", "1", "cannot write"), ("tile", "1", "no register"),
                (f"mem[{self.frame['instructionPointerReference']}]", "0", "cannot write"), ("s[4:5] as f32", "1", "32 or 64")):
            self.refuses(client, words, "setExpression", expression=expression, value=value, frameId=self.frame["id"])
        self.assertEqual({name: self.value(client, name) for name in before}, before)

    def test_not_under_the_checks(self):
        client = self.start(check=True)
        self.refuses(client, "nothing can be changed under --check", "setExpression", expression="s9", value="1")
        self.assertRegex(self.value(client, "exec"), "lanes")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
