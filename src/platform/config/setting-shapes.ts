import { z } from 'zod';

/** Schema of a URL with one of these protocols. */
export const url = (protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL with the scheme ${protocols.join(' or ')}`,
  });

/** Splits a comma-separated list and drops empty entries. */
export const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
