import { describe, expect, it } from 'vitest'
import { guardedAddresses } from '#foundation/webhooks.ts'

/** Addresses of endpoints as they are checked on AWS (E3): `npm start` also allows this machine, and http. */

const { checkUrl, posterTo } = guardedAddresses(false)

describe('the address of an endpoint', () => {
  it.each([
    'http://93.184.215.14/hook',
    'https://127.0.0.1/hook',
    'https://127.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://localhost/hook',
    'https://10.0.0.1/hook',
    'https://169.254.169.254/latest/meta-data/',
  ])('%s is refused', async (url) => {
    await expect(checkUrl(url)).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' })
  })

  it('is taken if it is public, or if nobody knows the name yet', async () => {
    await checkUrl('https://93.184.215.14/hook')
    await checkUrl('https://nobody.invalid/hook')
  })
})

it.each([
  'https://localhost:1/hook',
  'https://[::1]:1/hook',
  'http://93.184.215.14:1/hook',
])('a request to %s is not begun, whatever was checked before', async (url) => {
  const poster = posterTo(url)

  expect(await poster.post('{}', {})).toEqual({ error: 'address_not_allowed' })
  poster.close()
})
