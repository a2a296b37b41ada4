import { z } from 'zod';
import { documentText } from '../documents.ts';
import { defineTool, PURE } from '../tool.ts';

const WORDS_PER_MINUTE = 230;
const MAX_WORD_CHARACTERS = 100;

export const textStatistics = defineTool({
  id: '6c472573-12fa-4283-8a09-aac32bcfeabd',
  name: 'text_statistics',
  title: 'Count words and characters',
  description:
    'Counts the user-perceived characters, bytes, words, sentences, lines and paragraphs of a ' +
    'text, its most frequent words and its reading time, by the Unicode rules that also segment ' +
    'Chinese, Japanese and Thai. Use it for length limits: you cannot count reliably. Example: ' +
    '{"text": "Hello, world."}.',
  input: z.strictObject({
    text: documentText('At most 200,000 characters.'),
    top_words: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe('Number of frequent words to list. Default 10.'),
  }),
  output: z.object({
    characters: z.int(),
    characters_without_spaces: z.int(),
    utf8_bytes: z.int(),
    utf16_units: z.int().describe('The length in JavaScript.'),
    words: z.int(),
    unique_words: z.int(),
    sentences: z.int(),
    lines: z.int(),
    paragraphs: z.int(),
    reading_seconds: z.int().describe('At 230 words a minute.'),
    top_words: z.array(z.object({ word: z.string(), count: z.int() })),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'Accents and emoji count once',
      arguments: { text: 'Cafe\u0301 👩‍👩‍👧! The café.\n\nBye.', top_words: 1 },
      result: {
        characters: 23,
        characters_without_spaces: 18,
        utf8_bytes: 43,
        utf16_units: 31,
        words: 4,
        unique_words: 3,
        sentences: 3,
        lines: 3,
        paragraphs: 2,
        reading_seconds: 2,
        top_words: [{ word: 'café', count: 2 }],
      },
    },
    {
      title: 'Nothing',
      arguments: { text: '' },
      result: {
        characters: 0,
        characters_without_spaces: 0,
        utf8_bytes: 0,
        utf16_units: 0,
        words: 0,
        unique_words: 0,
        sentences: 0,
        lines: 0,
        paragraphs: 0,
        reading_seconds: 0,
        top_words: [],
      },
    },
  ],
  compute({ text, top_words = 10 }) {
    const counts = countWords(text);
    const words = [...counts.values()].reduce((total, count) => total + count, 0);
    const frequent = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const lines = text === '' ? [] : text.split(/\r\n|\r|\n/);
    let [characters, spaces] = [0, 0];
    for (const { segment } of segments(text, 'grapheme')) {
      characters += 1;
      if (segment.trim() === '') spaces += 1;
    }
    return {
      characters,
      characters_without_spaces: characters - spaces,
      utf8_bytes: Buffer.byteLength(text),
      utf16_units: text.length,
      words,
      unique_words: counts.size,
      sentences: countSentences(text),
      lines: lines.length,
      paragraphs: countParagraphs(lines),
      reading_seconds: Math.ceil((words / WORDS_PER_MINUTE) * 60),
      top_words: frequent
        .slice(0, top_words)
        .map(([word, count]) => ({ word: word.slice(0, MAX_WORD_CHARACTERS), count })),
    };
  },
});

const segments = (text: string, granularity: 'grapheme' | 'word' | 'sentence') =>
  new Intl.Segmenter('en', { granularity }).segment(text);

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { segment, isWordLike } of segments(text, 'word')) {
    if (!isWordLike) continue;
    const word = segment.normalize('NFC').toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function countSentences(text: string): number {
  let count = 0;
  for (const { segment } of segments(text, 'sentence')) if (segment.trim() !== '') count += 1;
  return count;
}

function countParagraphs(lines: string[]): number {
  const isText = lines.map((line) => line.trim() !== '');
  return isText.filter((isLineText, index) => isLineText && !isText[index - 1]).length;
}
