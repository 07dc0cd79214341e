"""The simulator's decoders of ARM code, compared with objdump: all instructions of a static program, most of which are
libc's. Branches and their targets, loads and stores, and the operations that cost more than others."""
import re
import subprocess
import unittest

from arm_programs import HERE, T32, TARGETS, needs_arm
from tacho_cli import SOURCE, Scratch

LINE = re.compile(r" *([0-9a-f]+):\t([0-9a-f ]+)\t([a-z][\w.]*)[\t ]*(.*)")
CONDITION = "(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
BRANCHES = re.compile(fr"(b|bl|bx|blx){CONDITION}(\.[nw])?|b\.\w+|br|blr|ret|(cbn?z|tbn?z|tbb|tbh)")
LOADS = re.compile("ld|pop|vld|vpop|tbb|tbh")
STORES = re.compile("st|push|vst|vpush")
UPDATES = re.compile("(cas|swp|ldadd|ldclr|ldeor|ldset|ld[su](max|min))\\w*")
# Of processors that are not simulated: SVE, memory tags, the FPA of before 2000, other coprocessors.
OTHERS = re.compile(r"(ld|st)(1[bhwd]|r)\t{?[zp]\d|(ldg|stz?2?g)|(ld|st)(f[pesd]|c2?l?)|f(ld|st)m")
# enum op_class, and the mnemonics of each class.
CLASSES = {1: r"mul|mla|mls|madd|msub|mneg|[su]mul[lh]|[su]mlal|[su]m(add|sub|neg)l|smm(ul|la|ls)|vml[as]l?\.[isu]|vmull?\.[isu]",
           2: "[su]div", 3: r"(vadd|vsub|vcmpe?)\.f|f(add|sub|cmpe?|cvt)|[su]cvtf|vcvt",
           4: r"(vn?mul|vn?ml[as]|vfn?m[as])\.f|f(n?mul|n?madd|n?msub|mla|mls)", 5: r"(vdiv|vsqrt)|f(div|sqrt)"}
NONE, LOAD, STORE, UPDATE = range(4)  # enum memory
DIRECT, CALL = 1, 4  # enum leave


def kind_of_access(name):
    kinds = ((UPDATES, UPDATE), (LOADS, LOAD), (STORES, STORE))
    return next((kind for pattern, kind in kinds if pattern.match(name)), NONE)


def is_branch(name, operands):
    return bool(BRANCHES.fullmatch(name) or re.match("(pop|ldm).*pc}", name + operands) or
                re.match(r"(ldr|mov|add|sub)\S*\tpc,", f"{name}\t{operands}"))


@needs_arm
class Decoder(Scratch):
    def instructions(self, target):
        program = target.compile(HERE / "arm" / "mixed.c", self.directory / "mixed", "-static", "-lm")
        listing = subprocess.run([target.compiler.replace("gcc", "objdump"), "-d", program], check=True, capture_output=True,
                                 text=True).stdout
        found = [match.groups() for match in map(LINE.fullmatch, listing.splitlines()) if match]
        return [(address, code.split(), name, operands) for address, code, name, operands in found
                if not OTHERS.match(f"{name}\t{operands}") and "inst" not in name and
                (target is not T32 or len(code.split()[0]) == 4)]  # libc has A32 code, too

    def decoded(self, kind, instructions):
        program = self.directory / "decode"
        sources = sorted((SOURCE / "simulator" / "qemu").glob("decode_*.c"))
        subprocess.run(["cc", "-std=gnu11", f"-I{SOURCE / 'simulator'}", f"-I{SOURCE / 'simulator/qemu'}", "-o", program,
                        HERE / "arm" / "decode.c", *sources], check=True)
        lines = [f"{address} {''.join(code)} {int(len(''.join(code)) == 8)}" for address, code, _, _ in instructions]
        output = subprocess.run([program, kind.lower()], input="\n".join(lines), check=True, capture_output=True, text=True)
        return [line.split() for line in output.stdout.splitlines()]

    def differences(self, kind, target):
        instructions = self.instructions(target)
        self.assertGreater(len(instructions), 50_000)
        both = zip(instructions, self.decoded(kind, instructions))
        for (address, code, name, operands), (leave, memory, op_class, to) in both:
            expected_class = next((str(number) for number, pattern in CLASSES.items() if re.match(pattern, name)), None)
            targets = re.findall(r"\b[0-9a-f]{4,}\b", operands)
            if ((int(leave) != 0) != is_branch(name, operands) or int(memory) != kind_of_access(name) or
                    expected_class not in (None, op_class) or
                    int(leave) in (DIRECT, CALL) and targets and to not in targets):
                yield f"{address}: {' '.join(code)} {name} {operands} is {leave} {memory} {op_class} {to}"

    def test_instructions_are_those_of_objdump(self):
        for kind, target in TARGETS.items():
            with self.subTest(kind):
                self.assertEqual(list(self.differences(kind, target))[:20], [])


if __name__ == "__main__":
    unittest.main()
