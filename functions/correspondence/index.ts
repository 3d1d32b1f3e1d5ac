import { announcingFoundation } from '#foundation/announcing.ts'
import { correspondenceServices } from '#foundation/correspondence-services.ts'
import { buffered } from '#http/endpoint.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('correspondence')

export const handler = serve(buffered(endpoints), { ...base, services: correspondenceServices(base) })
