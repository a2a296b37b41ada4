import { useTranslation } from 'react-i18next';
import type { AccessExplanation, Evidence } from '../../../explorer/schema.ts';
import { tupleWords } from '../evidence/tuple-words.ts';
import type { TupleNames } from '../evidence/tuple-words.ts';
import classes from './step-graph.module.css';
import { ruleText } from './step-row.tsx';

type Step = AccessExplanation['steps'][number];

const WIDTH = 720;
const RULE_WIDTH = 280;
const LEFT = 28;
const LINE = 22;
const GAP = 14;
const MAX_LETTERS = { rule: 36, tuple: 54 };
/** More than these are in the table only. */
const MAX_TUPLES = 4;

/** A step, with what it rests on and where it is drawn. */
interface Placed {
  step: Step;
  lines: readonly string[];
  top: number;
  height: number;
}

/**
 * Draws the steps of a decision from the subject down to the answer, each with what it rests on. It
 * repeats the table of steps, which says more.
 */
export function StepGraph({
  steps,
  subject,
  answer,
  names,
}: {
  steps: readonly Step[];
  subject: string;
  answer: string;
  names: TupleNames;
}) {
  const { t, i18n } = useTranslation();
  const placed = place(steps, (tuple) => tupleWords(tuple, names, t) ?? tuple.relation);
  const bottom = (placed.at(-1)?.top ?? 0) + (placed.at(-1)?.height ?? 0) + GAP;
  const height = bottom + LINE + GAP;
  const isRtl = i18n.dir() === 'rtl';
  const x = (value: number, width = 0) => (isRtl ? WIDTH - value - width : value);
  const label = t('access.graph_label', {
    subject,
    answer,
    steps: steps
      .map(({ rule, outcome }) => `${ruleText(rule, t)}: ${t(`access.${outcome}`)}`)
      .join('; '),
  });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${height}`}
      className={classes.graph}
      direction={isRtl ? 'rtl' : 'ltr'}
    >
      <text x={x(0)} y={16} className={classes.end}>
        {short(subject, 80)}
      </text>
      {placed.map(({ step, lines, top, height: rows }, index) => {
        const state = classes[step.outcome];
        return (
          <g key={`${step.rule} ${index}`} className={state}>
            <line x1={x(8)} x2={x(8)} y1={top - GAP} y2={top + rows} className={classes.rail} />
            <circle cx={x(8)} cy={top + 15} r={6} className={classes.dot} />
            <rect
              x={x(LEFT, RULE_WIDTH)}
              y={top}
              width={RULE_WIDTH}
              height={30}
              rx={6}
              className={classes.rule}
            />
            <text x={x(LEFT + 12)} y={top + 20} className={classes.label}>
              <title>{ruleText(step.rule, t)}</title>
              {short(ruleText(step.rule, t), MAX_LETTERS.rule)}
            </text>
            {lines.length > 0 && (
              <line
                x1={x(LEFT + RULE_WIDTH)}
                x2={x(LEFT + RULE_WIDTH + 20)}
                y1={top + 15}
                y2={top + 15}
                className={classes.link}
              />
            )}
            {lines.map((line, row) => (
              <text
                key={`${line} ${row}`}
                x={x(LEFT + RULE_WIDTH + 28)}
                y={top + 20 + row * LINE}
                className={classes.evidence}
              >
                <title>{line}</title>
                {short(line, MAX_LETTERS.tuple)}
              </text>
            ))}
          </g>
        );
      })}
      <text x={x(0)} y={bottom + 16} className={classes.end}>
        {short(answer, 80)}
      </text>
    </svg>
  );
}

function place(steps: readonly Step[], wordsOf: (tuple: Evidence) => string): Placed[] {
  let top = LINE + GAP;
  return steps.map((step) => {
    const tuples = step.evidence.filter((one): one is Evidence => 'object' in one);
    const words = [...new Set(tuples.map(wordsOf))];
    const more = words.length > MAX_TUPLES ? [`+ ${words.length - MAX_TUPLES + 1}`] : [];
    const lines = [...words.slice(0, MAX_TUPLES - more.length), ...more];
    const height = Math.max(30, 8 + lines.length * LINE);
    const one = { step, lines, top, height };
    top += height + GAP;
    return one;
  });
}

/** A picture cannot wrap its texts; the whole text is in its title, and in the table. */
function short(text: string, letters: number): string {
  if (text.length <= letters) return text;
  // A letter may be several code units.
  const whole = new Intl.Segmenter().segment(text).containing(letters - 1)?.index ?? letters;
  return `${text.slice(0, whole)}…`;
}
