import { bytesKey } from '#documents/keys.ts'
import { bucketFiles } from '#files/bucket.ts'
import { documents } from '#foundation/document-service.ts'
import { storedDocuments } from '#foundation/documents.ts'
import { foundation } from '#foundation/foundation.ts'
import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { disposalCertificateService } from '#retention/certificates.ts'
import { disposalStore } from '#store/retention/disposal-store.ts'
import * as endpoints from '../documents/endpoints.ts'
import * as certificates from './certificate-endpoints.ts'

const base = foundation('documents-files')
const files = bucketFiles()

export const handler = serveStreamed(
  { ...streamed(endpoints), ...certificates },
  {
    ...base,
    services: {
      documents: documents(base, storedDocuments(base)),
      certificates: disposalCertificateService({
        disposals: disposalStore(base),
        stream: (key) => files.stream(bytesKey(key)),
      }),
    },
  },
)
