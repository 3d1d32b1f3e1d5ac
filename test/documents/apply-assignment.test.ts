import { describe, expect, it } from 'vitest'
import { applyAssignment } from '#documents/apply-assignment.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { Assignment } from '#documents/schema.ts'

const [early, late] = ['2026-03-16T08:00:00.000Z', '2026-03-16T08:00:01.000Z']
const [here, there] = ['01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e11']

const document: DocumentRecord = {
  workspace_id: 'ws_1',
  id: 'doc_1',
  filename: 'Brief.pdf',
  mime_type: 'application/pdf',
  size_bytes: 5,
  status: 'processed',
  status_reason: null,
  case_id: null,
  folder_id: null,
  parties: [],
  extracted_text_length: 3,
  page_count: 1,
  sha256: null,
  metadata: null,
  source: 'upload',
  created_at: early,
  updated_at: early,
  has_twins: false,
  upload_expires_at: null,
  assigned_at: {},
  attempts: 0,
  attempted_at: null,
  correspondence_id: null,
  inbox: null,
  envelope_ids: [],
  version: 1,
}

const assign = (current: DocumentRecord, at: string, assignment: Assignment) =>
  applyAssignment(current, {
    assignment,
    party_names: {},
    at,
    actor: { type: 'user', id: 'usr_1', name: 'Dr. Jana Vogt' },
  })

describe('an assignment that runs after a later one', () => {
  it('changes only the fields that the later one did not change', () => {
    const moved = assign(document, late, { folder_id: 'fld_1' })?.record ?? document

    const after = assign(moved, early, { case_id: here, folder_id: 'fld_2' })

    expect(after?.record).toMatchObject({ case_id: here, folder_id: 'fld_1' })
    expect(after?.timeline?.map(({ case_id }) => case_id)).toEqual([here])
  })

  it('changes nothing if the later one confirmed the current values', () => {
    const filed = { ...document, case_id: here }
    const confirmed = assign(filed, late, { case_id: here })

    expect(confirmed?.timeline).toEqual([])
    expect(assign(confirmed?.record ?? filed, early, { case_id: there })).toBeUndefined()
  })
})

it('an assignment that runs twice changes the document once', () => {
  const once = assign(document, early, { case_id: here, party_ids: null })

  expect(once?.record.case_id).toBe(here)
  expect(assign(once?.record ?? document, early, { case_id: here, party_ids: null })).toBeUndefined()
})
