import type { EventRecord } from '#calendar/ports.ts'
import { type DraftRecord, serviceSender } from '#correspondence/ports.ts'
import type { DisposalCase } from '#retention/disposal-schema.ts'
import { byKey, keyed, nameOf, readEach, writeAll } from './batch.ts'
import { type Returning, returningBilling } from './billing/returning-billing.ts'
import { agendas } from './calendar/agendas.ts'
import { eventRecords } from './calendar/event-records.ts'
import { fileNumberEntity } from './cases/file-number-entity.ts'
import { draftActions } from './correspondence/draft-actions.ts'
import { type Db, strongly } from './db.ts'
import { deadlinesOfCase } from './deadlines/deadlines-of-case.ts'
import type { StoredItem } from './pages-of.ts'
import { caseLists } from './retention/case-lists.ts'
import { erase, isMade, put, retryStale, transact } from './transact.ts'
import { type ItemFilter, isDeleted, kindOf, scan } from './two-tables.ts'

/** The kinds of records that can be copied back. */
export const recordKinds: readonly string[] = [
  ...Object.keys(caseLists),
  ...['beadraft', 'case', 'draft', 'party'],
].toSorted()

/**
 * The kinds of items that come back with the records that they name. Agendas are not among them, since they name other
 * events too. Credentials and jobs never come back.
 */
export const partKinds: ReadonlySet<string> = new Set([
  ...['arrivalwatch', 'beaattachments', 'beaimport', 'beasentmessage', 'chain', 'correspondenceattachments'],
  ...['deadlineoverdue', 'documenttwin', 'documentwatch', 'duedeadline', 'dueenvelope', 'envelopeaudit'],
  ...['filenumber', 'history', 'journal', 'learntreference', 'learntsender', 'leftcase', 'link', 'linkpair'],
  ...['messageid', 'partyside', 'partyuse', 'removedincase', 'sealedfile', 'sendkey', 'timeline', 'triage'],
])

/** The copied records as ids by kind, and the number of all copied items. */
export type CopiedBack = {
  records: Record<string, string[]>
  items: number
  /** The ids of lost records that were not copied, see `lostRecords`. */
  left_out: string[]
}

type Lost = {
  ids: Set<string>
  /** The digests of the sealed copies among them: what anybody may verify (S9) is found by these alone. */
  sealed: Set<string>
  leftOut: Set<string>
  left_out: string[]
}

/**
 * Copies lost records back from a restored table, with everything that belongs to them. A record is lost if the table
 * does not have it, or if it was deleted since (G13). It returns to its restored state, but keeps its holds. Other
 * records change only if they depend on it. Deadlines of a case no longer show that it was deleted. An invoice holds
 * its time entries again, and a cancellation cancels its invoice again.
 *
 * Parties that were erased (R5) and cases that were disposed of (R3) are left out, and so are records that name them.
 * An invoice is left out if another one bills one of its time entries by now, and a case if another one has its file
 * number by now (C1). Deleted drafts of invoices stay deleted.
 *
 * After a restore, also these are lost: invoices that are drafts again, since their numbers are never given again, and
 * drafts of sent mail that show as unsent.
 */
export function lostRecords({ client, from, to }: { client: Db['client']; from: string; to: string }) {
  const [source, target] = [
    { client, table: from },
    { client, table: to },
  ]
  const agendasOf = agendas(target, eventRecords(target))
  const deadlines = deadlinesOfCase(target)
  const billing = returningBilling({ source, target })
  const drafts = draftActions(target)

  /** Whether another case has the number of this one: it gave the number up before it was deleted. */
  const isNumberTaken = async (item: StoredItem): Promise<boolean> => {
    const { __edb_e__, workspace_id, id, file_number } = item
    if (__edb_e__ !== 'case' || file_number === undefined) return false
    const key = { workspace_id: String(workspace_id), file_number: String(file_number) }
    const { data } = await fileNumberEntity(target).get(key).go(strongly)
    return data !== null && data.case_id !== id
  }

  /** The parties that were erased, and the cases that were disposed of. */
  const goneIds = async ({ workspaceId }: ItemFilter): Promise<Set<string>> => {
    const gone = new Set<string>()
    const kinds = ['disposal', 'erasureorder', 'firmaudit']
    for await (const items of scan(target, { kinds, ...(workspaceId && { workspaceId }) }))
      for (const item of items) for (const id of goneIn(item)) gone.add(id)
    return gone
  }

  const find = async (filter: ItemFilter): Promise<Lost> => {
    const found: { id: string; uuid: string; named: string[]; sealed: string | undefined }[] = []
    const replaced: string[] = []
    for await (const items of scan(source, filter)) {
      const there = byKey(await readEach(target, items, keyed))
      for (const item of items.filter((one) => isLost(one, there.get(nameOf(one))))) {
        found.push({
          id: String(item.id),
          uuid: uuidOf(item),
          named: uuidsIn(JSON.stringify(item)),
          sealed: item.source === 'signing' ? String(item.sha256) : undefined,
        })
        if ((await billing.isBilledElsewhere(item)) || (await isNumberTaken(item)))
          replaced.push(uuidOf(item))
      }
    }
    const leftOut = await goneIds(filter)
    for (const uuid of replaced) leftOut.add(uuid)
    // A sent draft, for example, names the mail that was disposed of with its case.
    for (let before = -1; before < leftOut.size; ) {
      before = leftOut.size
      for (const { uuid, named } of found) if (named.some((id) => leftOut.has(id))) leftOut.add(uuid)
    }
    const [lost, left] = [
      found.filter(({ uuid }) => !leftOut.has(uuid)),
      found.filter(({ uuid }) => leftOut.has(uuid)),
    ]
    return {
      ids: new Set(lost.map(({ uuid }) => uuid)),
      sealed: new Set(lost.flatMap(({ sealed }) => sealed ?? [])),
      leftOut,
      left_out: left.map(({ id }) => id),
    }
  }

  /** Adds list entries and other items that belong to lost records. @returns how many */
  const addParts = async ({ workspaceId }: ItemFilter, lost: Lost): Promise<number> => {
    let added = 0
    for await (const items of scan(source, workspaceId === undefined ? {} : { workspaceId })) {
      const parts = items.filter((item) => isPart(item, lost))
      const there = byKey(await readEach(target, parts, keyed, ['pk', 'sk']))
      const missing = parts.filter((item) => !there.has(nameOf(item)))
      await writeAll(target, missing.map(putOf))
      added += missing.length
    }
    return added
  }

  /** Frees the number that a case got between then and its deletion: it comes back with its former one (C1). */
  const freeNumber = async (item: StoredItem, later: unknown): Promise<void> => {
    if (later === undefined || later === item.file_number) return
    const number = fileNumberEntity(target)
      .delete({ workspace_id: String(item.workspace_id), file_number: String(later) })
      .where(({ case_id }, { eq }) => eq(case_id, String(item.id)))
    await isMade(transact(target, [erase(number)]))
  }

  /** Brings in line what other records say of a lost one. @returns the item, and the actions to write with it */
  const prepare = async (item: StoredItem, { ids }: Lost): Promise<Returning> => {
    if (item.__edb_e__ === 'invoice') return { item, actions: await billing.prepareInvoice(item) }
    if (item.__edb_e__ === 'timeentry')
      return billing.prepareEntry(item, (id) => uuidsIn(id).some((uuid) => ids.has(uuid)))
    if (item.__edb_e__ === 'draft') {
      const unsent = await drafts.find(String(item.workspace_id), String(item.id))
      const status = item.status as DraftRecord['status']
      if (unsent !== undefined) return { item, actions: drafts.list.changes(unsent, { ...unsent, status }) }
    }
    if (item.__edb_e__ === 'case')
      await deadlines.markCaseDeleted(String(item.workspace_id), String(item.id), null)
    if (item.__edb_e__ === 'event')
      await retryStale(async () => {
        const record: EventRecord = JSON.parse(String(item.record))
        const deleted = { ...record, deleted_at: record.updated_at }
        const { guarding, following } = await agendasOf.changes(deleted, { record, check: false })
        await transact(target, guarding)
        for (const { action } of following) await transact(target, [action])
      })
    return { item, actions: [] }
  }

  /**
   * Writes a record if it is still lost. The service runs meanwhile, so somebody may issue the invoice anew.
   *
   * @returns whether it was written
   * @throws Stale if the other table changes meanwhile
   */
  const copyRecord = async (lostItem: StoredItem, lost: Lost): Promise<boolean> => {
    const [other] = await readEach(target, [lostItem], keyed)
    if (!isLost(lostItem, other)) return false
    if (lostItem.__edb_e__ === 'case') await freeNumber(lostItem, other?.file_number)
    const { item, actions } = await prepare(lostItem, lost)
    const returning = { ...item, ...(other?.holds !== undefined && { holds: other.holds }) }
    await transact(target, [put(putUnlessChanged(target, returning, other ?? {})), ...actions])
    return true
  }

  return {
    /**
     * Copies lost records of these kinds (`recordKinds`) back, of one workspace or of all. After an interruption, run
     * it again to do the rest.
     */
    async copy(filter: Required<Pick<ItemFilter, 'kinds'>> & ItemFilter): Promise<CopiedBack> {
      const lost = await find(filter)
      // The records come last: as long as one is lost, another run finds what belongs to it.
      let items = await addParts(filter, lost)
      const records: Record<string, string[]> = {}
      for await (const found of scan(source, filter)) {
        for (const item of found.filter((one) => lost.ids.has(uuidOf(one)))) {
          if (await retryStale(() => copyRecord(item, lost))) {
            records[kindOf(item)] = [...(records[kindOf(item)] ?? []), String(item.id)]
            items += 1
          } else if (item.__edb_e__ === 'invoice') await billing.keepInvoice(item)
        }
      }
      return { records, items, left_out: lost.left_out }
    },
  }
}

function isLost(item: StoredItem, other: Record<string, unknown> | undefined): boolean {
  if (isDeleted(item)) return false
  if (other === undefined) return true
  if (item.__edb_e__ === 'invoice') return item.number !== undefined && other.number === undefined
  if (isDeleted(other)) return true
  return item.__edb_e__ === 'draft' && mayBeSentAgain(item, other)
}

/** Whether a draft was sent, or may have been, but would be sent again as it is in the other table. */
function mayBeSentAgain(item: StoredItem, other: Record<string, unknown>): boolean {
  if (other.status === 'sent' || other.status === 'sending') return false
  // A send that failed later has increased the version.
  return item.status === 'sent' || (item.status === 'sending' && Number(item.version) > Number(other.version))
}

/** Whether an item belongs to a lost record, and names no record that is left out. */
function isPart(item: StoredItem, { ids, sealed, leftOut }: Lost): boolean {
  if (item.__edb_e__ === 'sealedfile') return sealed.has(String(item.sha256))
  // A restored envelope gives its keys of mails again: a mail of the same key may be another one, which must be sent.
  if (item.__edb_e__ === 'sendkey' && item.user_id === serviceSender) return false
  const texts = Object.values(item).filter((value) => typeof value === 'string')
  if (uuidsIn(texts.join(' ')).some((id) => leftOut.has(id))) return false
  // An entry of a list names its record in its sort key, and may name others in the partition key.
  if (item.__edb_e__ === undefined) return uuidsIn(item.sk).some((id) => ids.has(id))
  return partKinds.has(kindOf(item)) && uuidsIn(texts.join(' ')).some((id) => ids.has(id))
}

/** The ids in an item that says that a party is erased or that cases are disposed of. */
function goneIn({ __edb_e__, id, cases, approved_at, entry }: StoredItem): string[] {
  if (__edb_e__ === 'erasureorder') return uuidsIn(String(id))
  // A disposal has kept the cases that were reopened, held or changed since it was proposed.
  if (__edb_e__ === 'disposal')
    return approved_at === undefined
      ? []
      : (cases as DisposalCase[])
          .filter(({ state, reason }) => state !== 'kept' || reason === 'gone')
          .flatMap(({ case_id }) => uuidsIn(case_id))
  const { action, ref } = entry as { action: string; ref: unknown }
  return action === 'party.erased' ? uuidsIn(JSON.stringify(ref)) : []
}

function putOf(Item: StoredItem) {
  return { params: () => ({ Item }) }
}

/** Puts a record if the one in its place (`{}`: none) has not changed since it was read. */
function putUnlessChanged({ table: TableName }: Db, Item: StoredItem, other: Record<string, unknown>) {
  const fields = ['version', 'deleted_at']
  const known = fields.filter((field) => other[field] !== undefined)
  const conditions = fields.map((field) =>
    known.includes(field) ? `${field} = :${field}` : `attribute_not_exists(${field})`,
  )
  const values = Object.fromEntries(known.map((field) => [`:${field}`, other[field]]))
  const condition = {
    ConditionExpression: conditions.join(' AND '),
    ...(known.length > 0 && { ExpressionAttributeValues: values }),
  }
  return { params: () => ({ TableName, Item, ...condition }) }
}

function uuidOf({ id }: StoredItem): string {
  return uuidsIn(String(id))[0] ?? ''
}

function uuidsIn(text: string): string[] {
  return text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []
}
