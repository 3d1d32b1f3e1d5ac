import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A running door, and how to close it. */
export type LocalTextract = { endpoint: string; stop(): Promise<void> }

/**
 * Amazon Textract on this machine: `DetectDocumentText`, `StartDocumentTextDetection` and
 * `GetDocumentTextDetection` in the AWS JSON protocol, read by tesseract with German data and without network.
 * It lives in a thread of its own, so drawing pages does not hold up the service beside it.
 *
 * Lines come as `LINE` blocks under one `PAGE` block a page, with `Page` numbers in the answers of jobs; words
 * are left out. Like the original it takes one page at once and more as a job from S3, names its errors the
 * same, and gives the same job for the same `ClientRequestToken`. Jobs live in memory and run one by one.
 *
 * @param options.port a free one by default.
 * @param options.s3Endpoint where documents of jobs are fetched; by default what `AWS_ENDPOINT_URL_S3` says.
 * @throws when the port is taken.
 */
export async function startTextract(
  options: { port?: number; s3Endpoint?: string } = {},
): Promise<LocalTextract> {
  const worker = new Worker(new URL('./textract-server.ts', import.meta.url), {
    workerData: { port: options.port ?? 0, s3Endpoint: options.s3Endpoint },
  })
  const [endpoint] = (await once(worker, 'message')) as [string]
  return {
    endpoint,
    stop: async () => {
      await worker.terminate()
    },
  }
}
