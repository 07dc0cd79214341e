"""naive and interchange: the same product, computed as their comments say. chase: one load a step.
random-loads: work, then loads."""
import platform
import re
import subprocess
import unittest

from tacho_cli import example

PROGRAMS = ("naive", "interchange")


def output(program, *args):
    return subprocess.run([example(program), *args], capture_output=True, text=True, timeout=60)


def checksum_by_definition(n):
    a = [[(3 * row + column) % 4 for column in range(n)] for row in range(n)]
    b_columns = [[(row + row * column) % 4 for row in range(n)] for column in range(n)]
    checksum = 0
    for row in a:
        for column in b_columns:
            checksum = (checksum * 31 + sum(x * y for x, y in zip(row, column))) % 2**64
    return checksum


def assembly_of(program, function):
    """The instructions of the program's function, and those of its innermost loop."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-M", "intel", example(program)],
                          capture_output=True, text=True, check=True).stdout
    body = re.search(rf"^[0-9a-f]+ <\S*{function}\S*>:\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL).group(1)
    lines = [(int(address, 16), instruction) for address, instruction
             in re.findall(r"^\s*([0-9a-f]+):\s+(.*?)\s*$", body, re.MULTILINE)]
    # The innermost loop is the shortest stretch between a backward jump and its target.
    loops = []
    for address, instruction in lines:
        jump = re.match(r"j\w+\s+([0-9a-f]+) <", instruction)
        if jump and int(jump.group(1), 16) < address:
            loops.append([i for a, i in lines if int(jump.group(1), 16) <= a <= address])
    return [i for _, i in lines], min(loops, key=len)


class Examples(unittest.TestCase):
    def test_checksum_is_that_of_the_product(self):
        for program in PROGRAMS:
            for n in (1, 2, 7, 64, 101):
                with self.subTest(program=program, n=n):
                    result = output(program, str(n))
                    self.assertEqual(result.stdout,
                                     f"{program}: n = {n}, checksum {checksum_by_definition(n):016x}\n")
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_both_agree_on_the_default_size(self):
        naive, interchange = (output(program).stdout.partition(": ")[2] for program in PROGRAMS)
        self.assertRegex(naive, r"^n = 500, checksum [0-9a-f]{16}\n$")
        self.assertEqual(naive, interchange)

    def test_bad_argument_is_named(self):
        for program in PROGRAMS:
            for bad in ("0", "-3", "8193", "ten", "5x", "", "99999999999999999999"):
                with self.subTest(program=program, argument=bad):
                    result = output(program, bad)
                    self.assertEqual((result.returncode, result.stdout), (2, ""))
                    self.assertEqual(result.stderr,
                                     f"{program}: bad argument '{bad}': give one size from 1 to 8192, "
                                     "and 0 to leave out the product\n")

    def test_the_product_can_be_left_out(self):
        for program in PROGRAMS:
            self.assertEqual(output(program, "7", "0").stdout, f"{program}: n = 7, checksum {0:016x}\n")
            self.assertIn("bad argument '2'", output(program, "7", "2").stderr)

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the machine code of x86-64 only")
    def test_inner_loops_are_those_that_the_comments_describe(self):
        # naive stores nothing in its inner loop; interchange stores each element of the result.
        for program, loads, stores in (("naive", 2, 0), ("interchange", 2, 1)):
            with self.subTest(program=program):
                body, loop = assembly_of(program, "multiplyEPKf")
                self.assertEqual(sum(i.startswith("mulss") for i in loop), 1, loop)
                self.assertEqual(sum(i.startswith("addss") for i in loop), 1, loop)
                stored = [i for i in loop if re.match(r"mov\w*\s+\w+ PTR \[", i)]
                loaded = [i for i in loop if "PTR [" in i and i not in stored]
                self.assertEqual((len(loaded), len(stored)), (loads, stores), loop)
                self.assertFalse([i for i in body if re.match(r"(mul|add)ps", i)], "vectorised")

    def test_chase_comes_through_the_whole_list_and_back(self):
        # A cycle of all elements: after as many steps as it has, and no fewer, it is where it began.
        for elements in (32, 64, 1024):
            for steps, back in ((elements, True), (3 * elements, True), (elements // 2, False)):
                with self.subTest(elements=elements, steps=steps):
                    result = output("chase", str(64 * elements + 63), str(steps - 15))  # rounded up
                    self.assertEqual((result.returncode, result.stderr), (0, ""))
                    found = re.fullmatch(rf"chase: {elements} elements, {steps} steps, ended at element (\d+)\n",
                                         result.stdout)
                    self.assertEqual(found[1] == "0", back)

    def test_chase_names_bad_arguments(self):
        size, steps = "from 64 to 1073741824", "from 1 to 10000000000"
        for args, bad, bounds in ((["63"], "63", size), (["1e6"], "1e6", size), ([""], "", size),
                                  (["1073741825"], "1073741825", size), (["64", "0"], "0", steps),
                                  (["64", "-1"], "-1", steps), (["64", "10000000001"], "10000000001", steps)):
            with self.subTest(arguments=args):
                result = output("chase", *args)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(result.stderr, f"chase: bad argument '{bad}': give a number {bounds}\n")
        self.assertEqual(output("chase", "64", "16", "x").stderr, "chase: unexpected argument 'x'\n")

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the machine code of x86-64 only")
    def test_chase_has_one_load_a_step(self):
        _, loop = assembly_of("chase", "chaseEPK")
        loads = [i for i in loop if "PTR [" in i]
        self.assertEqual(len(loads), 16, loop)
        for load in loads:  # into the register that it loads from
            self.assertRegex(load, r"^mov +(r\w\w),QWORD PTR \[\1\]$")
        self.assertIn([i.split()[0] for i in loop if i not in loads], (["sub", "jne"], ["dec", "jne"]))

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the machine code of x86-64 only")
    def test_random_loads_is_the_experiment_that_it_says(self):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-M", "intel", example("random-loads")],
                              capture_output=True, text=True, check=True).stdout
        nops = ["nop"] * 128
        loads = ["mov rax,QWORD PTR [rdi+rsi*1]", "mov rdx,QWORD PTR [rdi+rax*1]"]
        for function, expected in (("foo", nops + loads), ("foo_without_loads", nops)):
            body = re.search(rf"^[0-9a-f]+ <{function}>:\n(.*?ret)", text, re.MULTILINE | re.DOTALL).group(1)
            instructions = re.findall(r"^\s*[0-9a-f]+:\s+(.*?)\s*$", body, re.MULTILINE)
            short = ["nop" if i.startswith("nop") else re.sub(r"\s+", " ", i) for i in instructions]
            self.assertEqual(short, expected + ["xor rax,rax", "ret"])
        self.assertRegex(text, r"prefetch\w+ .*\n(.*mov .*\n)*.*call +[0-9a-f]+ <foo>")

    @unittest.skipUnless(platform.machine() in ("x86_64", "aarch64"), "written for x86-64 and arm64 only")
    def test_random_loads_names_bad_arguments(self):
        for args in ([], ["--prefetch"], ["--no-loads"]):
            result = output("random-loads", *args, "65536", "10")
            self.assertEqual((result.returncode, result.stdout, result.stderr),
                             (0, "random-loads: 65536 bytes, 10 calls, sum 0\n", ""))
        for args, error in ((["--prefetchx"], "bad argument '--prefetchx': give a number from 4096 to 1073741824"),
                            (["4096", "0"], "bad argument '0': give a number from 1 to 10000000000"),
                            (["--no-loads", "4096", "1", "x"], "unexpected argument 'x'")):
            result = output("random-loads", *args)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(result.stderr, f"random-loads: {error}\n")


if __name__ == "__main__":
    unittest.main()
