import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** The log needs nothing that exists. */
export const fixtures: Fixtures<typeof endpoints> = {}
