import { spawn } from 'node:child_process';
import { once } from 'node:events';

const AUTHORIZATION_URL = /\bhttps?:\/\/\S+\/oauth\/authorize\?\S+/;

/**
 * Runs a program that prints the URL at which to sign in. `visit` opens it, as a person would; no
 * real browser is in the program's reach. Resolves when the program ends.
 */
export async function runSigningIn(
  argv: readonly string[],
  visit: (authorizationUrl: URL) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; output: string }> {
  const child = spawn(process.execPath, argv, {
    env: { PATH: '', ...env },
    // Some programs end with their input.
    stdio: 'pipe',
  });
  let [stdout, output] = ['', ''];
  const visits: Promise<void>[] = [];
  const onText = (text: string) => {
    output += text;
    const [url] = AUTHORIZATION_URL.exec(output) ?? [];
    // A URL is complete once the line after it has begun.
    if (url === undefined || visits.length > 0 || output.endsWith(url)) return;
    const visited = visit(new URL(url)).catch((error: unknown) => {
      output += String(error);
      child.kill();
    });
    visits.push(visited);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onText(text);
  });
  child.stderr.setEncoding('utf8').on('data', onText);
  const [code] = (await once(child, 'close')) as [number | null];
  await Promise.all(visits);
  return { code, stdout, output };
}
