import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { Text, Timestamp } from '#kernel/text.ts'

/** The erasure of a party (R5). */
export const PartyErasure = namedObject('PartyErasure', () => ({
  id: shownId('party'),
  erased_at: Timestamp,
  cases: z.array(z.object({ id: z.uuid(), file_number: Text })).meta({
    description:
      'The cases with data of the party: they name the party or once did, or they have documents or invoices that did, mail or beA messages filed with it, or an envelope that goes to its address. Their retention period is over. A worker removes the party from their records. Their mail, beA messages, envelopes and bytes of documents stay until the cases are disposed of.',
  }),
  documents: z.int().meta({ description: 'The documents that named it, or once did.' }),
  invoices: z.int().meta({
    description:
      'The invoices that named it, or once did. Issued invoices stay until their retention period is over.',
  }),
}))

export type PartyErasure = z.infer<typeof PartyErasure>
