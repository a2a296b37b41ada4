import { z } from 'zod';
import { documentText } from '../documents.ts';
import { defineTool, PURE } from '../tool.ts';

export const markdownToHtml = defineTool({
  id: '408176e9-5cdd-448e-bf3c-65c229b45ad5',
  name: 'markdown_to_html',
  title: 'Markdown to HTML',
  description:
    'Renders Markdown (CommonMark with tables and strikethrough) as an HTML fragment. Raw HTML ' +
    'in the source is escaped and links to scripts are dropped, so the result is safe to show. ' +
    'Example: {"markdown": "# Title\\n\\nSome *text*."}.',
  input: z.strictObject({
    markdown: documentText('At most 200,000 characters.'),
    breaks: z.boolean().optional().describe('Convert each line break to <br>. Default false.'),
  }),
  output: z.object({ html: z.string() }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'A heading and emphasis',
      arguments: { markdown: '# Title\n\nSome *text*.' },
      result: { html: '<h1>Title</h1>\n<p>Some <em>text</em>.</p>\n' },
    },
    {
      title: 'Scripts stay text',
      arguments: { markdown: '<script>x</script> [a](javascript:x)' },
      result: { html: '<p>&lt;script&gt;x&lt;/script&gt; [a](javascript:x)</p>\n' },
    },
  ],
  async compute({ markdown, breaks = false }) {
    const { default: MarkdownIt } = await import('markdown-it');
    return { html: new MarkdownIt({ html: false, linkify: false, breaks }).render(markdown) };
  },
});
