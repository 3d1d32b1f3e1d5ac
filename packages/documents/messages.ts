import { defineMessage } from '#jobs/job.ts'
import { DocumentToRead } from './schema.ts'

/** A document was accepted: the worker reads it. */
export const documentsToRead = defineMessage({ queue: 'extract', payload: DocumentToRead })
