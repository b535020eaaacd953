"""The texts that a tenant puts in place of ours: pure functions of what is there and of chance."""
from random import Random
from typing import Callable, Sequence

SLOTS_MOST = 1900  # just below what a gang may have at all
Forger = Callable[[str, Sequence[str], str, Random], str]


def more_slots(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """The same reservation with more slots, on all nodes."""
    total = random.choice((8, 40, 300, SLOTS_MOST))
    return _with_nodes(text, [(node, max(1, total // len(nodes))) for node in nodes], uid)


def one_more_slot(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """The smallest lie: what is there, and one slot more."""
    counts = dict(node_counts(text))
    node = random.choice(list(nodes))
    counts[node] = counts.get(node, 0) + 1
    return _with_nodes(text, sorted(counts.items()), uid)


def other_nodes(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """As many slots as before, elsewhere, perhaps on a node that does not exist."""
    total = max(1, sum(count for _, count in node_counts(text)))
    return _with_nodes(text, [(random.choice([*nodes, "nowhere"]), total)], uid)


def larger_shape(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """Each slot several times as large."""
    del nodes, uid
    factor = random.choice((2, 4, 16))
    return " ".join(f"cpu={int(word[4:]) * factor}" if word.startswith("cpu=") and word[4:].isdigit() else word
                    for word in text.split(" "))


def fewer_slots(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """One slot in all, on any node."""
    return _with_nodes(text, [(random.choice(list(nodes)), 1)], uid)


def unplaced_slots(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """Slots that have lost their node, which the next leader is to find room for."""
    del nodes
    return _with_nodes(text, [], uid) + f" unplaced={random.choice((3, 30, SLOTS_MOST))}"


def later_epoch(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """As if a leader far ahead had written it."""
    del nodes, uid
    ahead = random.choice((1, 10 ** 6, 10 ** 12))
    return " ".join(f"epoch={int(word[6:]) + ahead}" if word.startswith("epoch=") and word[6:].isdigit() else word
                    for word in text.split(" "))


def garbled(text: str, nodes: Sequence[str], uid: str, random: Random) -> str:
    """No reservation any more, or one by accident."""
    del nodes, uid
    cut = random.randrange(len(text) + 1)
    return random.choice((
        text[:cut], text[cut:], "", "v1", "v2 " + text, "v1;;=shape nodes=\u0001:-5,%zz",
        text.replace("shape", "shale"), text.replace(":", ":-"), text + ";" + text, text.upper(),
        text.replace("anchor=", "anchor=x")))


FORGERS: dict[str, Forger] = {each.__name__: each for each in (
    more_slots, one_more_slot, other_nodes, larger_shape, fewer_slots, unplaced_slots, later_epoch, garbled)}


def node_counts(text: str) -> list[tuple[str, int]]:
    """(node, slots) as far as the text says."""
    found = []
    for word in text.replace(";", " ").split(" "):
        if word.startswith("nodes="):
            for entry in word[len("nodes="):].split(","):
                node, _, count = entry.rpartition(":")
                if node and count.isdigit():
                    found.append((node, int(count)))
    return found


def slot_text(kind: str, uid: str, others: Sequence[str], random: Random) -> str:
    """For `gang-scheduler/slot`; `uid` is a driver's, `others` what other executors carry."""
    return {"number": f"{uid}/{random.choice((0, 1, 2, 5, 77))}",
            "elastic": "elastic",
            "copied": random.choice(list(others) or ["elastic"]),
            "garbled": random.choice(("", "/", f"{uid}", f"{uid}/-1", "x/0", f"{uid}/99999999999999999999")),
            }[kind]


SLOT_KINDS = ("number", "elastic", "copied", "garbled")


def _with_nodes(text: str, counts: Sequence[tuple[str, int]], uid: str) -> str:
    """A reservation with these slots and the rest of `text`, or of one that was made up."""
    said = ",".join(f"{node}:{count}" for node, count in counts)
    if ";shape " not in text:
        text = (f"v1 generation=1 epoch=1 queue=default profile=gang-scheduler anchor={uid};"
                "shape profile=0 max=-1 cpu=1000 memory=1476395008 nodes=x:1")
    head, _, shape = text.partition(";shape ")
    words = [word for word in shape.split(";")[0].split(" ") if not word.startswith(("nodes=", "unplaced="))]
    return f"{head};shape {' '.join(words)}" + (f" nodes={said}" if said else "")
