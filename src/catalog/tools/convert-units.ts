import { z } from 'zod';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const UnitText = z.string().min(1).max(40);
const TEMPERATURE = '13';
/** Rates written as one word. */
const RATES: ReadonlyMap<string, string> = new Map([
  ['mph', 'mi/h'],
  ['kph', 'km/h'],
  ['kmh', 'km/h'],
  ['mps', 'm/s'],
  ['fps', 'ft/s'],
  ['knot', 'nmi/h'],
  ['knots', 'nmi/h'],
  ['kn', 'nmi/h'],
  ['mpg', 'mi/gal'],
]);
const NAMES: ReadonlyMap<string, string> = new Map([
  ['°c', 'C'],
  ['°f', 'F'],
  ['gallon', 'gal'],
  ['gallons', 'gal'],
]);

export const convertUnits = defineTool({
  id: '39cee296-57cd-412d-8b54-abd2975e605c',
  name: 'convert_units',
  title: 'Convert units of measure',
  description:
    'Converts a quantity between units of length, area, volume, mass, temperature, time, data, ' +
    'energy, power, pressure, force, frequency, angle or luminous intensity, or between rates of ' +
    'two units written with / (km/h, MB/s). Symbols are case-sensitive (MB is megabytes, Mb ' +
    'megabits), m is meters and min minutes; full English names work too. Currencies are not ' +
    'units. Example: {"value": 26.2, "from": "miles", "to": "km"}.',
  input: z.strictObject({
    value: z.number(),
    from: UnitText.describe('Unit of `value`: km, mile, lb, °F, kWh, GiB, km/h …'),
    to: UnitText.describe('Target unit, of the same kind.'),
  }),
  output: z.object({
    result: z.number().describe('Rounded to 12 significant digits.'),
    from: z.string(),
    to: z.string(),
  }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'A marathon',
      arguments: { value: 26.2, from: 'miles', to: 'km' },
      result: { result: 42.1648128, from: 'miles', to: 'km' },
    },
    {
      title: 'Body temperature',
      arguments: { value: 98.6, from: '°F', to: '°C' },
      result: { result: 37, from: '°F', to: '°C' },
    },
    {
      title: 'A speed',
      arguments: { value: 60, from: 'mph', to: 'km/h' },
      result: { result: 96.56064, from: 'mph', to: 'km/h' },
    },
    {
      title: 'Mass is not length',
      arguments: { value: 1, from: 'kg', to: 'm' },
      error: 'incompatible_units',
    },
    {
      title: 'Currencies change every day',
      arguments: { value: 1, from: 'EUR', to: 'USD' },
      error: 'unknown_unit',
    },
  ],
  async run({ value, from, to }) {
    const { convert, getMeasureKind } = await import('convert');
    const findUnit = (text: string): string => {
      const trimmed = text.trim();
      const lower = trimmed.toLowerCase();
      const found = [trimmed, NAMES.get(lower) ?? lower].find(
        (name) => getMeasureKind(name) !== undefined,
      );
      if (found) return found;
      throw new ToolFailure('unknown_unit', `"${text}" is not a known unit.`, {
        unit: text,
      });
    };
    const parts = (text: string) =>
      (RATES.get(text.trim().toLowerCase()) ?? text).split('/').map(findUnit);
    const [source, target] = [parts(from), parts(to)];
    const kinds = [source, target].map((units) => units.map(getMeasureKind).join('/'));
    // Temperature scales have different zero points, so a rate with degrees cannot be scaled.
    const isRate = source.length > 1;
    if (kinds[0] !== kinds[1] || source.length > 2 || (isRate && kinds[0]?.includes(TEMPERATURE)))
      throw new ToolFailure('incompatible_units', `${from} and ${to} measure different things.`);
    const factors = source.map((unit, index) => {
      const quantity = index === 0 ? value : 1;
      return convert(quantity, unit as 'm').to(target[index] as 'm');
    });
    const result = factors.reduce((quotient, factor) => quotient / factor);
    if (!Number.isFinite(result))
      throw new ToolFailure('out_of_range', 'The result is too large for a number.');
    return { result: Number(result.toPrecision(12)), from, to };
  },
});
