"""Checks a document against a schema of docs/: the part of JSON Schema that they use.

Stricter than JSON Schema in one point: a field that the schema does not describe is a fault, so that
no field goes into reports without its description.
"""

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
KEYWORDS = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "properties",
            "additionalProperties", "items", "enum", "const", "anyOf", "minimum", "maximum", "minItems",
            "maxItems"}


def faults(value, schema, root=None, at="report"):
    """What is wrong with a value, as a list of sentences."""
    if isinstance(schema, bool):  # anything, or nothing
        return [] if schema else [f"{at} is not allowed"]
    root = root or schema
    unknown = set(schema) - KEYWORDS
    assert not unknown, f"{at}: the checker does not know {unknown}"
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    if "const" in schema and value != schema["const"]:
        return [f"{at}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: {value!r} is none of {schema['enum']}"]
    if "type" in schema and not TYPES[schema["type"]](value):
        return [f"{at}: {value!r} is no {schema['type']}"]
    found = []
    if "anyOf" in schema:
        tries = [faults(value, option, root, at) for option in schema["anyOf"]]
        if [] not in tries:
            found += [fault for tried in tries for fault in tried]
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{at}: {value} is below {schema['minimum']}")
    if "maximum" in schema and value > schema["maximum"]:
        found.append(f"{at}: {value} is above {schema['maximum']}")
    if isinstance(value, list):
        found += list_faults(value, schema, root, at)
    if isinstance(value, dict):
        found += object_faults(value, schema, root, at)
    return found


def list_faults(value, schema, root, at):
    found = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        found.append(f"{at}: {len(value)} items")
    for index, item in enumerate(value):
        found += faults(item, schema["items"], root, f"{at}[{index}]")
    return found


def object_faults(value, schema, root, at):
    found = [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
    properties = schema.get("properties", {})
    for name, part in value.items():
        described = properties.get(name, schema.get("additionalProperties"))
        if described is None:
            if "properties" in schema:
                found.append(f"{at}.{name} is not described")
        else:
            found += faults(part, described, root, f"{at}.{name}")
    return found
