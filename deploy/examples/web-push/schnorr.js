"use strict";

// BIP-340: Schnorr signatures over secp256k1, in the plain arithmetic of the BIP.
//
// AN EXAMPLE. It is slow and not constant-time: who can measure how long it takes learns about the key. A wallet signs
// with a library that was made for it, such as libsecp256k1 compiled to WebAssembly.

const schnorr = (() => {
  const prime = 2n ** 256n - 2n ** 32n - 977n;
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const base = {
    x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
    y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  };

  const number = bytes => BigInt("0x" + toHex(bytes));
  const bytes32 = value => fromHex(value.toString(16).padStart(64, "0"));
  const mod = (value, modulus) => ((value % modulus) + modulus) % modulus;

  const inverse = value => {
    let [left, right] = [mod(value, prime), prime];
    let [a, b] = [1n, 0n];
    while (left > 1n) {
      const quotient = right / left;
      [left, right] = [right - quotient * left, left];
      [a, b] = [b - quotient * a, a];
    }
    return mod(a, prime);
  };

  const power = (value, exponent) => {
    let result = 1n;
    for (let rest = exponent, factor = mod(value, prime); rest > 0n; rest >>= 1n) {
      if (rest & 1n) result = result * factor % prime;
      factor = factor * factor % prime;
    }
    return result;
  };

  // null is the point at infinity.
  const add = (a, b) => {
    if (a === null || b === null) return a ?? b;
    if (a.x === b.x && a.y !== b.y) return null;
    const slope = a.x === b.x
      ? 3n * a.x * a.x * inverse(2n * a.y)
      : (b.y - a.y) * inverse(b.x - a.x);
    const x = mod(slope * slope - a.x - b.x, prime);
    return {x, y: mod(slope * (a.x - x) - a.y, prime)};
  };

  const times = (point, factor) => {
    let result = null;
    for (let rest = factor, doubled = point; rest > 0n; rest >>= 1n) {
      if (rest & 1n) result = add(result, doubled);
      doubled = add(doubled, doubled);
    }
    return result;
  };

  const isEven = point => (point.y & 1n) === 0n;

  const tagged = async (tag, ...parts) => {
    const hash = await sha256(utf8(tag));
    return number(await sha256(hash, hash, ...parts));
  };

  // The secret number, negated where its point's y is odd, and the point's x.
  const keyPair = secret => {
    const key = number(secret);
    if (secret.length !== 32 || key === 0n || key >= order) throw new Error("this is no private key of secp256k1");
    const point = times(base, key);
    return {key: isEven(point) ? key : order - key, x: bytes32(point.x)};
  };

  const publicKey = secret => keyPair(secret).x;

  const sign = async (secret, message, random = crypto.getRandomValues(new Uint8Array(32))) => {
    const {key, x} = keyPair(secret);
    const masked = key ^ await tagged("BIP0340/aux", random);
    let nonce = mod(await tagged("BIP0340/nonce", bytes32(masked), x, message), order);
    if (nonce === 0n) throw new Error("the nonce is zero: sign again");
    const commitment = times(base, nonce);
    if (!isEven(commitment)) nonce = order - nonce;
    const r = bytes32(commitment.x);
    const challenge = mod(await tagged("BIP0340/challenge", r, x, message), order);
    const signature = joined(r, bytes32(mod(nonce + challenge * key, order)));
    // A fault while signing could give the key away.
    if (!await verify(x, message, signature)) throw new Error("the signature does not verify: sign again");
    return signature;
  };

  const verify = async (publicKey, message, signature) => {
    if (publicKey.length !== 32 || signature.length !== 64) return false;
    const [x, r, s] = [number(publicKey), number(signature.slice(0, 32)), number(signature.slice(32))];
    if (x >= prime || r >= prime || s >= order) return false;
    const square = mod(x * x * x + 7n, prime);
    const root = power(square, (prime + 1n) / 4n);
    if (root * root % prime !== square) return false;
    const point = {x, y: root & 1n ? prime - root : root};
    const challenge = mod(await tagged("BIP0340/challenge", signature.slice(0, 32), publicKey, message), order);
    const commitment = add(times(base, s), times(point, order - challenge));
    return commitment !== null && isEven(commitment) && commitment.x === r;
  };

  return {publicKey, sign, verify};
})();
