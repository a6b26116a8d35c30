"""Holds answers of the REST API against the OpenAPI document, with a JSON Schema 2020-12 validator of others.

Reads {"document": …, "answers": [{"call", "method", "path", "status", "content_type", "headers", "body"}]} from standard
input; `path` is the document's template. Prints one line for each complaint; without any it prints nothing.

An object of an answer may have no member that the document does not name, unless it says `additionalProperties`: to an
app unknown members are nothing, in a test they are a gap of the document.
"""

import json
import sys

from jsonschema import Draft202012Validator

COMPOSITIONS = ("allOf", "anyOf", "oneOf")


def resolved(document, value):
    while "$ref" in value:
        target = document
        for step in value["$ref"][2:].split("/"):
            target = target[step]
        value = target
    return value


def opened(document, schema):
    """The schema with what its values hold closed, but not itself: for a part of a composition."""
    result = dict(schema)
    for name in COMPOSITIONS:
        if name in result:
            result[name] = [opened(document, part) for part in result[name]]
    if "properties" in result:
        result["properties"] = {name: closed(document, value) for name, value in result["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(result.get(name), dict):
            result[name] = closed(document, result[name])
    return result


def closed(document, schema):
    """The schema, and no member besides; what says `additionalProperties` itself is as it says."""
    result = opened(document, schema)
    # Debian's version 4.10.3 does not count what `additionalProperties` has let in as evaluated.
    if "additionalProperties" not in resolved(document, schema):
        result["unevaluatedProperties"] = False
    return result


def complaints(document, components, answer):
    operation = document["paths"].get(answer["path"], {}).get(answer["method"].lower())
    if operation is None:
        yield "the document has no such call"
        return
    response = operation["responses"].get(str(answer["status"]))
    if response is None:
        yield f"status {answer['status']} is not documented: {answer['body'][:200]}"
        return
    response = resolved(document, response)
    for name, header in response.get("headers", {}).items():
        if header.get("required") and name.lower() not in answer["headers"]:
            yield f"the header {name} is missing"
    contents = response.get("content", {})
    if answer["content_type"] not in contents:
        yield f"the content type {answer['content_type']} is none of {list(contents)}"
        return
    body = answer["body"]
    if answer["content_type"] == "application/json":
        try:
            body = json.loads(body)
        except ValueError as error:
            yield f"the body is not JSON: {error}"
            return
    schema = {**closed(document, contents[answer["content_type"]]["schema"]), "components": components}
    Draft202012Validator.check_schema(schema)
    for error in Draft202012Validator(schema).iter_errors(body):
        yield f"{'/'.join(str(step) for step in error.absolute_path) or 'the body'}: {error.message[:300]}"


def main():
    question = json.load(sys.stdin)
    document = question["document"]
    schemas = {name: opened(document, schema) for name, schema in document["components"]["schemas"].items()}
    for answer in question["answers"]:
        for complaint in complaints(document, {"schemas": schemas}, answer):
            print(f"{answer['call']}: {answer['method']} {answer['path']} {answer['status']}: {complaint}")


main()
