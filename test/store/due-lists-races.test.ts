import { beforeAll, expect, it } from 'vitest'
import type { Db } from '#store/db.ts'
import { dueLists } from '#store/deadlines/due-lists.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'
import { sharedTable } from '#test/support/table.ts'

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

/** The lists. They run `work` once, after this number of reads. */
async function listsThatRun(work: () => Promise<unknown>, reads: number) {
  const { client, ...db } = await sharedTable()
  let left = reads
  const send = async (...args: unknown[]) => {
    // biome-ignore lint/suspicious/noExplicitAny: the call is passed on
    const answer = await (client.send as any)(...args)
    left -= 1
    if (left === 0) await work()
    return answer
  }
  return dueLists({ ...db, client: { send } } as unknown as Db)
}

const reopen = (id: string) =>
  at.firm.owner('POST', `/api/v1/deadlines/${id}/reopen`, { body: { reason: 'Irrtum' } })
const nothing = async () => {}
const verify = (id: string) => at.verify(id)
const complete = (id: string) => at.complete(id)
const both = async (id: string) => {
  await at.verify(id)
  await at.complete(id)
}

/** The changes of a deadline: before the reads, and between two of them. */
const changes = {
  verified: [nothing, verify],
  completed: [nothing, complete],
  'verified, completed': [verify, complete],
  'verified, moved': [verify, (id: string) => at.change(id, { due_at: '2031-04-17' })],
  'completed, reopened': [complete, reopen],
  'verified and completed, reopened': [both, reopen],
} as const

it.each(
  Object.keys(changes).flatMap((name) => [1, 2, 3, 4].map((reads) => [name, reads] as const)),
)('a deadline that changes its state once during a read is in the list and in the feed: %s, after %i reads', async (name, reads) => {
  const [prepare, change] = changes[name as keyof typeof changes]
  const workspaceId = at.firm.workspace.id
  const states = ['open', 'verified', 'completed'] as const
  const range = { start: '2031-01-01T00:00:00.000Z', end: '2032-01-01T00:00:00.000Z' }
  const [listed, fed] = [await at.entered(), await at.entered()]
  for (const { id } of [listed, fed]) await prepare(id)

  const list = await (await listsThatRun(() => change(listed.id), reads)).due(
    workspaceId,
    { states },
    { limit: 100 },
  )
  const feed = await (await listsThatRun(() => change(fed.id), reads)).ofUser(
    workspaceId,
    at.firm.ownerUser.id,
    range,
    100,
  )

  expect(list.map(({ id }) => id)).toContain(listed.id)
  expect(feed.map(({ id }) => id)).toContain(fed.id)
})
