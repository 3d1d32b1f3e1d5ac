import type { TestProject } from 'vitest/node'
import { startService } from './service.ts'
import { showingEventsAtOnce } from './webhook-events.ts'

/** A service computes on one processor, and the project with most tests needs two. */
const servicesOf = (project: TestProject) => (project.name === 'service' ? 2 : 1)

/** The services of a project, which run until it has ended. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await Promise.all(
    Array.from({ length: servicesOf(project) }, () =>
      startService({ commandLine: ['--empty'], bea: true, environment: showingEventsAtOnce }),
    ),
  )
  project.provide(
    'services',
    services.map(({ baseUrl, credentials, environment, dataDir }) => ({
      baseUrl,
      credentials,
      environment,
      dataDir,
    })),
  )
  return async () => {
    // Each stop may throw, because a function lacked a right. All are stopped.
    const stopped = await Promise.allSettled(services.map((service) => service.stop()))
    const faults = stopped.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('\n'))
  }
}
