import { explainedFault, run } from './run.ts'

/** `npm run admin -- COMMAND`. */
try {
  console.log(JSON.stringify(await run(process.argv.slice(2)), null, 2))
} catch (error) {
  console.error(explainedFault(error))
  process.exitCode = 1
}
