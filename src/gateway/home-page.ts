/** Returns the page at the service's address while the dashboard is not built. */
export const homePage = (publicUrl: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>toolgate</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
  main { max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem }
  code { font-size: .95em }
</style>
</head>
<body>
<main>
<h1>toolgate</h1>
<p>An MCP tool gateway. Agents connect to <code>${publicUrl}/mcp</code> with their own keys and
see exactly the tools that their key may use.</p>
<p>No account yet? <code>npx toolgate quickstart --url ${publicUrl}</code> signs up, selects a few
tools, creates a key and shows how to connect a client.</p>
<p>The dashboard is not built: run <code>npm run build</code>, then start the service again.</p>
<p><a href="/docs/api">API reference</a> · <a href="/health">Health</a></p>
</main>
</body>
</html>
`;
