"""A number's looks: terminal, Markdown, LaTeX, HTML, charts, the page."""
