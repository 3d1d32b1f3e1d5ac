import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  privateEncrypt,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { writeWhole } from '#infra/write-whole.ts'
import { attempted } from '#kernel/attempted.ts'
import { ServiceError } from './signed-server.ts'

/** The answers of the local KMS about its signing key. */
export type SigningKey = {
  describe: () => Promise<object>
  sign: (input: { Message?: string; MessageType?: string; SigningAlgorithm?: string }) => Promise<object>
}

/**
 * An RSA key of 3 072 bits in a file that only its owner can read. It is created at the first call, since that takes
 * up to a second. It signs SHA-256 digests with RSASSA-PKCS1-v1_5, like the key of a stage.
 *
 * @throws Error if the file holds no such key
 */
export function openSigningKey(file: string): SigningKey {
  let key = existsSync(file) ? Promise.resolve(readKey(file)) : undefined
  const open = (): Promise<KeyObject> => {
    key ??= createKey(file).catch((error: unknown) => {
      key = undefined
      throw error
    })
    return key
  }
  return {
    describe: async () => ({
      PublicKey: createPublicKey(await open())
        .export({ type: 'spki', format: 'der' })
        .toString('base64'),
      KeySpec: 'RSA_3072',
      KeyUsage: 'SIGN_VERIFY',
      SigningAlgorithms: [algorithm],
    }),
    sign: async ({ Message = '', MessageType, SigningAlgorithm }) => {
      const digest = Buffer.from(Message, 'base64')
      if (MessageType !== 'DIGEST' || SigningAlgorithm !== algorithm || digest.length !== 32) {
        throw new ServiceError('ValidationException', `Only ${algorithm} over a digest is available.`)
      }
      const signature = privateEncrypt(await open(), Buffer.concat([sha256DigestInfo, digest]))
      return { Signature: signature.toString('base64'), SigningAlgorithm: algorithm }
    },
  }
}

const algorithm = 'RSASSA_PKCS1_V1_5_SHA_256'
/** The prefix of a SHA-256 digest in PKCS #1 (RFC 8017, 9.2, note 1). */
const sha256DigestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex')

function readKey(file: string): KeyObject {
  const key = attempted(() => createPrivateKey(readFileSync(file, 'utf8')))
  if (key?.asymmetricKeyDetails?.modulusLength === 3_072) return key
  throw new Error(
    `${file} is damaged. Restore it, or delete it: what it sealed stays valid, and the next start makes a new key.`,
  )
}

async function createKey(file: string): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3_072 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  writeWhole(file, pem, { mode: 0o600, flush: true })
  return privateKey
}
