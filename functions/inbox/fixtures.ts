import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** A document that was uploaded into the inbox. */
async function uploaded({ firm }: Given): Promise<string> {
  const raw = new FormData()
  raw.append('files', new Blob([`Ein Brief, Nummer ${Math.random()}.`]), 'Scan 0001.txt')
  return (await firm.owner('POST', '/api/v1/inbox/upload', { raw })).body.uploaded[0].document_id
}

const anItem: Fixture = async (given) => ({ params: { id: await uploaded(given) } })

export const fixtures: Fixtures<typeof endpoints> = {
  fileInboxItem: async (given) => ({
    params: { id: await uploaded(given) },
    body: { case_id: await given.makeCase() },
  }),
  dismissInboxItem: anItem,
  reopenInboxItem: anItem,
  listRelated: async (given) => ({ params: { document_id: await uploaded(given) } }),
}
