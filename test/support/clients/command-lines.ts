import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const modules = fileURLToPath(new URL('../../clients/node_modules/', import.meta.url));

/** How the command line of an agent is started; their install scripts have not run. */
const programs: Readonly<Record<string, readonly string[]>> = {
  claude: [process.execPath, join(modules, '@anthropic-ai/claude-code/cli-wrapper.cjs')],
  codex: [process.execPath, join(modules, '@openai/codex/bin/codex.js')],
  copilot: [process.execPath, join(modules, '@github/copilot/npm-loader.js')],
  gemini: [process.execPath, join(modules, '@google/gemini-cli/bundle/gemini.js')],
  opencode: [join(modules, 'opencode-linux-x64/bin/opencode')],
};

/** An agent's command line with a home folder of its own, as on a person's machine. */
export function createCommandLine(home: string, variables: Readonly<Record<string, string>>) {
  const folder = join(home, 'project');
  const env = {
    ...{ HOME: home, PATH: '/usr/bin:/bin', NO_COLOR: '1' },
    // Nothing but the gateway is in reach: other requests would only be waited for.
    ...{ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    ...variables,
  };
  return {
    env,
    /** Writes a file below the home folder. */
    async write(path: string, text: string): Promise<void> {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    },
    /** Returns the program and arguments of a command, as a shell would split it. */
    argvOf(command: string): string[] {
      const [name = '', ...words] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, plain]) => quoted ?? plain!,
      );
      return [...programs[name]!, ...words];
    },
    /** Runs a command in a project folder; resolves with everything that it printed. */
    async run(command: string): Promise<string> {
      await mkdir(folder, { recursive: true });
      const [program = '', ...args] = this.argvOf(command);
      return new Promise((resolve) => {
        const options = { cwd: folder, env, timeout: 60_000 };
        const child = execFile(program, args, options, (_error, stdout, stderr) =>
          resolve(stripVTControlCharacters(`${stdout}${stderr}`)),
        );
        child.stdin?.end();
      });
    },
  };
}
