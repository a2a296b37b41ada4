import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../stack/find-program.mjs';
import { installDebianPackages } from '../servers/debian-packages.ts';
import { installPackage } from './install-package.ts';
import { toOpenapi30 } from './openapi-3.0.ts';

const home = new URL('../../clients/generated-python/', import.meta.url);
const pathOf = (name: string) => fileURLToPath(new URL(name, home));
const generator = pathOf(
  'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar',
);

/** What the generated client imports; Debian has a package for each. */
const MODULES = ['certifi', 'dateutil', 'six', 'urllib3'];

export interface PythonTools {
  java: string;
  python: string;
}

/** Finds Java for the generator and a Python for the client; as root on Debian, installs them. */
export async function findPythonTools(): Promise<PythonTools | null> {
  if (!(await installPackage(home, 'generated Python clients'))) return null;
  const find = (): PythonTools | null => {
    const java = findProgram(['java'], process.env);
    const python = ['python3', '/usr/bin/python3'].find(canImport);
    return java === null || python === undefined ? null : { java, python };
  };
  const found = find();
  if (found !== null) return found;
  const hasJava = findProgram(['java'], process.env) !== null;
  const names = [
    ...MODULES.map((name) => `python3-${name}`),
    ...(hasJava ? [] : ['default-jre-headless']),
  ];
  return installDebianPackages(...names) ? find() : null;
}

function canImport(python: string): boolean {
  try {
    execFileSync(python, ['-c', `import ${MODULES.join(', ')}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A folder with a client of a gateway that was generated from its document, and programs. */
export interface PythonProject {
  /** Compiles the client and the programs; resolves with the errors. */
  compile(): Promise<string>;
  /** Runs a program; resolves with everything that it printed. */
  run(program: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

/** Generates a client from the document at an address, in a new folder. */
export async function createPythonProject(
  address: string,
  { java, python }: PythonTools,
): Promise<PythonProject> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-generated-'));
  const execute = (program: string, args: readonly string[], variables = {}) =>
    new Promise<string>((resolve) => {
      const options = { cwd: folder, env: { ...process.env, ...variables }, maxBuffer: 2 ** 24 };
      execFile(program, args, options, (_error, output, errors) => resolve(output + errors));
    });

  const document = toOpenapi30((await (await fetch(address)).json()) as Record<string, unknown>);
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  await cp(pathOf('.'), folder, { recursive: true, filter: (path) => !path.endsWith('_modules') });
  await execute(java, [
    ...['-XX:TieredStopAtLevel=1', '-jar', generator, 'generate', '--generator-name', 'python'],
    ...['--input-spec', 'openapi.json', '--output', '.', '--package-name', 'toolgate_client'],
    ...['--global-property', 'apis,models,supportingFiles'],
    ...['--global-property', 'apiDocs=false,apiTests=false,modelDocs=false,modelTests=false'],
  ]);
  return {
    compile: () => execute(python, ['-m', 'compileall', '-q', '.']),
    run: (program, variables) => execute(python, [program], variables),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
