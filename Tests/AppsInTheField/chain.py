"""A small chain, written as a recording for kaspad-replay: blocks in a line, each accepting what the one below holds.

Format: proto/recording.proto and proto/kaspad.proto; the recording's reader asks for no more than is here.
"""
import hashlib
import time

KAS = 100_000_000
STEP_MILLISECONDS = 10


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _data(field, *contents):
    content = b"".join(contents)
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field, content):
    return _data(field, content.encode())


def _script(field, script):
    return _data(field, _text(2, script))


class Transaction:
    """Spends one coin of `sender` (None: a coin that no answer of the node names) and pays `outputs`."""

    def __init__(self, random, sender, outputs, payload=b""):
        self.id, self.spent = random.randbytes(32).hex(), random.randbytes(32).hex()
        self.sender, self.outputs, self.payload = sender, outputs, payload
        self.block_time = None

    def in_block(self, block):
        """As a node tells it with its block: without the coins that it spends."""
        out = _data(2, _data(1, _text(1, self.spent)))
        for wallet, amount in self.outputs:
            out += _data(3, _number(1, amount), _script(2, wallet.script))
        verbose = _text(1, self.id) + _text(12, block.hash) + _number(14, block.time)
        return out + _text(8, self.payload.hex()) + _data(9, verbose)

    def accepted(self, block):
        """As a node tells it with the block that accepts it, at verbosity HIGH."""
        spends = _data(2, _text(2, self.spent), _number(3, 0))
        if self.sender:
            coin = _number(2, sum(amount for _, amount in self.outputs)) + _script(3, self.sender.script)
            spends += _data(6, _data(2, coin))
        out = _data(3, spends)
        for wallet, amount in self.outputs:
            out += _data(4, _number(2, amount), _script(3, wallet.script))
        verbose = _text(2, self.id) + _text(5, block.hash) + _number(6, block.time)
        return out + _text(8, self.payload.hex()) + _data(10, verbose)


class Block:
    def __init__(self, number, below, when, transactions, told_after=0):
        self.number, self.below, self.time, self.transactions = number, below, when, transactions
        self.told_after = told_after
        self.hash = hashlib.sha256(f"block {number}".encode()).hexdigest()
        self.below_hash = below.hash if below else "00" * 32
        for transaction in transactions:
            transaction.block_time = when

    def told(self):
        header = _number(6, self.time) + _number(9, self.number) + _data(12, _text(1, self.below_hash))
        header += _number(13, self.number) + _text(15, self.hash)
        verbose = _text(1, self.hash) + _text(13, self.below_hash)
        return _data(1, header) + b"".join(_data(2, t.in_block(self)) for t in self.transactions) + _data(3, verbose)

    def acceptance(self):
        header = _text(2, self.hash) + _number(8, self.time) + _number(11, self.number) + _number(13, self.number)
        accepted = (_data(3, t.accepted(self.below)) for t in self.below.transactions)
        return _data(2, header) + b"".join(accepted)


class Chain:
    """Grows block by block; `write` tells all of it so far."""

    def __init__(self, random):
        self.random = random
        # Where the recording begins: told as a block, and already on the virtual chain.
        self.blocks = [Block(100_000, None, int(time.time() * 1000) - 1000, [])]
        self.grow()

    @property
    def top(self):
        return self.blocks[-1]

    def grow(self, *transactions, at=None, told_after=0):
        """A further block, now or `at` a time; what it holds is accepted by the one after it.

        A node at real time tells it so many milliseconds after its own start.
        """
        when = at or max(int(time.time() * 1000), self.top.time + STEP_MILLISECONDS)
        self.blocks.append(Block(self.top.number + 1, self.top, when, list(transactions), told_after))
        return self.top

    def is_told_at_once(self):
        """From now on a node tells all that there is so far at its start."""
        for block in self.blocks:
            block.told_after = 0

    def message(self, sender, payload):
        """A transaction that pays its sender back."""
        return Transaction(self.random, sender, [(sender, 5 * KAS)], payload)

    def payment(self, sender, receiver, amount, payload=b""):
        change = [(sender, 3 * KAS)] if sender else []
        return Transaction(self.random, sender, [(receiver, amount)] + change, payload)

    def write(self, path):
        first = self.blocks[0]
        messages = [_number(1, 1) + _text(2, "mainnet") + _text(4, first.hash), _number(1, 0) + _data(2, first.told())]
        for block in self.blocks[1:]:
            messages.append(_number(1, block.told_after) + _data(2, block.told()))
            messages.append(_number(1, block.told_after) + _data(3, _data(2, block.acceptance())))
        with open(path, "wb") as file:
            for message in messages:
                file.write(_varint(len(message)) + message)
