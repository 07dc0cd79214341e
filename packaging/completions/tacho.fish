# Completion of tacho for fish. Its options are known to the program, which prints the script.
tacho completion fish 2>/dev/null | source
