import { documentProcessing } from '#documents/processing.ts'
import { documentQueue } from '#documents/read-queue.ts'
import { documentTypes } from '#documents/schema.ts'
import { extract } from '#extraction/extract.ts'
import { createTextract, textractOcr } from '#extraction/textract.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { consumer } from '#foundation/consumer.ts'
import { storedDocuments } from '#foundation/documents.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { bareUuid } from '#kernel/id.ts'
import { readingBudgets } from '#store/documents/reading-budget.ts'

const base = announcingFoundation('extract')
indexWakes(base)
const { store, files } = storedDocuments(base)
inboxFoundation(base)
const textract = createTextract()
const budgets = readingBudgets(base)
const bucket = process.env.BUCKET_NAME ?? ''

const processing = documentProcessing({
  store,
  files,
  readText: async (bytes, { id, workspace_id, correspondence_id, mime_type, key }, signal) => {
    const type = documentTypes.find((candidate) => candidate === mime_type)
    if (type === undefined) return { refused: 'unsupported_type' }
    const ocr = textractOcr(textract, { bucket, key, token: bareUuid(id) })
    const budget = correspondence_id === null ? undefined : budgets.of(workspace_id, correspondence_id)
    return extract(bytes, type, { ocr, budget, signal })
  },
  clock: base.clock,
})

/** Reads the documents that were accepted. */
export const handler = consumer(base, documentQueue, processing.process)
