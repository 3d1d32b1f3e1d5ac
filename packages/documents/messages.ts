import { defineMessage } from '#jobs/job.ts'
import { DocumentToRead } from './schema.ts'

/** Documents that were accepted and are to be read. */
export const documentsToRead = defineMessage({ queue: 'extract', payload: DocumentToRead })
