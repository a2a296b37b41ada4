import { bodies } from './bodies.ts';
import { references } from './references.ts';
import { styles } from './styles.ts';

export type OpenApi = Record<string, unknown>;

/** Small documents in the manner of public ones, for a server at the given origin. */
export const documentsAt = (origin: string): Record<string, OpenApi> => ({
  ...styles(origin),
  ...bodies(origin),
  ...references(origin),
});
