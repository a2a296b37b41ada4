import { renderDocument } from '../../look/document.ts';
import { escapeHtml } from '../../platform/http/html.ts';

/** Returns the page at the service's address while the dashboard is not built. */
export function homePage(publicUrl: string): string {
  const url = escapeHtml(publicUrl);
  return renderDocument({
    ...{ language: 'en', direction: 'ltr', color_scheme: null, host: new URL(publicUrl).host },
    title: 'MCP tool gateway',
    body: `<p>Agents connect to <code>${url}/mcp</code> with their own keys and see exactly the tools
that their key may use.</p>
<p>No account yet? <code>npx toolgate quickstart --url ${url}</code> signs up, selects a few tools,
creates a key and shows how to connect a client.</p>
<p>The dashboard is not built: run <code>npm run build</code>, then start the service again.</p>
<p><a href="/docs/api">API reference</a> · <a href="/health">Health</a></p>`,
  });
}
