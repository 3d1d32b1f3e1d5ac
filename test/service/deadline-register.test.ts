import { createHash } from 'node:crypto'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { createClient } from '#store/client.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
let caseId: string
let colleague: Awaited<ReturnType<Firm['colleague']>>
beforeAll(async () => {
  firm = await newFirm('Kanzlei <Vogt> & "Partner"')
  colleague = await firm.colleague()
  caseId = (
    await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze', file_number: 'A-1' } })
  ).body.id
})

const enter = async (body: Record<string, unknown> = {}) =>
  (
    await firm.owner('POST', '/api/v1/deadlines', {
      body: { title: 'Berufung', case_id: caseId, due_at: '2031-04-16', ...body },
    })
  ).body
const change = (id: string, body: Record<string, unknown>) =>
  firm.owner('PATCH', `/api/v1/deadlines/${id}`, { body })
const strike = (id: string) => firm.owner('DELETE', `/api/v1/deadlines/${id}`)
const complete = (id: string, text: string) =>
  firm.owner('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence: { type: 'note', text } } })
const historyOf = async (id: string, query = '') =>
  (await firm.owner('GET', `/api/v1/deadlines/${id}/history${query}`)).body

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Entry = { hash: string; previous_hash: string | null; seq: number; action: string } & Record<
  string,
  Json
>

/** RFC 8785 once more, written apart from the service: members sorted, no space. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join()}}`
}

/** Recomputes the chain as any reader can: the number of the first broken entry, or undefined. */
function broken(entries: Entry[]): number | undefined {
  let previous: string | null = null
  for (const [index, { hash, ...entry }] of entries.entries()) {
    const computed = createHash('sha256').update(canonical(entry)).digest('hex')
    if (computed !== hash || entry.previous_hash !== previous || entry.seq !== index + 1) return index + 1
    previous = hash
  }
  return undefined
}

describe('the history of a deadline', () => {
  it('is a hash chain of everything that happened, which a reader can recompute', async () => {
    const { id } = await enter({ title: 'Ümläut „€“ 😀 \u2028 </script>' })
    await firm.owner('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id: colleague.user.id } })
    await colleague.api('POST', `/api/v1/deadlines/${id}/verify`)
    await change(id, { due_at: '2031-04-17', title: 'Neu' })
    await complete(id, 'Eingereicht.')
    await strike(id)

    const { data, intact, pagination } = await historyOf(id)

    expect(data.map(({ action }: Entry) => action)).toEqual([
      'created',
      'delegated',
      'verified',
      'changed',
      'completed',
      'struck',
    ])
    expect(broken(data)).toBeUndefined()
    expect(intact).toBe(true)
    expect(pagination.has_more).toBe(false)
    expect(data[0]).toMatchObject({
      seq: 1,
      previous_hash: null,
      before: null,
      actor: {
        type: 'user',
        id: firm.ownerUser.id,
        name: firm.ownerUser.name,
        key_id: expect.stringMatching(/./),
      },
      after: { id, due_at: '2031-04-16T23:59:59+02:00', verified_by: null },
    })
    expect(data[2]).toMatchObject({
      actor: { id: colleague.user.id },
      after: { verified_by: colleague.user.id },
    })
    expect(data[3]).toMatchObject({
      before: { due_at: '2031-04-16T23:59:59+02:00', verified_by: colleague.user.id },
      after: { due_at: '2031-04-17T23:59:59+02:00', verified_by: null, title: 'Neu' },
    })
    for (const [index, { before }] of data.slice(1).entries()) expect(before).toEqual(data[index].after)
  })

  it('records the Vorfrist too, in its own history', async () => {
    const { id, chain } = await enter({ create_vorfrist: true })
    await change(id, { due_at: '2031-04-20' })
    await strike(id)

    const { data, intact } = await historyOf(chain.vorfrist)

    expect(data.map(({ action }: Entry) => action)).toEqual(['created', 'changed', 'struck'])
    expect([broken(data), intact]).toEqual([undefined, true])
  })

  it('walks in pages, oldest first', async () => {
    const { id } = await enter()
    for (let count = 0; count < 4; count += 1) await change(id, { title: `Fassung ${count}` })

    const first = await historyOf(id, '?limit=2')
    const second = await historyOf(id, `?limit=2&cursor=${first.pagination.cursor}`)
    const third = await historyOf(id, `?limit=2&cursor=${second.pagination.cursor}`)

    const all = [...first.data, ...second.data, ...third.data]
    expect(all).toEqual((await historyOf(id)).data)
    expect([first.intact, second.intact, third.intact]).toEqual([true, true, true])
    expect(third.pagination).toEqual({ cursor: null, has_more: false })
  })

  describe('altered in the table', () => {
    const table = () => {
      Object.assign(process.env, sharedService().environment)
      return { client: createClient(), name: process.env.TABLE_NAME }
    }
    const itemOf = async (id: string, seq: number) => {
      const { client, name } = table()
      const Key = { pk: `${firm.workspace.id}#history#${id}`, sk: String(seq).padStart(8, '0') }
      const { Item } = await client.send(new GetCommand({ TableName: name, Key, ConsistentRead: true }))
      if (Item === undefined) throw new Error('There is no such entry.')
      return {
        Item,
        save: (item: typeof Item) => client.send(new PutCommand({ TableName: name, Item: item })),
      }
    }
    const made = async () => {
      const { id } = await enter()
      await change(id, { due_at: '2031-04-20' })
      await change(id, { title: 'Später' })
      return id
    }

    it('shows a break if an entry was altered', async () => {
      const id = await made()
      const { Item, save } = await itemOf(id, 2)

      Item.entry.after.due_at = '2031-05-20T23:59:59+02:00'
      await save(Item)

      const { data, intact } = await historyOf(id)
      expect([broken(data), intact]).toEqual([2, false])
    })

    it('shows a break if an altered entry has a matching hash, also if it is the last one', async () => {
      const id = await made()
      for (const seq of [2, 3]) {
        const { Item, save } = await itemOf(id, seq)
        const { hash: _, ...entry } = Item.entry
        entry.at = '2020-01-01T00:00:00.000Z'
        await save({
          ...Item,
          entry: { ...entry, hash: createHash('sha256').update(canonical(entry)).digest('hex') },
        })
        const { data, intact } = await historyOf(id)
        expect(intact).toBe(false)
        if (seq === 2) expect(broken(data)).toBe(3)
        await save(Item)
        expect((await historyOf(id)).intact).toBe(true)
      }
    })
  })
})

describe('the register of a day', () => {
  const today = () => systemClock.now().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
  const read = async (date: string, accept?: string) =>
    firm.owner(
      'GET',
      `/api/v1/deadlines/register?date=${date}`,
      accept ? { headers: { Accept: accept } } : {},
    )

  /** The head of the table and the rows of what is due on the day. */
  const rowsOf = (csv: string) =>
    csv
      .trimEnd()
      .split('\r\n')
      .filter(
        (row) => !/^(open_before|ahead|completed_without_exit_control|without_exit_control_since),/.test(row),
      )

  it('lists every change of deadlines on that day, in order', async () => {
    const { id, chain } = await enter({
      title: 'Klageerwiderung',
      create_vorfrist: true,
      due_at: '2032-01-07',
    })
    await colleague.api('POST', `/api/v1/deadlines/${id}/verify`)
    await change(id, { due_at: '2032-01-08' })
    await complete(chain.vorfrist, 'Vorgelegt.')
    await strike(id)

    const { body } = await firm.owner('GET', '/api/v1/deadlines/register')

    expect(body).toMatchObject({
      date: today(),
      workspace: { id: firm.workspace.id, name: 'Kanzlei <Vogt> & "Partner"', time_zone: 'Europe/Berlin' },
    })
    const mine = body.entries.filter(({ deadline }: { deadline: { id: string } }) =>
      [id, chain.vorfrist].includes(deadline.id),
    )
    expect(
      mine.map(({ action, deadline }: { action: string; deadline: { id: string; state: string } }) => [
        deadline.id === id,
        action,
        deadline.state,
      ]),
    ).toEqual([
      [true, 'created', 'pending'],
      [false, 'created', 'pending'],
      [true, 'verified', 'verified'],
      [true, 'changed', 'pending'],
      [false, 'changed', 'pending'],
      [false, 'completed', 'completed'],
      [true, 'struck', 'struck'],
      [false, 'struck', 'struck'],
    ])
    expect(mine[3]).toMatchObject({
      actor: { id: firm.ownerUser.id, name: firm.ownerUser.name },
      before: { due_at: '2032-01-07T23:59:59+01:00' },
      deadline: { due_at: '2032-01-08T23:59:59+01:00' },
    })
    const { total, ...counts } = body.totals.entries
    expect(total).toBe(body.entries.length)
    expect(Object.values<number>(counts).reduce((sum, count) => sum + count)).toBe(total)
    expect(body.cases).toContainEqual({ id: caseId, name: 'Meier ./. Schulze', file_number: 'A-1' })
    expect(body.users).toContainEqual({ id: colleague.user.id, name: colleague.user.name })
  })

  it('lists everything due on that day with its state, struck deadlines included', async () => {
    const date = '2032-03-28'
    const pending = await enter({ title: 'offen', due_at: `${date}T00:00:00+01:00` })
    const verified = await enter({ title: 'geprüft', due_at: `${date}T10:00:00+02:00` })
    const completed = await enter({ title: 'erledigt', due_at: `${date}T11:00:00+02:00` })
    const struck = await enter({ title: 'gestrichen', due_at: `${date}T12:00:00+02:00` })
    await enter({ title: 'am Tag davor', due_at: '2032-03-27' })
    await enter({ title: 'am Tag danach', due_at: '2032-03-29T00:00:00+02:00' })
    const moved = await enter({ title: 'verlegt', due_at: date })
    await colleague.api('POST', `/api/v1/deadlines/${verified.id}/verify`)
    await complete(completed.id, 'Getan.')
    await strike(struck.id)
    await change(moved.id, { due_at: '2032-04-01' })

    const { body } = await read(date)

    expect(body.due.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [pending.id, 'pending'],
      [verified.id, 'verified'],
      [completed.id, 'completed'],
      [struck.id, 'struck'],
    ])
    expect(body.due[3]).toMatchObject({
      struck_by: firm.ownerUser.id,
      struck_at: expect.stringMatching(/Z$/),
    })
    expect(body.totals.due).toEqual({
      total: 4,
      pending: 1,
      expired: 0,
      verified: 1,
      completed: 1,
      struck: 1,
    })
    expect(body.entries).toEqual([])
  })

  it('holds more than one Query gives, as a page of a list does', async () => {
    const count = 110
    for (let made = 0; made < count; made += 22)
      await Promise.all(
        Array.from({ length: 22 }, async () => {
          const { id } = await enter({ title: '😀'.repeat(500), due_at: '2034-07-07' })
          await complete(id, '😀'.repeat(2_000))
        }),
      )

    const { body } = await read('2034-07-07')
    const page = await firm.owner('GET', '/api/v1/deadlines?from=2034-07-07&to=2034-07-07&limit=100')

    expect(body.due).toHaveLength(count)
    expect([page.body.data.length, page.body.pagination.has_more]).toEqual([100, true])
  })

  it('has the day of the workspace’s time zone, also if the date differs in UTC', async () => {
    const far = await newFirm()
    await far.owner('PATCH', '/api/v1/workspace', { body: { time_zone: 'Pacific/Kiritimati' } })
    const case_id = (await far.owner('POST', '/api/v1/cases', { body: { name: 'Fern' } })).body.id
    await far.owner('POST', '/api/v1/deadlines', { body: { title: 'Fern', case_id, due_at: '2031-04-16' } })
    const there = systemClock.now().toLocaleDateString('sv-SE', { timeZone: 'Pacific/Kiritimati' })

    const { body } = await far.owner('GET', '/api/v1/deadlines/register')

    expect([body.date, body.entries.length]).toEqual([there, 1])
  })

  it('is answered in the preferred format, or in JSON', async () => {
    const types = await Promise.all(
      [
        undefined,
        '*/*',
        'application/json',
        'text/csv',
        'text/html',
        'text/html;q=0.5, text/csv;q=0.9',
        'application/xml',
      ].map(async (accept) => (await read('2032-03-28', accept)).headers.get('content-type')),
    )

    expect(types).toEqual([
      'application/json; charset=utf-8',
      'application/json; charset=utf-8',
      'application/json; charset=utf-8',
      'text/csv; charset=utf-8',
      'text/html; charset=utf-8',
      'text/csv; charset=utf-8',
      'application/json; charset=utf-8',
    ])
    expect((await read('2032-03-28')).headers.get('vary')).toBe('Accept')
  })

  it('is saved as a table under a name with its day, and shown as a page', async () => {
    const nameOf = async (accept?: string) =>
      (await read('2032-03-28', accept)).headers.get('content-disposition')

    expect(await nameOf('text/csv')).toContain('attachment; filename="fristenregister-2032-03-28.csv"')
    expect([await nameOf('text/html'), await nameOf()]).toEqual([null, null])
  })

  it('is CSV with a row for each entry and each deadline due, which no spreadsheet takes for a formula', async () => {
    await enter({ title: '=HYPERLINK("http://böse")', due_at: '2033-05-05' })

    const { body } = await read('2033-05-05', 'text/csv')

    const rows = rowsOf(body)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^section,at,actor,action,/)
    expect(rows[1]).toContain(
      `"'=HYPERLINK(""http://böse"")",${caseId},A-1,Meier ./. Schulze,2033-05-05T23:59:59+02:00,pending`,
    )
  })

  it('is CSV in which no cell is a formula or ends a line', async () => {
    await enter({ title: 'a;=1+1;\t@x\n＝b "c";﹢1', due_at: '2033-05-06' })

    const { body } = await read('2033-05-06', 'text/csv')

    expect(rowsOf(body)).toHaveLength(2)
    expect(body).toContain(",\"a;'=1+1;' @x ＝b " + '""c""' + ";'﹢1" + '",')
  })

  it('is CSV in which every row has the columns of the head (RFC 4180), also the cursor and the signature', async () => {
    const other = await newFirm()
    const case_id = (await other.owner('POST', '/api/v1/cases', { body: { name: 'Spalten' } })).body.id
    for (const title of ['eins', 'zwei; "drei", vier'])
      await other.owner('POST', '/api/v1/deadlines', { body: { title, case_id, due_at: today() } })
    await other.owner('POST', `/api/v1/deadlines/register/${today()}/sign`, { body: { remarks: 'Gesehen.' } })
    const widths = async (query: string) => {
      const { body } = await other.owner('GET', `/api/v1/deadlines/register?${query}`, {
        headers: { Accept: 'text/csv' },
      })
      const cell = /(?:"(?:[^"]|"")*"|[^",]*)(?:,|$)/g
      const rows: string[] = body.trimEnd().split('\r\n')
      return rows.map((row) => (`${row},`.match(cell) ?? []).length - 1)
    }

    for (const query of ['limit=3', `date=${today()}&signed=true`]) {
      const [head, ...rows] = await widths(query)
      expect(rows.length).toBeGreaterThan(3)
      expect(new Set(rows)).toEqual(new Set([head]))
    }
  })

  it('shows on the page which deadlines were not done in time, also verified ones', async () => {
    const due_at = '2020-02-29T12:00:00+01:00'
    await enter({ title: 'Ungeprüft versäumt', due_at })
    const { id } = await enter({ title: 'Geprüft versäumt', due_at })
    await colleague.api('POST', `/api/v1/deadlines/${id}/verify`)
    await complete((await enter({ title: 'Getan', due_at })).id, 'Am Vortag.')

    const { body } = await read('2020-02-29', 'text/html')

    expect(body.match(/▲ NICHT ERLEDIGT/g)).toHaveLength(2)
    expect(body).toContain('3 Fristen: 2 NICHT ERLEDIGT · 1 erledigt')
  })

  it('marks on the page a receipt that is dated after the completion, which nobody can have seen', async () => {
    const evidence = { type: 'note', text: 'Per beA.' }
    for (const receipt_at of ['2020-01-30T11:58:12+01:00', '2062-01-30T11:58:12+01:00']) {
      const { id } = await enter({ title: 'Vertippt', due_at: '2062-01-31' })
      await firm.owner('POST', `/api/v1/deadlines/${id}/complete`, {
        body: { evidence: { ...evidence, receipt_at } },
      })
    }

    const { body } = await read('2062-01-31', 'text/html')

    expect(body.match(/Eingangsbestätigung vom/g)).toHaveLength(2)
    expect(body.match(/DATUM NACH DER ERLEDIGUNG/g)).toHaveLength(1)
  })

  it('shows on the page that a receipt is dated after the end, and the former marks of a changed deadline', async () => {
    const due_at = '2020-02-28'
    const evidence = { type: 'note', text: 'Per beA.', receipt_at: '2020-02-29T00:00:01+01:00' }
    const inTime = { ...evidence, receipt_at: '2020-02-28T23:59:59+01:00' }
    const lastMoment = { ...evidence, receipt_at: '2020-02-28T23:59:59.900+01:00' }
    for (const given of [evidence, inTime, lastMoment]) {
      const { id } = await enter({ title: 'Eingereicht', due_at })
      await firm.owner('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence: given } })
    }
    const { id } = await enter({ title: 'Herabgestuft', due_at: '2036-03-05', category: 'rechtsmittel' })
    await firm.owner('PATCH', `/api/v1/deadlines/${id}`, { body: { category: 'other' } })

    const { body } = await read('2020-02-28', 'text/html')
    const { body: journal } = await read(today(), 'text/html')

    expect(body.match(/NACH FRISTENDE EINGEGANGEN/g)).toHaveLength(1)
    expect(journal).toContain('Fristart bisher Rechtsmittelfrist')
  })

  it('comes in parts that together have everything once, in every form', async () => {
    const far = await newFirm()
    const case_id = (await far.owner('POST', '/api/v1/cases', { body: { name: 'Viel' } })).body.id
    for (const title of ['eins', 'zwei', 'drei'])
      await far.owner('POST', '/api/v1/deadlines', { body: { title, case_id, due_at: today() } })
    const part = (cursor: string | null, accept: string) =>
      far.owner('GET', `/api/v1/deadlines/register?limit=4${cursor ? `&cursor=${cursor}` : ''}`, {
        headers: { Accept: accept },
      })

    const whole = (await far.owner('GET', '/api/v1/deadlines/register')).body
    const first = (await part(null, 'application/json')).body
    const second = (await part(first.pagination.cursor, 'application/json')).body

    expect([whole.part, whole.pagination.has_more]).toEqual([1, false])
    expect([first.part, second.part]).toEqual([1, 2])
    expect(first.due).toEqual(whole.due)
    expect([...first.entries, ...second.entries]).toEqual(whole.entries)
    expect([first.entries.length, second.due.length, second.pagination.has_more]).toEqual([1, 0, false])
    expect(second.totals).toEqual(whole.totals)
    expect((await part(null, 'text/html')).body).toMatch(/Teil 1, .*Es folgt Teil 2/s)
    expect((await part(first.pagination.cursor, 'text/html')).body).toContain('Teil 2 (letzter)')
    expect((await part(null, 'text/csv')).body).toContain('next_part,')
    expect((await part(first.pagination.cursor, 'text/csv')).headers.get('content-disposition')).toContain(
      '-teil-2.csv"',
    )
  })

  it('shows on the page the earlier outcome of a struck deadline', async () => {
    const due_at = '2020-03-03T12:00:00+01:00'
    const done = await enter({ title: 'Vorfrist: kein Vorspann', due_at })
    await complete(done.id, 'Per beA eingereicht.')
    await strike(done.id)
    const undone = await enter({ due_at })
    await colleague.api('POST', `/api/v1/deadlines/${undone.id}/verify`)
    await strike(undone.id)

    const { body } = await read('2020-03-03', 'text/html')

    expect(body).toContain('2 Fristen: 1 gestrichen, erledigt · 1 gestrichen, nicht erledigt')
    expect(body).toMatch(
      /✕ gestrichen.*<br>erledigt am .*Vermerk: <bdi>Per beA eingereicht\.<\/bdi><br>nicht geprüft/,
    )
    expect(body).toMatch(/✕ gestrichen.*<br>nicht erledigt<br>geprüft von <bdi>Emre Çelik<\/bdi>/)
    expect(body).toContain('<bdi class="title">Vorfrist: kein Vorspann</bdi>')
  })

  it('is a page that loads and runs nothing, whatever titles and names say', async () => {
    await enter({ title: '<script>alert(1)</script>', due_at: '2030-06-06' })

    const { body, headers } = await read('2030-06-06', 'text/html')

    expect(body).toContain('<html lang="de">')
    expect(body).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
    expect(body).toContain('Kanzlei &#60;Vogt&#62; &#38; &#34;Partner&#34;')
    expect(body).not.toMatch(/<script|<img|<link|https?:|url\(/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const needed of ['size: A4', 'counter(page)', 'Unterschrift', 'Donnerstag, 06.06.2030'])
      expect(body).toContain(needed)
  })
})
