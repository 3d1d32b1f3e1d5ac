import { correspondenceServices } from '#foundation/correspondence-services.ts'
import { foundation } from '#foundation/foundation.ts'
import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from '../correspondence/endpoints.ts'

const base = foundation('correspondence-files')

export const handler = serveStreamed(streamed(endpoints), { ...base, services: correspondenceServices(base) })
