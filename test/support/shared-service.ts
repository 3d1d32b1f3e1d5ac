import type { TestProject } from 'vitest/node'
import type { Credentials } from '#infra/local/credentials.ts'
import { startService } from './service.ts'
import { showingEventsAtOnce } from './webhook-events.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the service of this test run: `inject('baseUrl')`. */
    baseUrl: string
    /** Its demo workspaces with their keys, without cases. Tests share them. */
    credentials: Credentials
    /** Variables that make a test use its table: `Object.assign(process.env, inject('environment'))`. */
    environment: Record<string, string>
    /** Its data folder. */
    dataDir: string
  }
}

/** One service for the whole test run. It ends with the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService({
    commandLine: ['--empty'],
    bea: true,
    environment: showingEventsAtOnce,
  })
  project.provide('baseUrl', service.baseUrl)
  project.provide('credentials', service.credentials)
  project.provide('environment', service.environment)
  project.provide('dataDir', service.dataDir)
  return async () => {
    await service.stop()
  }
}
