// npm run build: builds the dashboard, and OpenFGA unless a URL or Docker provides it, ahead of the
// first start. The service itself runs from its sources.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDashboard } from './dashboard.ts';
import { createGuard } from './guard.ts';
import { findOpenfga } from './openfga-program.ts';
import { Unavailable } from './unavailable.ts';

const guard = createGuard(join(mkdtempSync(join(tmpdir(), 'toolgate-build-')), 'journal'));
try {
  const progress = (line: string) => console.log(line);
  await ensureDashboard(progress);
  console.log(`OpenFGA is at ${await findOpenfga({ guard, env: process.env, progress })}`);
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.error(`toolgate: ${error.message}`);
  process.exitCode = 1;
} finally {
  await guard.close();
}
