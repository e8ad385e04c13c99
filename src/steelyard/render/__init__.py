"""How results look: terminal, Markdown, LaTeX, HTML, charts and the page."""
