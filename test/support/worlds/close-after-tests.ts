import { afterAll } from 'vitest';

// The runner has no time-out for the top level of a file.
const SET_UP_MS = 120_000;

/**
 * Waits for something that a test file uses, and closes it after the file's tests, the last first.
 * Call it at the top level of a file: in a hook or a test, nothing would be closed.
 */
export async function closeAfterTests<Resource extends { close(): unknown }>(
  starting: Resource | Promise<Resource>,
): Promise<Resource> {
  const resource = await inTime(starting);
  afterAll(async () => {
    await resource.close();
  });
  return resource;
}

async function inTime<Resource>(starting: Resource | Promise<Resource>): Promise<Resource> {
  const { promise: timeOut, reject } = Promise.withResolvers<never>();
  const error = new Error(`The set-up took longer than ${SET_UP_MS / 1_000} s.`);
  const timer = setTimeout(() => reject(error), SET_UP_MS);
  try {
    return await Promise.race([starting, timeOut]);
  } finally {
    clearTimeout(timer);
  }
}
