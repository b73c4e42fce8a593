"""The self-test of `replay`: each alteration changes one thing in a result, and the comparison must find it (or must
not, where only words of a `why` change)."""
import copy
import json


def in_answer(change):
    """An alteration of the last answer to which it applies; `change` returns whether it did."""
    def alter(result):
        for at in reversed(range(len(result.answers))):
            line, answer = result.answers[at]
            if line in ("metrics", "explain") or len(answer) != 1:
                continue
            said = json.loads(answer[0])
            if change(said):
                result.answers[at] = (line, [json.dumps(said, separators=(",", ":"), ensure_ascii=False)])
                return True
        return False
    return alter


def set_in(name, key, value):
    def change(said):
        if not said.get(name):
            return False
        said[name][0][key] = value
        return True
    return in_answer(change)


def swap_writes(said):
    writes = said.get("writes", [])
    if len(writes) < 2 or writes[0] == writes[1]:
        return False
    writes[0], writes[1] = writes[1], writes[0]
    return True


def drop(name):
    def change(said):
        return bool(said.get(name)) and said[name].pop() is not None
    return in_answer(change)


def report_more(said):
    if not said.get("report"):
        return False
    said["report"]["batch-cpu"] = (said["report"]["batch-cpu"] or 0) + 1
    return True


def metric(result):
    for line, answer in result.answers:
        at = next((at for at, said in enumerate(answer) if said.startswith("evenkeel_node_cpu_capacity_cores")), None) \
            if line == "metrics" else None
        if at is not None:
            answer[at] += "1"
            return True
    return False


def metric_name(result):
    for line, answer in result.answers:
        if line == "metrics" and len(answer) > 1:
            answer[-2] = "evenkeel_other 1"
            return True
    return False


def explained(result):
    for at, (line, answer) in enumerate(result.answers):
        if line == "explain" and '"value":"' in answer[0]:
            result.answers[at] = (line, [answer[0].replace('"value":"', '"value":"1', 1)])
            return True
    return False


def explained_words(result):
    for at, (line, answer) in enumerate(result.answers):
        if line == "explain" and '"sentence":"' in answer[0]:
            result.answers[at] = (line, [answer[0].replace('"sentence":"', '"sentence":"plainer ')])
            return True
    return False


def help_words(result):
    for line, answer in result.answers:
        at = next((at for at, said in enumerate(answer) if said.startswith("# HELP")), None)
        if line == "metrics" and at is not None:
            answer[at] += " In plainer words."
            return True
    return False


def file_content(result):
    path = next((path for path in result.files if path.startswith("host/sys/fs/cgroup")), None)
    if path is None:
        return False
    result.files[path] += "1"
    return True


def journal_line(result):
    if not result.files.get("state/journal", "").strip("\n"):
        return False
    result.files["state/journal"] = result.files["state/journal"].replace(" w ", " d ", 1) + "x"
    return True


def exit_status(result):
    result.status = 3
    return True


FOUND = {
    "write: new": set_in("writes", "new", "12345"),
    "write: old": set_in("writes", "old", "12345"),
    "write: path": set_in("writes", "path", "sys/elsewhere"),
    "write: by": set_in("writes", "by", "another"),
    "write: no why": set_in("writes", "why", ""),
    "write: missing": drop("writes"),
    "writes: order": in_answer(swap_writes),
    "eviction: uid": set_in("evictions", "uid", "another"),
    "eviction: missing": drop("evictions"),
    "report": in_answer(report_more),
    "error: errno": set_in("errors", "errno", "EOTHER"),
    "foreign: theirs": set_in("foreign", "theirs", "another"),
    "accused: score": set_in("interference", "score", 17),
    "metric: value": metric,
    "metric: name": metric_name,
    "explain: value": explained,
    "file afterwards": file_content,
    "journal": journal_line,
    "exit status": exit_status,
}
NOT_FOUND = {
    "words of a write's why": set_in("writes", "why", "plainer words"),
    "words of an eviction's why": set_in("evictions", "why", "plainer words"),
    "words of explain": explained_words,
    "words of a HELP text": help_words,
}


def same_json(said):
    """Nothing changes: the other alterations must not be found because JSON is written differently here."""
    return True


def check(result, differences, counts):
    """Problems of the comparison with this result."""
    out = []
    if differences(result):
        return ["a result differs from itself"]
    plain = copy.deepcopy(result)
    if in_answer(same_json)(plain) and differences(plain):
        counts["self: JSON is spelled differently"] += 1
    for names, expected in ((FOUND, True), (NOT_FOUND, False)):
        for name, alter in names.items():
            altered = copy.deepcopy(result)
            if not alter(altered):
                continue
            counts["self: " + name] += 1
            if bool(differences(altered)) != expected:
                out.append(f"the self-test '{name}' was {'not ' if expected else ''}found as a difference")
    return out


def print_table(total):
    print("\nalteration (found in each scenario where it applies)      scenarios")
    for name in [*FOUND, *NOT_FOUND, "JSON is spelled differently"]:
        expected = "" if name in FOUND else "  (no difference)" if name in NOT_FOUND else "  (must be 0)"
        print(f"  {name:55} {total['self: ' + name]:8}{expected}")
