import { rmSync } from 'node:fs'
import { afterAll, vi } from 'vitest'
import { type Api, api } from './api.ts'
import { newDataFolder } from './data-folder.ts'
import { type Service, startService } from './service.ts'

/** A service that runs, and a client of its first firm. */
type Running = { service: Service; owner: Api }

/**
 * A service that tests kill, and start again on the same data: each test finds what the one before it left. Call it at
 * the top of a file or in a `describe`, which ends the service.
 */
export function restarts() {
  const dataDir = newDataFolder()
  let running: Running | undefined
  afterAll(async () => {
    vi.unstubAllEnvs()
    await running?.service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    dataDir,

    /** The service that runs. If none does, it is started, without the variables of the one before it. */
    started: async (environment: NodeJS.ProcessEnv = {}): Promise<Running> => {
      if (running !== undefined) return running
      vi.unstubAllEnvs()
      const service = await startService({ dataDir, commandLine: ['--empty'], environment })
      running = { service, owner: api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key) }
      return running
    },

    /** Ends the service without warning. */
    kill: async (): Promise<void> => {
      await running?.service.kill()
      running = undefined
    },
  }
}
