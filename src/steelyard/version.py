"""The version, kept here and nowhere else; the build reads it from this file."""

VERSION = "0.1.0"
