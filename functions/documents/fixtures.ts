import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aDocument: Fixture = async ({ makeDocument }) => ({ params: { id: await makeDocument() } })

const references = async ({ makeCase, makeParty }: Given) => ({
  case_id: await makeCase(),
  party_ids: [await makeParty()],
})

export const fixtures: Fixtures<typeof endpoints> = {
  uploadDocument: async (given) => ({ body: await references(given) }),
  completeUpload: aDocument,
  getDocument: aDocument,
  updateDocument: aDocument,
  downloadDocument: aDocument,
  deleteDocument: aDocument,
  assignDocument: async (given) => ({
    params: { id: await given.makeDocument() },
    body: await references(given),
  }),
  readDocumentAgain: aDocument,
  listDocumentParties: aDocument,
  bulkAssignDocuments: async ({ makeDocument, makeCase }) => ({
    body: { document_ids: [await makeDocument()], case_id: await makeCase() },
  }),
}
