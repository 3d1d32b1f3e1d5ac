import { defineConfig } from 'vitest/config'

const settings = { testTimeout: 30_000, hookTimeout: 60_000 }

/** Tests that share no service: they look at the source, the templates or a piece on its own, or start their own. */
const withoutService = [
  'test/imports.test.ts',
  'test/store/{fold,key-layout,search}.test.ts',
  'test/{calendar,client,correspondence,files,german-time,http,infra,jobs,kernel,local,mail,sync}/**/*.test.ts',
]

export default defineConfig({
  test: {
    // Processes, not threads: a test may kill what it started, and native code stays apart.
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      { test: { ...settings, name: 'alone', include: withoutService } },
      {
        test: {
          ...settings,
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: withoutService,
          // One service for all of them; where none of them runs, it is not started.
          globalSetup: 'test/support/shared-service.ts',
        },
      },
    ],
  },
})
