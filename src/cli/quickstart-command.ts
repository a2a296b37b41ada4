import { createInterface } from 'node:readline/promises';
import process from 'node:process';
import { Option } from 'commander';
import type { Command } from 'commander';
import { clients, KEY_PLACEHOLDER, KEY_VARIABLE } from '../snippets/clients.ts';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { quickstart } from './quickstart.ts';
import type { Quickstart } from './quickstart.ts';
import { describeConnection, describeConsent } from './describe-oauth.ts';
import { describeTeam } from './describe-team.ts';
import type { AskForLink } from './link-emails.ts';
import { parseGatewayUrl } from './gateway-url.ts';
import { oauthQuickstart } from './oauth-quickstart.ts';
import type { Consent } from './oauth-quickstart.ts';
import { openBrowser } from './open-browser.ts';
import { teamQuickstart } from './team-quickstart.ts';

interface Flags {
  url: string;
  team?: true;
  oauth?: true;
  email: string;
  colleague: string;
  password?: string;
}

export function addQuickstartCommand(program: Command): void {
  const now = Date.now();
  program
    .command('quickstart')
    .description('Sign up at a running gateway, select tools, create a key and show how to connect')
    .option('--url <url>', 'URL of the gateway', parseGatewayUrl, 'http://localhost:7070')
    .option('--team', 'create an organization, a team, a second person and three keys instead')
    .addOption(
      new Option('--oauth', 'register an OAuth client and authorize it instead of a key').conflicts(
        'team',
      ),
    )
    .option('--email <address>', 'e-mail address to sign up with', `me.${now}@example.com`)
    .option(
      '--colleague <address>',
      'e-mail address to invite, with --team',
      `ben.${now}@example.com`,
    )
    .option('--password <password>', 'password to sign up with (default: generated, shown once)')
    .action(async (flags: Flags) => {
      const { url, email, colleague } = flags;
      const password = flags.password ?? null;
      const options = { url, email, password, askForLink, progress };
      const endpoint = new URL('/mcp', url).href;
      if (flags.team)
        console.log(describeTeam(await teamQuickstart({ ...options, colleague }), endpoint));
      else if (flags.oauth) {
        const showConsent = (consent: Consent) => {
          console.log(describeConsent(consent));
          if (process.stdout.isTTY) openBrowser(consent.address);
        };
        console.log(describeConnection(await oauthQuickstart({ ...options, showConsent }), url));
      } else console.log(describe(await quickstart(options), endpoint));
    });
}

const progress = (line: string): void => console.log(line);

const askForLink: AskForLink = async ({ name, to }) => {
  if (!process.stdin.isTTY)
    throw new OperatorError(
      'This gateway sends real e-mail: run the command in a terminal, where you can paste a link.',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(`Paste the link from the ${name} to ${to}: `);
  } finally {
    terminal.close();
  }
};

function describe({ email, password, key, name, tools }: Quickstart, endpoint: string): string {
  const configurations = clients.flatMap(({ title, configuration, note }) => {
    if (configuration === null) return [];
    const { place, text } = configuration(endpoint);
    return [`── ${title}: ${place}`, ...(note === null ? [] : [note]), text];
  });
  // The key comes last: the configurations fill more than a screen.
  return [
    '',
    'How to connect each client:',
    '',
    ...configurations,
    '',
    `Account   ${email}`,
    `Password  ${password}`,
    `Tools     ${tools.join(', ')}`,
    `MCP       ${endpoint}`,
    `Its name  ${name}`,
    '',
    'The key and the password are shown only once: store them now. Use one key per agent.',
    `Set the variable in the shell that starts the client; where there is ${KEY_PLACEHOLDER}, enter the key.`,
    '',
    `export ${KEY_VARIABLE}=${key}`,
    '',
  ].join('\n');
}
