import { requireGateway } from './api.ts';
import { signUp } from './sign-up.ts';
import type { SigningUp } from './sign-up.ts';
import { selectStarterTools } from './starter-tools.ts';

export interface QuickstartOptions extends SigningUp {
  email: string;
}

export interface Quickstart {
  email: string;
  password: string;
  key: string;
  /** Name of the key. */
  name: string;
  tools: string[];
}

/** Performs a new user's steps one by one, through public endpoints only. */
export async function quickstart(options: QuickstartOptions): Promise<Quickstart> {
  const { progress } = options;
  await requireGateway(options.url);
  const { api, email, password } = await signUp({ email: options.email }, options);
  progress('Selecting tools …');
  const tools = await selectStarterTools(api);
  progress('Creating a key …');
  const name = `quickstart ${new Date().toISOString()}`;
  const draft = { name, mcp_capabilities: ['tools'] };
  const { secret } = await api<{ secret: string }>('POST', '/api/keys', draft);
  return { email, password, key: secret, name, tools };
}
