import Foundation

/// Public declarations in code that Linux does not compile, as written in the sources of the modules
/// that an app can see, without bodies and initial values.
struct AppleSymbols {
  /// `FILE | DECLARATION`, sorted.
  private(set) var lines: [String] = []

  /// - Parameter sources: the folder with the modules.
  init(in sources: URL, modules: [String]) throws {
    for module in modules {
      let folder = sources.appending(path: module)
      for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      where file.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        lines += Self.declarations(in: text).map { "\(module)/\(file) | \($0)" }
      }
    }
    lines.sort()
  }

  static func declarations(in text: String) -> [String] {
    var declarations: [String] = []
    /// Whether Linux compiles the current branch of each open `#if`, and an earlier one.
    var branches: [(isCompiled: Bool, hadCompiled: Bool)] = []
    var open: String?
    for line in text.components(separatedBy: "\n") {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("#if ") {
        let isCompiled = isTrueOnLinux(String(line.dropFirst(4)))
        branches.append((isCompiled, isCompiled))
      } else if line.hasPrefix("#elseif "), let last = branches.popLast() {
        let isCompiled = !last.hadCompiled && isTrueOnLinux(String(line.dropFirst(8)))
        branches.append((isCompiled, last.hadCompiled || isCompiled))
      } else if line == "#else", let last = branches.popLast() {
        branches.append((!last.hadCompiled, true))
      } else if line == "#endif" {
        branches.removeLast()
      } else if branches.contains(where: { !$0.isCompiled }) {
        guard open != nil || isDeclaration(line) else { continue }
        let text = open.map { $0 + " " + line } ?? line
        let whole = declaration(of: text)
        open = whole == nil ? text : nil
        if let whole { declarations.append(whole) }
      }
    }
    return declarations
  }

  /// Imports of whole modules declare nothing for an app.
  private static func isDeclaration(_ line: String) -> Bool {
    guard line.contains("import ") else { return line.hasPrefix("public ") }
    return line.wholeMatch(of: /@_exported public import (struct|class|enum|protocol) .*/) != nil
  }

  /// - Returns: `nil` if the parameter list goes on in the next line.
  private static func declaration(of text: String) -> String? {
    let isStored = text.contains(/^public\s(static\s)?(let|var)\s/)
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      let rest = text[index...]
      guard depth == 0, rest.hasPrefix(" {") || isStored && rest.hasPrefix(" = ") else { continue }
      return String(text[..<index])
    }
    return depth == 0 ? text : nil
  }

  /// A condition of `os`, `canImport`, `!`, `&&` and `||`, without parentheses around several.
  private static func isTrueOnLinux(_ condition: String) -> Bool {
    condition.components(separatedBy: "||").contains { alternative in
      alternative.components(separatedBy: "&&").allSatisfy { term in
        let term = term.trimmingCharacters(in: .whitespaces)
        let isNegated = term.hasPrefix("!")
        let name = isNegated ? String(term.dropFirst()) : term
        return ["os(Linux)", "canImport(Glibc)"].contains(name) != isNegated
      }
    }
  }
}
