import { describe, expect, it } from 'vitest'
import { applyAssignment } from '#documents/apply-assignment.ts'
import { dismissed, filed, reopened } from '#documents/filing.ts'
import { newRecord } from '#documents/new-documents.ts'
import type { DocumentChange, DocumentRecord } from '#documents/ports.ts'
import type { Assignment } from '#documents/schema.ts'
import type { FilingInput } from '#inbox/schema.ts'
import { openInbox } from '#test/support/received-mail.ts'

const [here, there] = ['01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e11']
const by = {
  actor: { type: 'user' as const, id: 'usr_1', name: 'Dr. Jana Vogt' },
  at: '2026-03-16T09:00:00.000Z',
}

const scan = (changes: Partial<DocumentRecord> = {}): DocumentRecord => ({
  ...newRecord({ now: () => new Date('2026-03-16T08:00:00.000Z') }, 'ws_1', {
    filename: 'Scan 0001.pdf',
    mime_type: 'application/pdf',
    size_bytes: 5,
    sha256: 'a',
    source: 'inbox',
    inbox: openInbox(),
  }),
  ...changes,
})

const file = (current: DocumentRecord, input: FilingInput) =>
  filed(current, input, by, { pty_1: 'Anna Meier' })
const assign = (current: DocumentRecord, assignment: Assignment) =>
  applyAssignment(current, { assignment, party_names: {}, ...by })?.record ?? current
const entriesOf = (change: DocumentChange | undefined) =>
  change?.timeline?.map(({ case_id, entry }) => [case_id, entry.type, entry.ref?.id])

describe('filing a document of the inbox', () => {
  it('puts it into the case, with one timeline entry that refers to the document', () => {
    const current = scan()

    const change = file(current, { case_id: here, party_id: 'pty_1' })

    expect(change?.record).toMatchObject({
      case_id: here,
      parties: [{ id: 'pty_1', name: 'Anna Meier', is_primary: true }],
      inbox: { state: 'filed', is_decided: true },
    })
    expect(entriesOf(change)).toEqual([[here, 'document.assigned', current.id]])
  })

  it('in the same case a second time adds no entry', () => {
    const once = file(scan(), { case_id: here })?.record ?? scan()

    expect(file(once, { case_id: here })?.timeline ?? []).toEqual([])
  })

  it('with a party makes that party the primary one and keeps the others', () => {
    const parties = [{ id: 'pty_2', name: 'Bernd Schulze', is_primary: true }]

    const change = file(scan({ parties }), { party_id: 'pty_1' })

    expect(change?.record.parties.map(({ id, is_primary }) => [id, is_primary])).toEqual([
      ['pty_1', true],
      ['pty_2', false],
    ])
    expect(change?.record.inbox?.state).toBe('filed')
  })

  it('with the party null removes the primary party', () => {
    const parties = [
      { id: 'pty_1', name: 'Anna Meier', is_primary: true },
      { id: 'pty_2', name: 'Bernd Schulze', is_primary: false },
    ]

    const change = file(scan({ parties }), { party_id: null })

    expect(change?.record.parties).toEqual([{ id: 'pty_2', name: 'Bernd Schulze', is_primary: false }])
    expect(change?.record.inbox?.state).toBe('open')
  })

  it('refuses the hundred and first party', () => {
    const parties = Array.from({ length: 100 }, (_, at) => ({
      id: `pty_${at + 2}`,
      name: '',
      is_primary: at === 0,
    }))

    expect(() => file(scan({ parties }), { party_id: 'pty_1' })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
  })

  it('with only a user leaves it in the inbox; if it is in a case, this adds one entry', () => {
    const handed = file(scan(), { assigned_to: 'usr_2' })
    const inCase = file(file(scan(), { case_id: here })?.record ?? scan(), { assigned_to: 'usr_2' })

    expect(handed?.record.inbox).toMatchObject({ state: 'open', assigned_to: 'usr_2', is_decided: false })
    expect(handed?.timeline).toEqual([])
    expect(entriesOf(inCase)).toEqual([[here, 'document.assigned', inCase?.record.id]])
    expect(file(handed?.record ?? scan(), { assigned_to: 'usr_2' })).toBeUndefined()
  })

  it('with the case null brings it back into the inbox', () => {
    const change = file(file(scan(), { case_id: here })?.record ?? scan(), { case_id: null })

    expect(change?.record).toMatchObject({ case_id: null, inbox: { state: 'open' } })
  })

  it('in another case adds one entry to each of the two cases', () => {
    const change = file(file(scan(), { case_id: here })?.record ?? scan(), { case_id: there })

    expect(entriesOf(change)?.map(([caseId, type]) => [caseId, type])).toEqual([
      [here, 'document.unassigned'],
      [there, 'document.assigned'],
    ])
  })
})

describe('the assignment of an inbox document', () => {
  it('to a folder or a case removes it from the inbox, and to neither brings it back', () => {
    const inFolder = assign(scan(), { folder_id: 'fld_1' })

    expect(inFolder.inbox).toMatchObject({ state: 'filed', is_decided: true })
    expect(assign(inFolder, { folder_id: null }).inbox?.state).toBe('open')
    expect(assign(scan(), { party_ids: ['pty_1'] }).inbox?.state).toBe('open')
  })

  it('never puts another document into the inbox', () => {
    expect(assign(scan({ inbox: null }), { folder_id: 'fld_1' }).inbox).toBeNull()
  })
})

describe('dismissing and reopening a document', () => {
  it('removes it from the inbox and brings it back; a repetition changes nothing', () => {
    const away = dismissed(scan(), by)?.record ?? scan()
    const back = reopened(away, by)?.record ?? scan()

    expect(away.inbox?.state).toBe('dismissed')
    expect(dismissed(away, by)).toBeUndefined()
    expect(back.inbox?.state).toBe('open')
    expect(reopened(back, by)).toBeUndefined()
  })

  it('does not dismiss one that is in a case or folder', () => {
    expect(dismissed(assign(scan(), { folder_id: 'fld_1' }), by)).toBeUndefined()
    expect(dismissed(scan({ case_id: here }), by)).toBeUndefined()
  })

  it('takes a reopened one out of its case and folder, with one entry', () => {
    const inBoth = assign(scan(), { folder_id: 'fld_1', case_id: here })

    const change = reopened(inBoth, by)

    expect(change?.record).toMatchObject({ case_id: null, folder_id: null, inbox: { state: 'open' } })
    expect(entriesOf(change)).toEqual([[here, 'document.unassigned', inBoth.id]])
  })
})
