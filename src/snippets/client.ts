/** One MCP client: how it is connected, and where its lasting instruction goes. */
export interface McpClient {
  id: string;
  title: string;
  /** Where to put what so that the client connects with a key; null: it takes no key. */
  configuration: ((endpoint: string) => Snippet) | null;
  /** Where the client keeps instructions that hold for every task, in words. */
  instructionPlace: string;
  /** What else a user of this client should know, or null. */
  note: string | null;
}

export interface Snippet {
  /** Where it goes: a file, or a place in the program. */
  place: string;
  language: 'json' | 'toml' | 'shell' | 'text';
  text: string;
}

/** Stands where the user's own key goes; no snippet ever holds a secret (A9). */
export const KEY_PLACE = 'YOUR_API_KEY';

export const json = (value: unknown): string => JSON.stringify(value, null, 2);
