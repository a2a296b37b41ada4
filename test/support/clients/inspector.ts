import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ConnectClient } from './client.ts';

const require = createRequire(import.meta.url);
const manifest = require.resolve('@modelcontextprotocol/inspector/package.json');
const { bin } = require(manifest) as { bin: Record<string, string> };

/** The Inspector's program. */
export const inspectorProgram = join(dirname(manifest), bin['mcp-inspector']!);

interface Named {
  name: string;
  uri: string;
}

export type Era = 'legacy' | 'modern';

/** Runs the Inspector's command line as users do. */
export function inspect(era: Era, endpoint: string, ...rest: readonly string[]) {
  const target = ['--cli', '--server-url', endpoint, '--transport', 'http'];
  const argv = [inspectorProgram, ...target, '--protocol-era', era, ...rest];
  return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    execFile(process.execPath, argv, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });
}

/** Connects the Inspector; every call uses its own process and connection. */
export const connectInspector =
  (era: Era): ConnectClient =>
  async (endpoint, secret) => {
    async function run(...method: readonly string[]): Promise<string> {
      const header = ['--header', `X-API-Key: ${secret}`];
      const { output, errors } = await inspect(era, endpoint, ...header, '--method', ...method);
      // A failed tool also gives a non-zero exit code, but its result is on stdout like any other.
      if (output === '') throw new Error(errors);
      return output;
    }
    return {
      async toolNames() {
        const { tools } = JSON.parse(await run('tools/list')) as { tools: Named[] };
        return tools.map(({ name }) => name);
      },
      call(name, input) {
        const options = Object.entries(input).flatMap(([key, value]) => [
          '--tool-arg',
          `${key}=${String(value)}`,
        ]);
        return run('tools/call', '--tool-name', name, ...options);
      },
      prompts: {
        async names() {
          const { prompts } = JSON.parse(await run('prompts/list')) as { prompts: Named[] };
          return prompts.map(({ name }) => name);
        },
        get(name, values) {
          const options = Object.entries(values).flatMap(([key, value]) => [
            '--prompt-args',
            `${key}=${value}`,
          ]);
          return run('prompts/get', '--prompt-name', name, ...options);
        },
      },
      resources: {
        async uris() {
          const listed = JSON.parse(await run('resources/list')) as { resources: Named[] };
          return listed.resources.map(({ uri }) => uri);
        },
        read: (uri) => run('resources/read', '--uri', uri),
      },
      close: async () => {},
    };
  };
