import { runGuarded } from '#infra/local/run-guarded.ts'

/** Runs a command that ends with its parent process: `node guard.ts <command> <arguments…>`. */
const [command = '', ...commandLine] = process.argv.slice(2)
runGuarded(command, commandLine)
