import type { InvoiceRecord } from '#billing/ports.ts'
import { noBuyer } from '#billing/schema.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { ErasureStep, KeptBy, Redacting } from '#parties/erasure-ports.ts'
import { invoiceEntity } from '../billing/invoice-entity.ts'
import type { Db } from '../db.ts'
import { documentEntity } from '../documents/document-entity.ts'
import { redactTriage } from '../inbox/redact-triage.ts'
import { eraseName, redactedAt } from '../retention/case-texts.ts'
import { redactLeft } from '../retention/redacted-entries.ts'
import { change, isMade, transact } from '../transact.ts'
import { casesAround } from './cases-around.ts'
import type { Changing } from './erasure-in-cases.ts'
import { partyNamings } from './party-namings.ts'

/** The steps that take a party out of the documents and the draft invoices that name it, deleted ones too. */
export function erasureInRecords(deps: {
  db: Db
  documents: Changing<DocumentRecord>
  invoices: Changing<InvoiceRecord>
  withoutParty: Redacting
}): { documents: ErasureStep; invoices: ErasureStep } {
  const { db, documents, invoices, withoutParty } = deps
  const documentItems = documentEntity(db)
  const invoiceItems = invoiceEntity(db)
  const { pages } = partyNamings(db)
  const around = casesAround(db)

  const isInKept = async (
    workspaceId: string,
    caseId: string | null | undefined,
    keptBy: KeptBy,
  ): Promise<boolean> => {
    const one = caseId == null ? undefined : await around.find(workspaceId, caseId)
    return one !== undefined && keptBy(one) !== null
  }

  /** Takes the recipient out of a deleted invoice, unless it was disposed of meanwhile. */
  const leaveDeleted = async (
    { workspace_id, id, version: before }: { workspace_id: string; id: string; version: number },
    { buyer, buyer_reference, lines, version }: Recipient,
  ): Promise<void> => {
    const left = invoiceItems
      .patch({ workspace_id, id })
      .set({ buyer, lines, version, ...(buyer_reference !== null && { buyer_reference }) })
      .remove(['party_id'])
      .where((stored, { eq }) => eq(stored.version, before))
    await isMade(transact(db, [change(left)]))
  }

  return {
    documents: async function* (party, after, keptBy) {
      const { workspace_id, id } = party
      const redact = withoutParty(party)
      const without = <Document extends Pick<DocumentRecord, 'parties' | 'filename'>>(before: Document) => ({
        ...before,
        parties: before.parties.filter((one) => one.id !== id),
        filename: redact(before.filename),
      })
      for await (const { records, upTo } of pages.documents(workspace_id, id, after)) {
        for (const one of records) {
          if (!one.parties.some((named) => named.id === id)) continue
          if (await isInKept(workspace_id, one.case_id, keptBy)) continue
          // Before the document loses the party: after a crash it is found by that.
          await redactLeft(db, workspace_id, [one.id], redact)
          await redactTriage(db, workspace_id, one.id, redact)
          if (one.deleted_at === undefined) {
            // Somebody may move it into a case that must be kept after it was read.
            let caseId: string | null = one.case_id ?? null
            let isSeen = false
            while (!isSeen && !(await isInKept(workspace_id, caseId, keptBy)))
              await documents.change(workspace_id, one.id, (before) => {
                isSeen = before.case_id === caseId
                caseId = before.case_id
                if (!isSeen) return { events: [], answer: undefined }
                const record = {
                  ...without(before),
                  metadata: redactedAt(before.metadata, ['**'], redact) as DocumentRecord['metadata'],
                  version: before.version + 1,
                }
                return { record, jobs: eraseName(before, record), events: [], answer: undefined }
              })
          } else {
            const { parties, filename, metadata } = without(one)
            await documentItems
              .patch({ workspace_id, id: one.id })
              .set({
                parties,
                filename,
                ...(metadata !== undefined && {
                  metadata: redactedAt(metadata, ['json', '**'], redact) as string,
                }),
                version: one.version + 1,
              })
              .go()
          }
        }
        yield upTo
      }
      return undefined
    },

    invoices: async function* (party, after, keptBy) {
      const { workspace_id, id } = party
      const redact = withoutParty(party)
      const without = <Invoice extends { buyer_reference?: unknown; lines: unknown; version: number }>(
        before: Invoice,
      ) => ({
        ...before,
        party_id: null,
        buyer: noBuyer,
        buyer_reference: redactedAt(before.buyer_reference ?? null, [], redact) as string | null,
        lines: redactedAt(before.lines, ['text'], redact) as InvoiceRecord['lines'],
        version: before.version + 1,
      })
      for await (const { records, upTo } of pages.invoices(workspace_id, id, after)) {
        for (const one of records) {
          if (one.party_id !== id || one.status !== 'draft') continue
          if (await isInKept(workspace_id, one.case_id, keptBy)) continue
          if (one.deleted_at === undefined)
            await invoices.change(workspace_id, one.id, (before) =>
              before.party_id === id && before.status === 'draft'
                ? { record: without(before), events: [], answer: undefined }
                : { events: [], answer: undefined },
            )
          else await leaveDeleted(one, without(one))
        }
        yield upTo
      }
      return undefined
    },
  }
}

type Recipient = Pick<InvoiceRecord, 'buyer' | 'buyer_reference' | 'lines' | 'version'>
