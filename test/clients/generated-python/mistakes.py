"""Each draft has one mistake, which the generated client must find."""

import toolgate_client as toolgate

MISTAKES = [
    {"name": "one", "mcp_capabilities": ["tools"], "capability": "tools"},
    {"name": "two"},
]

for mistake in MISTAKES:
    try:
        toolgate.KeyDraft(**mistake)
    except (TypeError, ValueError) as error:
        print(error)
