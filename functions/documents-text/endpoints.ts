import type { DocumentService } from '#documents/documents.ts'
import { ExtractedText } from '#documents/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'

const endpoint = endpointsOf<{ documents: DocumentService }>()

export const extractDocument = endpoint({
  method: 'POST',
  path: '/api/v1/documents/{id}/extract',
  access: 'documents:read',
  summary: 'Get the text of a document',
  description:
    'Returns the text layer, or the text that OCR recognised. If the document was just stored, the request waits for some seconds and then answers 409 with `Retry-After`. `details` of a 422 name the reason why the text cannot be extracted.',
  params: { id: idOf('document') },
  streamed: true,
  output: ExtractedText,
  storedAlone: 'It changes nothing: it only waits for the text.',
  errors: {
    404: ['DOCUMENT_NOT_FOUND'],
    409: ['EXTRACTION_PENDING', 'UPLOAD_INCOMPLETE'],
    422: ['EXTRACTION_FAILED'],
    500: ['BYTES_MISSING'],
  },
  example: {
    params: { id: 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31' },
    answer: { text: 'An das Landgericht München I\n…', page_count: 7, word_count: 2_611 },
  },
  handle: ({ documents }, { actor, params }) => documents.extract(actor, params.id),
})
