import { readFileSync } from 'node:fs'

/**
 * Preloaded into a service (`--import`), it moves the time of the whole process and its threads by the milliseconds
 * in the file that `MOVED_CLOCK_FILE` names. Timers are not affected.
 */
const file = process.env.MOVED_CLOCK_FILE ?? ''
const RealDate = Date
let offset = { milliseconds: 0, readAt: Number.NEGATIVE_INFINITY }

function now(): number {
  if (performance.now() - offset.readAt > 20)
    offset = { milliseconds: Number(readFileSync(file, 'utf8')), readAt: performance.now() }
  return RealDate.now() + offset.milliseconds
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
