import LedgerModel

/// Text with everything that could steer a terminal or hide from its reader made visible, such as
/// `\u{202E}`: control characters, marks that reorder text, characters without width.
package func escapedForTerminal(_ text: String) -> String { VisibleText.escaped(text) }
