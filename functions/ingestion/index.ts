import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { documents } from '../foundation/documents/index.ts'
import { foundation } from '../foundation/index.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('ingestion')

export const handler = serve(endpoints, { ...base, readForm, services: { documents: documents(base) } })
