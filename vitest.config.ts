import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/shared-service.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Processes, not threads: a test may kill what it started, and native code stays apart.
    pool: 'forks',
    maxWorkers: 2,
  },
})
