import { defineQueue } from '#jobs/job.ts'
import { DocumentToRead } from './schema.ts'

/** The queue of the worker `extract`, which reads accepted documents. */
export const documentQueue = defineQueue({ queue: 'extract', payload: DocumentToRead })
