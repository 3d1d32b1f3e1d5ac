import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Test files and services are processes of their own that load the same modules: Node keeps them compiled.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

// Only what hangs takes so long, also on a machine that does ten other things.
const settings = { testTimeout: 120_000, hookTimeout: 120_000 }

/** Tests of pure functions, which leave nothing behind in their process: they share it, and the modules they load. */
const pure = [
  'test/{billing,calendar,correspondence,deadlines,fees,german-names,german-time,inbox,invoicing,kernel,parties,signing,tables,triage,webhooks,workspace}/**/*.test.ts',
]

/** Other tests that share no service: they look at the source, the templates or a piece on its own, or start their own. */
const withoutService = [
  'test/imports.test.ts',
  'test/admin/{inbound-domain,restore-table}.test.ts',
  'test/documents/{apply-assignment,follow-mail,filing}.test.ts',
  'test/store/{client,fold,key-layout,search,unreliable-store}.test.ts',
  'test/{bea-gateway,bea-simulator,client,exports,extraction,files,http,infra,jobs,local,mail,queue,sealing,sync,upgrades}/**/*.test.ts',
]

/** Tests that kill, flood or starve a service, and wait until it has recovered: `npm run test:faults`. */
const faults = [
  'test/service/{*-,}{crash,faults,outages}.test.ts',
  'test/service/{allowance,bea-many-attachments,billing-races,bursts,documents-queue}.test.ts',
  'test/service/{hostile-attachments,lost-answers,races,restored-table}.test.ts',
]

/** Tests that read every item of the table: beside them it holds what few tests have written, not what hundreds have. */
const readingWholeTable = [
  'test/future-fields.test.ts',
  'test/admin/workspace-data.test.ts',
  'test/service/sign.test.ts',
]

/** The same, after each request: it has a table for itself. */
const readingTableOften = ['test/repeated-requests.test.ts']

/** What waits most begins first: what only computes fills its pauses, and nothing long runs alone at the end. */
const order = ['own table', 'whole table', 'faults', 'service', 'alone', 'pure']

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ project }: TestSpecification) => order.indexOf(project.name)
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    // Processes, not threads: a test may kill what it started, and native code stays apart.
    pool: 'forks',
    // One more than two processors: tests wait for a service, for pauses and for processes that start.
    maxWorkers: 3,
    projects: [
      { test: { ...settings, name: 'pure', include: pure, isolate: false } },
      { test: { ...settings, name: 'alone', include: withoutService } },
      {
        test: {
          ...settings,
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...pure, ...withoutService, ...readingWholeTable, ...readingTableOften, ...faults],
          // One service for all of them; where none of them runs, it is not started.
          globalSetup: 'test/support/shared-service.ts',
        },
      },
      {
        test: {
          ...settings,
          name: 'faults',
          include: faults,
          globalSetup: 'test/support/shared-service.ts',
        },
      },
      {
        test: {
          ...settings,
          name: 'whole table',
          include: readingWholeTable,
          globalSetup: 'test/support/shared-service.ts',
        },
      },
      {
        test: {
          ...settings,
          name: 'own table',
          include: readingTableOften,
          globalSetup: 'test/support/shared-service.ts',
        },
      },
    ],
  },
})
