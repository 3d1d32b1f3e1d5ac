import { documents } from '#foundation/document-service.ts'
import { storedDocuments } from '#foundation/documents.ts'
import { foundation } from '#foundation/foundation.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('documents-text')

export const handler = serveStreamed(endpoints, {
  ...base,
  services: { documents: documents(base, storedDocuments(base)) },
})
