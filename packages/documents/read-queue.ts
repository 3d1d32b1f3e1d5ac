import { defineQueue } from '#jobs/job.ts'
import { DocumentToRead } from './schema.ts'

/** Asks the worker `extract` to read an accepted document. */
export const documentQueue = defineQueue({ queue: 'extract', payload: DocumentToRead })
