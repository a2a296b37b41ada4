import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { findProgram } from './find-program.mjs';
import { waitForLock } from './folder-lock.ts';
import type { Guard } from './guard.ts';
import { buildCommand, builtProgram, findGo, OPENFGA_VERSION } from './openfga-build.mjs';
import { missing } from './programs.ts';

type FindOptions = {
  guard: Guard;
  env: Record<string, string | undefined>;
  progress: (line: string) => void;
};

const REMEDY = `install OpenFGA ${OPENFGA_VERSION}, or Go 1.21 or later, and add it to PATH`;

/** Returns the pinned version: from PATH, from an earlier build, or newly built with Go. */
export async function findOpenfga(options: FindOptions): Promise<string> {
  const installed = findProgram(['openfga'], options.env);
  if (installed !== null && (await isPinned(installed))) return installed;
  const built = builtProgram(options.env);
  if (existsSync(built)) return built;
  const go = findGo(options.env);
  if (go === null) throw missing('OpenFGA', 'OPENFGA_API_URL', REMEDY);
  const lock = await waitForLock(`${dirname(built)}.lock`, () => {
    options.progress('Another process is building OpenFGA; waiting for it …');
  });
  try {
    if (!existsSync(built)) await build(options, go, built);
  } finally {
    lock.release();
  }
  return built;
}

async function build(options: FindOptions, go: string, target: string): Promise<void> {
  const temporary = `${target}.${process.pid}`;
  const startedAt = Date.now();
  const report = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    options.progress(`Building OpenFGA ${OPENFGA_VERSION} with Go … ${seconds} s`);
  };
  options.progress(
    `Building OpenFGA ${OPENFGA_VERSION} with Go (once, up to a minute and a half) …`,
  );
  const timer = setInterval(report, 30_000);
  mkdirSync(dirname(target), { recursive: true });
  try {
    const { args, ...buildOptions } = buildCommand(options.env, temporary);
    await options.guard.runTool(go, args, buildOptions);
    if (!(await isPinned(temporary)))
      throw new Error('the built program reports a different version');
    renameSync(temporary, target);
  } catch (error) {
    const problem = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw missing('OpenFGA', 'OPENFGA_API_URL', REMEDY, `its build failed: ${problem}`);
  } finally {
    clearInterval(timer);
    rmSync(temporary, { force: true });
  }
}

function isPinned(program: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, ['version'], { timeout: 10_000 }, (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.includes(`\`${OPENFGA_VERSION}\``));
    });
  });
}
