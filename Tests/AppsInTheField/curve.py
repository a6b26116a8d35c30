"""Points of a short Weierstrass curve y² = x³ + ax + b over a prime field, in Jacobian coordinates.

Not in constant time: these keys guard nothing.
"""


class Curve:
    def __init__(self, p, a, b, order, generator):
        self.p, self.a, self.b, self.order = p, a, b, order
        # The generator times every power of two, made once, so that a product is additions alone.
        self._powers = self._doublings(generator)

    def _doublings(self, point):
        powers = [(*point, 1)]
        for _ in range(255):
            powers.append(self._double(powers[-1]))
        return powers

    def _double(self, point):
        x, y, z = point
        p = self.p
        square = y * y % p
        s = 4 * x * square % p
        m = (3 * x * x + self.a * pow(z, 4, p)) % p
        new_x = (m * m - 2 * s) % p
        return new_x, (m * (s - new_x) - 8 * square * square) % p, 2 * y * z % p

    def _add(self, one, other):
        if one is None:
            return other
        (x1, y1, z1), (x2, y2, z2), p = one, other, self.p
        z1z1, z2z2 = z1 * z1 % p, z2 * z2 % p
        u1, u2 = x1 * z2z2 % p, x2 * z1z1 % p
        s1, s2 = y1 * z2 * z2z2 % p, y2 * z1 * z1z1 % p
        h, r = (u2 - u1) % p, (s2 - s1) % p
        if h == 0:
            return self._double(one) if r == 0 else None
        h2 = h * h % p
        h3, v = h * h2 % p, u1 * h2 % p
        x = (r * r - h3 - 2 * v) % p
        return x, (r * (v - x) - s1 * h3) % p, h * z1 * z2 % p

    def multiply_generator(self, scalar):
        """The affine point scalar·G; the scalar is 1 to order − 1."""
        return self._affine(self._sum(self._powers, scalar))

    def combine(self, scalar, factor, point):
        """The affine point scalar·G + factor·point; None for the point at infinity."""
        total = self._sum(self._doublings(point), factor, self._sum(self._powers, scalar))
        return total and self._affine(total)

    def _sum(self, powers, scalar, total=None):
        for bit in range(scalar.bit_length()):
            if scalar >> bit & 1:
                total = self._add(total, powers[bit])
        return total

    def _affine(self, point):
        x, y, z = point
        inverse = pow(z, -1, self.p)
        return x * inverse * inverse % self.p, y * pow(inverse, 3, self.p) % self.p
