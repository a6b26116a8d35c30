"""Kaspa addresses and the scripts behind them."""
ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
GENERATORS = (0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470)


def _remainder(values):
    register = 1
    for value in values:
        top, register = register >> 35, (register & 0x7FFFFFFFF) << 5 ^ value
        for bit, generator in enumerate(GENERATORS):
            register ^= generator * (top >> bit & 1)
    return register ^ 1


def encode(version, payload, prefix="kaspa"):
    """The text of an address; version 0 is a Schnorr key, 1 an ECDSA key, 8 a script's hash."""
    data = bytes([version]) + payload
    length = -(-len(data) * 8 // 5)
    number = int.from_bytes(data, "big") << length * 5 - len(data) * 8
    fives = [number >> 5 * index & 31 for index in range(length - 1, -1, -1)]
    checksum = _remainder([ord(letter) & 31 for letter in prefix] + [0] + fives + [0] * 8)
    fives += [checksum >> 5 * index & 31 for index in range(7, -1, -1)]
    return prefix + ":" + "".join(ALPHABET[five] for five in fives)


def shortened(address):
    """The first 8 characters, three dots, the last 6."""
    return address[:8] + "..." + address[-6:]
