import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { type Api, api } from '#test/support/api.ts'
import { type Service, startService } from '#test/support/service.ts'

/** The cases that are due, years after they were closed: on a service of its own, whose clock moves. */

let service: Service
let owner: Api
beforeAll(async () => {
  const commandLine = ['--empty', '--at', '2026-11-27T09:00:00+01:00']
  service = await startService({ commandLine, workerThreads: true })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
})
afterAll(() => service.stop())

const readme = readFileSync(inRepository('packages/retention/README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)

it('the commands of the README print what it shows', async () => {
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', blocks('sh').join('\n')], {
    cwd: inRepository('.'),
    env: { ...process.env, BASE: service.baseUrl, LOCAL_DATA_DIR: service.dataDir },
  })

  expect(blocks('text')).toHaveLength(4)
  expect(stdout).toBe(blocks('text').join(''))
})

describe('the cases that are due', () => {
  type Due = { case_id: string; file_number: string; closed_at: string; retain_until: string; counts: object }

  const open = async () =>
    (await owner('POST', '/api/v1/cases', { body: { name: 'Geheim ./. Geheim' } })).body.id as string
  const put = (id: string, status: string) => owner('PUT', `/api/v1/cases/${id}`, { body: { status } })
  const due = async (query = ''): Promise<Due[]> =>
    (await owner('GET', `/api/v1/retention/due?limit=100${query}`)).body.data
  const idsDue = async (query = '') => (await due(query)).map(({ case_id }) => case_id)

  let closed: string[] = []
  beforeAll(async () => {
    // At the turn of a year, as the firm sees it.
    const isAt = (await (await fetch(`${service.baseUrl}/local/clock`)).json()) as { now: string }
    const year = Number(isAt.now.slice(0, 4))
    await move(`${year}-12-31T23:58:00+01:00`)
    closed = [await open(), await open()]
    await put(closed[0] ?? '', 'closed')
    await move(`${year + 1}-01-01T00:01:00+01:00`)
    await put(closed[1] ?? '', 'closed')
  })

  const move = async (now: string) => {
    const answer = await fetch(`${service.baseUrl}/local/clock`, {
      method: 'POST',
      body: JSON.stringify({ now }),
    })
    expect(answer.status).toBe(200)
  }
  const retained = async (id: string): Promise<string> =>
    (await owner('GET', `/api/v1/cases/${id}`)).body.retention.retain_until
  const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

  it('are the cases whose last day is over, by the year in the time zone of the firm', async () => {
    const [first = '', second = ''] = closed
    const [ends, endsLater] = [await retained(first), await retained(second)]

    const lists = await Promise.all(
      [ends, dayAfter(ends), endsLater, dayAfter(endsLater)].map((by) => idsDue(`&by=${by}`)),
    )

    expect(Number(endsLater.slice(0, 4))).toBe(Number(ends.slice(0, 4)) + 1)
    expect(lists.map((ids) => closed.map((id) => ids.includes(id)))).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
  })

  it('are listed in the order of their closing, page by page, with the number of their records', async () => {
    const by = '&by=2099-01-01'
    const id = closed[0] ?? ''
    const text = new FormData()
    text.append('file', new Blob(['Ein Schriftsatz.']), 'Schriftsatz.txt')
    text.append('case_id', id)
    await owner('POST', '/api/v1/documents', { raw: text })
    const deadline = { title: 'Berufung', case_id: id, due_at: '2098-04-16' }
    await owner('POST', '/api/v1/deadlines', { body: deadline })

    const all = await due(by)
    const pages: Due[] = []
    for (let cursor = ''; ; ) {
      const { body } = await owner('GET', `/api/v1/retention/due?limit=1${by}${cursor}`)
      pages.push(...body.data)
      if (body.pagination.cursor === null) break
      cursor = `&cursor=${encodeURIComponent(body.pagination.cursor)}`
    }

    expect(pages).toEqual(all)
    expect(all.map(({ closed_at }) => closed_at)).toEqual(all.map(({ closed_at }) => closed_at).toSorted())
    expect(all.find(({ case_id }) => case_id === id)?.counts).toEqual({
      documents: 1,
      mails: 0,
      deadlines: 1,
      envelopes: 0,
      time_entries: 0,
      invoices: 0,
    })
  })

  it('do not include reopened cases and cases with a hold on that day, but include deleted ones', async () => {
    const by = '&by=2099-01-01'
    const [held, until, reopened, deleted] = [await open(), await open(), await open(), await open()]
    for (const id of [held, until, reopened, deleted]) await put(id, 'closed')
    await owner('POST', `/api/v1/cases/${held}/holds`, { body: { reason: 'Regress' } })
    await owner('POST', `/api/v1/cases/${until}/holds`, { body: { reason: 'Regress', until: '2098-12-31' } })
    await put(reopened, 'active')
    await owner('DELETE', `/api/v1/cases/${deleted}`)

    const ids = await idsDue(by)

    expect([held, until, reopened, deleted].map((id) => ids.includes(id))).toEqual([false, true, false, true])
  })

  it('are shown by year on a page that has no names of cases', async () => {
    const key = service.credentials.workspaces[0]?.users[0]?.api_key
    const answer = await fetch(`${service.baseUrl}/api/v1/retention/due?by=2099-01-01`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/html' },
    })
    const page = await answer.text()

    const [first] = await due('&by=2099-01-01')
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(page).toContain(`Frist abgelaufen mit dem Jahr ${first?.retain_until.slice(0, 4)}`)
    expect(page).toContain(`<td>${first?.file_number}</td>`)
    expect(page).not.toContain('Geheim')
  })

  it('are refused for a day that does not exist', async () => {
    expect((await owner('GET', '/api/v1/retention/due?by=2033-02-30')).status).toBe(400)
    expect(await due('&by=0003-01-01')).toEqual([])
  })
})
