import type { DeadlineDeps } from '#deadlines/lookups.ts'

/**
 * The dependencies of the deadline use cases without store and clock: a firm in Berlin in which everything exists.
 */
export const deadlineDeps: Omit<DeadlineDeps, 'store' | 'clock'> = {
  workspaces: {
    find: async (id) => ({ id, name: 'Kanzlei', time_zone: 'Europe/Berlin', holiday_region: 'DE-BE' }),
  },
  users: { known: async () => new Map(), find: async () => undefined },
  cases: { exists: async () => true, titles: async () => new Map() },
  evidence: {
    documentExists: async () => true,
    sentBeaMessage: async () => undefined,
    documentNames: async () => new Map(),
    beaMessageNames: async () => new Map(),
  },
  pageOut: async () => ({ data: [], pagination: { cursor: null, has_more: false } }),
}
