"""What became of a paper's figures, as pages: `Section` → Markdown with drawings, and HTML."""
