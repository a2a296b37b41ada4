import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { installPackage } from './install-package.ts';

const home = new URL('../../clients/generated-typescript/', import.meta.url);
const pathOf = (name: string) => fileURLToPath(new URL(name, home));

/** Installs the generator once. Returns false if the npm registry is unreachable. */
export const installGenerator = (): Promise<boolean> =>
  installPackage(home, 'generated TypeScript clients');

/** A person's project, with a client of a gateway that was generated from its document. */
export interface ClientProject {
  /** Compiles these programs with the client; resolves with the errors of the compiler. */
  compile(...programs: readonly string[]): Promise<string>;
  /** Runs a compiled program; resolves with everything that it printed. */
  run(program: string, variables: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

/** Generates a client from the document at an address, in a new folder. */
export async function createClientProject(document: string): Promise<ClientProject> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-generated-'));
  const node = (args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (_error, output, errors) =>
        resolve(output + errors),
      );
    });
  const copy = (name: string) => copyFile(pathOf(name), join(folder, name));

  await Promise.all(['package.json', 'tsconfig.json'].map(copy));
  await symlink(pathOf('node_modules'), join(folder, 'node_modules'));
  const generator = 'node_modules/@hey-api/openapi-ts/bin/run.js';
  await node([generator, '--input', document, '--output', 'toolgate', '--no-log-file']);
  return {
    async compile(...programs) {
      await Promise.all(programs.map(copy));
      return node(['node_modules/typescript/bin/tsc', '--project', '.']);
    },
    run: (program, variables) =>
      node([join('dist', program.replace(/\.ts$/, '.js'))], { ...process.env, ...variables }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
