import { describe, expect, it } from 'vitest'
import { applyAssignment } from '#documents/apply-assignment.ts'
import { followed, followMail } from '#documents/follow-mail.ts'
import { newRecord } from '#documents/new-documents.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { Failure } from '#kernel/failure.ts'

const [here, there, elsewhere] = ['10', '11', '12'].map(
  (end) => `01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e${end}`,
) as [string, string, string]
const time = (minutes: number) => new Date(Date.UTC(2026, 2, 16, 8, minutes)).toISOString()
const correspondence_id = 'corr_1'

const attachment = newRecord({ now: () => new Date(time(0)) }, 'ws_1', {
  filename: 'Bescheid.pdf',
  mime_type: 'application/pdf',
  size_bytes: 5,
  sha256: 'a',
  source: 'email',
  correspondence_id,
})

const follow = (record: DocumentRecord, from: string | null, to: string | null, minutes: number) =>
  followed(record, { correspondence_id, from, to, at: time(minutes) })?.record ?? record

const assign = (record: DocumentRecord, case_id: string | null, minutes: number) =>
  applyAssignment(record, {
    assignment: { case_id },
    party_names: {},
    at: time(minutes),
    actor: { type: 'user', id: 'usr_1', name: 'Dr. Jana Vogt' },
  })?.record ?? record

describe('an attachment of a filed mail', () => {
  it('follows the mail into a case, into another case and out again, without timeline entries', () => {
    const change = followed(attachment, { correspondence_id, from: null, to: here, at: time(1) })
    const next = follow(change?.record ?? attachment, here, there, 2)

    expect(change?.record.case_id).toBe(here)
    expect(change?.timeline ?? []).toEqual([])
    expect(next.case_id).toBe(there)
    expect(follow(next, there, null, 3).case_id).toBeNull()
  })

  it('does not change when the same filing is followed again', () => {
    const there = follow(attachment, null, here, 1)

    expect(followed(there, { correspondence_id, from: null, to: here, at: time(1) })).toBeUndefined()
  })

  it('ends in the case of the mail even if the later filing is followed first', () => {
    // Each job moves it to the current case of the mail.
    const late = follow(follow(attachment, here, there, 2), null, there, 1)

    expect(late.case_id).toBe(there)
  })

  it('stays in the case to which a user assigned it, before or after the filing', () => {
    const before = assign(attachment, elsewhere, 1)
    const after = assign(follow(attachment, null, here, 1), elsewhere, 2)

    expect(follow(before, null, here, 2).case_id).toBe(elsewhere)
    expect(follow(after, here, there, 3).case_id).toBe(elsewhere)
  })

  it('stays in no case if a user took it out of the case', () => {
    const takenOut = assign(follow(attachment, null, here, 1), null, 2)

    expect(follow(takenOut, here, there, 3).case_id).toBeNull()
  })

  it('follows the mail if a user assigned it to the case of the mail', () => {
    const confirmed = assign(follow(attachment, null, here, 1), here, 2)

    expect(follow(confirmed, here, there, 3).case_id).toBe(there)
  })

  it('stays where a user put it after the filing, even if that filing is followed late', () => {
    const putBack = assign(follow(attachment, null, here, 1), here, 3)

    expect(follow(putBack, here, there, 2).case_id).toBe(here)
  })

  it('is not moved by an assignment that was ordered before the filing and runs late', () => {
    const there = follow(attachment, null, here, 2)

    expect(assign(there, elsewhere, 1).case_id).toBe(here)
  })

  it('does not follow another mail', () => {
    const other = { correspondence_id: 'corr_2', from: null, to: here, at: time(1) }

    expect(followed(attachment, other)).toBeUndefined()
  })
})

it('an attachment in a case on hold stays there when its mail leaves', async () => {
  const held = new Failure('conflict', 'LEGAL_HOLD', 'A hold stands.')
  const follow = followMail({ documents: { change: () => Promise.reject(held) } })

  const done = follow({
    workspace_id: 'ws_1',
    document_ids: [attachment.id],
    correspondence_id,
    from: here,
    to: there,
    at: time(1),
  })

  await expect(done).resolves.toBeUndefined()
})
