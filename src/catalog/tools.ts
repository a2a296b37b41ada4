import { calculator } from './tools/calculator.ts';
import { colorConvert } from './tools/color-convert.ts';
import { convertTimeZone } from './tools/convert-time-zone.ts';
import { convertUnits } from './tools/convert-units.ts';
import { cronNext } from './tools/cron-next.ts';
import { csvToJson } from './tools/csv-to-json.ts';
import { currentTime } from './tools/current-time.ts';
import { dateArithmetic } from './tools/date-arithmetic.ts';
import { encodeDecode } from './tools/encode-decode.ts';
import { hash } from './tools/hash.ts';
import { htmlToMarkdown } from './tools/html-to-markdown.ts';
import { jsonDiff } from './tools/json-diff.ts';
import { jsonQuery } from './tools/json-query.ts';
import { jsonValidate } from './tools/json-validate.ts';
import { markdownToHtml } from './tools/markdown-to-html.ts';
import { randomNumber } from './tools/random-number.ts';
import { regexExtract } from './tools/regex-extract.ts';
import { semverCompare } from './tools/semver-compare.ts';
import { textDiff } from './tools/text-diff.ts';
import { textStatistics } from './tools/text-statistics.ts';
import { uuid } from './tools/uuid.ts';
import { webFetch } from './tools/web-fetch.ts';
import { yamlToJson } from './tools/yaml-to-json.ts';
import type { BuiltInTool } from './tool.ts';

/** All built-in tools; a withdrawn tool stays in the list, marked as `deprecated`. */
export const tools: readonly BuiltInTool[] = [
  calculator,
  colorConvert,
  convertTimeZone,
  convertUnits,
  cronNext,
  csvToJson,
  currentTime,
  dateArithmetic,
  encodeDecode,
  hash,
  htmlToMarkdown,
  jsonDiff,
  jsonQuery,
  jsonValidate,
  markdownToHtml,
  randomNumber,
  regexExtract,
  semverCompare,
  textDiff,
  textStatistics,
  uuid,
  webFetch,
  yamlToJson,
];
