import { expect, test } from 'vitest';
import { createAdmission } from '../../../src/jobs/admission.ts';

/** Returns how often `enter` is admitted in a row, and the status of the refusal after that. */
function admitted(enter: (index: number) => unknown): [number, string] {
  for (let index = 0; ; index += 1)
    try {
      enter(index);
    } catch (error) {
      return [index, (error as { kind: string }).kind];
    }
}

test('a quota owner has at most five jobs on a gateway, and may begin another when one has ended', () => {
  const admission = createAdmission();
  const first = admission.enter('one');

  expect(admitted(() => admission.enter('one'))).toEqual([4, 'limited']);
  first.leave();
  expect(admitted(() => admission.enter('one'))).toEqual([1, 'limited']);
});

test('a gateway has at most 24 jobs, and admits another when one has ended', () => {
  const admission = createAdmission();
  const first = admission.enter('first');

  expect(admitted((index) => admission.enter(`owner ${index}`))).toEqual([23, 'unavailable']);
  first.leave();
  expect(admitted((index) => admission.enter(`later ${index}`))).toEqual([1, 'unavailable']);
});

test('a gateway that stops admits no job, nor one that is being stored', () => {
  const admission = createAdmission();
  admission.requireOpen();

  admission.stop();

  expect(admitted(() => admission.enter('one'))).toEqual([0, 'unavailable']);
  expect(() => admission.requireOpen()).toThrow('Temporarily unavailable');
});
