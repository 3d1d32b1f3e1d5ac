import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** Clients that others generate from the document of the service: they compile, and they work. */
const folder = mkdtempSync(join(tmpdir(), 'aktenlage-generated-'))
const inFolder = (name: string) => join(folder, name)
let firm: Firm
let key: string
beforeAll(async () => {
  firm = await newFirm()
  key = (await firm.colleague()).key
  const answer = await fetch(`${firm.baseUrl}/api/v1/openapi.json`)
  writeFileSync(inFolder('openapi.json'), await answer.text())
  writeFileSync(inFolder('package.json'), '{"type":"module"}')
  symlinkSync(inRepository('node_modules'), inFolder('node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = promisify(execFile)

/** Runs a program of `node_modules` in the folder. @returns everything it printed */
async function runTool(program: string, ...options: string[]): Promise<string> {
  const { stdout, stderr } = await run(
    process.execPath,
    [inRepository(`node_modules/${program}`), ...options],
    { cwd: folder, env: { ...process.env, NO_COLOR: '1', CI: '1' } },
  ).catch((error: { stdout: string; stderr: string }) => error)
  return `${stdout}${stderr}`
}

const warning = /warn|error|deprecated|unsupported|could not|⚠|skipp/i

/** The compiler's errors for a program and all its imports. */
const compile = (program: string) =>
  runTool(
    'typescript-native/bin/tsc',
    ...['--strict', '--noUncheckedIndexedAccess', '--noEmit'],
    ...['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ...['--lib', 'es2022,dom,dom.iterable', '--types', '', '--checkers', '1'],
    program,
  )

type Program = { work: (baseUrl: string, key: string, caseOfNobody: string) => Promise<unknown> }

/** Bundles a program for browsers and runs it against the service. */
async function bundleAndRun(program: string): Promise<unknown> {
  const outfile = inFolder(`${program}.bundle.js`)
  const { warnings } = await build({
    entryPoints: [inFolder(program)],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    outfile,
  })
  expect(warnings).toEqual([])
  const { work } = (await import(pathToFileURL(outfile).href)) as Program
  return work(firm.baseUrl, key, '01993f5e-0000-7000-8000-000000000000')
}

/** The findings of both programs. */
const found = {
  user: 'Emre Çelik',
  mayReadCases: true,
  again: { isSame: true, replayed: 'true' },
  names: ['Meier ./. Schulze', 'Novák ./. Weiß', 'Yılmaz ./. Alpenbau'],
  document: { filename: 'Schriftsatz.txt', isOfCase: true, text: 'Grüße' },
  chain: ['Vorfrist: Berufung', 'Berufung', undefined],
  dueTo: '2031-04-16T23:59:59+02:00',
  refusals: [
    [404, 'CASE_NOT_FOUND', undefined],
    [400, 'VALIDATION_ERROR', 'body.name'],
  ],
}

const withHeyApi = `
import * as api from './hey'
import { createClient } from './hey/client'

export async function work(baseUrl: string, key: string, caseOfNobody: string) {
  const client = createClient({ baseUrl, auth: key })
  const options = { client, throwOnError: true } as const
  const { data: me } = await api.getMe(options)
  const open = (name: string) =>
    api.createCase({ ...options, body: { name }, headers: { 'Idempotency-Key': 'open ' + name.charCodeAt(0) } })
  await open('Yılmaz ./. Alpenbau')
  await open('Novák ./. Weiß')
  const { data: first } = await open('Meier ./. Schulze')
  const { data: again, response } = await open('Meier ./. Schulze')

  const names: string[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: 2, ...(cursor && { cursor }) }
    const { data: page } = await api.listCases({ ...options, query })
    for (const item of page.data) if (!('deleted_at' in item)) names.push(item.name)
    cursor = page.pagination.cursor
  } while (cursor !== null)

  const file = new File(['Grüße'], 'Schriftsatz.txt')
  const { data: document } = await api.uploadDocument({ ...options, body: { file, case_id: first.id } })
  const { data: bytes } = await api.downloadDocument({ ...options, path: { id: document.id }, parseAs: 'blob' })
  const blob: Blob | File = bytes

  const { data: deadline } = await api.createDeadline({
    ...options,
    body: { title: 'Berufung', case_id: first.id, due_at: '2031-04-16', create_vorfrist: true, vorfrist_days: 7 },
  })
  const { data: chain } = await api.getDeadlineChain({ ...options, path: { id: deadline.id } })
  const hauptfrist: string | null = deadline.chain.hauptfrist

  const missing = await api.getCase({ client, path: { id: caseOfNobody } })
  const empty = await api.createCase({ client, body: { name: '' } })
  const refusals = [missing, empty].map(({ error, response }) =>
    [response?.status, error?.error.code, error?.error.details?.[0]?.path])
  return {
    user: me.user.name,
    mayReadCases: me.api_key.scopes.includes('cases:read'),
    again: { isSame: again.id === first.id, replayed: response.headers.get('idempotent-replayed') },
    names,
    document: { filename: document.filename, isOfCase: document.case_id === first.id, text: await blob.text() },
    chain: [chain.vorfrist?.title, chain.hauptfrist?.title, chain.nachfrist?.title],
    dueTo: hauptfrist === deadline.id ? deadline.due_at : undefined,
    refusals,
  }
}
`

const withOpenapiFetch = `
import createClient from 'openapi-fetch'
import type { components, paths } from './paths'

type Case = components['schemas']['Case']

export async function work(baseUrl: string, key: string, caseOfNobody: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + key } })
  const { data: me } = await client.GET('/api/v1/me')
  const open = (name: string) =>
    client.POST('/api/v1/cases', {
      body: { name },
      params: { header: { 'Idempotency-Key': 'open ' + name.charCodeAt(0) } },
    })
  await open('Yılmaz ./. Alpenbau')
  await open('Novák ./. Weiß')
  const { data: first } = await open('Meier ./. Schulze')
  const { data: again, response } = await open('Meier ./. Schulze')
  if (me === undefined || first === undefined || again === undefined) throw new Error('It was refused.')
  const opened: Case = first

  const names: string[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: 2, ...(cursor && { cursor }) }
    const { data: page } = await client.GET('/api/v1/cases', { params: { query } })
    for (const item of page?.data ?? []) if (!('deleted_at' in item)) names.push(item.name)
    cursor = page?.pagination.cursor
  } while (cursor)

  const form = new FormData()
  form.append('file', new File(['Grüße'], 'Schriftsatz.txt'))
  form.append('case_id', opened.id)
  const { data: document } = await client.POST('/api/v1/documents', {
    body: { file: '', case_id: opened.id },
    bodySerializer: () => form,
  })
  const id = document?.id ?? ''
  const { data: blob } = await client.GET('/api/v1/documents/{id}/download', { params: { path: { id } }, parseAs: 'blob' })

  const { data: deadline } = await client.POST('/api/v1/deadlines', {
    body: { title: 'Berufung', case_id: opened.id, due_at: '2031-04-16', create_vorfrist: true, vorfrist_days: 7 },
  })
  const { data: chain } = await client.GET('/api/v1/deadlines/{id}/chain', {
    params: { path: { id: deadline?.id ?? '' } },
  })
  const hauptfrist: string | null | undefined = deadline?.chain.hauptfrist

  const missing = await client.GET('/api/v1/cases/{id}', { params: { path: { id: caseOfNobody } } })
  const empty = await client.POST('/api/v1/cases', { body: { name: '' } })
  const refusals = [missing, empty].map(({ error, response }) =>
    [response.status, error?.error.code, error?.error.details?.[0]?.path])
  return {
    user: me.user.name,
    mayReadCases: me.api_key.scopes.includes('cases:read'),
    again: { isSame: again.id === opened.id, replayed: response.headers.get('idempotent-replayed') },
    names,
    document: { filename: document?.filename, isOfCase: document?.case_id === opened.id, text: await blob?.text() },
    chain: [chain?.vorfrist?.title, chain?.hauptfrist?.title, chain?.nachfrist?.title],
    dueTo: hauptfrist === deadline?.id ? deadline?.due_at : undefined,
    refusals,
  }
}
`

describe('a client that was generated', () => {
  it('with @hey-api/openapi-ts compiles strictly, is bundled for browsers, and works', async () => {
    const said = await runTool(
      '@hey-api/openapi-ts/bin/run.js',
      ...['--input', 'openapi.json', '--output', 'hey', '--no-log-file'],
    )
    writeFileSync(inFolder('with-hey-api.ts'), withHeyApi)

    expect(said).not.toMatch(warning)
    expect(await compile('with-hey-api.ts')).toBe('')
    expect(await bundleAndRun('with-hey-api.ts')).toEqual(found)
  })

  it('with openapi-typescript and openapi-fetch compiles strictly, is bundled for browsers, and works', async () => {
    const said = await runTool(
      'openapi-typescript/bin/cli.js',
      ...['openapi.json', '--output', 'paths.ts', '--default-non-nullable', 'false'],
    )
    writeFileSync(inFolder('with-openapi-fetch.ts'), withOpenapiFetch)

    expect(said).not.toMatch(warning)
    expect(await compile('with-openapi-fetch.ts')).toBe('')
    expect(await bundleAndRun('with-openapi-fetch.ts')).toEqual(found)
  })
})
