import { S3Client } from '@aws-sdk/client-s3'
import { s3Files } from '#files/s3-files.ts'
import type { Files } from '#kernel/files.ts'
import { sharedService } from './the-shared-service.ts'

/** The bucket of the shared service, or of a service with this environment, for tests that read or remove bytes. */
export function sharedBucket(environment = sharedService().environment): Files {
  const client = new S3Client({
    endpoint: environment.AWS_ENDPOINT_URL_S3 ?? '',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
    forcePathStyle: true,
  })
  return s3Files(environment.BUCKET_NAME ?? '', client)
}
