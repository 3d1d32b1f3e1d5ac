import * as z from 'zod'
import { failureOf } from '#kernel/failure.ts'
import { readId } from '#kernel/id.ts'
import { scopes } from '#kernel/scope.ts'
import { LayoutRefused } from '#store/layout.ts'
import { UpgradeRuns } from '#store/upgrades/lease.ts'
import { CreatedApiKey, User, Workspace } from '#workspace/schema.ts'
import { jobCommands, jobsUsage } from './jobs.ts'
import { mailCommands, mailUsage } from './mail.ts'
import { type Options, readOptions, required } from './options.ts'
import { searchCommands, searchUsage } from './search.ts'
import { signingCommands, signingUsage } from './signing.ts'
import { tableCommands, tableUsage } from './table.ts'
import { checkInboundDomain, Misuse, pointAtLocal, pointAtStage, readStage } from './target.ts'
import { unitsOf, upgradeCommands, upgradeUsage } from './upgrade.ts'
import { workspaceDataCommands, workspaceDataUsage } from './workspace-data.ts'

const usage = `Creates the first workspace, user and API key of a law firm; lists the firms; exports and erases all data
of a firm; shows and replays stored jobs; shows and rebuilds search indexes; imports the certificate for
seals; sets the signing key of the mail service; restores, compares and copies tables; upgrades the stored data.

  npm run admin -- workspace create --name NAME --inbound-domain DOMAIN [--region DE-BE] [--time-zone Europe/Berlin]
  npm run admin -- user create --workspace ID --name NAME --email ADDRESS
  npm run admin -- key create --workspace ID --user ID --name NAME --scopes all|SCOPE,SCOPE [--expires TIMESTAMP]
${workspaceDataUsage}
${jobsUsage}
${searchUsage}
${signingUsage}
${mailUsage}
${tableUsage}
${upgradeUsage}

It works on the service that runs on this machine (npm start, with the same LOCAL_DATA_DIR), or with --stage dev|prod on
AWS, with the credentials of your shell. The answer is JSON. A key is shown only once.

Scopes: ${scopes.join(' ')}`

type Admin = ReturnType<typeof import('./index.ts').admin>

/** Runs a command whose options have been read. */
type Work = (admin: Admin) => Promise<unknown>

/**
 * Runs a command line. It reads the whole line before it calls anything.
 *
 * @returns the command's result
 * @throws what `explainedFault` explains
 */
export async function run(commandLine: string[]): Promise<unknown> {
  const { command, options } = read(commandLine)
  const prepare = commands[command]
  if (prepare === undefined) throw new Misuse(usage)
  requireOwnOptions(command, options)
  const work = prepare(options)
  const unitsPerSecond = unitsOf(options['units-per-second'])

  if (options.stage === undefined) pointAtLocal()
  else await pointAtStage(options.stage)
  // Loaded only now: clients read the environment when they are created, and it must name the table by then.
  const { admin } = await import('./index.ts')
  return work(admin(unitsPerSecond))
}

const commands: Record<string, (options: Options) => Work> = {
  ...workspaceDataCommands,
  ...jobCommands,
  ...searchCommands,
  ...signingCommands,
  ...mailCommands,
  ...tableCommands,
  ...upgradeCommands,
  'workspace create': (options) => {
    const input = {
      name: required(options, 'name', usage),
      inbound_domain: required(options, 'inbound-domain', usage),
      ...(options.region !== undefined && { holiday_region: options.region }),
      ...(options['time-zone'] !== undefined && { time_zone: options['time-zone'] }),
    }
    if (options.stage !== undefined) checkInboundDomain(readStage(options.stage), input.inbound_domain)
    return async (admin) => Workspace.parse(await admin.createWorkspace(input))
  },
  'user create': (options) => {
    const workspaceId = workspaceIdOf(options)
    const input = { name: required(options, 'name', usage), email: required(options, 'email', usage) }
    return async (admin) => User.parse(await admin.createUser(workspaceId, input))
  },
  'key create': (options) => {
    const workspaceId = workspaceIdOf(options)
    const granted = required(options, 'scopes', usage)
    const input = {
      user_id: required(options, 'user', usage),
      name: required(options, 'name', usage),
      scopes: granted === 'all' ? [...scopes] : granted.split(','),
      ...(options.expires !== undefined && { expires_at: options.expires }),
    }
    return async (admin) => CreatedApiKey.parse(await admin.createKey(workspaceId, input))
  },
}

/**
 * All commands share their options. An option that its command ignores would mislead: `workspace erase --dry-run`
 * would erase.
 *
 * @throws Misuse for an option that the usage of the command does not name
 */
function requireOwnOptions(command: string, options: Options): void {
  const [line = ''] = new RegExp(`^  npm run admin -- ${command}(?: [-[<].*)?$`, 'm').exec(usage) ?? []
  const own = ['stage', ...[...line.matchAll(/--([a-z-]+)/g)].map(([, name]) => name)]
  const other = Object.keys(options).find((name) => !own.includes(name))
  if (other !== undefined) throw new Misuse(`"${command}" has no option --${other}.\n\n${usage}`)
}

function workspaceIdOf(options: Options): string {
  const text = required(options, 'workspace', usage)
  return readId('workspace', text) ?? text
}

function read(commandLine: string[]) {
  try {
    return readOptions(commandLine)
  } catch (error) {
    throw new Misuse(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
}

/** The text that an operator reads about an error of a command. */
export function explainedFault(error: unknown): string {
  if (error instanceof Misuse || error instanceof LayoutRefused || error instanceof UpgradeRuns)
    return error.message
  if (error instanceof Error && error.cause instanceof LayoutRefused) return error.cause.message
  // The operator must fix what AWS refuses, such as a table that does not exist.
  if (error instanceof Error && '$metadata' in error) return `AWS answered ${error.name}: ${error.message}`
  if (error instanceof z.core.$ZodError) return z.prettifyError(error)
  return (
    failureOf(error)?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))
  )
}
