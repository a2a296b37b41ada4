import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { diagnose } from '../../../src/cli/doctor/diagnose.ts';
import { exitCodeOf } from '../../../src/cli/doctor/finding.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { childEnvironment } from '../../support/servers/child-environment.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const NO_FOLDER = '/nonexistent';

export type Env = Readonly<Record<string, string>>;

/** A key as docs/operations.md generates it. */
export const randomKey = (): string => randomBytes(32).toString('base64');

/** Runs `toolgate doctor` as an operator would. */
export function runDoctor(env: Env, args: readonly string[] = [], cli = CLI) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const environment = { ...childEnvironment, DATA_DIR: NO_FOLDER, ...env };
    execFile(process.execPath, [cli, 'doctor', ...args], { env: environment }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout }),
    );
  });
}

/** Runs the checks of `toolgate doctor` in a process of its own. */
export async function diagnoseApart(env: Env, args: readonly string[] = [], cli = CLI) {
  const { output } = await runDoctor(env, ['--json', ...args], cli);
  return summaryOf((JSON.parse(output) as { findings: Finding[] }).findings);
}

/** Runs the checks in this process, which takes a fraction of the time. */
export async function diagnoseHere(env: Env, { drift = false } = {}) {
  const config = configOf({ DATA_DIR: NO_FOLDER, ...env });
  return summaryOf(await diagnose(config, { drift }));
}

function configOf(env: Env) {
  try {
    return loadConfig(env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    return error as Error;
  }
}

/** Returns the exit code, and each finding by its check. */
export const summaryOf = (findings: readonly Finding[]) => ({
  code: exitCodeOf(findings),
  findings,
  of: Object.fromEntries(findings.map((finding) => [finding.check, finding])),
  /** The checks that are neither fine nor skipped. */
  faults: findings
    .filter(({ status }) => status === 'warning' || status === 'failure')
    .map(({ check, status }) => `${check}: ${status}`),
});
