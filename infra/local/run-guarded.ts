import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Runs a command that ends with the parent of this process, and ends this process with it.
 *
 * When the parent ends, even by `kill -9`, the operating system closes standard input. Then the command gets SIGTERM.
 * Signals are passed on to the command; the exit code is the command's.
 */
export function runGuarded(command: string, commandLine: readonly string[]): ChildProcess {
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
  return guarded
}
