"""Kaspa's consensus as far as a recording needs it: transaction ids, merge sets, acceptance, UTXO commitments, sink.

Everything here is immutable per block: the UTXO set after a block follows from its selected parent alone, so a
reorganisation needs no undo. (The Swift derivation works the other way round, with undo; the tests hold one against
the other.)
"""
import hashlib
import struct
from dataclasses import dataclass, field

import blake3


def sized(data):
    return struct.pack("<Q", len(data)) + data


def script_parts(recorded):
    """The source writes a script as the version, four hex digits, and then the script."""
    return int(recorded[:4], 16), recorded[4:]


def serialise(transaction, payload, covenants):
    """The part of a transaction that its id covers: everything but the signatures."""
    out = struct.pack("<HQ", transaction["version"], len(transaction["inputs"]))
    for spend in transaction["inputs"]:
        outpoint = spend["previousOutpoint"]
        out += bytes.fromhex(outpoint["transactionId"]) + struct.pack("<I", outpoint["index"])
        out += sized(b"") + struct.pack("<Q", spend["sequence"])
    out += struct.pack("<Q", len(transaction["outputs"]))
    for output in transaction["outputs"]:
        version, script = script_parts(output["scriptPublicKey"])
        out += struct.pack("<QH", output["value"], version) + sized(bytes.fromhex(script))
        if covenants:
            out += b"\0"
    out += struct.pack("<Q", transaction["lockTime"]) + bytes.fromhex(transaction["subnetworkId"])
    return out + struct.pack("<Q", transaction["gas"]) + sized(payload)


def transaction_id(transaction):
    """Version 0: BLAKE2b over all of it. Version 1: BLAKE3 over the digests of the payload and of the rest."""
    payload = bytes.fromhex(transaction["payload"])
    if transaction["version"] == 0:
        whole = serialise(transaction, payload, covenants=False)
        return hashlib.blake2b(whole, key=b"TransactionID", digest_size=32).hexdigest()

    def keyed(name, data):
        return blake3.blake3(data, key=name.ljust(32, b"\0")).digest()

    rest = serialise(transaction, b"", covenants=True)
    return keyed(b"TransactionV1Id", keyed(b"PayloadDigest", payload) + keyed(b"TransactionRest", rest)).hex()


def outpoints(transaction):
    return [(i["previousOutpoint"]["transactionId"], i["previousOutpoint"]["index"]) for i in transaction["inputs"]]


@dataclass
class Block:
    """A block with what follows from its past. `ids` and `transactions` run in parallel."""
    header: dict
    transactions: list
    ids: list
    parents: list
    past: frozenset = frozenset()
    selected_parent: str = None
    merged: list = field(default_factory=list)       # in consensus order, the selected parent first
    accepted: list = field(default_factory=list)     # (transaction id, merged block that it is taken from)
    unspent: dict = field(default_factory=dict)      # outpoint -> (accepting DAA score, amount, is coinbase)

    @property
    def hash(self):
        return self.header["hash"]

    @property
    def work(self):
        return int(self.header["blueWork"], 16), self.hash


class Chain:
    """Blocks added parents first, each with its acceptance, and the virtual chain as of the last one."""

    def __init__(self):
        self.blocks, self.transactions, self.virtual, self.sink = {}, {}, [], None

    def add(self, header, transactions, ids):
        """Adds a block; returns (removed high to low, added low to high) of the virtual chain."""
        parents = header["parentsByLevel"][0] if header["parentsByLevel"] else []
        block = Block(header, transactions, ids, parents)
        self.transactions.update(zip(ids, transactions))
        if parents:
            self._derive(block)
        self.blocks[block.hash] = block
        if self.sink is None:
            self.sink, self.virtual = block, [block.hash]
            return [], []
        if block.work <= self.sink.work:
            return [], []
        self.sink = block
        return self._switch(block)

    def _derive(self, block):
        parents = [self.blocks[p] for p in block.parents]
        chosen = max(parents, key=lambda p: p.work)
        block.selected_parent = chosen.hash
        block.past = frozenset(block.parents).union(*(p.past for p in parents))
        others = block.past - chosen.past - {chosen.hash}
        block.merged = [chosen.hash] + sorted(others, key=lambda h: self.blocks[h].work)
        block.unspent = dict(chosen.unspent)
        for merged in block.merged:
            for identifier in self.blocks[merged].ids:
                self._accept(identifier, block, merged)

    def _accept(self, identifier, block, merged):
        transaction = self.transactions[identifier]
        spends = outpoints(transaction)
        coinbase = not spends
        if coinbase and merged != block.selected_parent or any(s not in block.unspent for s in spends):
            return
        for spent in spends:
            del block.unspent[spent]
        for index, output in enumerate(transaction["outputs"]):
            block.unspent[(identifier, index)] = (block.header["daaScore"], output["value"], coinbase)
        block.accepted.append((identifier, merged))

    def _switch(self, sink):
        added, present = [], set(self.virtual)
        while sink.hash not in present:
            added.append(sink.hash)
            sink = self.blocks[sink.selected_parent]
        fork = self.virtual.index(sink.hash) + 1
        removed = self.virtual[fork:]
        self.virtual[fork:] = reversed(added)
        return removed[::-1], added[::-1]


# UTXO commitments: MuHash over the unspent outputs, with which a header proves the acceptance derived above.

PRIME = 2**3072 - 1103717


def chacha20(key, length):
    """ChaCha20's key stream with an all-zero nonce."""
    def rotate(value, bits):
        return (value << bits | value >> (32 - bits)) & 0xFFFFFFFF

    stream = b""
    for counter in range(length // 64):
        start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter, 0, 0, 0]
        word = start[:]
        for _ in range(10):
            for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                               (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
                for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                    word[x] = (word[x] + word[y]) & 0xFFFFFFFF
                    word[z] = rotate(word[z] ^ word[x], bits)
        stream += struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(word, start)))
    return stream


def utxo_commitment(block, transactions, elements):
    """The commitment that follows from `block.unspent`; `elements` remembers the group elements already computed."""
    product = 1
    for (identifier, index), (daa_score, amount, coinbase) in block.unspent.items():
        key = identifier, index, daa_score
        if key not in elements:
            version, script = script_parts(transactions[identifier]["outputs"][index]["scriptPublicKey"])
            entry = bytes.fromhex(identifier) + struct.pack("<IQQ?H", index, daa_score, amount, coinbase, version)
            digest = hashlib.blake2b(entry + sized(bytes.fromhex(script)), key=b"MuHashElement", digest_size=32)
            elements[key] = int.from_bytes(chacha20(digest.digest(), 384), "little")
        product = product * elements[key] % PRIME
    return hashlib.blake2b(product.to_bytes(384, "little"), key=b"MuHashFinalize", digest_size=32).hexdigest()
