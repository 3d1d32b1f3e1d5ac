import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Db, strongly } from '#store/db.ts'
import { secretEntity } from '#store/secret-entity.ts'
import { ownTable } from '#test/support/own-table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { runAdmin } from './run-admin.ts'

let db: Db
let dataDir: string
beforeAll(async () => {
  db = await ownTable()
  dataDir = mkdtempSync(join(tmpdir(), 'aktenlage-first-'))
  const environment = { ...sharedService().environment, TABLE_NAME: db.table }
  writeFileSync(join(dataDir, 'running.json'), JSON.stringify({ pid: process.pid, environment }))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it('the first workspace brings the secret of cursors, which the function of the search may not create', async () => {
  const arguments_ = ['--name', 'Kanzlei', '--inbound-domain', 'in.example']

  const { code } = await runAdmin(['workspace', 'create', ...arguments_], { LOCAL_DATA_DIR: dataDir })

  const { data } = await secretEntity(db).get({ name: 'cursor' }).go(strongly)
  expect(code).toBe(0)
  expect(data?.value).toMatch(/^[\w-]{43}$/)
})
