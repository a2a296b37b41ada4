"""Selects two tools, creates a key for them, lists the keys, reads the new one and revokes it."""

import json
import os

import toolgate_client as toolgate

configuration = toolgate.Configuration()
client = toolgate.ApiClient(configuration)


def codes_of(error: toolgate.ApiException) -> str:
    return ", ".join(problem["code"] for problem in json.loads(error.body)["errors"])


session = toolgate.SignInApi(client).sign_in(
    toolgate.SignIn(email=os.environ["TOOLGATE_EMAIL"], password=os.environ["TOOLGATE_PASSWORD"])
)
if session.access_token is None:
    raise SystemExit("This account asks for a second factor.")
configuration.access_token = session.access_token
print("signed in as", session.user.first_name)

catalog = toolgate.CatalogApi(client).list_catalog_tools(limit=200)
tools = [tool.id for tool in catalog.data if tool.name in ("calculator", "csv_to_json")]
settings = toolgate.McpSettings(tools=tools, platform_prompts=[])
selected = toolgate.MCPSettingsApi(client).replace_mcp_settings(settings)
print("selected", len(selected.tools), "tools")

keys = toolgate.APIKeysApi(client)
draft = toolgate.KeyDraft(name="Release agent", mcp_capabilities=["tools"])
created = keys.create_api_key(draft)
print("secret", created.secret)
try:
    keys.create_api_key(draft)
except toolgate.ApiException as error:
    print("a second key of this name:", error.status, codes_of(error))
print("names", [key.name for key in keys.list_api_keys().data])

print("capabilities", keys.get_api_key(created.id).mcp_capabilities)

keys.revoke_api_key(created.id)
print("names", [key.name for key in keys.list_api_keys().data])
try:
    keys.get_api_key(created.id)
except toolgate.ApiException as error:
    print("after revoking:", error.status, codes_of(error))
