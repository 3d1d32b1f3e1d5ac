import { beaSessions, ownerOf, sealedAs } from '#bea/sessions/session-use.ts'
import { plain } from '#test/support/store-changes.ts'
import { aBeaAccount } from './bea-account.ts'
import { beaInMemory } from './bea-memory.ts'
import { toyBeaGateway } from './toy-bea-gateway.ts'

/** A connected account with its key, and a clock that tests move. */
export async function simulatedSessions(changes: Parameters<typeof aBeaAccount>[0] = {}) {
  const store = beaInMemory()
  const toy = toyBeaGateway()
  const time = { now: new Date('2026-03-16T08:00:00.000Z') }
  const lines: string[] = []
  const line = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
  const account = aBeaAccount({ safe_id: toy.state.safeId, postbox_safe_id: toy.state.safeId, ...changes })
  const key = { certificate: toy.certificate, private_key_pem: 'PRIVATE KEY' }
  const sealedKey = await store.secrets.seal(JSON.stringify(key), sealedAs('key', ownerOf(account)))
  await store.accounts.add(plain(account), account.kind === 'person' ? sealedKey : null)
  const log = { info: line, warn: line, error: line }
  const deps = { ...store, ...toy, clock: { now: () => time.now }, log }
  /** The same in another process. */
  const another = () => beaSessions(deps)
  return { ...toy, store, account, time, lines, another, sessions: beaSessions(deps) }
}
