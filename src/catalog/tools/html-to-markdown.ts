import { z } from 'zod';
import { documentText } from '../documents.ts';
import { defineTool, PURE } from '../tool.ts';

/** Elements whose content is not part of the page's text. */
const DROPPED = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed'] as const;

export const htmlToMarkdown = defineTool({
  id: 'dfa51dbf-5000-40fb-aea6-7575b49059bf',
  name: 'html_to_markdown',
  title: 'HTML to Markdown',
  description:
    'Converts HTML, a fragment or a whole page, to Markdown with headings, lists, links, code and ' +
    'tables; scripts and styles are removed. Use it to read HTML in fewer tokens. Example: ' +
    '{"html": "<h1>Title</h1><p>Some <b>text</b></p>"}.',
  input: z.strictObject({ html: documentText('At most 200,000 characters.') }),
  output: z.object({ markdown: z.string() }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'A heading and a link',
      arguments: { html: '<h1>Title</h1><p>See <a href="/b">b</a>.</p><script>x()</script>' },
      result: { markdown: '# Title\n\nSee [b](/b).' },
    },
    {
      title: 'A table',
      arguments: {
        html: '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>',
      },
      result: { markdown: '| a   | b   |\n| --- | --- |\n| 1   | 2   |' },
    },
  ],
  async compute({ html }) {
    const [{ default: Turndown }, { gfm }] = await Promise.all([
      import('turndown'),
      import('@joplin/turndown-plugin-gfm'),
    ]);
    const turndown = new Turndown({
      headingStyle: 'atx',
      codeBlockStyle: 'fenced',
      bulletListMarker: '-',
    });
    turndown.use(gfm);
    turndown.remove([...DROPPED]);
    return { markdown: turndown.turndown(html) };
  },
});
