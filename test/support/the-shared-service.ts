import { inject } from 'vitest'
import type { Credentials } from '#infra/local/credentials.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The services of a project: `shared-service.ts` starts them. */
    services: SharedService[]
  }
}

/** A service that tests share, with a data folder of its own. */
export type SharedService = {
  baseUrl: string
  /** Its demo workspaces with their keys, without cases. Tests share them. */
  credentials: Credentials
  /** Variables that make a test use its table: `Object.assign(process.env, sharedService().environment)`. */
  environment: Record<string, string>
  dataDir: string
}

/** The service of this process. A process uses the same one for all its test files. */
export function sharedService(): SharedService {
  const services = inject('services')
  const service = services[Number(process.env.VITEST_POOL_ID) % services.length]
  if (service === undefined) throw new Error('This project has no shared service: see vitest.config.ts.')
  return service
}
