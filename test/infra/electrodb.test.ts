import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { esModuleOf } from '#infra/constructs/aliases/electrodb.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import { createClient } from '#store/client.ts'
import { deadlineEntity } from '#store/deadlines/deadline-entity.ts'

/** ElectroDB as functions have it: as ES modules, without what they do not use. */

const folder = mkdtempSync(join(tmpdir(), 'electrodb-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('makes the same commands in a bundle as it does as it is published', async () => {
  // Prepare
  const file = await bundle(
    'packages/store/deadlines/deadline-entity.ts',
    join(folder, 'deadline-entity.mjs'),
  )
  const bundled: { deadlineEntity: typeof deadlineEntity } = await import(file)
  const db = { client: createClient(), table: 'table' }
  const key = { workspace_id: 'ws_1', id: 'evt_1' }
  const item = {
    ...key,
    title: 'Berufung',
    case_id: 'case',
    frist_type: 'hauptfrist' as const,
    due_at: '2026-04-16T21:59:59.000Z',
    assigned_to: 'usr_1',
    category: 'other' as const,
    on_working_day: false,
    chain_id: 'chain_1',
    created_by: 'usr_1',
    created_at: '2026-03-16T08:30:00.000Z',
    updated_at: '2026-03-16T08:30:00.000Z',
    changed_at: '2026-03-16T08:30:00.000Z',
    due_set_by: 'usr_1',
    delegation: { delegated_to: 'usr_2', delegated_by: 'usr_1', delegated_at: '2026-03-16T08:30:00.000Z' },
    history_seq: 1,
    history_hash: 'hash',
    version: 1,
  }
  const commandsOf = (make: typeof deadlineEntity) => {
    const deadlines = make(db)
    const changed = deadlines
      .patch(key)
      .set({ title: 'Revision', version: 2 })
      .remove(['verified_by'])
      .where(({ version }, { eq }) => eq(version, 1))
    return [deadlines.get(key).params(), deadlines.create(item).params(), changed.params()]
  }

  // Act
  const commands = commandsOf(bundled.deadlineEntity)

  // Assess
  expect(commands[1]).toMatchObject({ TableName: 'table', Item: { title: 'Berufung' } })
  expect(commands).toEqual(commandsOf(deadlineEntity))
})

it('is rewritten, file by file, into ES modules that require nothing and export something', async () => {
  const sources = 'node_modules/electrodb/src'
  const names = await readdir(sources)

  const modules = await Promise.all(
    names.map(async (name) => esModuleOf(await readFile(join(sources, name), 'utf8'))),
  )

  expect(modules.length).toBeGreaterThan(10)
  expect(modules.filter((module) => !/^export \{/m.test(module))).toEqual([])
})

it.each([
  "const aws = require('aws')",
  'exports.later = () => require("./later")',
  'module.exports = require("./entity")',
])('is refused if a file has another form: %s', (source) => {
  expect(() => esModuleOf(source)).toThrow('ElectroDB requires or exports in a form that is not known.')
})
