import { documents } from '#foundation/document-service.ts'
import { storedDocuments } from '#foundation/documents.ts'
import { foundation } from '#foundation/foundation.ts'
import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from '../documents/endpoints.ts'

const base = foundation('documents-files')

export const handler = serveStreamed(streamed(endpoints), {
  ...base,
  services: { documents: documents(base, storedDocuments(base)) },
})
