import { rmSync } from 'node:fs'
import { afterEach, vi } from 'vitest'
import { type Api, api } from './api.ts'
import { newDataFolder } from './data-folder.ts'
import { type Service, startService } from './service.ts'

/** For a file whose tests start services again on the same data: call it once, at the top. */
export function restarts() {
  /** What each test has to end, in the order of its beginning. */
  const ending: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ending.splice(0).toReversed()) await end()
    vi.unstubAllEnvs()
  })
  return {
    ending,

    /** A data folder that is removed after the test. */
    temporaryFolder: (): string => {
      const folder = newDataFolder()
      ending.push(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    },

    /** Starts a service, without the variables of an earlier one. The caller ends it. */
    startOn: async (
      dataDir: string,
      environment: NodeJS.ProcessEnv = {},
    ): Promise<{ service: Service; owner: Api }> => {
      vi.unstubAllEnvs()
      const service = await startService({ dataDir, commandLine: ['--empty'], environment })
      return { service, owner: api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key) }
    },
  }
}
