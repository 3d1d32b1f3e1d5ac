import { createCipheriv, createHash } from 'node:crypto'

/** All that is random in the simulator comes from here, so a run with the same seed repeats itself. */
export type Randomness = {
  /** `purpose` says what the bytes are for; a test that gives its own bytes looks at it. */
  bytes: (count: number, purpose: RandomPurpose) => Buffer
  /** A token that nobody can guess who does not know the seed: `t-4Jk…`. */
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
