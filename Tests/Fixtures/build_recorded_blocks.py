#!/usr/bin/env python3
"""Builds recorded-blocks.recording, recorded-blocks.expected.json and the tables of README.md.

    build_recorded_blocks.py [goref-1060-tx-265-blocks.json.gz]

Needs Python 3.9 or later and two modules from PyPI: `blake3` for the ids of version-1 transactions, `cryptography` to
seal the chats. The output is the same on every run. README.md says what is changed against the source.
"""
import collections
import copy
import gzip
import json
import pathlib
import re
import sys

from recorded_blocks import consensus, story, wire
from recorded_blocks.wallets import WALLETS

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "goref-1060-tx-265-blocks.json.gz"
STRIDE = 3  # An operation takes the next suitable transaction at least this far after the one before it.
CHOICE = 2  # Whichever of this many operations next in the story suits first may go first.


def derive(blocks):
    """The chain of (header, ids, transactions) triples and what each block changed of it."""
    chain = consensus.Chain()
    return chain, [chain.add(header, transactions, ids) for header, ids, transactions in blocks]


def read_source(path):
    """The recorded blocks, after every id and every header's UTXO commitment has been found right."""
    lines = gzip.open(path, "rt").read().splitlines()[1:]
    blocks = []
    for recorded in map(json.loads, lines):
        transactions = recorded["transactions"]
        blocks.append((recorded["header"], [consensus.transaction_id(t) for t in transactions], transactions))
    chain, _ = derive(blocks)
    elements = {}
    for block in chain.blocks.values():
        for transaction in block.transactions:
            for identifier, index in consensus.outpoints(transaction):
                assert index < len(chain.transactions[identifier]["outputs"]), "an input resolves to no output"
        commitment = consensus.utxo_commitment(block, chain.transactions, elements)
        assert commitment == block.header["utxoCommitment"], f"acceptance of {block.hash} differs from its header"
    return blocks, chain


class Production:
    """Puts the story onto the recorded transactions."""

    def __init__(self, blocks, chain):
        self.recorded, self.chain = blocks, chain
        self.hashes = [header["hash"] for header, _, _ in blocks]
        self.ids = [list(ids) for _, ids, _ in blocks]
        self.transactions = copy.deepcopy(chain.transactions)
        self.block_of = {i: n for n, ids in enumerate(self.ids) for i in ids if self.transactions[i]["inputs"]}
        self.spendable = list(self.block_of)
        self.owners, self.cast = {}, {}
        self.fillers = 0

    def owner(self, outpoint):
        """Who owns an output; one that no operation needed goes around among those who only pay."""
        if outpoint not in self.owners:
            self.fillers += 1
            self.owners[outpoint] = ("alice", "bob", "carol", "dave", "eve", "frank")[self.fillers % 6]
        return self.owners[outpoint]

    def parallel_blocks(self, identifier):
        """Blocks that could carry it as well: apart from its own and each other, its coins unspent there."""
        chosen, spent = [self.block_of[identifier]], consensus.outpoints(self.transactions[identifier])
        for number, name in enumerate(self.hashes):
            block = self.chain.blocks[name]
            apart = all(name not in self.chain.blocks[self.hashes[c]].past and self.hashes[c] not in block.past
                        for c in chosen)
            if number not in chosen and apart and all(s in block.unspent for s in spent):
                chosen.append(number)
        return chosen[1:]

    def suits(self, operation, identifier):
        spent = consensus.outpoints(self.transactions[identifier])[0]
        return self.owners.get(spent, operation.sender) == operation.sender \
            and all(self.owners.get((identifier, n), o) == o for n, o in enumerate(operation.outputs)) \
            and len(self.parallel_blocks(identifier)) >= operation.copies

    def stage(self, operations):
        pinned = {o.at: o for o in operations if o.at is not None}
        waiting = [o for o in operations if o.at is None]
        end = min(o.at for o in operations if o.fate == "never")
        last = -STRIDE
        # What is pinned claims its coins first.
        for at, operation in pinned.items():
            self.owners[consensus.outpoints(self.transactions[self.spendable[at]])[0]] = operation.sender
        for number, identifier in enumerate(self.spendable):
            operation = pinned.get(number)
            if operation is None and last + STRIDE <= number < end:
                operation = next((o for o in waiting[:CHOICE] if self.suits(o, identifier)), None)
                if operation:
                    waiting.remove(operation)
                    last = number
            spent = consensus.outpoints(self.transactions[identifier])[0]
            if operation is None:
                self.owner(spent)
                continue
            assert self.owners.setdefault(spent, operation.sender) == operation.sender, operation.name
            self.perform(operation, identifier)
        assert not waiting, f"no transaction is left for {waiting[0].name}"
        self.dress()
        for identifier, operation in list(self.cast.items()):
            if operation.rival:
                self.invent(identifier, *operation.rival)

    def perform(self, operation, identifier):
        self.cast[identifier] = operation
        self.transactions[identifier]["payload"] = operation.payload.hex()
        for index, owner in enumerate(operation.outputs):
            claimed = self.owners.setdefault((identifier, index), owner)
            assert claimed == owner, f"{operation.name}: output {index} is {claimed}'s already"
        for number in self.parallel_blocks(identifier)[:operation.copies]:
            self.ids[number].append(identifier)

    def dress(self):
        """Writes the owners' scripts into all outputs."""
        for identifier, transaction in self.transactions.items():
            for index, output in enumerate(transaction["outputs"]):
                name = self.owners.get((identifier, index), None if transaction["inputs"] else "miner")
                output["scriptPublicKey"] = "0000" + WALLETS[name or self.owner((identifier, index))].script

    def invent(self, identifier, operation, number):
        """Adds a transaction that spends the same coins as `identifier`, with the id that its content gives."""
        rival = copy.deepcopy(self.transactions[identifier])
        rival["payload"] = operation.payload.hex()
        for output, owner in zip(rival["outputs"], operation.outputs):
            output["scriptPublicKey"] = "0000" + WALLETS[owner].script
        name = consensus.transaction_id(rival)
        self.transactions[name], self.cast[name] = rival, operation
        self.ids[number].append(name)

    def result(self):
        return derive([(header, ids, [self.transactions[i] for i in ids])
                       for (header, _, _), ids in zip(self.recorded, self.ids)])


def check(chain):
    """Every block's own transactions can be spent as of the block, and the virtual chain accepts nothing twice."""
    for block in chain.blocks.values():
        spent = [s for t in block.transactions for s in consensus.outpoints(t)]
        assert all(s in block.unspent for s in spent) and len(set(spent)) == len(spent), block.hash
    accepted = [i for name in chain.virtual for i, _ in chain.blocks[name].accepted]
    spent = [s for i in accepted for s in consensus.outpoints(chain.transactions[i])]
    assert len(set(accepted)) == len(accepted) and len(set(spent)) == len(spent)


def write_recording(chain, changes):
    wallet_of = {"0000" + w.script: w for w in WALLETS.values()}
    writer = wire.Writer(chain, wallet_of)
    start = next(iter(chain.blocks.values())).header
    header = wire.number(1, 1) + wire.text(2, "mainnet")
    header += wire.text(3, "266 blocks of a development network with Kasia's operations put in; see README.md")
    header += wire.text(4, start["hash"])
    out, offset, entries = [wire.delimited(header)], 0, []

    def add(event):
        out.append(wire.delimited(wire.number(1, offset) + event))
        entries.append(len(entries))

    positions = []
    for block, (removed, added) in zip(chain.blocks.values(), changes):
        offset = max(offset, block.header["timestamp"] - start["timestamp"])
        add(wire.data(2, writer.block(block)))
        if removed or added:
            change = wire.texts(1, removed)
            change += b"".join(wire.data(2, writer.acceptance(chain.blocks[a])) for a in added)
            add(wire.data(3, change))
            positions.append((entries[-1], removed, added))
    (HERE / "recorded-blocks.recording").write_bytes(b"".join(out))
    return len(entries), positions


def describe(identifier, operation, chain, positions):
    """The oracle's record of one operation."""
    transaction = chain.transactions[identifier]
    source, index = consensus.outpoints(transaction)[0]
    script_of = {"0000" + w.script: w for w in WALLETS.values()}
    sender = script_of[chain.transactions[source]["outputs"][index]["scriptPublicKey"]]
    assert sender.name == operation.sender
    paid = [(script_of[o["scriptPublicKey"]].address, o["value"]) for o in transaction["outputs"]]
    receiver = amount = None
    if operation.kind in ("handshake", "payment"):
        receiver = next((a for a, _ in paid if a != sender.address), sender.address)
        amount = sum(value for a, value in paid if a == receiver)
    history = []
    for entry, removed, added in positions:
        for event, hashes in (("removed", removed), ("accepted", added)):
            for name in hashes:
                for accepted, merged in chain.blocks[name].accepted:
                    if accepted == identifier:
                        history.append({
                            "entry": entry, "event": event, "accepting_block": name,
                            "accepting_daa_score": chain.blocks[name].header["daaScore"],
                            "accepting_blue_score": chain.blocks[name].header["blueScore"],
                            "block": merged, "block_time": chain.blocks[merged].header["timestamp"]})
    accepted = bool(history) and history[-1]["event"] == "accepted"
    fate = "accepted" if accepted else "lost" if history else \
        "never" if operation.fate == "never" else "refused"
    assert fate == operation.fate, f"{operation.name} should be {operation.fate} and is {fate}"
    final = history[-1] if accepted else collections.defaultdict(lambda: None)
    return {
        "name": operation.name, "id": identifier, "kind": operation.kind, "note": operation.note,
        "sender_name": operation.sender, "sender": sender.address, "receiver": receiver, "amount": amount,
        "alias": operation.details.get("alias"), "legacy": operation.details.get("legacy", False),
        **{k: v for k, v in operation.details.items() if k not in ("alias", "legacy")},
        "in_blocks": [b.hash for b in chain.blocks.values() if identifier in b.ids],
        "fate": fate, "accepted": accepted,
        **{k: final[k] for k in ("accepting_block", "accepting_daa_score", "accepting_blue_score",
                                 "block", "block_time")},
        "history": history,
        "payload_bytes": len(operation.payload), "payload": operation.payload.hex(),
    }


def oracle(chain, cast, entries, positions):
    listed = collections.Counter(i for b in chain.blocks.values() for i in b.ids)
    depths = collections.Counter(len(removed) for _, removed, _ in positions if removed)
    operations = [describe(i, o, chain, positions) for i, o in cast.items()]
    return {
        "counts": {
            "entries": entries, "blocks": len(chain.blocks), "virtual_chain_entries": len(positions),
            "chain_blocks": len(chain.virtual) - 1, "transactions": len(listed),
            "coinbases": sum(not t["inputs"] for t in chain.transactions.values()),
            "transactions_in_several_blocks": sum(n > 1 for n in listed.values()),
            "accepted_transactions": sum(len(chain.blocks[b].accepted) for b in chain.virtual),
            "reorganisations": sum(depths.values()),
            "reorganisations_by_depth": {str(d): depths[d] for d in sorted(depths)},
            "operations": len(operations), "operations_accepted": sum(o["accepted"] for o in operations),
            "operations_by_kind": dict(sorted(collections.Counter(o["kind"] for o in operations).items())),
        },
        "network": "mainnet", "start_hash": chain.virtual[0], "sink": chain.virtual[-1],
        "virtual_chain": chain.virtual,
        "wallets": [vars(w) for w in WALLETS.values()],
        "operations": operations,
    }


def write_tables(expected):
    """Replaces the tables in README.md between their markers."""
    names = {w["address"]: w["name"] for w in expected["wallets"]}

    def table(head, rows):
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])

    cast = table(("wallet", "script", "address"),
                 [(w["name"], w["script_kind"], f"`{w['address']}`" if w["address"] else "none")
                  for w in expected["wallets"]])
    counts = table(("count", "value"), [
        (k.replace("_", " "), ", ".join(f"{a}: {b}" for a, b in v.items()) if isinstance(v, dict) else v)
        for k, v in expected["counts"].items()])
    fates = {"never": "never: not merged", "lost": "lost in a reorganisation", "refused": "never: double spend"}
    rows = [(o["name"], f"`{o['id'][:16]}`", o["kind"], o["sender_name"],
             names[o["receiver"]] if o["receiver"] else "", o["payload_bytes"], len(o["in_blocks"]),
             f"`{o['accepting_block'][:8]}`" if o["accepted"] else fates[o["fate"]], o["note"])
            for o in expected["operations"]]
    head = ("name", "transaction", "kind", "sender", "receiver", "payload bytes", "in blocks", "accepted by", "note")
    readme = HERE / "README.md"
    content = readme.read_text()
    for marker, new in (("cast", cast), ("counts", counts), ("operations", table(head, rows))):
        content = re.sub(f"(<!-- {marker} -->\n).*?(<!-- /{marker} -->)", lambda m: m[1] + new + "\n" + m[2],
                         content, flags=re.S)
    readme.write_text(content)


def main():
    blocks, chain = read_source(sys.argv[1] if len(sys.argv) > 1 else SOURCE)
    on_chain = [bytes.fromhex(p) for p in json.loads((HERE / "recorded_blocks" / "on_chain_payloads.json").read_text())]
    production = Production(blocks, chain)
    production.stage(story.tell(on_chain))
    chain, changes = production.result()
    check(chain)
    entries, positions = write_recording(chain, changes)
    expected = oracle(chain, production.cast, entries, positions)
    (HERE / "recorded-blocks.expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")
    write_tables(expected)
    print(json.dumps(expected["counts"], indent=1))


if __name__ == "__main__":
    main()
