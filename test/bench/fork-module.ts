import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A module of the bench in a process of its own. */
export type Forked<Told> = {
  /** What it told first. */
  told: Told
  pid: number
  /** Ends it, where it has not ended by itself, and waits for that. */
  stop: () => Promise<unknown>
}

/**
 * Starts a module of this folder, sends it its order and waits for what it tells.
 *
 * @throws Error where it ends before it tells anything
 */
export async function forkModule<Told>(
  module: string,
  environment: Record<string, string>,
  order?: object,
): Promise<Forked<Told>> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: environment,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const exited = once(child, 'exit')
  if (order !== undefined) child.send(order)
  const told: Told = await Promise.race([
    once(child, 'message').then(([message]) => message),
    exited.then(([code]) => Promise.reject(new Error(`${module} ended with code ${code}.`))),
  ])
  return {
    told,
    pid: child.pid ?? 0,
    stop: () => {
      if (child.connected) child.disconnect()
      return exited
    },
  }
}
