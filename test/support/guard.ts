import { rmSync } from 'node:fs'
import { runGuarded } from '#infra/local/run-guarded.ts'

/**
 * Runs a command that ends with its parent process: `node guard.ts <folder> <command> <arguments…>`. When the parent
 * ends the command, or has ended itself, even by `kill -9`, the folder is removed. An empty name is none.
 */
const [folder = '', command = '', ...commandLine] = process.argv.slice(2)
runGuarded(command, commandLine)
process.on('exit', () => {
  if (folder !== '' && process.stdin.closed) rmSync(folder, { recursive: true, force: true })
})
