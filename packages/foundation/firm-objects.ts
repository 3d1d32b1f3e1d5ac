import { firmObjects } from '#files/firm-objects.ts'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { once } from '#kernel/once.ts'

/** The objects of firms in the bucket, with their versions. The function needs the right to erase them. */
export function firmObjectsOnce() {
  return once(() =>
    // The local bucket keeps no versions.
    firmObjects(process.env.BUCKET_NAME ?? '', { keepsVersions: awsEndpoint('S3') === undefined }),
  )
}
