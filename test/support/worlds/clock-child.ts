// Preloaded before a gateway's code; shifts its clock by `TEST_CLOCK_SHIFT_MS` (shifted-clock.ts).
import process from 'node:process';

const shift = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [RealDate.now() + shift] : args,
      newTarget,
    ) as object,
  apply: () => new Date().toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + shift : Reflect.get(target, name, receiver),
});
