/** A prompt that comes with the gateway; what it says is the same for everybody. */
export interface PlatformPrompt {
  /** Never changes: selections and policies hold it. */
  id: string;
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  messages: readonly { role: 'user' | 'assistant'; content: string }[];
  deprecated?: boolean;
}
