import type { TestProject } from 'vitest/node'
import type { Credentials } from '#infra/local/credentials.ts'
import { startService } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the service of this test run listens: `inject('baseUrl')`. */
    baseUrl: string
    /** Its demo workspaces with their keys. Tests share them: make a case of your own rather than change the demo's. */
    credentials: Credentials
  }
}

/** One service for the whole test run, ended with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService()
  project.provide('baseUrl', service.baseUrl)
  project.provide('credentials', service.credentials)
  return async () => {
    await service.stop()
  }
}
