import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import type { Claim } from '#kernel/idempotency.ts'
import { claimPuts } from '#store/claim-item.ts'
import type { Db } from '#store/db.ts'
import { firstAnswers } from '#store/first-answers.ts'
import { forgetAnswers, namesOf } from '#store/retention/forget-answers.ts'
import { transact } from '#store/transact.ts'
import { firmItems } from '#store/workspace/firm-items.ts'
import { ownTable } from '#test/support/own-table.ts'

/** Answers kept for repeated requests, after the records that they name were erased (R3). */

let db: Db
let workspace_id: string
beforeEach(async () => {
  db = await ownTable()
  workspace_id = newId('workspace')
})

/** Stores an answer as the service does. */
async function answered(body: object, { changesNothing = false, firm = workspace_id } = {}): Promise<Claim> {
  const key = { workspace_id: firm, user_id: newId('user'), key: randomUUID() }
  const claim = {
    ...key,
    content: 'digest',
    answer: { status: 201, body: JSON.stringify(body), etag: undefined },
  }
  await firstAnswers(db).note(key)
  const puts = claimPuts(db, claim, { changesNothing })
  await transact(
    db,
    puts.map((Put) => ({ item: { Put }, otherwise: () => new Error('It is kept already.') })),
  )
  return claim
}

const isKept = async (claim: Claim): Promise<boolean> => (await firstAnswers(db).find(claim)) !== undefined

async function itemsOf(firm: string): Promise<string[]> {
  const items: string[] = []
  for await (const { pk } of firmItems(db).all(firm)) items.push(pk)
  return items
}

it('answers that name what is gone go with all their parts and their notes; others stay', async () => {
  const [gone, other] = [newId('case'), newId('case')]
  const noise = Array.from({ length: 20_000 }, () => randomUUID()).join('')
  const small = await answered({ id: newId('timeEntry'), case_id: gone, activity: 'Quittenmarmelade' })
  const large = await answered({ noise, email_id: gone.slice(-36) })
  const kept = await answered({ id: newId('timeEntry'), case_id: other })
  const neighbours = await answered({ case_id: gone }, { firm: newId('workspace') })
  const before = await itemsOf(workspace_id)

  await forgetAnswers(db, workspace_id, namesOf([gone]), () => false)

  expect(before).toHaveLength(7)
  expect(await Promise.all([small, large, kept, neighbours].map(isKept))).toEqual([false, false, true, true])
  expect((await itemsOf(workspace_id)).toSorted()).toEqual([
    `${workspace_id}#idempotency#${kept.user_id}#${kept.key}`,
    `${workspace_id}#kept_answers`,
  ])
})

it('answers to requests that changed nothing go in any case, since they may tell of it without its id', async () => {
  const preview = await answered({ data: [{ case_name: 'Meier ./. Schulze' }] }, { changesNothing: true })

  await forgetAnswers(db, workspace_id, namesOf([newId('case')]), () => false)

  expect(await isKept(preview)).toBe(false)
})
