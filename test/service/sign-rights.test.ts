import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { tableRights } from '#infra/constructs/function-rights.ts'
import { installStreaming } from '#infra/local/response-stream.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { interceptStoreCalls, type StoreCall } from '#test/bench/store-calls.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { runSign } from '#test/support/sign-function.ts'
import { sendEnvelope } from '#test/support/signing.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/**
 * The local environment checks no roles. This test runs the function of the signers' page through a life of envelopes and
 * compares each of its accesses to the table with the right that IAM will grant.
 */

const storeCalls = interceptStoreCalls()
const rights = tableRights.envelopes.table

let firm: Firm
beforeAll(async () => {
  Object.assign(process.env, sharedService().environment)
  installStreaming()
  firm = await newFirm()
})

/** One access to the table, as IAM sees it. Absent attributes: all of them. */
type Access = { action: string; partition: string; attributes?: string[] }

type Item = { pk: string }

/** The accesses of a command; the accesses of a transaction are checked one by one. */
function accessesOf({ name, input }: StoreCall): Access[] {
  const on = (action: string, { pk: partition }: Item): Access => ({
    action: `dynamodb:${action}`,
    partition,
  })
  if (name === 'GetCommand') {
    const {
      Key,
      ProjectionExpression,
      ExpressionAttributeNames = {},
    } = input as {
      Key: Item
      ProjectionExpression?: string
      ExpressionAttributeNames?: Record<string, string>
    }
    const attributes = ProjectionExpression && {
      attributes: [...Object.keys(Key), ...Object.values(ExpressionAttributeNames)],
    }
    return [{ ...on('GetItem', Key), ...attributes }]
  }
  if (name === 'TransactWriteCommand')
    return (input.TransactItems as Record<string, { Item: Item; Key: Item }>[]).flatMap((one) =>
      Object.entries(one).map(([kind, { Item, Key }]) =>
        on(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, Item ?? Key),
      ),
    )
  if (name === 'BatchWriteCommand')
    return Object.values(input.RequestItems as Record<string, Record<string, { Item: Item; Key: Item }>[]>)
      .flat()
      .flatMap((one) => Object.values(one).map(({ Item, Key }) => on('BatchWriteItem', Item ?? Key)))
  throw new Error(`This test does not know what a ${name} needs.`)
}

/** What IAM's `StringLike` means. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text)
}

/** Each combination of an action and a pattern that the right consists of. */
const grants = rights.flatMap(({ actions, partitions = ['*'], attributes }) =>
  actions.flatMap((action) => partitions.map((partition) => ({ action, partition, attributes }))),
)

type Grant = (typeof grants)[number]

function allows(grant: Grant, access: Access): boolean {
  return (
    grant.action === access.action &&
    isLike(access.partition, grant.partition) &&
    (grant.attributes === undefined ||
      (access.attributes ?? ['everything']).every((name) => grant.attributes?.includes(name)))
  )
}

/** Runs the function; gives its accesses too. */
async function run(...request: Parameters<typeof runSign>) {
  const { result, calls } = await storeCalls.record(() => runSign(...request))
  return { ...result, accesses: calls.flatMap(accessesOf) }
}

const post = (token: string, form: string, fields: Record<string, string> = {}, cookie?: string) =>
  run(`/sign/{token}/${form}`, { token }, { form: fields, ...(cookie && { cookie }) })

const anna = { name: 'Anna Meier', email: 'anna.meier@example.com' }
const emre = { name: 'Emre Çelik', email: 'emre.celik@example.com' }
const signature = { name: 'Anna Meier', consent: 'yes' }

it('the function of the signers’ page needs exactly the right to the table that it has', async () => {
  // Prepare
  const done: { what: string; statusCode: number | undefined; accesses: Access[] }[] = []
  const act = async (what: string, running: ReturnType<typeof run>) => {
    const ran = await running
    done.push({ what, ...ran })
    return ran
  }
  const [declined, both] = [
    await sendEnvelope(firm, { signers: [anna, emre] }),
    await sendEnvelope(firm, { signers: [{ ...anna, access_code: 'Ahorn-27' }, emre] }),
  ]
  const [first, second, ofDeclined] = [await both.link(0), await both.link(1), await declined.link()]
  const sigdoc_id = both.documents[0]?.id ?? ''

  // Act
  await act(
    'an unknown link',
    run('/sign/{token}', { token: randomUUID().replaceAll('-', '').padEnd(43, 'x') }),
  )
  await act('the page', run('/sign/{token}', { token: first }))
  await act('a wrong code', post(first, 'access', { code: 'Birke-11' }))
  const unlocked = await act('the right code', post(first, 'access', { code: 'Ahorn-27' }))
  const { setCookie } = unlocked
  await act('open', post(first, 'open', {}, setCookie))
  await act('open', post(second, 'open'))
  await act('a document', run('/sign/{token}/documents/{sigdoc_id}', { token: second, sigdoc_id }))
  await act('sign', post(first, 'sign', signature, setCookie))
  // Before the last signature: the worker of the service seals the envelope after it, and then the link has ended.
  await act('sign twice', post(first, 'sign', signature, setCookie))
  await act('the last signature', post(second, 'sign', signature))
  await act('open', post(ofDeclined, 'open'))
  await act('decline', post(ofDeclined, 'decline', { reason: 'Der Betrag stimmt nicht.' }))
  await act('verify', run('/api/v1/signing/verify', {}, { json: { sha256: hexDigest('') } }))

  // Assess
  expect(done.map(({ what, statusCode }) => [what, statusCode])).toEqual([
    ['an unknown link', 404],
    ['the page', 200],
    ['a wrong code', 422],
    ['the right code', 303],
    ['open', 303],
    ['open', 303],
    ['a document', 200],
    ['sign', 303],
    ['sign twice', 409],
    ['the last signature', 303],
    ['open', 303],
    ['decline', 303],
    ['verify', 200],
  ])
  const accesses = done.flatMap((one) => one.accesses)
  expect(accesses.filter((access) => !grants.some((grant) => allows(grant, access)))).toEqual([])
  expect(grants.filter((grant) => !accesses.some((access) => allows(grant, access)))).toEqual([])
})

it('the function of the signers’ page has this right and no other to the table', () => {
  expect(manifest.find(({ name }) => name === 'sign')?.needs.table).toBe('envelopes')
})
