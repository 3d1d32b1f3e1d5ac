import { timestamp } from './clock.ts'

/** The log of a function, for its operators. Never log bodies, query strings or secrets. */
export type Log = Record<Level, (message: string, fields?: Record<string, unknown>) => void>

/** The part of a log that writes lines of these levels. */
export type LogOf<Used extends Level> = Record<
  Used,
  (message: string, fields: Record<string, unknown>) => void
>

type Level = 'info' | 'warn' | 'error'

const levels: readonly string[] = ['info', 'warn', 'error', 'silent']

/**
 * A log of one JSON object per line, as CloudWatch Logs Insights reads it: `level`, `message`, `service`,
 * `timestamp` and the fields; on Lambda also the `version` of the function. `LOG_LEVEL` (`info`, `warn`, `error`) is
 * the lowest level that is logged; `silent` logs nothing.
 */
export function createLog(service: string, write: (line: string) => void = writeLine): Log {
  const version = process.env.AWS_LAMBDA_FUNCTION_VERSION
  const origin = { service, ...(version && { version }) }
  const from = Math.max(0, levels.indexOf((process.env.LOG_LEVEL ?? 'info').toLowerCase()))
  const at =
    (level: Level) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (levels.indexOf(level) < from) return
      write(JSON.stringify({ level, message, ...origin, timestamp: timestamp(), ...fields }))
    }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function writeLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
