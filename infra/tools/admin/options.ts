import { parseArgs } from 'node:util'
import { readId } from '#kernel/id.ts'
import { Misuse } from './target.ts'

const text = { type: 'string' } as const

const known = {
  name: text,
  'inbound-domain': text,
  region: text,
  'time-zone': text,
  workspace: text,
  email: text,
  user: text,
  scopes: text,
  expires: text,
  stage: text,
  state: text,
  job: text,
  'common-name': text,
  organization: text,
  country: text,
  file: text,
  out: text,
  confirm: text,
  table: text,
  at: text,
  from: text,
  to: text,
  kinds: text,
  'only-missing': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'units-per-second': text,
} as const

/** The options of a command line. All commands share them; `run.ts` refuses those that a command does not have. */
export type Options = ReturnType<typeof readOptions>['options']

/** @throws Error for an option that no command has */
export function readOptions(commandLine: string[]) {
  const { positionals, values } = parseArgs({ args: commandLine, options: known, allowPositionals: true })
  return { command: positionals.join(' '), options: values }
}

/**
 * The value of an option.
 *
 * @param usage the help text that follows the message
 * @throws Misuse if it is missing or empty
 */
export function required(
  options: Options,
  name: Exclude<keyof Options, 'only-missing' | 'dry-run'>,
  usage: string,
): string {
  const value = options[name]
  if (!value) throw new Misuse(`--${name} is missing.\n\n${usage}`)
  return value
}

/** The id of the workspace that `--workspace` names. @throws Misuse if it is missing or malformed */
export function requiredWorkspace(options: Options, usage: string): string {
  const given = required(options, 'workspace', usage)
  const id = readId('workspace', given)
  if (id === undefined) throw new Misuse(`${given} is not the id of a workspace, which looks like ws_<uuid>.`)
  return id
}
