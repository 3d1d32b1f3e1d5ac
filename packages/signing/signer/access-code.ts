import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * Cost of a hash: 16 MiB of memory and about 50 ms, as the paper on scrypt (C. Percival, 2009) suggests for interactive
 * logins. It is not higher because one request may contain fifty codes, and a link accepts only five guesses. Each hash
 * contains its cost, so older hashes stay valid when this setting changes.
 */
const cost = { N: 2 ** 14, r: 8, p: 1 }

const hashBytes = 32

/** A slow hash of an access code with a random salt: `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashAccessCode(code: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(code.normalize('NFC'), salt, hashBytes, cost)
  const { N, r, p } = cost
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether a code matches a hash. Takes the same time for every wrong code. */
export async function isAccessCode(code: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined)
    throw new Error('This is not a hash of an access code.')
  const expected = Buffer.from(hash, 'base64url')
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(
    code.trim().normalize('NFC'),
    Buffer.from(salt, 'base64url'),
    expected.length,
    options,
  )
  return timingSafeEqual(actual, expected)
}

/** `promisify(scrypt)` without `node:util`, which adds four milliseconds to a cold start. */
function derive(code: string, salt: Uint8Array, length: number, options: ScryptOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(code, salt, length, options, (error, hash) => (error === null ? resolve(hash) : reject(error)))
  return promise
}
