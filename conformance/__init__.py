"""Every profile against the library that it is named after: the same data through both.

``make conformance`` makes an environment for each peer, runs it, keeps what it answered in ``recorded/``, and
prints the table of metrics and libraries. What is kept is what the ordinary tests compare with.
"""
