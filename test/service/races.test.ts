import { describe, expect, it } from 'vitest'
import { newFirm } from '#test/support/firm.ts'

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

describe('requests at the same moment', () => {
  it('a hundred cases get a hundred distinct file numbers without a gap', async () => {
    const firm = await newFirm()

    const answers = await times(100, (index) =>
      firm.owner('POST', '/api/v1/cases', { body: { name: `Zugleich ${index}` } }),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(201))
    const numbers = answers
      .map(({ body }) => Number(body.file_number.split('/')[0]))
      .toSorted((one, other) => one - other)
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  })

  it('of two processes share the numbers of a year without a gap', async () => {
    const firm = await newFirm()
    // Another process than the service's: nothing but the table is between the two.
    const { handler } = await import('#functions/cases/index.ts')
    const { key } = await firm.colleague()
    const elsewhere = async (index: number) => {
      const event = {
        httpMethod: 'POST',
        resource: '/api/v1/cases',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify({ name: `Anderswo ${index}` }),
        requestContext: { requestId: String(index) },
      } as unknown as Parameters<typeof handler>[0]
      return JSON.parse(
        (await handler(event, { getRemainingTimeInMillis: () => 29_000 } as Parameters<typeof handler>[1]))
          .body,
      )
    }

    const opened = await Promise.all([
      times(
        20,
        async (index) =>
          (await firm.owner('POST', '/api/v1/cases', { body: { name: `Hier ${index}` } })).body,
      ),
      times(20, elsewhere),
    ])

    const numbers = opened.flat().map(({ file_number }) => Number(file_number.split('/')[0]))
    expect(numbers.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
  })

  it('of thirty cases with one file number exactly one is opened', async () => {
    const firm = await newFirm()

    const answers = await times(30, (index) =>
      firm.owner('POST', '/api/v1/cases', { body: { name: `Streit ${index}`, file_number: 'EINE' } }),
    )

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(29)
    expect((await firm.owner('GET', '/api/v1/cases')).body.data).toHaveLength(1)
  })

  it('thirty parties added to one case are all there, with an entry each', async () => {
    const firm = await newFirm()
    const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Viele' } })).body

    const answers = await times(30, (index) =>
      firm.owner('POST', `/api/v1/cases/${id}/parties`, {
        body: [{ name: `Partei ${index}`, role: 'heir' }],
      }),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
    expect((await firm.owner('GET', `/api/v1/cases/${id}/parties`)).body.data).toHaveLength(30)
    const { body } = await firm.owner('GET', `/api/v1/cases/${id}/timeline?limit=100`)
    expect(body.data).toHaveLength(31)
  })

  it('of twenty conditional changes exactly one succeeds', async () => {
    const firm = await newFirm()
    const created = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Bedingt' } })
    const headers = { 'If-Match': created.headers.get('etag') ?? '' }

    const answers = await times(20, (index) =>
      firm.owner('PUT', `/api/v1/cases/${created.body.id}`, {
        body: { name: `Fassung ${index}` },
        headers,
      }),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(412)])
  })

  it('two cases linked from both sides at once have one link', async () => {
    const firm = await newFirm()
    const [here, there] = await times(
      2,
      async () => (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Paar' } })).body.id,
    )

    const answers = await times(20, (index) =>
      firm.owner('POST', `/api/v1/cases/${index % 2 ? here : there}/links`, {
        body: { case_id: index % 2 ? there : here },
      }),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)])
    expect((await firm.owner('GET', `/api/v1/cases/${here}/links`)).body.data).toHaveLength(1)
  })

  it('a case deleted while it is changed and linked leaves nothing behind', async () => {
    const firm = await newFirm()
    const kept = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Bleibt' } })).body.id
    const doomed = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Vergeht' } })).body.id

    await Promise.all([
      firm.owner('POST', `/api/v1/cases/${kept}/links`, { body: { case_id: doomed } }),
      firm.owner('PUT', `/api/v1/cases/${doomed}`, { body: { name: 'Vergeht anders' } }),
      firm.owner('DELETE', `/api/v1/cases/${doomed}`),
      firm.owner('PUT', `/api/v1/cases/${doomed}`, { body: { name: 'Vergeht nochmal' } }),
    ])

    expect((await firm.owner('GET', '/api/v1/cases?search=vergeht')).body.data).toEqual([])
    expect((await firm.owner('GET', `/api/v1/cases/${kept}/links`)).body.data).toEqual([])
  })
})
