import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from '../documents/endpoints.ts'
import { documents } from '../foundation/documents/index.ts'
import { foundation } from '../foundation/index.ts'

const base = foundation('documents-files')

export const handler = serveStreamed(streamed(endpoints), {
  ...base,
  services: { documents: documents(base) },
})
