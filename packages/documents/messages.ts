import { defineMessage } from '#jobs/job.ts'
import { DocumentToRead } from './schema.ts'

/** Tells the worker `extract` to read a document that was accepted. */
export const documentsToRead = defineMessage({ queue: 'extract', payload: DocumentToRead })
