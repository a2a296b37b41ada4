import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { translatedLanguages } from '../../../src/texts/languages.ts';

interface Tree {
  [key: string]: string | Tree;
}

const folder = fileURLToPath(new URL('../../../src/dashboard/texts/', import.meta.url));

/** Returns the texts of a language by name, of all areas. */
function textsOf(language: string): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (tree: Tree, prefix: string) => {
    for (const [key, value] of Object.entries(tree))
      if (typeof value === 'string') texts.set(`${prefix}${key}`, value);
      else add(value, `${prefix}${key}.`);
  };
  for (const file of globSync(`${language}/*.json`, { cwd: folder }))
    add(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Tree, '');
  return texts;
}

const english = textsOf('en');

/** Returns the names that a language needs: each English plural in its own plural forms. */
function namesIn(language: string): Map<string, string> {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const names = new Map<string, string>();
  for (const [name, text] of english) {
    const base = /^(.*)_(?:one|other)$/.exec(name)?.[1];
    const isPlural = english.has(`${base}_one`) && english.has(`${base}_other`);
    if (!isPlural) names.set(name, text);
    else for (const form of pluralCategories) names.set(`${base}_${form}`, text);
  }
  return names;
}

const placeholders = (text: string) => new Set(text.match(/\{\{\w+\}\}|<[^>]*>/g));

const others = translatedLanguages.filter((language) => language !== 'en');

test.each(others)('every text of the dashboard is translated: %s', (language) => {
  const texts = textsOf(language);
  expect(english.size).toBeGreaterThan(500);
  expect([...texts.keys()].toSorted()).toEqual([...namesIn(language).keys()].toSorted());
});

test.each(others)('a translation has the placeholders of the English text: %s', (language) => {
  const texts = textsOf(language);
  for (const [name, text] of namesIn(language)) {
    const expected = placeholders(text);
    // A form for exactly none, one or two may say the number in words.
    if (/_(?:zero|one|two)$/.test(name)) expected.delete('{{count}}');
    const found = placeholders(texts.get(name) ?? '');
    if (/_(?:zero|one|two)$/.test(name)) found.delete('{{count}}');
    expect(found, name).toEqual(expected);
  }
});

test.each(translatedLanguages)(
  'a name that tells a button from others contains its visible text, which people may say: %s',
  (language) => {
    const texts = textsOf(language);
    const extended = [...english.keys()].filter(
      (name) =>
        name.endsWith('_of') && english.get(name)!.startsWith(`${english.get(name.slice(0, -3))} `),
    );
    expect(extended.length).toBeGreaterThan(2);
    const spoken = (name: string) => texts.get(name)!.toLowerCase();
    expect(extended.filter((name) => !spoken(name).includes(spoken(name.slice(0, -3))))).toEqual(
      [],
    );
  },
);
