import type { TestProject } from 'vitest/node'
import type { Credentials } from '#infra/local/credentials.ts'
import { startService } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the service of this test run listens: `inject('baseUrl')`. */
    baseUrl: string
    /** Its demo workspaces with their keys, without cases. Tests share them. */
    credentials: Credentials
    /** Variables with which a test works on its table: `Object.assign(process.env, inject('environment'))`. */
    environment: Record<string, string>
    /** Where its data lies. */
    dataDir: string
  }
}

/** One service for the whole test run, ended with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService({ commandLine: ['--empty'], bea: true })
  project.provide('baseUrl', service.baseUrl)
  project.provide('credentials', service.credentials)
  project.provide('environment', service.environment)
  project.provide('dataDir', service.dataDir)
  return async () => {
    await service.stop()
  }
}
