import Crypto
import Postgres
import Store

/// The watch index: by far the most rows, so its keys are two values of 16 bytes and no record.
///
/// A subject is the first half of a SHA-256 over the key that RocksDB has (`WatchKey.bytes`). Nobody can make two
/// addresses that share it, and whoever is found by it is asked by the rule anyway.
enum WatchIndex {
    static let subjectBytes = 16
    static let keyBytes = subjectBytes + DeviceID.byteCount
    static let least = [UInt8](repeating: 0, count: keyBytes)
    static let greatest = [UInt8](repeating: 0xff, count: keyBytes)

    static func subject(_ key: WatchKey) -> [UInt8] { Array(SHA256.hash(data: key.bytes).prefix(subjectBytes)) }

    /// Which of some entries are there.
    ///
    /// `$1`: subjects; `$2`: devices.
    static let rows = Statement(
        "watchers_rows",
        """
        select w.subject, w.device from unnest($1, $2) i(subject, device)
        cross join lateral (
          select subject, device from watchers where subject = i.subject and device = i.device limit 1) w
        """)
    /// Entries in key order.
    ///
    /// `$1`, `$2`: the first; `$3`, `$4`: the last; `$5`: how many at most.
    static let range = Statement(
        "watchers_range",
        """
        select subject, device from watchers where (subject, device) >= ($1, $2) and (subject, device) <= ($3, $4)
        order by subject, device limit $5
        """)
    /// Which of some subjects anybody watches, by their numbers from 1.
    ///
    /// `$1`: subjects.
    static let watched = Statement(
        "watchers_watched",
        """
        select i.number from unnest($1) with ordinality i(subject, number)
        cross join lateral (select from watchers where subject = i.subject limit 1) w
        """)
    /// Writes entries that are not there; it fails if one is.
    ///
    /// `$1`: subjects; `$2`: devices.
    static let insert = Statement(
        "watchers_insert", "insert into watchers (subject, device) select * from unnest($1, $2)")
    /// `$1`: subjects; `$2`: devices.
    static let put = Statement(
        "watchers_put", "insert into watchers (subject, device) select * from unnest($1, $2) on conflict do nothing")
    /// `$1`: subjects; `$2`: devices.
    static let delete = Statement(
        "watchers_delete",
        """
        delete from watchers w using unnest($1, $2) i(subject, device)
        where w.subject = i.subject and w.device = i.device
        """)

    /// Several such ranges at once, each entry after its range's number from 1.
    ///
    /// `$1` to `$5`: as above, for each.
    static let ranges = Statement(
        "watchers_ranges",
        """
        select r.number, t.subject, t.device
        from unnest($1, $2, $3, $4, $5) with ordinality r(subject, device, last_subject, last_device, most, number)
        cross join lateral (
          select subject, device from watchers
          where (subject, device) >= (r.subject, r.device) and (subject, device) <= (r.last_subject, r.last_device)
          order by subject, device limit r.most) t
        """)

    static let statements = [rows, range, ranges, watched, insert, put, delete]

    /// The columns of keys, as parameters.
    static func columns(_ keys: some Sequence<[UInt8]>) -> [Parameter] {
        var (subjects, devices): ([[UInt8]], [[UInt8]]) = ([], [])
        for key in keys {
            subjects.append(Array(key.prefix(subjectBytes)))
            devices.append(Array(key.dropFirst(subjectBytes)))
        }
        return [.uuidArray(subjects), .uuidArray(devices)]
    }

    /// The least key of full length that is not below `bound`; nil if there is none.
    static func first(notBelow bound: [UInt8]) -> [UInt8]? {
        if bound.count <= keyBytes { return bound + [UInt8](repeating: 0, count: keyBytes - bound.count) }
        // Something follows a whole key: that key itself is below it.
        var key = Array(bound.prefix(keyBytes))
        for index in key.indices.reversed() {
            key[index] &+= 1
            if key[index] != 0 { return key }
        }
        return nil
    }

    /// The greatest key of full length that is below `bound`; nil if there is none.
    static func last(below bound: [UInt8]) -> [UInt8]? {
        guard var key = first(notBelow: bound) else { return [UInt8](repeating: 0xff, count: keyBytes) }
        for index in key.indices.reversed() {
            key[index] &-= 1
            if key[index] != 0xff { return key }
        }
        return nil
    }
}
