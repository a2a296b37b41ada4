import { z } from 'zod';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const ColorText = z.string().min(1).max(100);

export const colorConvert = defineTool({
  id: '689ea454-8eaa-42e1-8800-48f0d52c36df',
  name: 'color_convert',
  title: 'Convert a color',
  description:
    'Converts any CSS color (hex, name, rgb(), hsl(), hwb(), lab(), oklch(), color()) to ' +
    'the common notations; with `contrast_with`, also returns the WCAG contrast ratio of the two. ' +
    'Colors outside sRGB are mapped into it for hex, rgb and hsl; `in_srgb` is then false. ' +
    'Example: {"color": "#1e90ff", "contrast_with": "white"}.',
  input: z.strictObject({
    color: ColorText.describe('CSS color such as #1e90ff, tomato or oklch(70% 0.1 200).'),
    contrast_with: ColorText.optional().describe('A second color, such as the background.'),
  }),
  output: z.object({
    hex: z.string(),
    rgb: z.string(),
    hsl: z.string(),
    lab: z.string(),
    oklch: z.string(),
    in_srgb: z.boolean(),
    contrast: z
      .object({
        ratio: z.number(),
        normal_text: z.enum(['AAA', 'AA', 'fail']),
        large_text: z.enum(['AAA', 'AA', 'fail']),
      })
      .optional(),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'Link color on white',
      arguments: { color: '#1e90ff', contrast_with: 'white' },
      result: {
        hex: '#1e90ff',
        rgb: 'rgb(30, 144, 255)',
        hsl: 'hsl(209.6, 100%, 55.88%)',
        lab: 'lab(58.3625 0.8885 -64.7792)',
        oklch: 'oklch(0.652 0.1901 253.2054)',
        in_srgb: true,
        contrast: { ratio: 3.23, normal_text: 'fail', large_text: 'AA' },
      },
    },
    { title: 'Not a color', arguments: { color: 'sky' }, error: 'invalid_color' },
  ],
  async compute({ color, contrast_with }) {
    const culori = await import('culori');
    const read = (text: string) => {
      const parsed = culori.parse(text.trim());
      if (parsed && !Object.values(parsed).some(isInfinite)) return parsed;
      throw new ToolFailure('invalid_color', `"${text}" is not a CSS color.`);
    };
    const parsed = read(color);
    const isInSrgb = culori.inGamut('rgb')(parsed);
    const displayed = isInSrgb ? parsed : culori.toGamut('rgb', 'oklch')(parsed);
    const opaque = (parsed.alpha ?? 1) === 1;
    const css = (mode: 'lab' | 'oklch') =>
      culori.formatCss(roundChannels(culori.converter(mode)(parsed)));
    return {
      hex: (opaque ? culori.formatHex(displayed) : culori.formatHex8(displayed)) ?? '',
      rgb: culori.formatRgb(displayed) ?? '',
      hsl: culori.formatHsl(displayed) ?? '',
      lab: css('lab') ?? '',
      oklch: css('oklch') ?? '',
      in_srgb: isInSrgb,
      ...(contrast_with === undefined
        ? {}
        : { contrast: grade(culori.wcagContrast(parsed, read(contrast_with))) }),
    };
  },
});

const isInfinite = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);

function roundChannels<Color extends object>(color: Color): Color {
  const entries = Object.entries(color).map(([channel, value]) => [
    channel,
    typeof value === 'number' ? Number(value.toFixed(4)) : value,
  ]);
  return Object.fromEntries(entries) as Color;
}

/** Grades a contrast ratio by success criteria 1.4.3 and 1.4.6 of WCAG 2. */
function grade(exact: number) {
  const ratio = Math.floor(exact * 100) / 100;
  const level = (aa: number, aaa: number) => (ratio >= aaa ? 'AAA' : ratio >= aa ? 'AA' : 'fail');
  return { ratio, normal_text: level(4.5, 7), large_text: level(3, 4.5) } as const;
}
