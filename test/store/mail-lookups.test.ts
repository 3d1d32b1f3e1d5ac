import { beforeAll, describe, expect, it } from 'vitest'
import type { DocumentRecord } from '#documents/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { PartyRecord } from '#parties/ports.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { existingDocuments } from '#store/documents/existing-documents.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

const at = '2026-03-16T08:30:00.000Z'

let deps: ReturnType<typeof storeDeps>
beforeAll(async () => {
  deps = storeDeps(await sharedTable())
})

describe('parties by e-mail address', () => {
  const newParty = (workspace_id: string, email: string | null): PartyRecord => ({
    workspace_id,
    id: newId('party'),
    type: 'person',
    name: 'Max Müller',
    email,
    phone: null,
    address: null,
    created_at: at,
    updated_at: at,
    version: 1,
  })
  const add = async (workspace: string, email: string | null) => {
    const party = newParty(workspace, email)
    await partyStore(deps).add(plain(party))
    return party.id
  }
  const withEmail = (workspace: string, email: string, limit = 10) =>
    partyStore(deps).withEmail(workspace, email, limit)
  const setEmail = (workspace: string, id: string, email: string | null) =>
    partyStore(deps).change(workspace, id, (current) =>
      plain({ ...current, email, version: current.version + 1 }),
    )

  it('are those with exactly this address, however it is written', async () => {
    const workspace = newId('workspace')
    const max = await add(workspace, 'Max@Müller.de')
    await add(workspace, 'max@mueller.de')
    await add(workspace, 'max@müller.de.example')
    await add(workspace, 'xmax@müller.de')
    await add(workspace, null)
    await add(newId('workspace'), 'max@müller.de')

    const found = await Promise.all(
      ['max@müller.de', 'MAX@MÜLLER.DE', 'max@xn--mller-kva.de', 'ax@müller.de', 'max@müller'].map((email) =>
        withEmail(workspace, email),
      ),
    )

    expect(found).toEqual([[max], [max], [max], [], []])
  })

  it('with a domain that cannot be are not taken for each other', async () => {
    const workspace = newId('workspace')
    const one = await add(workspace, 'info@exa%mple.de')
    const other = await add(workspace, 'info@b%eispiel.de')

    expect(await withEmail(workspace, 'info@EXA%mple.de')).toEqual([one])
    expect(await withEmail(workspace, 'info@b%eispiel.de')).toEqual([other])
  })

  it('follow a change of the address, its removal, and the deletion of the party', async () => {
    const workspace = newId('workspace')
    const id = await add(workspace, 'alt@example.de')
    const seen: string[][] = []
    const see = async () => seen.push(await withEmail(workspace, 'alt@example.de'))

    await see()
    await setEmail(workspace, id, 'neu@example.de')
    await see()
    const changed = await withEmail(workspace, 'neu@example.de')
    await setEmail(workspace, id, null)
    const removed = await withEmail(workspace, 'neu@example.de')
    await setEmail(workspace, id, 'alt@example.de')
    await see()
    await partyStore(deps).remove(workspace, id, () => ({ deleted_at: at, answer: undefined }))
    await see()

    expect(seen).toEqual([[id], [], [id], []])
    expect([changed, removed]).toEqual([[id], []])
  })

  it('are at most as many as asked for, the newest first', async () => {
    const workspace = newId('workspace')
    const ids: string[] = []
    for (let number = 0; number < 4; number += 1) ids.push(await add(workspace, 'post@example.de'))

    expect(await withEmail(workspace, 'post@example.de', 2)).toEqual(ids.toReversed().slice(0, 2))
    expect(await withEmail(workspace, 'post@example.de', 100)).toEqual(ids.toReversed())
  })

  it('narrow no list of parties: its filters stay what they were', async () => {
    const workspace = newId('workspace')
    const id = await add(workspace, 'max@example.de')

    const page = await partyStore(deps).page(workspace, { limit: 50, type: 'person', search: 'max@example' })

    expect(page.data.map((party) => party.id)).toEqual([id])
  })
})

describe('the addresses of the users of a workspace', () => {
  it('are those of all, active or not, and of no other workspace', async () => {
    const workspace_id = newId('workspace')
    const users = userStore(deps)
    const add = (email: string, active: boolean, workspace = workspace_id) =>
      users.add(
        plain({
          workspace_id: workspace,
          id: newId('user'),
          name: 'Jana Vogt',
          email,
          signature_html: null,
          active,
          created_at: at,
          version: 1,
        }),
      )
    await add('vogt@example.de', true)
    await add('alt@example.de', false)
    await add('fremd@example.de', true, newId('workspace'))

    const emails = await users.emails(workspace_id)

    expect(emails.toSorted()).toEqual(['alt@example.de', 'vogt@example.de'])
    expect(await users.emails(newId('workspace'))).toEqual([])
  })
})

describe('documents to attach', () => {
  const newDocument = (workspace_id: string, changes: Partial<DocumentRecord> = {}): DocumentRecord => ({
    workspace_id,
    id: newId('document'),
    filename: 'Klage.pdf',
    mime_type: 'application/pdf',
    size_bytes: 7,
    status: 'processed',
    status_reason: null,
    case_id: null,
    folder_id: null,
    parties: [],
    extracted_text_length: null,
    page_count: null,
    sha256: 'abc',
    metadata: null,
    source: 'upload',
    created_at: at,
    updated_at: at,
    has_twins: false,
    upload_expires_at: null,
    assigned_at: {},
    attempts: 0,
    attempted_at: null,
    correspondence_id: null,
    inbox: null,
    envelope_ids: [],
    version: 1,
    ...changes,
  })

  it('are those that exist, whatever became of reading them, each once, with the key of their bytes', async () => {
    const workspace = newId('workspace')
    const store = documentStore({ ...deps, requireUnused: async () => [] })
    const inAnHour = new Date(epochMilliseconds() + 3_600_000).toISOString()
    const documents = {
      read: newDocument(workspace),
      unread: newDocument(workspace, { status: 'pending' }),
      failed: newDocument(workspace, { status: 'failed' }),
      announced: newDocument(workspace, { status: 'pending', sha256: null, upload_expires_at: inAnHour }),
      expired: newDocument(workspace, { status: 'pending', sha256: null, upload_expires_at: at }),
      deleted: newDocument(workspace),
      foreign: newDocument(newId('workspace')),
    }
    for (const record of Object.values(documents)) await store.add([{ record }], undefined)
    await store.remove(workspace, documents.deleted.id, () => ({ deleted_at: at, answer: undefined }))
    const attachable = existingDocuments({ ...deps, bytesKey: ({ id, sha256 }) => `${id}/${sha256}` })
    const ids = Object.values(documents).map(({ id }) => id)

    const found = await attachable.findAll(workspace, [...ids, ...ids, newId('document')])

    const { read, unread, failed, announced } = documents
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    expect(found.toSorted(byId)).toEqual(
      [read, unread, failed, announced].map(({ id, sha256 }) => ({
        id,
        filename: 'Klage.pdf',
        mime_type: 'application/pdf',
        size_bytes: 7,
        sha256,
        case_id: null,
        is_complete: id !== announced.id,
        is_protected: false,
        key: `${id}/${sha256}`,
      })),
    )
    expect(await attachable.findAll(workspace, [])).toEqual([])
  })
})
