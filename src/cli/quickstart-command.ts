import { createInterface } from 'node:readline/promises';
import process from 'node:process';
import type { Command } from 'commander';
import { clients } from '../snippets/clients.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { quickstart } from './quickstart.ts';
import type { Quickstart } from './quickstart.ts';

interface Flags {
  url: string;
  email: string;
  password?: string;
}

export function addQuickstartCommand(program: Command): void {
  program
    .command('quickstart')
    .description('Sign up at a running gateway, select tools, create a key and show how to connect')
    .option('--url <url>', 'URL of the gateway', 'http://localhost:7070')
    .option('--email <address>', 'e-mail address to sign up with', `me.${Date.now()}@example.com`)
    .option('--password <password>', 'password to sign up with (default: generated, shown once)')
    .action(async (flags: Flags) => {
      const result = await quickstart({
        url: flags.url,
        email: flags.email,
        password: flags.password ?? null,
        askForLink,
        progress: (line) => console.log(line),
      });
      console.log(describe(result, new URL('/mcp', flags.url).href));
    });
}

async function askForLink(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new OperatorError(
      'This gateway sends real e-mail: run the command in a terminal, where you can paste a link.',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question('Paste the link from the verification e-mail: ');
  } finally {
    terminal.close();
  }
}

function describe({ email, password, key, tools }: Quickstart, endpoint: string): string {
  const configurations = clients.flatMap(({ title, configuration }) => {
    if (configuration === null) return [];
    const { place, text } = configuration(endpoint);
    return [`── ${title}: ${place}\n${text}`];
  });
  return [
    '',
    `Account   ${email}`,
    `Password  ${password}`,
    `Tools     ${tools.join(', ')}`,
    `MCP       ${endpoint}`,
    `Key       ${key}`,
    '',
    'The key and the password are shown only once: store them now. Use one key per agent.',
    '',
    ...configurations,
  ].join('\n');
}
