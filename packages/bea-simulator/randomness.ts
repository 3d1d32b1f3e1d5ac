import { createCipheriv, createHash } from 'node:crypto'

/** All random values of the simulator come from here, so runs with the same seed are identical. */
export type Randomness = {
  /** `purpose` names the use of the bytes, for tests that supply their own bytes. */
  bytes: (count: number, purpose: RandomPurpose) => Buffer
  /** A token that nobody can guess without the seed: `t-4Jk…`. */
  token: (prefix: string) => string
}

export type RandomPurpose =
  | 'challenge'
  | 'sessionKey'
  | 'validationKey'
  | 'messageKey'
  | 'iv'
  | 'filler'
  | 'validation'
  | 'content'
  | 'token'

/** The key stream of AES-256 in counter mode, with the hash of `seed` as its key. */
export function seededRandomness(seed: string): Randomness {
  const stream = createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), Buffer.alloc(16))
  const bytes = (count: number) => stream.update(Buffer.alloc(count))
  return { bytes, token: (prefix) => `${prefix}-${bytes(18).toString('base64url')}` }
}
