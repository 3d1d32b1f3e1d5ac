import { createDecipheriv, createHmac, hash, pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { asn1 as Asn1 } from 'node-forge'

/**
 * The content of a PKCS#12 file: private keys in PKCS#8 and certificates in X.509, all in DER, in the order of the
 * file.
 */
type Pkcs12Contents = { keys: Buffer[]; certificates: Buffer[] }

/** Why a file does not open. */
export class Pkcs12Fault extends Error {
  /** `passphrase`: it is wrong or missing. `too_much_work`: too many iterations. `unsupported`: an unsupported kind of file. */
  readonly reason: 'not_pkcs12' | 'passphrase' | 'too_much_work' | 'unsupported'

  constructor(reason: Pkcs12Fault['reason'], cause?: unknown) {
    super(`The PKCS#12 file does not open: ${reason}`, { cause })
    this.name = 'Pkcs12Fault'
    this.reason = reason
  }
}

/**
 * The limit for all hashes of a file; each blocks for about a microsecond. A usual file needs 10 000, an old
 * BouncyCastle file with 51 200 iterations for each part needs 360 000.
 */
const maxHashes = 400_000

/** The cost of a PBKDF2 iteration in such hashes: it runs in OpenSSL, in another thread. */
const pbkdf2Cost = 0.25

const maxItems = 50

/**
 * Opens a PKCS#12 file with a passphrase (RFC 7292), with modern encryption (PBES2 with AES) or the encryption of old
 * files (3DES and RC2). It does not use node-forge's `pkcs12FromAsn1`, which does not limit the iterations, does not
 * open modern files whose passphrase has umlauts, and does not return the bytes of certificates unchanged.
 *
 * @throws Pkcs12Fault
 */
export async function openPkcs12(file: Uint8Array, passphrase: string): Promise<Pkcs12Contents> {
  const { default: forge } = await import('node-forge')
  try {
    return await new Opener(forge, passphrase).open(file)
  } catch (error) {
    throw error instanceof Pkcs12Fault ? error : new Pkcs12Fault('not_pkcs12', error)
  }
}

type Forge = typeof import('node-forge')

/** A node of ASN.1; `value` is the contents as latin1, or the members. */
type Node = Asn1.Asn1

const oids = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509: '1.2.840.113549.1.9.22.1',
  pbes2: '1.2.840.113549.1.5.13',
  pbkdf2: '1.2.840.113549.1.5.12',
}

const macDigests: Record<string, DigestName> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const prfDigests: Record<string, DigestName> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}

const pbes2Ciphers: Record<string, { name: string; keyBytes: number }> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyBytes: 32 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', keyBytes: 24 },
}

/** The ciphers that PKCS#12 itself defines. OpenSSL no longer has RC2, but node-forge does. */
const pkcs12Ciphers: Record<string, { name: 'des-ede3-cbc' | 'rc2'; keyBytes: number }> = {
  '1.2.840.113549.1.12.1.3': { name: 'des-ede3-cbc', keyBytes: 24 },
  '1.2.840.113549.1.12.1.5': { name: 'rc2', keyBytes: 16 },
  '1.2.840.113549.1.12.1.6': { name: 'rc2', keyBytes: 5 },
}

class Opener {
  readonly #forge: Forge
  readonly #passphrase: string
  #hashes = 0

  constructor(forge: Forge, passphrase: string) {
    this.#forge = forge
    this.#passphrase = passphrase
  }

  async open(file: Uint8Array): Promise<Pkcs12Contents> {
    const pfx = this.#parse(Buffer.from(file))
    const [version, authSafe, mac] = members(pfx)
    if (integer(version) !== 3) throw new Pkcs12Fault('not_pkcs12')
    const content = this.#content(authSafe, oids.data)
    this.#checkMac(mac, content)

    const contents: Pkcs12Contents = { keys: [], certificates: [] }
    for (const info of members(this.#parse(content))) {
      const bags =
        this.#oid(members(info)[0]) === oids.encryptedData
          ? await this.#encryptedContent(info)
          : this.#content(info, oids.data)
      for (const bag of members(this.#parse(bags))) await this.#addBag(bag, contents)
    }
    return contents
  }

  async #addBag(bag: Node, { keys, certificates }: Pkcs12Contents): Promise<void> {
    if (keys.length + certificates.length >= maxItems) throw new Pkcs12Fault('too_much_work')
    const [type, wrapped] = members(bag)
    const [value] = members(wrapped)
    const kind = this.#oid(type)
    if (kind === oids.keyBag) keys.push(this.#der(value))
    if (kind === oids.shroudedKeyBag) {
      const [algorithm, encrypted] = members(value)
      keys.push(await this.#decrypt(algorithm, octets(encrypted)))
    }
    if (kind === oids.certificateBag) {
      const [certificateType, certificate] = members(value)
      if (this.#oid(certificateType) === oids.x509) certificates.push(octets(members(certificate)[0]))
    }
  }

  /** Contents of the kind `data`. */
  #content(info: Node | undefined, kind: string): Buffer {
    const [type, content] = members(info)
    // Public-key integrity and public-key encryption have other kinds.
    if (this.#oid(type) !== kind) throw new Pkcs12Fault('unsupported')
    return octets(members(content)[0])
  }

  async #encryptedContent(info: Node): Promise<Buffer> {
    const [, content] = members(info)
    const [, encryptedContentInfo] = members(members(content)[0])
    const [, algorithm, encrypted] = members(encryptedContentInfo)
    return this.#decrypt(algorithm, octets(encrypted))
  }

  #checkMac(mac: Node | undefined, content: Buffer): void {
    // Optional; without it the padding shows whether the passphrase is right.
    if (mac === undefined) return
    const [digestInfo, salt, iterations] = members(mac)
    const [algorithm, expected] = members(digestInfo)
    const digest = macDigests[this.#oid(members(algorithm)[0])]
    if (digest === undefined) throw new Pkcs12Fault('unsupported')
    const count = this.#counted(iterations === undefined ? 1 : integer(iterations), 1)
    const key = this.#pkcs12Key(digest, {
      id: 3,
      salt: octets(salt),
      count,
      length: hash(digest, '', 'buffer').length,
    })
    const actual = createHmac(digest, key).update(content).digest()
    const given = octets(expected)
    if (actual.length !== given.length || !timingSafeEqual(actual, given)) throw new Pkcs12Fault('passphrase')
  }

  async #decrypt(algorithm: Node | undefined, encrypted: Buffer): Promise<Buffer> {
    const [type, parameters] = members(algorithm)
    const kind = this.#oid(type)
    try {
      return kind === oids.pbes2
        ? await this.#decryptPbes2(parameters, encrypted)
        : this.#decryptOld(kind, parameters, encrypted)
    } catch (error) {
      // The MAC is right, but this part has another passphrase; or, without a MAC, the padding is wrong.
      throw error instanceof Pkcs12Fault ? error : new Pkcs12Fault('passphrase', error)
    }
  }

  async #decryptPbes2(parameters: Node | undefined, encrypted: Buffer): Promise<Buffer> {
    const [derivation, scheme] = members(parameters)
    const [derivationType, derivationParameters] = members(derivation)
    const [schemeType, iv] = members(scheme)
    const [salt, iterations, ...optional] = members(derivationParameters)
    const prf = optional.find((it) => Array.isArray(it.value))
    const digest = prf === undefined ? 'sha1' : prfDigests[this.#oid(members(prf)[0])]
    const cipher = pbes2Ciphers[this.#oid(schemeType)]
    if (this.#oid(derivationType) !== oids.pbkdf2 || digest === undefined || cipher === undefined)
      throw new Pkcs12Fault('unsupported')
    const count = this.#counted(integer(iterations), pbkdf2Cost * Math.ceil(cipher.keyBytes / 20))
    const key = await promisify(pbkdf2)(this.#passphrase, octets(salt), count, cipher.keyBytes, digest)
    return decipher(cipher.name, key, octets(iv), encrypted)
  }

  #decryptOld(kind: string, parameters: Node | undefined, encrypted: Buffer): Buffer {
    const cipher = pkcs12Ciphers[kind]
    if (cipher === undefined) throw new Pkcs12Fault('unsupported')
    const [saltNode, iterations] = members(parameters)
    const salt = octets(saltNode)
    // SHA-1 blocks for the key, and one for the IV.
    const count = this.#counted(integer(iterations), Math.ceil(cipher.keyBytes / 20) + 1)
    const key = this.#pkcs12Key('sha1', { id: 1, salt, count, length: cipher.keyBytes })
    const iv = this.#pkcs12Key('sha1', { id: 2, salt, count, length: 8 })
    if (cipher.name !== 'rc2') return decipher(cipher.name, key, iv, encrypted)
    const { rc2, util } = this.#forge as Forge & { rc2: Rc2 }
    const rc2Cipher = rc2.createDecryptionCipher(key.toString('latin1'), cipher.keyBytes * 8)
    rc2Cipher.start(iv.toString('latin1'))
    rc2Cipher.update(util.createBuffer(encrypted.toString('latin1')))
    if (!rc2Cipher.finish()) throw new Pkcs12Fault('passphrase')
    return Buffer.from(rc2Cipher.output.getBytes(), 'latin1')
  }

  /** The key derivation of PKCS#12 (RFC 7292, appendix B.2). node-forge's takes eight times as long. */
  #pkcs12Key(digest: DigestName, { id, salt, count, length }: Derivation): Buffer {
    const block = digest === 'sha1' || digest === 'sha256' ? 64 : 128
    const password = Buffer.from(`${this.#passphrase}\0`, 'utf16le').swap16()
    const diversifier = Buffer.alloc(block, id)
    const input = Buffer.concat([filled(salt, block), filled(password, block)])
    const key: Buffer[] = []
    for (let made = 0; made < length; made += key.at(-1)?.length ?? length) {
      let bytes = hash(digest, Buffer.concat([diversifier, input]), 'buffer')
      for (let round = 1; round < count; round += 1) bytes = hash(digest, bytes, 'buffer')
      key.push(bytes)
      addToBlocks(input, filled(bytes, block))
    }
    return Buffer.concat(key).subarray(0, length)
  }

  /** @throws Pkcs12Fault if this number of iterations, at this cost in hashes each, is too much */
  #counted(iterations: number, cost: number): number {
    this.#hashes += iterations * cost
    if (iterations < 1) throw new Pkcs12Fault('not_pkcs12')
    if (this.#hashes > maxHashes) throw new Pkcs12Fault('too_much_work')
    return iterations
  }

  /** Parses BER; nesting is limited by node-forge. */
  #parse(bytes: Buffer): Node {
    return this.#forge.asn1.fromDer(this.#forge.util.createBuffer(bytes.toString('latin1')))
  }

  #der(node: Node | undefined): Buffer {
    if (node === undefined) throw new Pkcs12Fault('not_pkcs12')
    return Buffer.from(this.#forge.asn1.toDer(node).getBytes(), 'latin1')
  }

  #oid(node: Node | undefined): string {
    if (typeof node?.value !== 'string') throw new Pkcs12Fault('not_pkcs12')
    return this.#forge.asn1.derToOid(this.#forge.util.createBuffer(node.value))
  }
}

type DigestName = 'sha1' | 'sha256' | 'sha384' | 'sha512'

type Derivation = { id: 1 | 2 | 3; salt: Buffer; count: number; length: number }

/** The part that node-forge's types do not declare. */
type Rc2 = {
  createDecryptionCipher: (
    key: string,
    bits: number,
  ) => {
    start: (iv: string) => void
    update: (input: unknown) => void
    finish: () => boolean
    output: { getBytes: () => string }
  }
}

function decipher(name: string, key: Buffer, iv: Buffer, encrypted: Buffer): Buffer {
  const cipher = createDecipheriv(name, key, iv)
  return Buffer.concat([cipher.update(encrypted), cipher.final()])
}

/** Repeats the bytes until they fill whole blocks; empty input stays empty. */
function filled(bytes: Buffer, block: number): Buffer {
  return Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes)
}

/** Adds `addend` plus one to each block, as numbers of the block's length. */
function addToBlocks(blocks: Buffer, addend: Buffer): void {
  for (let start = 0; start < blocks.length; start += addend.length) {
    let carry = 1
    for (let at = addend.length - 1; at >= 0; at -= 1) {
      carry += blocks.readUInt8(start + at) + addend.readUInt8(at)
      blocks.writeUInt8(carry & 0xff, start + at)
      carry >>= 8
    }
  }
}

function members(node: Node | undefined): Node[] {
  if (!Array.isArray(node?.value)) throw new Pkcs12Fault('not_pkcs12')
  return node.value
}

/** The contents of an OCTET STRING; BER may divide them into several. */
function octets(node: Node | undefined): Buffer {
  if (node === undefined) throw new Pkcs12Fault('not_pkcs12')
  if (Array.isArray(node.value)) return Buffer.concat(node.value.map(octets))
  return Buffer.from(node.value, 'latin1')
}

/** An integer of at most four bytes; infinity for a larger one. */
function integer(node: Node | undefined): number {
  const bytes = octets(node)
  if (bytes.length === 0 || bytes.readInt8(0) < 0) throw new Pkcs12Fault('not_pkcs12')
  return bytes.length > 5 ? Number.POSITIVE_INFINITY : bytes.readUIntBE(0, bytes.length)
}
