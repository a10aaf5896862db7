"""Of what a chapter is made."""

import typing


class Table(typing.NamedTuple):
    title: str
    head: list
    rows: list


class Picture(typing.NamedTuple):
    name: str
    title: str
    script: str


class Chapter(typing.NamedTuple):
    name: str
    tables: list
    pictures: list
