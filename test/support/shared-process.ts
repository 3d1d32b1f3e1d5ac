import { afterAll, vi } from 'vitest'
import { keptEnvironment } from './environment.ts'

/** Runs before each test file of a process that several share: the next one finds the process as this one did. */
const restoreEnvironment = keptEnvironment()

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  restoreEnvironment()
})
