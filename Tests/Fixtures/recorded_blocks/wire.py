"""The protobuf wire format of proto/recording.proto and proto/kaspad.proto, written by hand."""
import struct

from .consensus import outpoints, script_parts


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value, optional=False):
    """A proto3 field leaves out its default; an `optional` one is always written."""
    return varint(field << 3) + varint(int(value)) if value or optional else b""


def data(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field, content, optional=False):
    return data(field, content.encode()) if content or optional else b""


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def texts(field, contents):
    return b"".join(text(field, c, optional=True) for c in contents)


def delimited(message):
    return varint(len(message)) + message


def blue_work(header):
    return f"{int(header['blueWork'], 16):x}"


def difficulty(bits):
    """The greatest target divided by the compact one."""
    return (2**255 - 1) / ((bits & 0xFFFFFF) << 8 * ((bits >> 24) - 3))


class Writer:
    """Writes blocks and acceptances of a `Chain`; `wallet_of` gives the wallet of an output's script."""

    def __init__(self, chain, wallet_of):
        self.chain, self.wallet_of = chain, wallet_of

    def script(self, output):
        version, script = script_parts(output["scriptPublicKey"])
        return number(1, version) + text(2, script)

    def verbose_script(self, output, kind_field):
        """Type and address, or nothing for a script that has no address."""
        wallet = self.wallet_of[output["scriptPublicKey"]]
        if wallet.address is None:
            return b""
        return text(kind_field, wallet.script_kind) + text(kind_field + 1, wallet.address)

    def block(self, block):
        header = block.header
        out = number(1, header["version"]) + text(3, header["hashMerkleRoot"])
        out += text(4, header["acceptedIdMerkleRoot"]) + text(5, header["utxoCommitment"])
        out += number(6, header["timestamp"]) + number(7, header["bits"]) + number(8, header["nonce"])
        out += number(9, header["daaScore"]) + text(10, blue_work(header))
        out += b"".join(data(12, texts(1, level)) for level in header["parentsByLevel"])
        out += number(13, header["blueScore"]) + text(14, header["pruningPoint"]) + text(15, block.hash)
        verbose = text(1, block.hash) + double(11, difficulty(header["bits"]))
        verbose += text(13, block.selected_parent or "0" * 64) + texts(14, block.ids)
        verbose += number(16, header["blueScore"]) + texts(18, block.merged)
        transactions = (self.transaction(i, block) for i in block.ids)
        return data(1, out) + b"".join(data(2, t) for t in transactions) + data(3, verbose)

    def transaction(self, identifier, block):
        transaction = self.chain.transactions[identifier]
        out = number(1, transaction["version"])
        for spend in transaction["inputs"]:
            outpoint = spend["previousOutpoint"]
            entry = data(1, text(1, outpoint["transactionId"]) + number(2, outpoint["index"]))
            entry += text(2, spend["signatureScript"]) + number(3, spend["sequence"]) + number(5, spend["sigOpCount"])
            out += data(2, entry)
        for output in transaction["outputs"]:
            entry = number(1, output["value"]) + data(2, self.script(output))
            verbose = self.verbose_script(output, 5)
            out += data(3, entry + (data(3, verbose) if verbose else b""))
        out += number(4, transaction["lockTime"]) + text(5, transaction["subnetworkId"])
        out += number(6, transaction["gas"]) + text(8, transaction["payload"])
        verbose = text(1, identifier)
        return out + data(9, verbose + text(12, block.hash) + number(14, block.header["timestamp"]))

    def acceptance(self, block):
        """What verbosity HIGH says of a chain block and what it accepts.

        Parents, Merkle roots, signatures and whole-transaction hashes are left out: nobody reads them here, and they
        would be a quarter of the recording.
        """
        header = block.header
        out = text(2, block.hash) + number(3, header["version"], True)
        out += number(8, header["timestamp"], True) + number(9, header["bits"], True)
        out += number(10, header["nonce"], True) + number(11, header["daaScore"], True) + text(12, blue_work(header))
        out += number(13, header["blueScore"], True)
        accepted = (self.accepted(i, self.chain.blocks[merged]) for i, merged in block.accepted)
        return data(2, out) + b"".join(data(3, t) for t in accepted)

    def accepted(self, identifier, merged):
        transaction = self.chain.transactions[identifier]
        out = b""
        for spend, (spent, index) in zip(transaction["inputs"], outpoints(transaction)):
            source = self.chain.transactions[spent]
            output = source["outputs"][index]
            utxo = number(2, output["value"], True) + data(3, self.script(output))
            utxo += number(5, not source["inputs"], True)
            verbose = self.verbose_script(output, 2)
            utxo += data(6, verbose) if verbose else b""
            entry = data(2, text(2, spent) + number(3, index, True))
            entry += number(4, spend["sequence"], True) + number(5, spend["sigOpCount"], True)
            out += data(3, entry + data(6, data(2, utxo)))
        for output in transaction["outputs"]:
            verbose = self.verbose_script(output, 2)
            entry = number(2, output["value"], True) + data(3, self.script(output))
            out += data(4, entry + (data(4, verbose) if verbose else b""))
        out += text(8, transaction["payload"], True)
        verbose = text(2, identifier) + text(5, merged.hash)
        return out + data(10, verbose + number(6, merged.header["timestamp"], True))
