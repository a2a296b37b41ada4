// Brings a stack up as told, says so in one JSON line, and lives until it is ended.
import { bringUp } from '../../../src/stack/stack.ts';
import { lastWords } from '../../../src/platform/errors/operator-error.ts';

const [dataDir = '', purpose = 'test', needs = ''] = process.argv.slice(2);

try {
  const stack = await bringUp({
    env: process.env,
    dataDir,
    purpose: purpose === 'local' ? 'local' : 'test',
    progress: () => undefined,
    needs: needs.split(',').filter(isServer),
  });
  process.once('SIGTERM', () => void stack.stop().then(() => process.exit(0)));
  console.log(JSON.stringify({ ...stack, smtp: stack.smtp?.url }));
  setInterval(() => undefined, 60_000);
} catch (error) {
  console.error(lastWords(error));
  process.exit(1);
}

function isServer(name: string) {
  return name === 'postgres' || name === 'redis' || name === 'openfga' || name === 'smtp';
}
