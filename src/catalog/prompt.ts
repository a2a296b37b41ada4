/** A prompt that ships with the gateway, the same for all accounts. */
export interface PlatformPrompt {
  /** Never changes, because selections and policies refer to it. */
  id: string;
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  messages: readonly { role: 'user' | 'assistant'; content: string }[];
  deprecated?: boolean;
}
