import { describe, expect, it } from 'vitest'
import { redirectHeaders } from '#http/redirect.ts'

const locationOf = (location: string, baseUrl = 'https://api.example/dev') =>
  redirectHeaders({ location }, baseUrl).Location

describe('a redirect', () => {
  it('leads below the address of the service, or to a whole address', () => {
    expect(locationOf('/sign/abc')).toBe('https://api.example/dev/sign/abc')
    expect(locationOf('https://other.example/x')).toBe('https://other.example/x')
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'sign/abc',
    '',
    'https://',
  ])('to %j is a fault of the handler', (location) => {
    expect(() => locationOf(location)).toThrow('A handler redirects to an invalid address.')
  })

  it('cannot begin another header', () => {
    expect(locationOf('/a\r\nSet-Cookie: x=y')).not.toMatch(/[\r\n]/)
  })

  const cookie = { name: 'code', value: '4711', path: '/sign/abc', maxAgeSeconds: 60 }
  const cookieOf = (changes: Partial<typeof cookie>, baseUrl = 'https://api.example/dev') =>
    redirectHeaders({ location: '/', setCookie: { ...cookie, ...changes } }, baseUrl)['Set-Cookie']

  it('sets a cookie that no script can read, and over HTTPS only for HTTPS', () => {
    expect(cookieOf({})).toBe('code=4711; Path=/dev/sign/abc; Max-Age=60; HttpOnly; SameSite=Strict; Secure')
    expect(cookieOf({}, 'http://127.0.0.1:3000')).toBe(
      'code=4711; Path=/sign/abc; Max-Age=60; HttpOnly; SameSite=Strict',
    )
  })

  it.each([
    { value: 'a; Domain=evil.example' },
    { value: 'a\r\nX: y' },
    { name: 'a=b' },
    { path: '/a; Domain=x' },
  ])('with the cookie %j is a fault of the handler', (changes) => {
    expect(() => cookieOf(changes)).toThrow('A handler sets an invalid cookie.')
  })
})
