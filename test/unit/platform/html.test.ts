import { expect, test } from 'vitest';
import { escapeHtml } from '../../../src/platform/http/html.ts';

test('escaped text is harmless between tags and in attributes', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;',
  );
});
