import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { Misuse } from '#infra/tools/admin/target.ts'
import { exportWorkspace } from '#infra/tools/admin/workspace-export.ts'
import { newId } from '#kernel/id.ts'

const modifiedAt = new Date('2026-11-22T14:03:00.123Z')

test('bytes that a died upload left beside a document do not replace the document in the export', async () => {
  const [firm, id] = [newId('workspace'), newId('document')]
  const [own, left] = ['a'.repeat(64), 'b'.repeat(64)]
  const objects = new Map([
    [`files/${firm}/${id}/${own}`, 'accepted'],
    [`files/${firm}/${id}/${left}`, 'left by an upload that died'],
  ])
  const item = {
    pk: `${firm}#document`,
    sk: id,
    __edb_e__: 'document',
    id,
    filename: 'Klage.pdf',
    sha256: own,
  }
  const deps = {
    audit: { record: async () => {} },
    firmItems: {
      all: async function* () {
        yield item
      },
    },
    firmObjects: () => ({
      all: async function* () {
        for (const [key, text] of objects) yield { key, sizeBytes: text.length, modifiedAt }
      },
    }),
    files: () => ({ stream: async (key: string) => Readable.from([Buffer.from(objects.get(key) ?? '')]) }),
    signedRegisters: {},
  } as unknown as Parameters<typeof exportWorkspace>[0]
  const folder = mkdtempSync(join(tmpdir(), 'export-'))

  const first = await exportWorkspace(deps, firm, folder)
  const second = await exportWorkspace(deps, firm, folder)

  expect([first.files, second.already_there]).toEqual([2, 2])
  expect(readFileSync(join(folder, 'documents', id, 'Klage.pdf'), 'utf8')).toBe('accepted')
  expect(readFileSync(join(folder, 'objects', 'files', id, left), 'utf8')).toContain('died')
})

test('an object that is removed while the export runs does not end it', async () => {
  const firm = newId('workspace')
  const [gone, there] = [`mails/${firm}/draft_1/old.html`, `mails/${firm}/draft_1/new.html`]
  const deps = {
    audit: { record: async () => {} },
    firmItems: { all: async function* () {} },
    firmObjects: () => ({
      all: async function* () {
        for (const key of [gone, there]) yield { key, sizeBytes: 3, modifiedAt }
      },
    }),
    files: () => ({
      stream: async (key: string) => {
        if (key === gone) throw Object.assign(new Error('The key does not exist.'), { name: 'NoSuchKey' })
        return Readable.from([Buffer.from('neu')])
      },
    }),
    signedRegisters: {},
  } as unknown as Parameters<typeof exportWorkspace>[0]
  const folder = mkdtempSync(join(tmpdir(), 'export-'))

  const { files, bytes } = await exportWorkspace(deps, firm, folder)

  expect({ files, bytes }).toEqual({ files: 1, bytes: 3 })
  expect(readFileSync(join(folder, 'objects', 'mails', 'draft_1', 'new.html'), 'utf8')).toBe('neu')
})

test('a second export into the same folder is refused while the first one runs, and takes nothing from it', async () => {
  const firm = newId('workspace')
  const item = (kind: string) => ({ pk: `${firm}#${kind}#1`, sk: '-', __edb_e__: kind, id: '1' })
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const deps = (until: Promise<void>) =>
    ({
      audit: { record: async () => {} },
      firmItems: {
        all: async function* () {
          yield item('case')
          reached.resolve()
          await until
          yield item('party')
        },
      },
      firmObjects: () => ({ all: async function* () {} }),
      signedRegisters: {},
    }) as unknown as Parameters<typeof exportWorkspace>[0]
  const folder = mkdtempSync(join(tmpdir(), 'export-'))

  const first = exportWorkspace(deps(goOn.promise), firm, folder)
  await reached.promise
  const second = exportWorkspace(deps(Promise.resolve()), firm, folder)

  await expect(second).rejects.toThrow(Misuse)
  goOn.resolve()
  expect((await first).records).toEqual({ case: 1, party: 1 })
  expect(readdirSync(join(folder, 'records')).toSorted()).toEqual(['case.jsonl', 'party.jsonl'])
  expect(readdirSync(folder).toSorted()).toEqual(['export.json', 'records'])
})

test('a repeated export replaces an object that was changed since and kept its size', async () => {
  const firm = newId('workspace')
  const key = `mails/${firm}/${newId('correspondence')}/body.json`
  let object = { text: 'Max Schmidt', modifiedAt }
  const deps = {
    audit: { record: async () => {} },
    firmItems: { all: async function* () {} },
    firmObjects: () => ({
      all: async function* () {
        yield { key, sizeBytes: Buffer.byteLength(object.text), modifiedAt: object.modifiedAt }
      },
    }),
    files: () => ({ stream: async () => Readable.from([Buffer.from(object.text)]) }),
    signedRegisters: {},
  } as unknown as Parameters<typeof exportWorkspace>[0]
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  await exportWorkspace(deps, firm, folder)

  object = { text: '[gelöscht]', modifiedAt: new Date(modifiedAt.getTime() + 1_000) }
  const second = await exportWorkspace(deps, firm, folder)
  const third = await exportWorkspace(deps, firm, folder)

  const path = join(folder, 'objects', 'mails', key.split('/')[2] ?? '', 'body.json')
  expect([second.already_there, third.already_there]).toEqual([0, 1])
  expect(readFileSync(path, 'utf8')).toBe('[gelöscht]')
})

test('a sent message has no tokens of links in the export, and a received one is as it arrived', async () => {
  const firm = newId('workspace')
  const [sent, received] = [newId('correspondence'), newId('correspondence')]
  const token = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'
  const message = `Subject: Bitte unterschreiben\r\n\r\nhttps://api.example.de/sign/${token}\r\n`
  const item = (id: string, direction: string) => ({ pk: id, __edb_e__: 'correspondence', id, direction })
  const deps = {
    audit: { record: async () => {} },
    firmItems: {
      all: async function* () {
        yield item(sent, 'outbound')
        yield item(received, 'inbound')
      },
    },
    firmObjects: () => ({
      all: async function* () {
        for (const id of [sent, received])
          yield { key: `mails/${firm}/${id}/message.eml`, sizeBytes: message.length, modifiedAt }
      },
    }),
    files: () => ({ stream: async () => Readable.from([Buffer.from(message)]) }),
    signedRegisters: {},
  } as unknown as Parameters<typeof exportWorkspace>[0]
  const folder = mkdtempSync(join(tmpdir(), 'export-'))

  await exportWorkspace(deps, firm, folder)
  const second = await exportWorkspace(deps, firm, folder)
  const pathTo = (id: string) => join(folder, 'objects', 'mails', id, 'message.eml')
  writeFileSync(pathTo(sent), message)
  utimesSync(pathTo(sent), modifiedAt, modifiedAt)
  const afterEarlierRelease = await exportWorkspace(deps, firm, folder)

  const written = (id: string) => readFileSync(pathTo(id), 'utf8')
  expect(written(sent)).toBe(message.replace(token, '*'.repeat(token.length)))
  expect(written(received)).toBe(message)
  expect([second.already_there, afterEarlierRelease.already_there]).toEqual([2, 1])
})
