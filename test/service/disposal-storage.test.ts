import { setTimeout as sleep } from 'node:timers/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { StoredItem } from '#store/pages-of.ts'
import { settled, upload } from '#test/support/documents.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import { only } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { kindOf } from '#test/support/future-fields.ts'
import { approveForTest, keepForTest } from '#test/support/run-disposals.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const post = async (path: string, body: object) => {
  const answer = await firm.owner('POST', `/api/v1/${path}`, { body })
  expect([path, answer.status]).toEqual([path, answer.status < 300 ? answer.status : 201])
  return answer.body
}
const disposalOf = async (id: string) => (await firm.owner('GET', `/api/v1/disposals/${id}`)).body

type Command = { input: { Key?: string; Delete?: { Objects?: { Key?: string }[] } } }
type Send = (command: Command) => Promise<unknown>

/**
 * S3 as the worker reaches it. @returns the faults of its next calls. `lost`: the call is made and its answer lost;
 * `refused`: the call is not made
 */
function faultyS3(certificateOf: string) {
  const faults = { deletionToRefuse: Number.POSITIVE_INFINITY, certificates: [] as ('lost' | 'refused')[] }
  const counts = { deletions: 0, refusedDeletions: 0, certificates: 0 }
  const client = S3Client.prototype as unknown as { send: Send }
  const { send } = client
  vi.spyOn(client, 'send').mockImplementation(async function (this: unknown, command: Command) {
    const { name } = command.constructor
    if (name === 'DeleteObjectsCommand' || name === 'DeleteObjectCommand') {
      counts.deletions += 1
      if (counts.deletions === faults.deletionToRefuse) {
        counts.refusedDeletions += 1
        const [{ Key = '' } = {}] = command.input.Delete?.Objects ?? []
        return { Errors: [{ Key, Code: 'InternalError', Message: 'We encountered an internal error.' }] }
      }
    }
    if (name === 'PutObjectCommand' && command.input.Key?.includes(certificateOf)) {
      counts.certificates += 1
      const fault = faults.certificates.shift()
      if (fault === 'lost') await send.call(this, command)
      if (fault !== undefined) throw new Error('S3 cannot be reached.')
    }
    return send.call(this, command)
  })
  return { faults, counts }
}

/** Runs the worker for one disposal. @returns how many could not be worked on */
async function run(id: string, at: Date): Promise<number> {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  const { runDisposals } = await import('#retention/disposing.ts')
  const deps = disposalFoundation(foundation('disposals'))
  const due = { ...deps.due, ...only(deps.due, (one) => one.id === id) }
  const log = { error: () => {} }
  return (await runDisposals({ ...deps, due, log }, at, { milliseconds: 60_000 })).failed
}

it('a disposal with failures of S3 and a late certificate leaves nothing, and does nothing twice', async () => {
  const marked = 'Quittenmarmelade'
  const { id: case_id } = await post('cases', { name: `${marked} ./. Schulze` })
  const documents = await Promise.all(
    [1, 2].map((at) =>
      upload(firm.owner, { bytes: `${marked}, Blatt ${at}`, filename: `${marked} ${at}.txt` }, { case_id }),
    ),
  )
  for (const { body } of documents) await settled(firm.owner, body.id)
  const mail = { to: ['anna@example.de'], subject: marked, body_html: marked, case_id }
  await post('email/outbound/send', mail)
  await closeLongAgo(firm, case_id)
  const { id } = await post('disposals', { case_ids: [case_id] })
  let { first: at } = await approveForTest(firm, id)
  const { faults, counts } = faultyS3(id)
  faults.certificates.push('refused', 'lost')

  const failed: number[] = []
  const between: string[] = []
  // The index of texts makes its files anew between two looks.
  for (const end = performance.now() + 200_000; performance.now() < end; await sleep(300)) {
    Object.assign(counts, { deletions: 0 })
    faults.deletionToRefuse = [2, 1, 1, 1][counts.refusedDeletions] ?? Number.POSITIVE_INFINITY
    failed.push(await run(id, at))
    const { status } = await disposalOf(id)
    if (status === 'done') break
    const { body } = await firm.owner('GET', `/api/v1/disposals/${id}/certificate`)
    between.push(`${status} ${body.error.code}`)
    at = await keepForTest(firm, id)
  }

  const { status, cases, done_at } = await disposalOf(id)
  const certificate = (await firm.owner('GET', `/api/v1/disposals/${id}/certificate`)).body
  const audit = (await firm.owner('GET', '/api/v1/audit?action=disposal.done')).body.data
  const { firmObjects } = await import('#files/firm-objects.ts')
  const keys: string[] = []
  const objects = firmObjects(process.env.BUCKET_NAME ?? '', { keepsVersions: false })
  for await (const { key } of objects.all(firm.workspace.id)) keys.push(key)
  const events = itemsOf(firm.workspace.id).filter((item) => goneEvents(item, case_id).length > 0)
  expect([status, cases]).toMatchObject(['done', [{ case_id, state: 'done' }]])
  expect(counts.refusedDeletions).toBe(4)
  expect([faults.certificates, counts.certificates]).toEqual([[], 3])
  expect(failed.filter((one) => one > 0).length).toBeGreaterThanOrEqual(6)
  expect(new Set(between)).toEqual(new Set(['running DISPOSAL_NOT_DONE']))
  expect(certificate).toMatchObject({
    counts: { case: 1, document: 2, correspondence: 1 },
    done_at,
    kept: [],
  })
  expect(audit).toHaveLength(1)
  expect(events).toHaveLength(1)
  expect(keys.filter((key) => key.includes(id))).toHaveLength(1)
  expect(keys.filter((key) => documents.some(({ body }) => key.includes(body.id)))).toEqual([])
  expect(await placesOf(firm.workspace.id, [marked])).toEqual([])
})

/** The events in the log about the end of a case. */
function goneEvents(item: StoredItem, caseId: string): StoredItem[] {
  const text = JSON.stringify(item)
  return kindOf(item) === 'webhook_events' && text.includes('case.deleted') && text.includes(caseId)
    ? [item]
    : []
}
