"""tools/check-docs on made-up pages."""
import pathlib
import subprocess
import tempfile
import unittest

from tacho_cli import SOURCE


def words(count):
    return " ".join(["word"] * count)


def check(text, *options, others=()):
    """check-docs' exit status and its lines, without the made-up page's own folder."""
    with tempfile.TemporaryDirectory() as root:
        page = pathlib.Path(root, "page.md")
        page.write_text(text)
        for name, content in others:
            pathlib.Path(root, name).write_text(content)
        result = subprocess.run([SOURCE / "tools" / "check-docs", *options, page], capture_output=True, text=True)
        assert not result.stderr, result.stderr
        return result.returncode, result.stdout.replace(root + "/", "").splitlines()


class CheckDocs(unittest.TestCase):
    def assert_breaches(self, text, *beginnings, **options):
        code, lines = check(text, **options)
        self.assertEqual(len(lines), len(beginnings), lines)
        for line, beginning in zip(lines, beginnings):
            self.assertTrue(line.startswith(beginning), line)
        self.assertEqual(code, 1 if beginnings else 0)

    def test_thirty_words_pass_and_one_more_does_not(self):
        self.assert_breaches(f"{words(30)}. {words(30)}.\n")
        self.assert_breaches(f"# Page\nShort.\n{words(20)}\n{words(11)}.\n", "page.md:3: 31 words: word word")

    def test_a_full_stop_that_ends_no_sentence(self):
        for inside in ("e.g. this", "(i.e. this)", "3.14 this", "file.md this", "etc. and"):
            self.assert_breaches(f"{words(20)} {inside} {words(20)}.\n", "page.md:1: ")

    def test_a_full_stop_in_brackets_or_emphasis_ends_a_sentence(self):
        for end in ("word.)", "**word.**", "`code`.", "[word](page.md)."):
            self.assert_breaches(f"{words(20)} {end} {words(20)}.\n")

    def test_each_list_item_is_a_paragraph(self):
        self.assert_breaches(f"{words(20)}:\n- {words(20)}\n  {words(5)}\n- {words(20)}\n1. {words(20)}\n")

    def test_code_tables_and_headings_are_left_out(self):
        self.assert_breaches(f"# {words(40)}\n```\n{words(40)}\n```\n\n    {words(40)}\n\n| {words(40)} |\n| --- |\n"
                             f"<!-- {words(40)} -->\n")

    def test_inline_code_is_one_word_and_a_dash_none(self):
        self.assert_breaches(f"{words(29)} `{words(9)}\n{words(9)}` — + = .\n")

    def test_a_relative_link_leads_to_a_file_and_a_heading(self):
        other = ("other.md", "# A `tacho stat` of 2, and more\n## Twice\n## Twice\n")
        good = "[a](other.md) [b](other.md#a-tacho-stat-of-2-and-more) [c](other.md#twice-1) [d](#here) [e][ref]"
        self.assert_breaches(f"# Here\n{good}\n`[no](link)` [f](https://example.org/x)\n\n[ref]: other.md\n",
                             others=[other])
        self.assert_breaches("[a](none.md)\n[b](other.md#none)\n[c](#none)\n[d][none]\n\n[ref]: none.md\n",
                             *[f"page.md:{line}: broken link" for line in (1, 2, 3, 4, 6)], others=[other])

    def test_the_longest_sentence(self):
        self.assertEqual(check("One. Two words here.\n\nThree words.\n", "--longest"),
                         (0, ["page.md:1: 3 words: Two words here."]))


if __name__ == "__main__":
    unittest.main()
