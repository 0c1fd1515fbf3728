"""Pages about the reproduction of a paper: `Section` → Markdown with drawings, and HTML."""
