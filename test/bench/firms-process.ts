import { once } from 'node:events'
import { admin } from '#infra/tools/admin/index.ts'
import { scopes } from '#kernel/scope.ts'

/** Creates `count` firms in the table of its environment, each with a user and a key. */
export type FirmsOrder = { count: number }

/** The keys of the firms. */
export type FirmsResult = string[]

const [order]: [FirmsOrder] = (await once(process, 'message')) as [FirmsOrder]
const make = admin()
const keys: FirmsResult = []
for (let at = 0; at < order.count; at += 1) {
  const { id } = await make.createWorkspace({ name: `Kanzlei ${at}`, inbound_domain: 'inbound.example.de' })
  const user = await make.createUser(id, { name: 'Dr. Jana Vogt', email: 'vogt@example.de' })
  const { key } = await make.createKey(id, { user_id: user.id, name: 'Bench', scopes: [...scopes] })
  keys.push(key)
}
process.send?.(keys)
await once(process, 'disconnect')
process.exit(0)
