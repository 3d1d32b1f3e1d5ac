import { beforeEach, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeEach(async () => {
  firm = await newFirm('Kanzlei Vogt')
})

describe('the workspace', () => {
  it('shows and changes its settings', async () => {
    const shown = await firm.owner('GET', '/api/v1/workspace')
    const changed = await firm.owner('PATCH', '/api/v1/workspace', {
      body: { name: 'Kanzlei Vogt & Partner', holiday_region: 'DE-BY', auto_file: 'off' },
    })

    expect(shown.body).toMatchObject({
      id: firm.workspace.id,
      name: 'Kanzlei Vogt',
      time_zone: 'Europe/Berlin',
      holiday_region: 'DE-BE',
      auto_file: 'certain',
    })
    expect(changed.body).toEqual({
      ...shown.body,
      name: 'Kanzlei Vogt & Partner',
      holiday_region: 'DE-BY',
      auto_file: 'off',
    })
    expect((await firm.owner('GET', '/api/v1/workspace')).body).toEqual(changed.body)
  })

  it.each([
    { time_zone: 'Mars/Olympus' },
    { time_zone: '' },
    { holiday_region: 'DE-XX' },
    { holiday_region: 'BY' },
    { name: '' },
    { auto_file: 'always' },
    { auto_file: null },
  ])('answers 400 to %j', async (body) => {
    expect((await firm.owner('PATCH', '/api/v1/workspace', { body })).status).toBe(400)
  })

  it('rotates its webhook token', async () => {
    const before = await firm.owner('GET', '/api/v1/workspace/webhooks')
    const rotated = await firm.owner('POST', '/api/v1/workspace/webhooks/rotate')
    const after = await firm.owner('GET', '/api/v1/workspace/webhooks')

    expect(before.body.token).toBe(firm.workspace.webhook_token)
    expect(before.body.url).toBe(`${firm.baseUrl}/webhooks/inbox/${firm.workspace.id}`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.token).not.toBe(before.body.token)
    expect(after.body).toEqual(rotated.body)
  })
})

describe('the time zone', () => {
  it('is stored in the spelling of the IANA database', async () => {
    const { body } = await firm.owner('PATCH', '/api/v1/workspace', {
      body: { time_zone: 'europe/berlin' },
    })
    expect(body.time_zone).toBe('Europe/Berlin')
  })
})

describe('users', () => {
  it('with signatures of maximum length are all listed, page by page', async () => {
    const own = await newFirm()
    const signature_html = 'ß'.repeat(20_000)
    await Promise.all(
      Array.from({ length: 70 }, (_, index) =>
        own.owner('POST', '/api/v1/users', {
          body: { name: `Nutzer ${index}`, email: `n${index}@müller-recht.de`, signature_html },
        }),
      ),
    )

    const seen = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await own.owner(
        'GET',
        `/api/v1/users?limit=100${cursor && `&cursor=${cursor}`}`,
      )
      expect(status).toBe(200)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.pagination.cursor
    }

    expect(seen).toHaveLength(71)
    expect(new Set(seen).size).toBe(71)
  })

  it('are added, listed newest first, read by any key and changed', async () => {
    const added = await firm.owner('POST', '/api/v1/users', {
      body: { name: 'Emre Çelik', email: 'celik@example.de' },
    })
    const reader = await firm.withScopes('cases:read')
    const changed = await firm.owner('PATCH', `/api/v1/users/${added.body.id}`, {
      body: { signature_html: '<b>Çelik</b>', name: 'E. Çelik' },
    })
    const read = await reader('GET', `/api/v1/users/${added.body.id}`)
    const listed = await reader('GET', '/api/v1/users')

    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({ active: true, signature_html: null })
    expect(read.body).toEqual({ ...added.body, signature_html: '<b>Çelik</b>', name: 'E. Çelik' })
    expect(changed.body).toEqual(read.body)
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([added.body.id, firm.ownerUser.id])
    expect(
      (await reader('POST', '/api/v1/users', { body: { name: 'X', email: 'x@example.de' } })).status,
    ).toBe(403)
  })

  it('have signatures without scripts; a signature that is too complicated for a mail is refused', async () => {
    const path = `/api/v1/users/${firm.ownerUser.id}`
    const patch = (signature_html: string) => firm.owner('PATCH', path, { body: { signature_html } })

    const cleaned = await patch('<p onclick="x()">Dr. Vogt<script>x()</script></p>')
    const refused = [await patch('<b>'.repeat(600)), await patch('&'.repeat(20_000))]

    expect([cleaned.status, cleaned.body.signature_html]).toEqual([200, '<p>Dr. Vogt</p>'])
    for (const { status, body } of refused)
      expect([status, body.error.details[0].path]).toEqual([400, 'body.signature_html'])
    const signature = (await firm.owner('GET', '/api/v1/email/outbound/signature')).body
    expect(signature).toEqual({ signature_html: '<p>Dr. Vogt</p>' })
  })

  it('cannot use their keys any more as soon as they are deactivated, and can again when they are activated', async () => {
    const { user, api: colleague } = await firm.colleague()
    expect((await colleague('GET', '/api/v1/cases')).status).toBe(200)

    await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })
    const refused = await colleague('GET', '/api/v1/cases')
    await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: true } })
    const allowed = await colleague('GET', '/api/v1/cases')

    expect([refused.status, refused.body.error.code]).toEqual([401, 'AUTH_INVALID_KEY'])
    expect(allowed.status).toBe(200)
  })

  it('keep an admin: the only active user with a key for users is not deactivated', async () => {
    const deactivate = () =>
      firm.owner('PATCH', `/api/v1/users/${firm.ownerUser.id}`, { body: { active: false } })
    const reader = { name: 'Nur Leser', email: 'leser@example.de' }
    const { id: user_id } = (await firm.owner('POST', '/api/v1/users', { body: reader })).body
    await firm.owner('POST', '/api/v1/api-keys', { body: { user_id, name: 'x', scopes: ['cases:read'] } })

    const alone = await deactivate()
    await firm.colleague()
    const beside = await deactivate()

    expect([alone.status, alone.body.error.code, beside.status]).toEqual([409, 'LAST_ADMIN', 200])
  })

  it('appear in the timeline with the name that they have at that time', async () => {
    const { user, api: colleague } = await firm.colleague()
    await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { name: 'Neuer Name' } })

    const { body: opened } = await colleague('POST', '/api/v1/cases', { body: { name: 'Wer war das' } })

    const { body } = await firm.owner('GET', `/api/v1/cases/${opened.id}/timeline`)
    expect(body.data[0].actor).toEqual({ type: 'user', id: user.id, name: 'Neuer Name' })
  })
})

describe('API keys', () => {
  it('cannot be created for a deactivated user', async () => {
    const { user } = await firm.colleague()
    await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })

    const { status, body } = await firm.owner('POST', '/api/v1/api-keys', {
      body: { user_id: user.id, name: 'Scanner', scopes: ['cases:read'] },
    })

    expect([status, body.error.code, body.error.details[0].path]).toEqual([
      404,
      'USER_NOT_FOUND',
      'body.user_id',
    ])
  })

  it('are shown once, are listed without their secret, and show when they were used', async () => {
    const { user } = await firm.colleague()

    const created = await firm.owner('POST', '/api/v1/api-keys', {
      body: { user_id: user.id, name: 'Scanner', scopes: ['cases:read', 'cases:read'] },
    })
    const used = await api(firm.baseUrl, created.body.key)('GET', '/api/v1/cases')
    const listed = await firm.owner('GET', '/api/v1/api-keys')

    expect(created.status).toBe(201)
    expect(created.body.key).toMatch(/^ak_[0-9a-f-]{36}_[A-Za-z0-9_-]{43}$/)
    expect(created.body).toMatchObject({
      user_id: user.id,
      name: 'Scanner',
      scopes: ['cases:read'],
      last_used_at: null,
      expires_at: null,
    })
    expect(used.status).toBe(200)
    const { key, ...shown } = created.body
    expect(listed.body.data[0]).toEqual({ ...shown, last_used_at: expect.stringMatching(/Z$/) })
    expect(JSON.stringify(listed.body)).not.toContain(key.slice(-43))
  })

  it('with any scope can read their owner, but no settings', async () => {
    const { user: made, key, keyId } = await firm.colleague()
    const user = (await firm.owner('GET', `/api/v1/users/${made.id}`)).body
    const narrow = await firm.owner('POST', '/api/v1/api-keys', {
      body: {
        user_id: user.id,
        name: 'Nur lesen',
        scopes: ['cases:read'],
        expires_at: '2099-01-01T00:00:00Z',
      },
    })

    const answers = await Promise.all(
      [key, narrow.body.key].map((one) => api(firm.baseUrl, one)('GET', '/api/v1/me')),
    )

    const { id, name, time_zone, holiday_region } = (await firm.owner('GET', '/api/v1/workspace')).body
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0]?.body).toMatchObject({ user, api_key: { id: keyId, expires_at: null } })
    expect(answers[1]?.body).toEqual({
      user,
      workspace: { id, name, time_zone, holiday_region },
      api_key: {
        id: narrow.body.id,
        name: 'Nur lesen',
        scopes: ['cases:read'],
        expires_at: '2099-01-01T00:00:00.000Z',
      },
    })
  })

  it('stop working at once when they are revoked, and are not listed any more', async () => {
    const { key, keyId } = await firm.colleague()
    const colleague = api(firm.baseUrl, key)
    expect((await colleague('GET', '/api/v1/cases')).status).toBe(200)

    const revoked = await firm.owner('DELETE', `/api/v1/api-keys/${keyId}`)
    const refused = await colleague('GET', '/api/v1/cases')
    const again = await firm.owner('DELETE', `/api/v1/api-keys/${keyId}`)

    expect([revoked.status, refused.status, again.status]).toEqual([204, 401, 404])
    const { body } = await firm.owner('GET', '/api/v1/api-keys?limit=100')
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(keyId)
  })

  it('stop working when they expire', async () => {
    // Time enough for a request on a busy machine.
    const soon = new Date(epochMilliseconds() + 10_000)
    const { body } = await firm.owner('POST', '/api/v1/api-keys', {
      body: {
        user_id: firm.ownerUser.id,
        name: 'Kurz',
        scopes: ['cases:read'],
        expires_at: soon.toISOString().replace('Z', '+00:00'),
      },
    })
    const brief = api(firm.baseUrl, body.key)

    const before = await brief('GET', '/api/v1/cases')
    await new Promise((resolve) => setTimeout(resolve, soon.getTime() - epochMilliseconds() + 50))
    const after = await brief('GET', '/api/v1/cases')

    expect(body.expires_at).toBe(soon.toISOString())
    expect([before.status, after.status]).toEqual([200, 401])
  })

  it.each([
    [{ name: 'A', scopes: ['cases:read'] }, 400],
    [{ user_id: 'usr_niemand', name: 'A', scopes: ['cases:read'] }, 404],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:fly'] }, 400],
    [{ user_id: '$owner', name: 'A', scopes: [] }, 400],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:read'], expires_at: '2030-01-01T00:00:00' }, 400],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:read'], expires_at: '9999-12-31T23:59:59-01:00' }, 400],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:read'], expires_at: '0000-01-01T00:00:00+01:00' }, 400],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:read'], expires_at: '2030-02-30T00:00:00Z' }, 400],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:read'], expires_at: '2020-01-01T00:00Z' }, 400],
    [{ user_id: '$owner', name: 'A', scopes: ['cases:read'], expires_at: '2030-01-01T00:00Z' }, 201],
  ])('answers %j with %i', async (body, status) => {
    const filled = JSON.parse(JSON.stringify(body).replace('$owner', firm.ownerUser.id))
    expect((await firm.owner('POST', '/api/v1/api-keys', { body: filled })).status).toBe(status)
  })

  it('can be created for a user while the user is being changed', async () => {
    const { user } = await firm.colleague()
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const [made] = await Promise.all([
          firm.owner('POST', '/api/v1/api-keys', {
            body: { user_id: user.id, name: `K${index}`, scopes: ['cases:read'] },
          }),
          firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { name: `Name ${index}` } }),
        ])
        return made.status
      }),
    )

    expect(answers).toEqual(Array(10).fill(201))
  })

  it('are refused with the same answer in every malformed form', async () => {
    const { key } = await firm.colleague()
    const wrongSecret = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${key}`,
      key,
      `Bearer ${key}x`,
      `Bearer ${wrongSecret}`,
      `Bearer ak_x_${'a'.repeat(43)}`,
      `Bearer ${'x'.repeat(5000)}`,
    ]

    const answers = await Promise.all(
      headers.map((Authorization) =>
        api(firm.baseUrl, undefined)(
          'GET',
          '/api/v1/cases',
          Authorization === undefined ? {} : { headers: { Authorization } },
        ),
      ),
    )

    const bodies = answers.map(({ status, body }) => ({
      status,
      code: body.error.code,
      message: body.error.message,
    }))
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
    expect(bodies[0]).toMatchObject({ status: 401, code: 'AUTH_INVALID_KEY' })
  })
})
