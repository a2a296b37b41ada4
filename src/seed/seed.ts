import { checkSource, refusedBy } from './check.ts';
import { readSource } from './source.ts';
import { StepRefused, writeSteps } from './write.ts';
import type { WriteDependencies } from './write.ts';

export { SeedRefused } from './source.ts';
export type { PlacedProblem } from './source.ts';
export { RequestRefused } from './requests.ts';
export type { Requests } from './requests.ts';
export type { OperatorActions, Session } from './operator.ts';
export type { Secret, Written } from './write.ts';
export { DemoRefused } from './demo/demo.ts';
export type { Demo } from './demo/demo.ts';

export function createSeed(dependencies: WriteDependencies) {
  return {
    /**
     * Creates what a seed file describes and does not exist yet, by name. Throws `SeedRefused` with
     * every problem; nothing of the file is then saved.
     */
    async apply(text: string) {
      const source = readSource(text);
      try {
        return await writeSteps(checkSource(source, dependencies), dependencies);
      } catch (error) {
        if (error instanceof StepRefused) throw refusedBy(source, error.problems);
        throw error;
      }
    },
    /**
     * Checks a file as `apply` does before it creates anything; returns the number of its entries.
     */
    check: (text: string) =>
      checkSource(readSource(text), dependencies).steps.filter(({ name }) => name !== null).length,
  };
}
export type Seed = ReturnType<typeof createSeed>;
