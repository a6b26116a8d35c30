import Foundation

/// Writes a line at once; pipes take so short a one as a whole, also when several processes write.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    precondition(write(1, bytes, bytes.count) == bytes.count, "A line is written as a whole")
}

/// The transaction id of a number: its hex digits with zeros before them.
func transactionID(_ number: Int64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

private let parent = getppid()

/// Lets time pass; ends the process when the test has gone.
func waitForTheOther() async {
    if getppid() != parent { exit(1) }
    await Task.yield()
}
