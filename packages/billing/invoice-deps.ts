import type { RvgInput, RvgResult } from '#fees/rvg-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import type { Seller } from './firm-schema.ts'
import type {
  BillingCases,
  BillingParties,
  BillingWorkspaces,
  InvoiceRecord,
  InvoiceStore,
  StoreJobs,
  TimeEntryStore,
  WriteXrechnung,
} from './ports.ts'

export type InvoiceDeps = {
  store: InvoiceStore
  entries: TimeEntryStore
  cases: BillingCases
  parties: BillingParties
  workspaces: BillingWorkspaces
  storeJobs: StoreJobs
  writeXrechnung: WriteXrechnung
  calculateRvg: (input: RvgInput, context: { today: string; path: string }) => Promise<RvgResult>
  clock: Clock
}

/** Today (`YYYY-MM-DD`) in the workspace's time zone, and the firm's present details for invoices. */
export async function todayAndSeller(
  { workspaces, clock }: Pick<InvoiceDeps, 'workspaces' | 'clock'>,
  { workspace_id }: Actor,
): Promise<{ day: string; seller: Seller }> {
  const workspace = required(await workspaces.find(workspace_id), 'WORKSPACE_NOT_FOUND')
  return { day: localDateOf(clock.now(), workspace.time_zone), seller: workspace.seller }
}

/**
 * The firm as an invoice shows it. A draft shows it as it is now. An issued invoice shows it as it was then. Fields that
 * were not set then are taken from `present`. The address is that of one of them as a whole, because the firm may have
 * moved meanwhile.
 */
export function sellerOf({ seller }: Pick<InvoiceRecord, 'seller'>, present: Seller): Seller {
  if (seller === null) return present
  const set = Object.entries(seller).filter(([, value]) => value !== null)
  const hasAddress = seller.postcode !== null && seller.city !== null && seller.country !== null
  const { street, postcode, city, country } = hasAddress ? seller : present
  return { ...present, ...Object.fromEntries(set), street, postcode, city, country }
}
