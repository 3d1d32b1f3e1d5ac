import { instantText } from '#kernel/text.ts'
import { type lostRecords, recordKinds } from '#store/lost-records.ts'
import type { ItemFilter, twoTables } from '#store/two-tables.ts'
import type { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { type Options, required, requiredWorkspace } from './options.ts'
import { restoreTable } from './restore-table.ts'
import { Misuse } from './target.ts'

/** The help text for the table as a whole. */
export const tableUsage = `  npm run admin -- table restore --at TIMESTAMP --name NEW-TABLE
  npm run admin -- table compare --from TABLE --to TABLE [--kinds KIND,KIND] [--workspace ID] [--units-per-second N]
  npm run admin -- table copy --from TABLE --to TABLE --kinds KIND,KIND [--workspace ID] [--only-missing | --confirm TABLE] [--units-per-second N]`

type Tables = { from: string; to: string }

type Admin = {
  table: string
  twoTables: (names: Tables) => ReturnType<typeof twoTables>
  lostRecords: (names: Tables) => ReturnType<typeof lostRecords>
  upgrades: (table: string) => Pick<ReturnType<typeof tableUpgrades>, 'layout'>
}

type Work = (admin: Admin) => Promise<unknown>

/**
 * `table restore` restores the table into a new one as it was at a certain second. `table compare` counts the
 * differences of two tables by kind. `table copy` makes the items of some kinds equal to the items of another table;
 * for the table in use, the caller must confirm its name. With `--only-missing` it copies lost records of some kinds
 * back, with everything that belongs to them.
 */
export const tableCommands = {
  'table restore': (options: Options): Work => {
    if (options.stage === undefined)
      throw new Misuse('Only DynamoDB on AWS restores a table to a second: name a --stage.')
    const at = timeOf(required(options, 'at', tableUsage))
    const to = required(options, 'name', tableUsage)
    return ({ table }) => restoreTable({ from: table, to, at })
  },

  'table compare': (options: Options): Work => {
    const tables = tablesOf(options)
    const filter = filterOf(options)
    return async (admin) => ({ ...tables, kinds: await admin.twoTables(tables).compare(filter) })
  },

  'table copy': (options: Options): Work => {
    const tables = tablesOf(options)
    const filter = { ...filterOf(options), kinds: kindsIn(required(options, 'kinds', tableUsage)) }
    if (options['only-missing'] !== true)
      return async (admin) => {
        if (tables.to === admin.table && options.confirm !== admin.table)
          throw new Misuse(
            `The table ${tables.to} is in use: its items of these kinds would be replaced, and newer ones removed. To copy back only what was lost, add --only-missing. To replace and remove, add --confirm ${tables.to}. Nothing was copied.`,
          )
        await requireNoOlderLayout(admin, tables)
        return { ...tables, ...(await admin.twoTables(tables).copy(filter)) }
      }
    const others = filter.kinds.filter((kind) => !recordKinds.includes(kind))
    if (others.length > 0)
      throw new Misuse(
        `--only-missing copies records: ${recordKinds.join()}. Everything that belongs to them is copied with them. Leave out ${others.join()}.`,
      )
    return async (admin) => {
      await requireNoOlderLayout(admin, tables)
      return { ...tables, ...(await admin.lostRecords(tables).copy(filter)) }
    }
  },
}

/**
 * Items of an older layout would never be upgraded in a table whose upgrade is over. Conflict checks, for example, would
 * not find their parties.
 */
async function requireNoOlderLayout({ upgrades }: Admin, { from, to }: Tables): Promise<void> {
  const [source, target] = await Promise.all([upgrades(from).layout(), upgrades(to).layout()])
  if (source < target)
    throw new Misuse(
      `The table ${from} has layout ${source}, and ${to} has layout ${target}: upgrade ${from} first, with upgrade --table ${from}. Nothing was copied.`,
    )
}

function tablesOf(options: Options): Tables {
  const [from, to] = [required(options, 'from', tableUsage), required(options, 'to', tableUsage)]
  if (from === to) throw new Misuse('--from and --to name the same table.')
  return { from, to }
}

function filterOf(options: Options): ItemFilter {
  const { kinds, workspace } = options
  return {
    ...(kinds !== undefined && { kinds: kindsIn(kinds) }),
    ...(workspace !== undefined && { workspaceId: requiredWorkspace(options, tableUsage) }),
  }
}

/** Trims each kind: no item has the kind ` user` with a blank, so users would silently not be copied. */
function kindsIn(text: string): string[] {
  return text.split(',').map((kind) => kind.trim())
}

function timeOf(text: string): Date {
  const { success, data } = instantText().safeParse(text)
  if (!success) throw new Misuse('--at is a time with Z or an offset, such as 2026-11-22T14:03:00Z.')
  return new Date(data)
}
