import { parentPort, workerData } from 'node:worker_threads';
import type { Answer, Task } from './threads.ts';
import { rescueStack, type BuiltInTool } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const MAX_RESULT_CHARACTERS = 1_000_000;

const { module } = workerData as { module: string };
const { tools } = (await import(module)) as { tools: BuiltInTool[] };
const byName = new Map(tools.map((tool) => [tool.name, tool]));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window
const say = (message: Answer) => parentPort?.postMessage(message);

parentPort?.on('message', (task: Task) => {
  // The deadline counts from here: starting a thread and loading tools is not the input's doing.
  say({ kind: 'ready' });
  void answer(task).then(say);
});

async function answer({ tool, input, now }: Task): Promise<Answer> {
  try {
    const result = await rescueStack(() => byName.get(tool)?.compute?.(input, now));
    const json = await rescueStack(() => JSON.stringify(result));
    if (json.length > MAX_RESULT_CHARACTERS)
      throw new ToolFailure('result_too_large', 'The result is larger than 1 MB. Ask for less.');
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
