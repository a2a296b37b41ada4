import { describe, expect, test } from 'vitest';
import { draftOfResource, mergeResource } from '../../../src/content/resources/resources.ts';
import { ResourceChange, ResourceDraft } from '../../../src/content/resources/schema.ts';

const draft = (fields: object) => ResourceDraft.safeParse({ path: 'a', ...fields });
const stored = (fields: object) => draftOfResource(ResourceDraft.parse({ path: 'a', ...fields }));

describe('a resource', () => {
  test.each([
    [{}],
    [{ text: null, blob: null }],
    [{ text: 'a', blob: 'YQ==' }],
    [{ text: 5 }],
    [{ blob: 'YQ' }],
    [{ blob: 'YR==' }],
    [{ blob: 'Y Q==' }],
    [{ blob: '-_8=' }],
    [{ blob: 'YQ==\n' }],
  ])('%j does not have exactly one valid text or blob', (fields) => {
    expect(draft(fields).success).toBe(false);
  });

  test.each([
    ['text'],
    ['text/'],
    ['/plain'],
    ['text/plain;'],
    ['text/plain; charset'],
    ['text/plain; a="b'],
    ['text /plain'],
    ['text/pl\nain'],
    ['text/html, text/plain'],
    [`text/${'a'.repeat(300)}`],
    [''],
  ])('%j is not a media type', (mime_type) => {
    expect(draft({ text: '', mime_type }).success).toBe(false);
  });

  test.each([['text/markdown'], ['Text/HTML; charset=utf-8'], ['image/svg+xml; a="b c"']])(
    '%j is stored as sent',
    (mime_type) => {
      expect(stored({ text: '', mime_type }).content.mime_type).toBe(mime_type);
    },
  );

  test.each([
    [{ text: '' }, 'text/plain'],
    [{ blob: '' }, 'application/octet-stream'],
    [{ text: '', mime_type: null }, 'text/plain'],
  ])('%j has the default media type', (fields, type) => {
    expect(stored(fields).content.mime_type).toBe(type);
  });
});

describe('a change', () => {
  const change = (fields: object) =>
    mergeResource(
      stored({ text: 'a', title: 'T', mime_type: 'text/csv' }),
      ResourceChange.parse(fields),
    );

  test('leaves omitted fields unchanged', () => {
    expect(change({ description: 'D' })).toEqual({
      name: 'a',
      content: { title: 'T', description: 'D', mime_type: 'text/csv', text: 'a', blob: null },
    });
  });

  test('from text to bytes removes the text', () => {
    const both = [{ blob: 'YQ==' }, { blob: 'YQ==', text: null }].map(change);

    for (const { content } of both) expect(content).toMatchObject({ text: null, blob: 'YQ==' });
  });

  test('of the media type to null restores the default', () => {
    expect(change({ mime_type: null }).content.mime_type).toBe('text/plain');
    expect(change({ blob: '', mime_type: null }).content.mime_type).toBe(
      'application/octet-stream',
    );
  });

  test.each([[{ text: null }], [{ blob: null }], [{ text: 'a', blob: 'YQ==' }]])(
    'to %j is refused',
    (fields) => {
      expect(ResourceChange.safeParse(fields).success).toBe(false);
    },
  );
});
