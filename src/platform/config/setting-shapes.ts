import { z } from 'zod';

/** A URL of one of these protocols. */
export const url = (protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL of ${protocols.join(', ')}`,
  });

/** What stands between commas, without what is empty. */
export const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
