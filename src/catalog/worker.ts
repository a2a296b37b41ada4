// A worker process: running out of heap ends this process and not the gateway.
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import type { WorkerMessage, Task } from './worker-pool.ts';
import { catchOverflow, type BuiltInTool } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const MAX_RESULT_CHARACTERS = 1_000_000;

// The gateway exited or crashed.
process.on('disconnect', () => process.exit());
// During a computation, only another thread can notice that the gateway has exited.
new Worker(new URL('./worker-watch.ts', import.meta.url), { workerData: process.ppid }).unref();

const { tools } = (await import(process.argv[2] ?? '')) as {
  tools: Pick<BuiltInTool, 'name' | 'compute'>[];
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
    if (json.length > MAX_RESULT_CHARACTERS)
      throw new ToolFailure('result_too_large', 'The result is larger than 1 MB. Request less.');
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
