import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A module of the bench in its own process. */
export type Forked<Result> = {
  /** The first message that it sent. */
  result: Result
  pid: number
  /** Waits for its next message. @throws Error if it ends before it sends one */
  next: () => Promise<unknown>
  /** Ends the process if it runs, and waits for its end. */
  stop: () => Promise<unknown>
}

/**
 * Starts a module of this folder, sends it the order and waits for its first message.
 *
 * @throws Error if it ends before it sends a message
 */
export async function forkModule<Result>(
  module: string,
  environment: Record<string, string>,
  order?: object,
): Promise<Forked<Result>> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: environment,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const exited = once(child, 'exit')
  const next = () =>
    Promise.race([
      once(child, 'message').then(([message]) => message),
      exited.then(([code]) => Promise.reject(new Error(`${module} ended with code ${code}.`))),
    ])
  if (order !== undefined) child.send(order)
  const result: Result = await next()
  return {
    result,
    pid: child.pid ?? 0,
    next,
    stop: () => {
      if (child.connected) child.disconnect()
      return exited
    },
  }
}
