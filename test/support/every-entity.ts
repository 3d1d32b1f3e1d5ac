import { globSync } from 'node:fs'
import { inRepository } from '#infra/in-repository.ts'
import { claimPuts } from '#store/claim-item.ts'
import type { Db } from '#store/db.ts'
import { sortedList } from '#store/sorted-list.ts'

type Attribute = { type: unknown; required?: boolean }

type AnyEntity = {
  schema: { model: { entity: string }; attributes: Record<string, Attribute> }
  model: { indexes: Record<string, { pk: { template: string } }> }
  put: (values: object) => { params: () => { Item: Record<string, unknown> } }
}

/** Every entity of the store, by its name. */
export async function everyEntity(db: Db): Promise<Map<string, AnyEntity>> {
  const found = new Map<string, AnyEntity>()
  for (const path of globSync('packages/store/**/*-entity.ts', { cwd: inRepository('.') })) {
    const exported: Record<string, unknown> = await import(inRepository(path))
    for (const make of Object.values(exported)) {
      const entity: Partial<AnyEntity> | undefined = typeof make === 'function' ? make(db) : undefined
      if (entity?.schema?.model !== undefined) found.set(entity.schema.model.entity, entity as AnyEntity)
    }
  }
  return found
}

/** The entities that belong to no firm. */
export const ofNobody = new Set(['secret', 'signingcertificate'])

/**
 * An item of every entity that a firm may have, as its store would put it, but with invented values, and one of each
 * kind without an entity. Every text contains `foreign`; this must not make an item belong to that firm.
 */
export async function anItemOfEverything(db: Db, workspaceId: string, foreign: string) {
  const items: Record<string, unknown>[] = []
  for (const [name, entity] of await everyEntity(db)) {
    if (ofNobody.has(name)) continue
    const values = Object.entries(entity.schema.attributes).flatMap(([field, { type, required }]) => {
      if (field === 'workspace_id') return [[field, workspaceId]]
      if (field === 'id' && name === 'workspace') return [[field, workspaceId]]
      if (field === 'payload') return [[field, { workspace_id: workspaceId }]]
      return required === true ? [[field, inventedValue(field, type, `${workspaceId} ${foreign}`)]] : []
    })
    items.push(entity.put(Object.fromEntries(values)).params().Item)
    if (name === 'job') {
      const keys = [`files/${workspaceId}/${foreign}/digest`]
      const job = { ...Object.fromEntries(values), id: `keys ${workspaceId}`, payload: { keys } }
      items.push(entity.put(job).params().Item)
    }
  }
  const key = { workspace_id: workspaceId, user_id: 'usr_1', key: foreign }
  const claim = { ...key, content: 'digest', answer: { status: 201, body: 'x'.repeat(10), etag: undefined } }
  items.push(...claimPuts(db, claim, { changesNothing: false }).map(({ Item }) => Item ?? {}))
  const entry = { term: 'cases', place: `2026-11-22T00:00:00.000Z#${foreign}`, data: { was: foreign } }
  for (const action of sortedList(db, 'changes', 'ascending').changes(workspaceId, [], [entry]))
    items.push(action.item.Put?.Item ?? {})
  return items
}

function inventedValue(field: string, type: unknown, text: string): unknown {
  if (Array.isArray(type)) return type[0]
  if (type === 'number') return field === 'ttl' ? 4_000_000_000 : 1
  if (type === 'boolean') return true
  if (type === 'list') return []
  if (type === 'any') return { [field]: text, access_code_hash: 'withheld', link_sha256: 'withheld' }
  if (field === 'record') return JSON.stringify({ title: text })
  return field === 'shard' ? '0' : `${field} ${text}`
}
