#!/usr/bin/env python3
"""Do --help, the man pages and the completion know the same commands and options?

words_test.py RWLEASE [RWLEASE-SELFTEST]
"""

import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = SOURCE / "docs" / "man"
PROGRAMS = sys.argv[1:]
RWLEASE = PROGRAMS[0]

# "  -E [ --timeout-exit-code ] N  exit code when ..."
HELP_OPTION = re.compile(r"^  (?:(-[A-Za-z]) \[ )?(--[a-z][a-z-]*)(?: \])?( [A-Z]+)?(?: |$)")


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def options_in_help(text):
    """Every spelling, with whether a value belongs to it."""
    options = {}
    for line in text.splitlines():
        found = HELP_OPTION.match(line.rstrip())
        if found:
            for spelling in filter(None, found.group(1, 2)):
                options[spelling] = found.group(3) is not None
    return options


def sections(page):
    """By heading, in capitals."""
    parts = re.split(r"^# (.+)$", (PAGES / page).read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def options_in_page(text):
    """Those that begin a definition: "`-E` *N*, `--timeout-exit-code` *N*"."""
    options = {}
    for line in text.splitlines():
        if line.startswith("`-"):
            for spelling, value in re.findall(r"`(--?[A-Za-z-]+)`( \*\w+\*)?", line):
                options[spelling] = value != ""
    return options


def commands():
    listed = output(RWLEASE, "--help").split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def completed(line):
    """What bash offers for the line's last word."""
    script = (
        'source /dev/stdin <<< "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _rwlease; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    written = output(RWLEASE, "completion", "bash")
    return set(output("bash", "-c", script, "bash", written, "rwlease", *line).split())


class ManPage(unittest.TestCase):
    def test_each_command_has_its_options_in_a_section_of_its_own(self):
        page = sections("rwlease.1.md")
        for command in commands():
            with self.subTest(command):
                self.assertIn(command.upper(), page)
                self.assertEqual(
                    options_in_page(page[command.upper()]), options_in_help(output(RWLEASE, command, "--help"))
                )

    def test_no_other_section_names_options(self):
        for heading, text in sections("rwlease.1.md").items():
            if options_in_page(text):
                self.assertIn(heading.lower(), commands())

    def test_the_synopsis_names_each_command(self):
        synopsis = sections("rwlease.1.md")["SYNOPSIS"]
        for command in commands():
            self.assertIn(f"rwlease {command}", synopsis)

    @unittest.skipUnless(len(PROGRAMS) > 1, "built without MPI")
    def test_the_self_tests_page_has_its_options(self):
        page = sections("rwlease-selftest.1.md")
        self.assertEqual(options_in_page(page["OPTIONS"]), options_in_help(output(PROGRAMS[1], "--help")))


class Completion(unittest.TestCase):
    def test_of_the_first_word_offers_the_commands(self):
        self.assertEqual(completed([""]), {*commands(), "--help", "--version"})
        self.assertEqual(completed(["sta"]), {"status"})

    def test_of_a_dash_offers_the_commands_options(self):
        for command in commands():
            with self.subTest(command):
                self.assertEqual(completed([command, "-"]), set(options_in_help(output(RWLEASE, command, "--help"))))

    def test_of_a_beginning_offers_what_begins_so(self):
        self.assertEqual(completed(["run", "--ti"]), {"--timeout", "--timeout-exit-code"})

    def test_of_a_word_offers_files(self):
        self.assertIn(str(SOURCE / "README.md"), completed(["status", str(SOURCE / "READ")]))

    def test_behind_an_option_with_a_value_offers_no_options(self):
        self.assertEqual(completed(["run", "--label", "-"]), set())

    def test_behind_two_dashes_offers_commands_of_the_system(self):
        self.assertIn("bash", completed(["run", "x", "--", "bas"]))
        self.assertNotIn("--timeout", completed(["run", "x", "--", "ls", "--ti"]))

    def test_is_there_for_bash_only(self):
        for shells in ([], ["fish"], ["bash", "zsh"]):
            refused = subprocess.run([RWLEASE, "completion", *shells], capture_output=True, text=True)
            self.assertEqual(refused.returncode, 125)
            self.assertIn("bash", refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
