import type { Files } from '#kernel/files.ts'
import { once } from '#kernel/once.ts'

/**
 * Like `s3Files`, but the first call loads the S3 client. So a cold start does not wait for it: many functions answer
 * most of their requests without files.
 */
export function bucketFiles(): Files {
  const bucket = bucketName()
  const loaded = once(async () => (await import('./s3-files.ts')).s3Files(bucket))
  return {
    put: async (...call) => (await loaded()).put(...call),
    putStream: async (...call) => (await loaded()).putStream(...call),
    stream: async (...call) => (await loaded()).stream(...call),
    read: async (...call) => (await loaded()).read(...call),
    head: async (...call) => (await loaded()).head(...call),
    presignPut: async (...call) => (await loaded()).presignPut(...call),
    presignGet: async (...call) => (await loaded()).presignGet(...call),
    copy: async (...call) => (await loaded()).copy(...call),
    remove: async (...call) => (await loaded()).remove(...call),
  }
}

function bucketName(): string {
  const name = process.env.BUCKET_NAME
  if (!name) throw new Error('BUCKET_NAME is not set. It must be the name of the bucket of this stage.')
  return name
}
