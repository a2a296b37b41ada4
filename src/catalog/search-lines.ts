import { compilePattern } from './pattern.ts';

const LINE_CHARACTERS = 300;
/** Of the line before the match, so that what was looked for is in sight. */
const LEAD_CHARACTERS = 80;

interface LineSearch {
  texts: { path: string; text: string }[];
  pattern: string;
  ignore_case: boolean;
  most: number;
}

interface FoundLine {
  path: string;
  /** From 1. */
  line: number;
  text: string;
}

/** Lines of texts that an RE2 expression matches: linear in time, as `regex_extract` is. */
export const searchLines = {
  name: 'search_lines',
  async compute(input: unknown): Promise<FoundLine[]> {
    const { texts, pattern, ignore_case, most } = input as LineSearch;
    const compiled = await compilePattern(pattern, { ignore_case });
    const found: FoundLine[] = [];
    for (const { path, text } of texts)
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        if (found.length >= most) return found;
        const matcher = compiled.matcher(line);
        if (!matcher.find()) continue;
        const from = Math.max(0, matcher.start() - LEAD_CHARACTERS);
        found.push({ path, line: index + 1, text: line.slice(from, from + LINE_CHARACTERS) });
      }
    return found;
  },
};
