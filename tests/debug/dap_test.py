"""`gcnjit debug --dap`, as an editor uses it."""
import base64
import json
import os
import pathlib
import struct
import sys
import unittest

from dap_client import Client, Refused

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = str(HERE / "debug.cl")
OBJECTS = pathlib.Path(os.environ["GCNJIT_DEBUG_OBJECTS"])
PROGRAM = os.environ["GCNJIT_PROGRAM"]


class DapTest(unittest.TestCase):
    def start(self, kernel="saxpy", target="gfx900", **more):
        arguments = {
            "saxpy": {"global": 256, "args": ["f32:2.5", "iota:f32:256", "iota:f32:256"]},
            "sums": {"global": [256], "local": 128, "args": ["buf:4096", "iota:u32:256", "u32:0"]},
            "stray": {"global": "256", "args": ["buf:4096", "u32:70"]},
            "endless": {"global": 64, "args": ["buf:4096"]},
        }[kernel]
        client = Client(PROGRAM)
        self.addCleanup(self.end, client)
        self.capabilities = client.ask("initialize", adapterID="gcnjit", linesStartAt1=True)
        client.ask("launch", program=str(OBJECTS / f"debug-{target}.co"), kernel=kernel, **{**arguments, **more})
        client.event("initialized")
        return client

    def end(self, client):
        if client.process.poll() is None:
            try:
                client.ask("disconnect")
            except (BrokenPipeError, EOFError):
                pass
        self.assertEqual(client.close(), 0)

    def top(self, client, stopped):
        """The thread that has stopped, and its innermost frame."""
        thread = stopped["threadId"]
        trace = client.ask("stackTrace", threadId=thread)
        self.assertEqual(trace["totalFrames"], len(trace["stackFrames"]))
        return thread, trace["stackFrames"][0]

    def variables(self, client, frame, scope):
        scopes = client.ask("scopes", frameId=frame["id"])["scopes"]
        reference = next(s for s in scopes if s["name"] == scope)["variablesReference"]
        found = client.ask("variables", variablesReference=reference)["variables"]
        return {variable["name"]: variable for variable in found}

    def test_capabilities_are_what_is_implemented(self):
        client = self.start()
        supported = {name for name, value in self.capabilities.items() if value is True}
        self.assertEqual(supported, {
            "supportsConfigurationDoneRequest", "supportsConditionalBreakpoints", "supportsInstructionBreakpoints",
            "supportsStepBack", "supportsSteppingGranularity", "supportsEvaluateForHovers", "supportsSetVariable",
            "supportsSetExpression", "supportsReadMemoryRequest", "supportsWriteMemoryRequest",
            "supportsDisassembleRequest", "supportsTerminateRequest"})
        for command in ("gotoTargets", "nothing"):
            with self.assertRaisesRegex(Refused, "not supported"):
                client.ask(command)

    def test_breakpoint_registers_and_back(self):
        for target in ("gfx600", "gfx803", "gfx900", "gfx906"):
            with self.subTest(target):
                client = self.start(target=target)
                found = client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": 12}])
                self.assertEqual([b["verified"] for b in found["breakpoints"]], [True])
                stopped = client.move("configurationDone")
                self.assertEqual(stopped["reason"], "breakpoint")
                self.assertEqual(stopped["hitBreakpointIds"], [found["breakpoints"][0]["id"]])
                thread, frame = self.top(client, stopped)
                self.assertEqual((frame["line"], frame["name"]), (12, "saxpy"))
                self.assertEqual(frame["source"]["name"], "debug.cl")
                wave = self.variables(client, frame, "Wave")
                self.assertIn("0xffffffffffffffff  lanes 0-63", wave["exec"]["value"])
                self.assertIn("saxpy+0x", wave["pc"]["value"])
                vectors = self.variables(client, frame, "Vector registers")
                self.assertGreater(len(vectors), 2)
                lanes = client.ask("variables", variablesReference=vectors["v0"]["variablesReference"])["variables"]
                self.assertEqual([lane["name"] for lane in lanes], [str(n) for n in range(64)])
                some = client.ask("variables", variablesReference=vectors["v0"]["variablesReference"], start=5,
                                  count=2)["variables"]
                self.assertEqual(some, lanes[5:7])
                pc = frame["instructionPointerReference"]
                before = {name: v["value"] for name, v in vectors.items()}
                # An instruction on, and back: the registers are what they were.
                stopped = client.move("stepIn", threadId=thread, granularity="instruction")
                self.assertEqual(stopped["reason"], "step")
                self.assertEqual(stopped["threadId"], thread)
                _, frame = self.top(client, stopped)
                self.assertNotEqual(frame["instructionPointerReference"], pc)
                stopped = client.move("stepBack", threadId=thread, granularity="instruction")
                _, frame = self.top(client, stopped)
                self.assertEqual(frame["instructionPointerReference"], pc)
                vectors = self.variables(client, frame, "Vector registers")
                self.assertEqual({name: v["value"] for name, v in vectors.items()}, before)
                # There are four waves.
                threads = [thread]
                for _ in range(3):
                    stopped = client.move("continue", threadId=thread)
                    threads.append(stopped["threadId"])
                self.assertEqual(sorted(set(threads)), threads)
                self.assertEqual(len(threads), 4)
                stopped = client.move("reverseContinue", threadId=thread)
                self.assertEqual(stopped["threadId"], threads[2])

    def test_lines(self):
        client = self.start(stopOnEntry=True)
        stopped = client.move("configurationDone")
        self.assertEqual(stopped["reason"], "entry")
        thread, frame = self.top(client, stopped)
        lines = [frame["line"]]
        while lines[-1] != 13:
            stopped = client.move("stepIn", threadId=thread)
            self.assertEqual(stopped["threadId"], thread)
            lines.append(self.top(client, stopped)[1]["line"])
        self.assertTrue({6, 12, 13} <= set(lines), lines)
        # In the inlined function there are two frames, and stepOut leaves it.
        while True:
            stopped = client.move("stepBack", threadId=thread)
            frames = client.ask("stackTrace", threadId=thread)["stackFrames"]
            if frames[0]["line"] == 6:
                break
        self.assertEqual([f["name"] for f in frames], ["scaled", "saxpy"])
        stopped = client.move("stepOut", threadId=thread)
        self.assertEqual(self.top(client, stopped)[1]["name"], "saxpy")
        # next does not go into it.
        while client.move("stepBack", threadId=thread)["reason"] != "entry":
            pass
        seen = set()
        while True:
            stopped = client.move("next", threadId=thread)
            _, frame = self.top(client, stopped)
            seen.add(frame["name"])
            if frame["line"] == 13:
                break
        self.assertEqual(seen, {"saxpy"})

    def test_condition(self):
        client = self.start()
        found = client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[
            {"line": 12, "condition": "item 130,0,0"}, {"line": 12, "condition": "i == 3"},
            {"line": 12, "condition": "item 256"}, {"line": 4000}])["breakpoints"]
        self.assertEqual([b["verified"] for b in found], [True, False, False, False])
        self.assertIn("item X,Y,Z", found[1]["message"])
        stopped = client.move("configurationDone")
        self.assertEqual(stopped["hitBreakpointIds"], [found[0]["id"]])
        names = {t["id"]: t["name"] for t in client.ask("threads")["threads"]}
        self.assertEqual(names, {stopped["threadId"]: "group (2, 0, 0) wave 0"})

    def test_waves_barrier_and_lds(self):
        client = self.start("sums")
        client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": 27}])
        stopped = client.move("configurationDone")
        thread, frame = self.top(client, stopped)
        names = {t["id"]: t["name"] for t in client.ask("threads")["threads"]}
        self.assertEqual(names[thread], "group (0, 0, 0) wave 1")
        lds = self.variables(client, frame, "LDS")
        self.assertTrue(lds["0x0020"]["value"].startswith("0x00000008 0x00000009"), lds["0x0020"])
        reference = lds["0x0020"]["memoryReference"]
        read = client.ask("readMemory", memoryReference=reference, offset=4, count=8)
        self.assertEqual(base64.b64decode(read["data"]), struct.pack("<II", 9, 10))
        beyond = client.ask("readMemory", memoryReference="lds:0:0x0", offset=511, count=8)
        self.assertEqual((len(base64.b64decode(beyond["data"])), beyond["unreadableBytes"]), (1, 7))

    def test_memory_and_disassembly(self):
        client = self.start(stopOnEntry=True)
        thread, frame = self.top(client, client.move("configurationDone"))
        scalars = self.variables(client, frame, "Scalar registers")
        kernarg = next(s["memoryReference"] for s in scalars.values() if "memoryReference" in s)
        read = client.ask("readMemory", memoryReference=kernarg, count=24)
        a, _, x, y = struct.unpack("<fIQQ", base64.b64decode(read["data"]))
        self.assertEqual(a, 2.5)
        data = client.ask("readMemory", memoryReference=hex(x), offset=8, count=8)["data"]
        self.assertEqual(struct.unpack("<ff", base64.b64decode(data)), (2, 3))
        beyond = client.ask("readMemory", memoryReference=hex(y), offset=4096 - 4, count=64)
        self.assertEqual(beyond["unreadableBytes"], 60)
        self.assertEqual(client.ask("readMemory", memoryReference="0", count=4)["data"], "")
        pc = frame["instructionPointerReference"]
        code = client.ask("disassemble", memoryReference=pc, instructionCount=6)["instructions"]
        self.assertEqual(len(code), 6)
        self.assertEqual(code[0]["address"], pc)
        self.assertEqual(code[0]["symbol"], "saxpy+0x0")
        self.assertEqual(len(code[0]["instructionBytes"].split()[0]), 8)
        around = client.ask("disassemble", memoryReference=code[3]["address"], instructionOffset=-5,
                            instructionCount=8)["instructions"]
        self.assertEqual([i["address"] for i in around[2:8]], [i["address"] for i in code])
        self.assertEqual([i.get("presentationHint") for i in around[:2]], ["invalid"] * 2)
        # To the end of the code and beyond.
        many = client.ask("disassemble", memoryReference=pc, instructionCount=500)["instructions"]
        self.assertEqual(len({i["address"] for i in many}), 500)
        self.assertIn("s_endpgm", [i["instruction"] for i in many])

    def test_instruction_breakpoints(self):
        client = self.start(stopOnEntry=True)
        thread, frame = self.top(client, client.move("configurationDone"))
        pc = frame["instructionPointerReference"]
        code = client.ask("disassemble", memoryReference=pc, instructionCount=5)["instructions"]
        offset = int(code[4]["address"], 16) - int(pc, 16)
        found = client.ask("setInstructionBreakpoints", breakpoints=[
            {"instructionReference": pc, "offset": offset}, {"instructionReference": "0x10"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in found], [True, False])
        stopped = client.move("continue", threadId=thread)
        self.assertEqual(self.top(client, stopped)[1]["instructionPointerReference"], code[4]["address"])
        client.ask("setInstructionBreakpoints", breakpoints=[])
        self.assertEqual(client.move("continue", threadId=thread)["description"], "The kernel ends here")

    def test_fault(self):
        client = self.start("stray")
        stopped = client.move("configurationDone")
        self.assertEqual(stopped["reason"], "exception")
        self.assertIn("memory write fault in kernel 'stray'", stopped["text"])
        self.assertIn("lane 6, work-item (70, 0, 0)", stopped["text"])
        self.assertIn("debug.cl:36 in stray", client.event("output")["output"])
        thread, frame = self.top(client, stopped)
        self.assertEqual(frame["line"], 36)
        client.move("stepBack", threadId=thread)
        self.assertEqual(client.move("continue", threadId=thread)["reason"], "exception")

    def test_finding(self):
        client = self.start("sums", check=True, args=["buf:4096", "iota:u32:256", "u32:1"])
        client.ask("setExceptionBreakpoints", filters=["findings"])
        stopped = client.move("configurationDone")
        self.assertEqual(stopped["reason"], "exception")
        self.assertIn("lds-race", stopped["text"])
        thread, frame = self.top(client, stopped)
        self.assertEqual(frame["line"], 25)
        client.ask("setExceptionBreakpoints", filters=[])
        self.assertEqual(client.move("continue", threadId=thread)["description"], "The kernel ends here")

    def test_numbers_are_not_cut(self):
        client = self.start(stopOnEntry=True)
        found = client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[
            {"line": 2**32 + 12}, {"line": 0}, {"line": 12.5}, {"line": "12"}, {"line": -12}, {}, 12,
            {"line": 12, "condition": 5}, {"line": 2**64 + 12}, {"line": 12}])["breakpoints"]
        self.assertEqual([b["verified"] for b in found], [False] * 9 + [True])
        self.assertIn("4294967308: there is no such line", found[0]["message"])
        self.assertIn(":0: there is no such line", found[1]["message"])
        for n, words in ((2, "'line' is to be a whole number from 0 to 18446744073709551615, not 12.5"), (3, "not \"12\""),
                         (4, "not -12"), (5, "'line' is missing"), (6, "a breakpoint is to be an object"),
                         (7, "'condition' is to be text, not 5"), (8, "not 1.84467440737")):
            self.assertIn(words, found[n]["message"])
        thread = client.move("configurationDone")["threadId"]
        for number in (2**32 + thread, 2**64 + thread, thread + 0.5, -thread):
            with self.assertRaisesRegex(Refused, "no wave|'threadId' is to be a whole number"):
                client.ask("stackTrace", threadId=number)
        pc = client.ask("stackTrace", threadId=thread)["stackFrames"][0]["instructionPointerReference"]
        for command, name in (("readMemory", "count"), ("disassemble", "instructionCount"), ("readMemory", "offset")):
            for number in (1.5, 2**64, "4", None, [4], True):
                arguments = {"count": 4, "instructionCount": 4, name: number}
                with self.assertRaisesRegex(Refused, f"wrong arguments: '{name}' is to be a whole number"):
                    client.ask(command, memoryReference=pc, **arguments)

    def test_wrong_types_name_the_field(self):
        client = Client(PROGRAM)
        self.addCleanup(self.end, client)
        good = {"program": str(OBJECTS / "debug-gfx900.co"), "kernel": "endless", "global": 64, "args": ["buf:64"]}
        for name, wrong in (("program", 7), ("kernel", []), ("target", None), ("kernarg", {}), ("global", 1.5), ("global", -1),
                            ("global", [64, "x"]), ("global", {"x": 1}), ("local", 1.5), ("offset", -1), ("offset", True),
                            ("args", "buf:64"), ("args", 5), ("check", 7), ("stopOnEntry", "yes")):
            with self.subTest(name, wrong=wrong), self.assertRaisesRegex(Refused, f"wrong arguments: '{name}' is to be"):
                client.ask("launch", **{**good, name: wrong})
        with self.assertRaisesRegex(Refused, r"'args\[1\]' is to be text, not 5"):
            client.ask("launch", **{**good, "args": ["buf:64", 5]})
        text = json.dumps({"seq": 1, "type": "request", "command": "launch", "arguments": 5})
        client.process.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
        with self.assertRaisesRegex(Refused, "'arguments' is to be an object, not 5"):
            client.answer(1)
        with self.assertRaisesRegex(Refused, r'not "x{59}\.\.\.$'):
            client.ask("launch", **{**good, "global": ["x" * 1000]})

    def test_end(self):
        client = self.start()
        stopped = client.move("configurationDone")
        self.assertEqual(stopped["description"], "The kernel ends here")
        thread, frame = self.top(client, stopped)
        self.assertIn("s_endpgm", self.variables(client, frame, "Wave")["next"]["value"])
        client.move("stepBack", threadId=thread)
        client.move("continue", threadId=thread)
        client.ask("continue", threadId=thread)
        self.assertEqual(client.event("exited"), {"exitCode": 0})
        client.event("terminated")

    def test_pause(self):
        client = self.start("endless")
        client.ask("configurationDone")
        client.ask("pause", threadId=1)
        stopped = client.event("stopped")
        self.assertEqual(stopped["reason"], "pause")
        self.assertEqual(self.top(client, stopped)[1]["name"], "endless")
        client.ask("continue", threadId=1)  # and disconnect while it runs

    def test_requests_while_the_kernel_runs(self):
        client = self.start("endless")
        client.ask("configurationDone")
        names = {t["name"] for t in client.ask("threads")["threads"]}
        self.assertEqual(names, {"group (0, 0, 0) wave 0"})
        for command, arguments in (("stackTrace", {"threadId": 1}), ("continue", {"threadId": 1}),
                                   ("evaluate", {"expression": "v0"}), ("configurationDone", {})):
            with self.assertRaisesRegex(Refused, "the kernel runs: pause it first"):
                client.ask(command, **arguments)
        with self.assertRaisesRegex(Refused, "not supported"):
            client.ask("gotoTargets")
        with self.assertRaisesRegex(Refused, "'path' is missing"):
            client.ask("setBreakpoints", source={})
        self.assertEqual(client.ask("setExceptionBreakpoints", filters=[]), {})
        client.ask("setInstructionBreakpoints", breakpoints=[])
        self.assertEqual(client.events, [])  # it has not stopped
        [added] = client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": 40}])["breakpoints"]
        self.assertTrue(added["verified"])
        stopped = client.event("stopped")
        self.assertEqual((stopped["reason"], stopped["hitBreakpointIds"]), ("breakpoint", [added["id"]]))
        # Once it is removed, the kernel runs on.
        client.ask("continue", threadId=1)
        client.event("stopped")
        client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=[])
        client.ask("continue", threadId=1)
        client.ask("threads")
        self.assertEqual(client.events, [])
        client.ask("pause", threadId=1)
        self.assertEqual(client.event("stopped")["reason"], "pause")

    def test_mistakes(self):
        client = Client(PROGRAM)
        self.addCleanup(self.end, client)
        with self.assertRaisesRegex(Refused, "before the launch"):
            client.ask("threads")
        with self.assertRaisesRegex(Refused, "cannot open"):
            client.ask("launch", program="/nowhere.co")
        with self.assertRaisesRegex(Refused, "wrong arguments"):
            client.ask("launch", program=7)
        with self.assertRaisesRegex(Refused, "no kernel 'nothing'"):
            client.ask("launch", program=str(OBJECTS / "debug-gfx900.co"), kernel="nothing", **{"global": 64})
        client.ask("launch", program=str(OBJECTS / "debug-gfx900.co"), kernel="endless", args=["buf:64"], check=True,
                   stopOnEntry=True, **{"global": 64})
        client.move("configurationDone")
        for command, arguments, words in (
                ("stackTrace", {}, "wrong arguments"), ("stackTrace", {"threadId": 9}, "no wave 9"),
                ("stackTrace", {"threadId": "x"}, "wrong arguments"), ("scopes", {"frameId": 1}, "no such frame"),
                ("variables", {"variablesReference": 99}, "no such variable"),
                ("next", {"threadId": 0}, "no wave 0"), ("disassemble", {"memoryReference": "x"}, "no code 'x'"),
                ("readMemory", {"memoryReference": "lds", "count": 4}, "no memory 'lds'"),
                ("writeMemory", {"memoryReference": "lds", "data": ""}, "no memory 'lds'"),
                ("writeMemory", {"memoryReference": "lds:0:0x0"}, "wrong arguments"),
                ("writeMemory", {"memoryReference": "lds:0:0x0", "data": "AAA"}, "not Base64"),
                ("writeMemory", {"memoryReference": "lds:0:0x0", "data": "A=AA"}, "not Base64"),
                ("writeMemory", {"memoryReference": "lds:0:0x0", "data": "===="}, "not Base64"),
                ("setBreakpoints", {}, "wrong arguments")):
            with self.assertRaisesRegex(Refused, words):
                client.ask(command, **arguments)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
