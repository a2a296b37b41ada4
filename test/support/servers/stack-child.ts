// Starts a stack, prints its URLs as one JSON line, and runs until killed.
import { startStack } from '../../../stack/stack.ts';
import { formatFatalError } from '../../../src/platform/errors/operator-error.ts';

const [dataDir = '', purpose = 'test', needs = ''] = process.argv.slice(2);

try {
  const stack = await startStack({
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
  console.error(formatFatalError(error));
  process.exit(1);
}

function isServer(name: string) {
  return name === 'postgres' || name === 'redis' || name === 'openfga' || name === 'smtp';
}
