import { announcingFoundation } from '#foundation/announcing.ts'
import { documents } from '#foundation/document-service.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('ingestion')
indexWakes(base)

export const handler = serve(endpoints, {
  ...base,
  readForm,
  services: { documents: documents(base, documentFoundation(base)) },
})
