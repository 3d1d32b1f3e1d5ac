import type { CaseRecord } from '#cases/ports.ts'
import { mailboxOf } from '#correspondence/address-schema.ts'
import type { CaseAround, StoredParty } from '#parties/erasure-ports.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { chunks, getsById, readAll, readById } from '../batch.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import type { Db } from '../db.ts'
import { withNulls } from '../nulls.ts'
import { itemsOf } from '../pages-of.ts'
import { filterTerm } from '../search.ts'
import { envelopeEntity } from '../signing/envelope-entity.ts'
import type { Operation } from '../transact.ts'
import { partyNamings } from './party-namings.ts'

/** Records that are read at once. They may be large. */
const readAtOnce = 25

/** A case whose record is there, also a deleted one. */
export type StoredCase = CaseRecord & CaseAround

/** Records with a case, as far as they are read. */
type Filed = { case_id?: string; party_id?: string; signers?: EnvelopeRecord['signers'] }

/**
 * The cases around a party. A case is around it if the case, a document or an invoice in it names the party or once did.
 * It is too if mail or a beA message in it is filed with the party, or an envelope in it goes to its address. No list has envelopes
 * by signer, or beA messages by party. So all of the firm are read: many at once, and only the fields that decide.
 */
export function casesAround(db: Db) {
  const cases = caseEntity(db)
  const [mails, messages, envelopes] = [correspondenceEntity(db), beaMessageEntity(db), envelopeEntity(db)]
  const namings = partyNamings(db)

  const read = async (workspaceId: string, some: string[]): Promise<StoredCase[]> =>
    (await readById(db, cases, workspaceId, some)).map(({ deleted_at = null, ...one }) => ({
      ...withNulls(one, caseEntity.nullable),
      deleted_at,
    }))

  /** The cases of the records of a list that are of the party. @param get reads one by its id */
  async function* ofList(
    list: string,
    get: (id: string) => Operation,
    isOfParty: (record: Filed) => boolean,
  ): AsyncGenerator<string> {
    for await (const entries of itemsOf(db, list, [])) {
      const listed = entries.map(({ sk }) => sk)
      const found = await readAll(db, getsById(listed, get), ['case_id', 'party_id', 'signers'])
      for (const record of found as Filed[])
        if (record.case_id !== undefined && isOfParty(record)) yield record.case_id
    }
  }

  /** Those of mail, beA messages and envelopes. */
  async function* ofExchanged({ workspace_id, id: party_id, email }: StoredParty): AsyncGenerator<string> {
    const isFiledWithIt = (record: Filed) => record.party_id === party_id
    const list = (name: string) => `${workspace_id}#${name}`
    const ofMail = list(`correspondence#${filterTerm('party_id', party_id)}`)
    yield* ofList(ofMail, (id) => mails.get({ workspace_id, id }), isFiledWithIt)
    yield* ofList(list('bea_messages#all'), (id) => messages.get({ workspace_id, id }), isFiledWithIt)
    if (email === null) return
    const mailbox = mailboxOf(email)
    const isSigner = ({ signers = [] }: Filed) => signers.some((one) => mailboxOf(one.email) === mailbox)
    yield* ofList(list('envelopes#all'), (id) => envelopes.get({ workspace_id, id }), isSigner)
  }

  const idsOf = async (party: StoredParty): Promise<string[]> => {
    const { workspace_id, id } = party
    const found = new Set(await namings.ids(workspace_id, id, 'case'))
    for (const pages of [namings.pages.documents, namings.pages.invoices])
      for await (const { records } of pages(workspace_id, id))
        for (const { case_id } of records) if (case_id !== undefined) found.add(case_id)
    for await (const case_id of ofExchanged(party)) found.add(case_id)
    return [...found].toSorted()
  }

  return {
    /** Their ids in ascending order; some may have been disposed of. */
    ids: idsOf,

    /** Those that exist. */
    all: async (party: StoredParty): Promise<StoredCase[]> => {
      const found: StoredCase[] = []
      for (const some of chunks(await idsOf(party), readAtOnce))
        found.push(...(await read(party.workspace_id, some)))
      return found
    },

    /** The case; undefined if it was disposed of. */
    find: async (workspaceId: string, id: string): Promise<StoredCase | undefined> =>
      (await read(workspaceId, [id]))[0],
  }
}
