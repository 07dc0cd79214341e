# Completion of tacho for bash. Its options are known to the program, which prints the script.
eval "$(tacho completion bash 2>/dev/null)"
