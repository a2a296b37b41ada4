// Preloaded before a gateway's code; shifts its clock by `TEST_CLOCK_SHIFT_MS` (shifted-clock.ts).
import process from 'node:process';

const shift = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0);
const Right = Date;

globalThis.Date = new Proxy(Right, {
  construct: (target, given, maker) =>
    Reflect.construct(target, given.length === 0 ? [Right.now() + shift] : given, maker) as object,
  apply: () => new Date().toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => Right.now() + shift : Reflect.get(target, name, receiver),
});
