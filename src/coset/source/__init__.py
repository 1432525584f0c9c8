"""What every language shares: text with positions, diagnostics with codes, a C preprocessor."""
