import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CannotStart } from './cannot-start.ts'

/** The settings of a local run. */
export type Settings = {
  /** The port of the gateway; 0 for a free one. */
  port: number
  /** The port for incoming mail; 0 for a free one. */
  smtpPort: number
  /** The address of the service in answers, if it is not the gateway's address: behind a tunnel, for example. */
  serviceBaseUrl: string | undefined
  /** Absolute path of the data folder. */
  dataDir: string
  /** Whether to delete the data of earlier runs first. */
  fresh: boolean
  /** Whether new data contains only the empty demo firms with their keys. */
  empty: boolean
  /** The time at which the service starts (E9); undefined for the time of the machine, or of an earlier run. */
  at: Date | undefined
  /** Whether workers run in threads, whose end does not end the service. */
  workerThreads: boolean
}

/**
 * Reads `PORT` (3000), `SMTP_PORT` (a free one), `SERVICE_BASE_URL`, `LOCAL_DATA_DIR` (`.local`), `WORKER_THREADS`
 * (`on`), `--fresh`, `--empty` and `--at`.
 *
 * @throws CannotStart for a malformed port, address, time or switch, an unknown option, or an option that npm kept for
 *   itself
 */
export function readSettings(environment: NodeJS.ProcessEnv, commandLine: string[]): Settings {
  return {
    port: readPort('PORT', environment.PORT || '3000'),
    smtpPort: readPort('SMTP_PORT', environment.SMTP_PORT || '0'),
    serviceBaseUrl: readBaseUrl(environment.SERVICE_BASE_URL),
    dataDir: resolve(environment.LOCAL_DATA_DIR || '.local'),
    workerThreads: readSwitch('WORKER_THREADS', environment.WORKER_THREADS || 'on'),
    ...readOptions(commandLine, environment),
  }
}

function readPort(name: string, text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new CannotStart(`${name} must be a number from 0 to 65535, not "${text}".`)
}

function readSwitch(name: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new CannotStart(`${name} must be on or off, not "${text}".`)
}

function readBaseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/(?<!\/)\/+$/, '')
  throw new CannotStart(`SERVICE_BASE_URL must be an address like https://example.com, not "${text}".`)
}

const options = { fresh: { type: 'boolean' }, empty: { type: 'boolean' }, at: { type: 'string' } } as const

function readOptions(
  args: string[],
  environment: NodeJS.ProcessEnv,
): Pick<Settings, 'fresh' | 'empty' | 'at'> {
  // npm takes `npm start --fresh` as its own setting, and passes on only this variable.
  const taken = Object.keys(options).find((name) => isOn(environment[`npm_config_${name}`]))
  if (taken !== undefined)
    throw new CannotStart(
      `npm took --${taken} for itself, so nothing was started or deleted. With two dashes before it, it reaches Aktenlage: npm start -- --${taken}`,
    )
  try {
    const { fresh, empty, at } = parseArgs({ args, options }).values
    return { fresh: fresh === true, empty: empty === true, at: readTime(at) }
  } catch (error) {
    if (error instanceof CannotStart) throw error
    throw new CannotStart(
      'The options are --fresh, which starts with new data, --empty, which omits the demo data, and --at, which sets the time: npm start -- --fresh',
      error,
    )
  }
}

function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const hasForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  if (hasForm && !Number.isNaN(Date.parse(text))) return new Date(text)
  throw new CannotStart(`--at must be a time with its offset, like 2027-01-04T08:00:00+01:00, not "${text}".`)
}

function isOn(setting: string | undefined): boolean {
  return setting !== undefined && setting !== '' && setting !== 'false'
}
