import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Test files and services are processes of their own that load the same modules: Node keeps them compiled.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

const settings = {
  // Only a test that hangs takes this long, also on a machine that does ten other things.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Without it, a condition that another process or thread has to meet has a second.
  expect: { poll: { timeout: 60_000 } },
  // CI repeats a test that fails once, and its report marks the test: `retry x1`.
  retry: process.env.CI === undefined ? 0 : 1,
}

/**
 * Files of a project share their processes, and the modules that these load, which take longer than most tests.
 * `shared-process.ts` undoes what a file changed in its process.
 */
const sharingProcesses = { isolate: false, setupFiles: ['test/support/shared-process.ts'] }

/** Tests of pure functions. */
const pure = [
  'test/{billing,calendar,cases,correspondence,deadlines,fees,german-names,german-time,inbox,invoicing,kernel,parties,signing,tables,triage,webhooks,workspace}/**/*.test.ts',
]

/** Other tests that share no service: they look at the source, the templates or a piece on its own, or start their own. */
const withoutService = [
  'test/{imports,rules}.test.ts',
  'test/admin/{export-of-leftovers,inbound-domain,restore-table}.test.ts',
  'test/documents/{apply-assignment,follow-mail,filing}.test.ts',
  'test/store/{client,fold,key-layout,search}.test.ts',
  'test/{bea-gateway,bea-simulator,client,exports,extraction,files,guarded-http,http,infra,jobs,local,mail,queue,sealing,search,sync,text-search,upgrades}/**/*.test.ts',
]

/** Tests that kill, flood or starve a service or a command, and wait until it has recovered: `npm run test:faults`. */
const faults = [
  'test/admin/workspace-data.test.ts',
  'test/service/{*-,}{crash,faults,outages}.test.ts',
  'test/service/{allowance,bea-card-login,bea-many-attachments,billing-races,bursts,documents-queue}.test.ts',
  'test/service/{hostile-attachments,lost-answers,races,restored-table}.test.ts',
]

/** Tests that read every item of the table. They share a service with few other tests, so their table stays small. */
const readingWholeTable = ['test/{future-fields,repeated-requests}.test.ts', 'test/admin/whole-table.test.ts']

/**
 * Tests that affect the whole process. Some replace modules or move the clock, on which new ids depend. Others load a
 * function with other environment variables, which it keeps.
 */
const needingOwnProcess = [
  'test/local/page-reader.test.ts',
  'test/service/{bundles,calendar-withdrawals,export-rights,log-alarms,sign-logs,sign-rights}.test.ts',
  'test/store/{change-log,event-log,sweep-of-silent-table,sweeper,unreliable-store}.test.ts',
]

/** These tests share a service of their own, and each file has its own process. */
const apart = [...readingWholeTable, ...needingOwnProcess]

/**
 * Projects that wait most begin first. Those that only compute fill the pauses, and no long test runs alone at the end.
 */
const order = ['apart', 'faults', 'service', 'alone', 'pure']

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ project }: TestSpecification) => order.indexOf(project.name)
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

/** One service for the files of a project; if none of them runs, it is not started. */
const withService = { globalSetup: 'test/support/shared-service.ts' }

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    // Processes, not threads: a test may kill what it started, and native code stays apart.
    pool: 'forks',
    // Two more than two processors: tests wait for a service, for pauses and for processes that start.
    maxWorkers: 4,
    projects: [
      { name: 'pure', include: pure, exclude: apart, ...sharingProcesses },
      { name: 'alone', include: withoutService, exclude: apart, ...sharingProcesses },
      {
        name: 'service',
        include: ['test/**/*.test.ts'],
        exclude: [...pure, ...withoutService, ...apart, ...faults],
        ...sharingProcesses,
        ...withService,
      },
      { name: 'faults', include: faults, ...withService },
      { name: 'apart', include: apart, ...withService },
    ].map((project) => ({ test: { ...settings, ...project } })),
  },
})
