/**
 * The lists of a firm with an entry for each record of a case that is not deleted, by the kind of record. Each text is
 * the beginning of a partition, without the workspace; the id of the case follows. The entries end with the ids of records.
 */
export const caseLists = {
  document: ['documents#is:case_id='],
  correspondence: ['correspondence#is:case_id='],
  beamessage: ['bea_messages#is:case_id='],
  deadline: ['due#open case=', 'due#verified case=', 'due#completed case='],
  event: ['event', 'all-day event', 'meeting', 'all-day meeting'].map((kind) => `events#${kind} case=`),
  envelope: ['envelopes#case='],
  timeentry: ['time_entries#case='],
  invoice: ['invoices#case='],
  folder: ['folders#is:case_id='],
} satisfies Record<string, readonly string[]>
