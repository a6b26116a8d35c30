#!/usr/bin/env python3
"""The files that the API serves, each by a checker of its own: JSON Schema, HTML, CSS. Prints a line a file.

    Tests/python.sh Schema && .build/python/Schema/bin/python Tests/Schema/assets.py

JavaScript is checked in a browser: IntegrationTests/Browser/ScriptSyntaxTests.swift.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "Sources" / "API" / "Assets"
sys.path.insert(0, str(HERE.parent / "AppsInTheField"))

from claims import Claims, equal, expect  # noqa: E402


def json_errors(text):
    """What JSON does not allow, and names that an object has twice, of which a reader would see one."""
    errors = []

    def pairs(members):
        names = [name for name, _ in members]
        errors.extend(f"{name!r} stands twice in an object" for name in set(names) if names.count(name) > 1)
        return dict(members)

    try:
        return json.loads(text, object_pairs_hook=pairs), errors
    except json.JSONDecodeError as error:
        return None, [f"line {error.lineno}, column {error.colno}: {error.msg}"]


def openapi_errors(document):
    """What the JSON Schema of OpenAPI 3.1 does not allow, and references that lead nowhere."""
    from openapi_spec_validator import OpenAPIV31SpecValidator

    for error in OpenAPIV31SpecValidator(document).iter_errors():
        place = "/".join(str(step) for step in getattr(error, "absolute_path", ()))
        yield f"{place or 'the document'}: {error.message[:300]}"


def html_errors(text):
    import html5lib

    parser = html5lib.HTMLParser()
    parser.parse(text)
    for (line, column), code, data in parser.errors:
        yield f"line {line}, column {column}: {code} {data.get('name', '')}".rstrip()


def css_errors(text):
    import tinycss2

    def walk(nodes):
        for node in nodes:
            if node.type == "error":
                yield f"line {node.source_line}, column {node.source_column}: {node.message}"
            elif node.type in ("qualified-rule", "at-rule") and node.content is not None:
                yield from walk(tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True))

    yield from walk(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))
    # A block that is never closed is no error to CSS, which closes it at the end of the file.
    opened, closed = text.count("{"), text.count("}")
    if opened != closed:
        yield f"{opened} braces are opened, {closed} closed"


def judge(claims):
    document, errors = json_errors((FOLDER / "openapi.json").read_text(encoding="utf-8"))
    with claims.claim("openapi.json is JSON"):
        equal(errors, [])
    with claims.claim("openapi.json is an OpenAPI 3.1 document"):
        equal(list(openapi_errors(document)), [])
    for suffix, check in ((".html", html_errors), (".css", css_errors)):
        files = sorted((FOLDER / "Pages").glob(f"*{suffix}"))
        with claims.claim(f"there are {suffix} files"):
            expect(files, f"none in {FOLDER / 'Pages'}")
        for file in files:
            with claims.claim(f"{file.name} has no errors"):
                equal(list(check(file.read_text(encoding="utf-8"))), [])


def main():
    claims = Claims()
    judge(claims)
    print(f"{claims.passed} passed, {claims.failed} failed")
    return 1 if claims.failed or not claims.passed else 0


if __name__ == "__main__":
    sys.exit(main())
