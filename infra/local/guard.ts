import { spawn } from 'node:child_process'

/**
 * Runs a command that must not outlive who started it: `node guard.ts <command> <arguments…>`.
 *
 * The command is asked to end when standard input closes, which the operating system does for whoever holds
 * the other end of the pipe, even when that process is killed without warning. Signals are passed on; the exit
 * code is the command's.
 */
const [command = '', ...commandLine] = process.argv.slice(2)
const guarded = spawn(command, commandLine, { stdio: ['ignore', 'inherit', 'inherit'] })
const graceMilliseconds = 20_000

guarded.on('error', (error) => {
  console.error(error.message)
  process.exit(127)
})
guarded.on('exit', (code) => process.exit(code ?? 1))

function end(): void {
  guarded.kill('SIGTERM')
  setTimeout(() => guarded.kill('SIGKILL'), graceMilliseconds).unref()
}

process.stdin.on('error', end).on('close', end).resume()
process.on('SIGTERM', end).on('SIGINT', end).on('SIGHUP', end)
