import { documents } from '#foundation/document-service.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { foundation } from '#foundation/foundation.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('ingestion')

export const handler = serve(endpoints, {
  ...base,
  readForm,
  services: { documents: documents(base, documentFoundation(base)) },
})
