// A worker process: running out of heap ends this process and not the gateway.
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { finish } from '../platform/concurrency/turns.ts';
import { structureFault } from '../platform/json/structure.ts';
import type { WorkerMessage, Task } from './worker-pool.ts';
import { catchOverflow, type BuiltInTool } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

// The gateway parses the result in one turn of its event loop. Only different objects make that long:
// a million characters of anything else take less than half of what they may.
const LIMITS = { levels: 1_000, marks: Infinity, shapes: 5_000 };

// The gateway exited or crashed.
process.on('disconnect', () => process.exit());
// During a computation, only another thread can notice that the gateway has exited.
new Worker(new URL('./worker-watch.ts', import.meta.url), { workerData: process.ppid }).unref();

const { tools, maxResultCharacters = 1_000_000 } = (await import(process.argv[2] ?? '')) as {
  tools: Pick<BuiltInTool, 'name' | 'compute'>[];
  maxResultCharacters?: number;
};
const byName = new Map(tools.map((tool) => [tool.name, tool]));
const reply = (message: WorkerMessage) => process.send?.(message);

process.on('message', (task: Task) => void runTask(task).then(reply));
// Deadlines start here, so that process start and loading do not count against the input.
reply({ kind: 'ready' });

async function runTask({ tool, input, now }: Task): Promise<WorkerMessage> {
  try {
    const result = await catchOverflow(() => byName.get(tool)?.compute?.(input, now));
    const json = await catchOverflow(() => JSON.stringify(result));
    if (json.length > maxResultCharacters)
      throw new ToolFailure(
        'result_too_large',
        `The result has more than ${maxResultCharacters} characters. Request less.`,
      );
    if (finish(structureFault(json, LIMITS)) !== null)
      throw new ToolFailure(
        'result_too_large',
        'The result has too many different objects, or is nested too deeply. Request less.',
      );
    return { kind: 'result', json };
  } catch (error) {
    if (error instanceof ToolFailure)
      return {
        kind: 'failure',
        code: error.code,
        message: error.message,
        details: error.details,
      };
    return {
      kind: 'defect',
      message: error instanceof Error ? (error.stack ?? '') : String(error),
    };
  }
}
