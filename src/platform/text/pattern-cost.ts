// Relative to one instruction, which takes some three microseconds to compile.
const BASE = 20;
const UNICODE_CLASS = 150;

/**
 * Parts of a pattern: a Unicode class, an escaped character, a class of characters, the start and
 * the end of a group, a counted repetition, and any other character.
 */
const PARTS =
  /(?<unicode>\\[pP])|\\Q|\\.|(?<set>\[\^?\]?)|(?<open>\((?:\?[\w<>:=!-]*)?)|(?<close>\))|\{(?<least>\d+),?(?<most>\d*)\}|[^]/g;
const PART_OF_SET = /(?<unicode>\\[pP])|\\.|(?<end>\])|[^\]\\]+/g;

/**
 * Estimates from above how much work compiling a pattern is, in linear time and without compiling
 * it: nested repetitions multiply, and each Unicode class is built from tables.
 */
export function patternCost(source: string): number {
  // Instructions of each open group, and of the last part in it, which a repetition multiplies.
  const groups = [{ size: 0, last: 0 }];
  let classes = 0;
  const add = (size: number) => {
    const group = groups.at(-1)!;
    group.size += size;
    group.last = size;
  };
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(source); part !== null; part = PARTS.exec(source)) {
    const { unicode, set, open, close, least, most } = part.groups!;
    if (unicode !== undefined) classes += 1;
    if (set !== undefined) {
      const { end, unicodeClasses } = skipSet(source, PARTS.lastIndex);
      classes += unicodeClasses;
      PARTS.lastIndex = end;
    }
    if (open !== undefined) groups.push({ size: 2, last: 0 });
    else if (close !== undefined && groups.length > 1) add(groups.pop()!.size);
    else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most));
      add(groups.at(-1)!.last * Math.max(0, times - 1));
    } else add(1);
  }
  return groups.reduce((sum, { size }) => sum + size, BASE + UNICODE_CLASS * classes);
}

function skipSet(source: string, from: number): { end: number; unicodeClasses: number } {
  let unicodeClasses = 0;
  PART_OF_SET.lastIndex = from;
  for (let part = PART_OF_SET.exec(source); part !== null; part = PART_OF_SET.exec(source)) {
    if (part.groups!['unicode'] !== undefined) unicodeClasses += 1;
    if (part.groups!['end'] !== undefined) return { end: PART_OF_SET.lastIndex, unicodeClasses };
  }
  return { end: source.length, unicodeClasses };
}
