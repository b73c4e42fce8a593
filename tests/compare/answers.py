"""What of an answer is compared, and how a difference is shown.

Everything is compared byte for byte but the words that explain: the text of `why` in a tick's line, and in `explain`
also `sentence`, `outcome`, `error`, `unknown_because`, the notices of inputs and the way of eviction. Of these it is
compared whether there are any. Of `metrics`: names, types, labels and values; not the order, the HELP texts, the words
of a `why` label, and the program's version.
"""
import collections
import json
import re

STRING = r'"((?:[^"\\]|\\.)*)"'
WHY = re.compile(r'"(why)":' + STRING)
EXPLAINED = re.compile(r'"(why|sentence|outcome|error|unknown_because|way)":' + STRING)
NOTICES = re.compile(r'"notices":\[((?:' + STRING + r',?)*)\]')
LABEL = re.compile(r'(why|version)=' + STRING)


def without_words(match):
    return f'"{match[1]}":"{"*" if match[2] else ""}"'


def comparable_metrics(lines):
    """Sorted: the order of an exposition says nothing."""
    return sorted(LABEL.sub(lambda match: f'{match[1]}="{"*" if match[2] else ""}"', line) for line in lines
                  if not line.startswith("# HELP"))


def comparable(line, answer):
    """The lines of the answer to `line` that must be equal."""
    if line == "metrics":
        return comparable_metrics(answer)
    if line == "explain":
        counted = [NOTICES.sub(lambda match: f'"notices":{len(re.findall(STRING, match[1]))}', said) for said in answer]
        return [EXPLAINED.sub(without_words, said) for said in counted]
    return [WHY.sub(without_words, said) for said in answer]


def parsed(answer):
    try:
        return json.loads(answer[0]) if len(answer) == 1 else None
    except ValueError:
        return None


def first_difference(old, new, path=""):
    """(path, old, new) of the first place where two parsed answers differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if old.get(key) != new.get(key) or (key in old) != (key in new):
                return first_difference(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    if isinstance(old, list) and isinstance(new, list):
        for at in range(max(len(old), len(new))):
            one, other = (side[at] if at < len(side) else None for side in (old, new))
            if one != other:
                return first_difference(one, other, f"{path}[{at}]")
    return path, old, new


def short(value, most=300):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[:most] + "..."


def shown(old, new):
    """The difference of two answers (as comparable() gave them) in a few lines."""
    one, other = parsed(old), parsed(new)
    if one is not None and other is not None and one != other:
        path, was, now = first_difference(one, other)
        return f"{path or 'answer'}\n      old {short(was)}\n      new {short(now)}"
    for at in range(max(len(old), len(new))):
        was, now = (side[at] if at < len(side) else "<nothing>" for side in (old, new))
        if was != now:
            return f"line {at + 1}\n      old {short(was)}\n      new {short(now)}"
    return "equal"


def tally(line, answer):
    """What there is in an answer, for the table."""
    if line == "metrics":
        return {"metrics": sum(not said.startswith("#") for said in answer)}
    said = parsed(answer) if answer else None
    if said is None:
        return {}
    if "managed" in said:
        return {"explained": len(said["managed"])}
    writes = said.get("writes", []) + said.get("would_write", [])
    return {**collections.Counter("by: " + write["by"] for write in writes), "writes": len(writes),
            "evictions": len(said.get("evictions", [])) + len(said.get("would_evict", [])),
            "reports": int(said.get("report") is not None),
            "accused": len(said.get("interference", [])),
            "errors": len(said.get("errors", [])), "foreign": len(said.get("foreign", []))}
