import type { Step, tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import type { Options } from './options.ts'
import { Misuse } from './target.ts'

/** The help text for upgrades. */
export const upgradeUsage = `  npm run admin -- upgrade [--table RESTORED-TABLE] [--dry-run] [--units-per-second N]
  npm run admin -- upgrade status [--table RESTORED-TABLE] [--units-per-second N]`

type Work = (admin: { upgrades: (table?: string) => ReturnType<typeof tableUpgrades> }) => Promise<unknown>

/**
 * `upgrade` changes the table to the layout of this release while the service runs (U2). It may be interrupted and run
 * again. `upgrade status` shows the finished upgrades and the remaining ones. `--table` names a table that the service
 * does not use.
 */
export const upgradeCommands = {
  upgrade: (options: Options): Work => {
    const unitsPerSecond = unitsOf(options['units-per-second'])
    const dryRun = options['dry-run'] === true
    return ({ upgrades }) =>
      upgrades(options.table).run({ dryRun, unitsPerSecond, onStep: report(process.stderr) })
  },

  'upgrade status': (options: Options): Work => {
    const unitsPerSecond = unitsOf(options['units-per-second'])
    return ({ upgrades }) => upgrades(options.table).status({ unitsPerSecond })
  },
}

/** Prints one line per firm and upgrade; at a terminal it shows progress in the line. */
function report(to: NodeJS.WriteStream) {
  let shown = ''
  return ({ upgrade, firm, firms, records }: Step) => {
    const step = `${upgrade.layout}-${upgrade.name}: firm ${firm} of ${firms}`
    if (!to.isTTY && step === shown) return
    to.write(to.isTTY ? `${step === shown ? '\r' : '\n'}${step}, ${records} records` : `${step}\n`)
    shown = step
  }
}

/** The read and write units of the table that a command may take in a second. @throws Misuse */
export function unitsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new Misuse('--units-per-second is a whole number of at least 1.')
}
