import { defineMessage } from '#jobs/job.ts'
import { DocumentToRead } from './schema.ts'

/** Asks the worker `extract` to read an accepted document. */
export const documentsToRead = defineMessage({ queue: 'extract', payload: DocumentToRead })
