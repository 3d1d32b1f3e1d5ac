import { basename, relative } from 'node:path'
import { CannotStart } from './cannot-start.ts'
import { readSettings, type Settings } from './settings.ts'

/**
 * `npm start`. It prints what it does before it loads the rest, which takes seconds. Output before `Ready:` goes to
 * standard error, so that programs that wait for that line read it first.
 */
try {
  const settings = readSettings(process.env, process.argv.slice(2))
  console.error(`Aktenlage starts, with its data in ${shown(settings)}.`)
  const { run } = await import('./run.ts')
  await run(settings)
} catch (error) {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}

function shown({ dataDir }: Settings): string {
  const path = relative(process.cwd(), dataDir)
  return path === basename(dataDir) ? path : dataDir
}
