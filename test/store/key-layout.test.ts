import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Db } from '#store/db.ts'
import { everyEntity } from '#test/support/every-entity.ts'

const store = fileURLToPath(new URL('../../packages/store', import.meta.url))
const sources = globSync('**/*.ts', { cwd: store }).map((path) => readFileSync(join(store, path), 'utf8'))
const documented = [...readFileSync(join(store, 'README.md'), 'utf8').matchAll(/`([^`]+)`/g)].map(
  ([, text = '']) => text,
)

/** No entity is read or written here. */
const db = { table: 'akte' } as Db

/**
 * The fixed parts of a key, without the names of its variables: `${workspace_id}#timeline#${case_id}` is `timeline#<>`.
 */
const shape = (key: string) => key.replace(/\$\{[^}]*\}|<[^>]*>/g, '<>').replace(/^<>#(?!workspace$)/, '')

it('the README of the store names the partitions of every entity and of every sorted list', async () => {
  const ofEntities = [...(await everyEntity(db)).values()].flatMap(({ model }) =>
    Object.values(model.indexes).map(({ pk }) => shape(pk.template)),
  )
  const ofLists = sources.flatMap((source) =>
    [
      ...source.matchAll(
        /(?:(?:sorted|filed)List(?:<[^(]+>)?\(db|(?:searchable|record)List\(db, cursors), '(\w+)'/g,
      ),
    ].map(([, name = '']) => `${name}#<>`),
  )
  const shapes = new Set(documented.map(shape))
  // Documented by the values of a part: `agenda#<user>#day`, `documents#bytes#<shard>`.
  const isNamed = (key: string) => {
    const pattern = new RegExp(`^${key.replaceAll('<>', '[^#]+')}$`)
    return shapes.has(key) || documented.some((text) => pattern.test(text))
  }

  expect(ofEntities.length).toBeGreaterThan(70)
  expect(ofLists.length).toBeGreaterThan(5)
  const missing = [...ofEntities, ...ofLists].filter((key) => !isNamed(key))
  expect(missing, 'Add rows for them to the tables of packages/store/README.md').toEqual([])
})
