import { compilePattern } from './pattern.ts';

const LINE_CHARACTERS = 300;
/** Characters shown before the match; few enough that the excerpt contains the match. */
const LEAD_CHARACTERS = 80;

/** The text that contains a line. */
interface TextSource {
  path: string;
  uri: string;
}

interface LineSearch {
  texts: (TextSource & { text: string })[];
  pattern: string;
  ignore_case: boolean;
  max: number;
}

interface FoundLine extends TextSource {
  /** Starts at 1. */
  line: number;
  text: string;
}

/** Finds the lines that match an RE2 expression, in linear time like `regex_extract`. */
export const searchLines = {
  name: 'search_lines',
  async compute(input: unknown): Promise<FoundLine[]> {
    const { texts, pattern, ignore_case, max } = input as LineSearch;
    const compiled = await compilePattern(pattern, { ignore_case });
    const found: FoundLine[] = [];
    for (const { text, ...source } of texts)
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        if (found.length >= max) return found;
        const matcher = compiled.matcher(line);
        if (!matcher.find()) continue;
        const from = Math.max(0, matcher.start() - LEAD_CHARACTERS);
        found.push({ ...source, line: index + 1, text: line.slice(from, from + LINE_CHARACTERS) });
      }
    return found;
  },
};
